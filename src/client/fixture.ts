/**
 * Shared by the adapters of test runners: the server of a run, the sessions of a test, and what is printed when it fails.
 *
 * A test has a session of the same id in every mock, so that one header or cookie names its sessions wherever the code under test goes.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createClient,
  startSwitchyard,
  VerificationError,
  type Client,
  type Expectation,
  type GatewayOverlayInput,
  type GatewaySession,
  type Match,
  type MockSession,
  type StartOptions,
  type Target,
} from './index.ts';

/** The server of a run, in the process that starts it and in those of its tests. */
const SERVER = 'SWITCHYARD_SERVER';
const KEY = 'SWITCHYARD_API_KEY';
const KEY_FILE = 'SWITCHYARD_KEY_FILE';
/** Folder of the server that `startRun` starts. */
const FILES = 'SWITCHYARD_FILES';
/** Repeats the random choices of a test that failed. */
const SEED = 'SWITCHYARD_SEED';

const ID_BYTES = 8;
const SEED_MAX = 2 ** 31;
const MOCKS_MAX = 100;
/** Bound of the API. */
const LABEL_CHARS_MAX = 1_000;
export const NO_GATEWAY = 'the server has no gateway: start it with `gateway: true`, or with --gateway-port';
/** Exchanges that a report names. */
const FAILED_SHOWN_MAX = 10;

/**
 * Starts the server that all tests of a run use, unless SWITCHYARD_SERVER names one.
 *
 * @returns What stops it.
 */
export async function startRun(options: StartOptions): Promise<() => Promise<void>> {
  // An output of a workflow that is not there is empty.
  if ((process.env[SERVER] ?? '') !== '') return () => Promise.resolve();
  const { apiUrl, key, files, stop } = await startSwitchyard(options);
  // The key of another server is put back.
  const given = process.env[KEY];
  Object.assign(process.env, { [SERVER]: apiUrl, [KEY]: key, ...(files === undefined ? {} : { [FILES]: files }) });
  return () => {
    delete process.env[SERVER];
    delete process.env[FILES];
    if (given === undefined) delete process.env[KEY];
    else process.env[KEY] = given;
    return stop();
  };
}

/** The sessions of one test, which all have the same id and seed. */
export class TestMocks {
  readonly client: Client;
  /** The name of the test. */
  readonly label: string;
  readonly id: string;
  readonly seed: number;
  /** By the id of the mock. */
  readonly sessions: ReadonlyMap<string, MockSession>;
  /** Where the server has a gateway: that of the test, which the sessions belong to. */
  readonly gateway: GatewaySession | undefined;

  private constructor(
    client: Client,
    { label, id, seed }: { label: string; id: string; seed: number },
    sessions: readonly MockSession[],
    gateway?: GatewaySession,
  ) {
    this.client = client;
    this.label = label;
    this.id = id;
    this.seed = seed;
    this.sessions = new Map(sessions.map((session) => [session.mockId, session]));
    this.gateway = gateway;
  }

  /**
   * Opens a session in each running mock of the server, and in its gateway.
   *
   * @param name      Of the test, which the console shows.
   * @param overlay   What the gateway does otherwise in the test.
   * @param propagate Hosts that the gateway names the session to, unless the overlay says so.
   * @throws Error when no server is named, or one without a gateway where there is an overlay; SwitchyardError.
   */
  static async open(
    name: string,
    overlay?: GatewayOverlayInput,
    propagate: readonly string[] = [],
  ): Promise<TestMocks> {
    const client = createClient(serverOfRun());
    const body = {
      label: name.slice(0, LABEL_CHARS_MAX),
      id: randomBytes(ID_BYTES).toString('hex'),
      seed: Number(process.env[SEED] ?? randomInt(SEED_MAX)),
    };
    const [{ records }, { server }] = await Promise.all([
      client.mocks.list({ state: 'running', pageSize: MOCKS_MAX }),
      client.gateway.status(),
    ]);
    if (server !== null) {
      const mocks = { ...Object.fromEntries(records.map(({ id }) => [id, {}])), ...overlay?.mocks };
      const named = propagate.length === 0 ? {} : { propagate };
      const gateway = await client.gateway.session({ ...body, overlay: { ...named, ...overlay, mocks } });
      return new TestMocks(
        client,
        body,
        Object.keys(mocks).map((id) => gateway.mock(id)),
        gateway,
      );
    }
    if (overlay !== undefined) throw new Error(NO_GATEWAY);
    const opening = records.map((mock) => client.mocks.session(mock.id, body));
    const opened = (await Promise.allSettled(opening)).flatMap((each) =>
      each.status === 'fulfilled' ? each.value : [],
    );
    const mocks = new TestMocks(client, body, opened);
    // Where one is refused, nobody would end the others.
    if (opened.length < opening.length) await mocks.end().catch(() => undefined);
    await Promise.all(opening);
    return mocks;
  }

  /** @param mockId Optional where only one mock runs. @throws Error for a mock that does not run. */
  session(mockId?: string): MockSession {
    const [only, ...others] = this.sessions.values();
    const found = mockId === undefined ? (others.length === 0 ? only : undefined) : this.sessions.get(mockId);
    if (found !== undefined) return found;
    const problem = mockId === undefined ? 'name the mock: there is not exactly one' : `no mock "${mockId}" is running`;
    throw new Error(`${problem}; running: ${[...this.sessions.keys()].join(', ') || 'none'}`);
  }

  /** The seed, the requests that nothing answered, with their nearest routes and reasons, and those that failed. Never rejects. */
  async report(): Promise<string> {
    const found = [...this.sessions.values()].map(async (session) => {
      const none = 'no request went unmatched';
      return `${session.mockId}: ${await session.assertNoMisses().then(() => none, messageOf)}`;
    });
    const lines = await Promise.all([...found, ...(this.gateway === undefined ? [] : [failedIn(this.gateway)])]);
    return [`${this.label}: ${SEED}=${this.seed} repeats the random choices`, ...lines].join('\n');
  }

  /** Ends the sessions, those of a failed test after their report is printed. */
  async end(hasFailed = false): Promise<void> {
    if (hasFailed) console.error(await this.report());
    // That of the gateway ends those of the mocks.
    const ending = this.gateway === undefined ? [...this.sessions.values()] : [this.gateway];
    await Promise.all(ending.map((session) => session[Symbol.asyncDispose]()));
  }
}

/** Requests through the gateway without an answer, such as to hosts that are not attached. */
async function failedIn(gateway: GatewaySession): Promise<string> {
  const asked = gateway.requests({ outcome: 'failed', limit: FAILED_SHOWN_MAX });
  return asked.then(({ records }) => {
    const lines = records.map(({ method, url, status, problem }) => `  ${method} ${url} -> ${status}: ${problem}`);
    return lines.length === 0 ? 'gateway: no request failed' : ['gateway: requests that failed', ...lines].join('\n');
  }, messageOf);
}

function messageOf(error: unknown): string {
  return (error as Error).message;
}

function serverOfRun(): Target {
  const { [SERVER]: server, [KEY]: given, [KEY_FILE]: file, [FILES]: files } = process.env;
  if (server === undefined)
    throw new Error(
      `no server is running: start one in a globalSetup (switchyard-server/global-setup), or set ${SERVER} to its URL`,
    );
  const key =
    (given === '' ? undefined : given) ?? (file === undefined ? undefined : readFileSync(file, 'utf8').trim());
  if (key === undefined)
    throw new Error(`${SERVER} requires the key in ${KEY}, or the path of its file in ${KEY_FILE}`);
  return { apiUrl: `${server.replace(/(\/v1)?\/*$/, '')}/v1`, key, files };
}

/** How often a request is expected: once or more when `times` is absent. */
export interface RequestedOptions extends Pick<Expectation, 'withinMs'> {
  readonly times?: number;
}

/** The matcher `toHaveBeenRequested`: its message is that of `assertVerified`. */
export async function haveBeenRequested(
  session: MockSession,
  match: Match,
  { times, ...options }: RequestedOptions = {},
  isNot = false,
): Promise<{ pass: boolean; message: () => string }> {
  const isNever = isNot && times === undefined;
  const exactly = isNever ? 0 : times;
  const expectation = { match, ...(exactly === undefined ? {} : { exactly }), ...options };
  const error = await session.assertVerified(expectation).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (error !== undefined && !(error instanceof VerificationError)) throw error;
  const message = (): string => error?.message ?? `expected any number except ${times} of ${JSON.stringify(match)}`;
  return { pass: (error === undefined) !== isNever, message };
}
