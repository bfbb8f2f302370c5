/** `switchyard-server/vitest`: sessions of the mocks for each test that uses `mocks`. */
import { expect, test as base } from 'vitest';
import { haveBeenRequested, TestMocks, type RequestedOptions } from './fixture.ts';
import type { Match, MockSession } from './index.ts';

declare module 'vitest' {
  interface Matchers<T> {
    /** Takes a session: `await expect(mocks.session('shop')).toHaveBeenRequested({ path: '/charges' }, { times: 1 })`. */
    toHaveBeenRequested: (match: Match, options?: RequestedOptions) => Promise<void>;
  }
}

/** vitest's `test` with the fixture `mocks`. */
export const test = base.extend<{ mocks: TestMocks }>({
  mocks: async ({ task }, use) => {
    const mocks = await TestMocks.open(task.name);
    await use(mocks);
    await mocks.end(task.result?.state === 'fail');
  },
});

expect.extend({
  toHaveBeenRequested(session: MockSession, match: Match, options?: RequestedOptions) {
    return haveBeenRequested(session, match, options, this.isNot);
  },
});
