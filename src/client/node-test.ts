/** `switchyard-server/node-test`: a server and sessions for node:test, mocha and jest, by their hooks. */
import { startRun, TestMocks } from './fixture.ts';
import type { StartOptions } from './index.ts';

/** The part of node:test's context that is used. */
interface Context {
  readonly name: string;
  readonly passed?: boolean;
  after(hook: () => Promise<void>): void;
}

export interface Fixture {
  /** Starts the server, unless SWITCHYARD_SERVER names one. */
  readonly before: () => Promise<void>;
  readonly after: () => Promise<void>;
  /** For node:test: opens sessions, which end with the test. */
  readonly session: (context: Context) => Promise<TestMocks>;
  /** For every other runner: runs a test with sessions of its own. @param name Of the test. */
  readonly run: <Result>(name: string, body: (mocks: TestMocks) => Result | Promise<Result>) => Promise<Result>;
}

/** @param options Such as `mocks`, the files to serve. */
export function withSwitchyard(options: StartOptions = {}): Fixture {
  let stop: (() => Promise<void>) | undefined;
  return {
    before: async () => {
      stop = await startRun(options);
    },
    after: async () => stop?.(),
    session: (context) => {
      const opening = TestMocks.open(context.name);
      // Before they are open: a test that takes too long may end in between, and takes no hook then.
      context.after(async () => (await opening.catch(() => undefined))?.end(context.passed === false));
      return opening;
    },
    run: async (name, body) => {
      const mocks = await TestMocks.open(name);
      let result;
      try {
        result = await body(mocks);
      } catch (error) {
        // It is what the runner is to show, also when the server has ended.
        await mocks.end(true).catch(() => undefined);
        throw error;
      }
      await mocks.end();
      return result;
    },
  };
}
