/** A real server in a process of its own, on free ports and a temporary data directory. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Agent, fetch } from 'undici';
import { consoleLink } from '../../src/cli/console-link.ts';
import { createKey } from '../../src/cli/keys.ts';
import type { Role } from '../../src/model/principal.ts';
import { systemClock } from '../../src/base/clock.ts';
import { GIVES_BACK } from '../../src/children/fork-program.ts';
import { issueKey } from '../../src/store/issue-key.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { isStoreUrl } from '../../src/store/store-url.ts';
import { freePort } from './free-port.ts';
import { newDatabase } from './new-database.ts';

export const CLI = resolve(import.meta.dirname, '../../dist/cli.js');

/** The environment of a server on a machine of 384 MiB. Its shares: 24 MiB of recorded traffic and of bodies, 32 MiB of answers, 6 MiB of recordings. */
const SMALL = 'data:text/javascript,process.constrainedMemory = () => 384 * 2 ** 20';
export const SMALL_MACHINE = { ...GIVES_BACK, NODE_OPTIONS: `--import="${SMALL.replaceAll(' ', '%20')}"` } as const;

let turn: Promise<unknown> = Promise.resolve();

/** A store that this process opens while it writes to the same one waits for the write, which waits for this process. */
function inTurn<Value>(use: () => Promise<Value>): Promise<Value> {
  const used = turn.then(use);
  turn = used.catch(() => undefined);
  return used;
}

/** Undoes everything that was made, the newest first: at the end of each test file (undo-made.ts), and of the process. */
const made: (() => void)[] = [];
export function undoMade(): void {
  for (const undo of made.splice(0).toReversed()) undo();
}
/** Undone at the end of the process alone: what test files share. */
const shared: (() => void)[] = [];
function undoAll(): void {
  undoMade();
  for (const undo of shared.splice(0).toReversed()) undo();
}
process.on('exit', undoAll);
// vitest ends the process of test files by the first, Ctrl-C by the second. Neither runs exit handlers, and vitest lets nobody exit.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    undoAll();
    process.kill(process.pid, signal);
  });
}

/** Called at the end of the test file, and of its process. */
export function onUndo(undo: () => void): void {
  made.push(undo);
}

/** For what test files share: removed at the end of the process. */
export const sharedDirectory = (): string => temporaryDirectory(shared);

export function temporaryDirectory(undoes = made): string {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
  // A server that is being killed may still write.
  undoes.push(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any answer
  readonly json: any;
}

export interface RequestOptions {
  readonly key?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A new data directory; in runs that prove the same of PostgreSQL, a new database of the server that this variable names. */
export async function newPlace(undoes = made): Promise<string> {
  const { TEST_POSTGRES: server } = process.env;
  return server === undefined ? temporaryDirectory(undoes) : newDatabase(server);
}

/** The option of a command that names a data directory, or the address of a store. */
export function placeArguments(place: string): readonly [option: string, place: string] {
  return [isStoreUrl(place) ? '--store' : '--data', place];
}

/** Without a gateway, unless the arguments or the environment ask for one: its default port is one for the whole machine. */
export function gatewayArguments(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): readonly string[] {
  const isGiven = args.some((each) => each.startsWith('--gateway-port')) || 'SWITCHYARD_GATEWAY_PORT' in env;
  return isGiven || args.includes('--no-gateway') ? [] : ['--no-gateway'];
}

/**
 * In runs that prove the same of several nodes (`prove -- through-node`), what a test asks for is asked of a node that is
 * not the home of its mocks: the home is a second server over the same store.
 */
const { TEST_THROUGH_NODE: THROUGH_NODE } = process.env;

async function nodeArguments(id: string): Promise<string[]> {
  return ['--node-id', id, '--internal-listen', `127.0.0.1:${await freePort()}`, '--drain-wait', '0'];
}

/** A connection is given up well before the server closes it: a busy machine may notice that late, and would send on it. */
const CONNECTIONS = new Agent({ keepAliveMaxTimeout: 3_000 });

/** Metrics name mocks and owners to those alone who have a token. */
export const NAMED_METRICS = ['--metrics-token', 'metrics'];

export class TestServer {
  /** The data directory, or the address of a store. */
  readonly data: string;
  readonly #arguments: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #undoes: (() => void)[];
  #process: ChildProcess | undefined;
  #store: LmdbStore | undefined;
  /** Everything the current process has printed. */
  stdout = '';
  stderr = '';
  port = 0;
  mockPort = 0;
  /** The home of the mocks that are made here, in runs through another node. */
  #home: TestServer | undefined;

  private constructor(data: string, args: readonly string[], env: Readonly<Record<string, string>>, undoes = made) {
    this.data = data;
    this.#arguments = args;
    this.#env = env;
    this.#undoes = undoes;
  }

  /** Starts a server; `args` follow `serve`, and `env` is added to the environment. */
  static start(args: readonly string[] = [], data?: string, env = {}): Promise<TestServer> {
    return TestServer.#start(args, data, env, made);
  }

  /** Starts a server that runs until the end of the process, for many test files. */
  static startShared(args: readonly string[]): Promise<TestServer> {
    return TestServer.#start(args, undefined, {}, shared);
  }

  static async #start(
    args: readonly string[],
    data: string | undefined,
    env: Readonly<Record<string, string>>,
    undoes: (() => void)[],
  ): Promise<TestServer> {
    const place = data ?? (await newPlace(undoes));
    if (THROUGH_NODE === undefined || data !== undefined) {
      const server = new TestServer(place, args, env, undoes);
      await server.start();
      return server;
    }
    const secret = { SWITCHYARD_CLUSTER_SECRET: place.padEnd(32, '-'), ...env };
    const server = new TestServer(place, [...args, ...(await nodeArguments('other'))], secret, undoes);
    server.#home = new TestServer(place, [...args, ...(await nodeArguments('home'))], secret, undoes);
    await server.start();
    return server;
  }

  get pid(): number {
    return this.#process?.pid as number;
  }

  get isRunning(): boolean {
    const child = this.#process;
    return child?.exitCode === null && child.signalCode === null && this.#home?.isRunning !== false;
  }

  async start(): Promise<void> {
    if (this.#home?.isRunning === false) await this.#home.start();
    this.stdout = '';
    this.stderr = '';
    const child = spawn(
      process.execPath,
      [
        CLI,
        'serve',
        '--port',
        '0',
        '--mock-port',
        '0',
        ...gatewayArguments(this.#arguments, this.#env),
        ...placeArguments(this.data),
        ...this.#arguments,
      ],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...this.#env },
      },
    );
    this.#process = child;
    this.#undoes.push(() => child.kill('SIGKILL'));
    child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    await new Promise<void>((ready, failed) => {
      child.stdout.on('data', (chunk: Buffer) => {
        this.stdout += chunk.toString();
        const line = /ready: API https?:\/\/\S+?:(\d+)\/v1 .*:(\d+)\n/.exec(this.stdout);
        if (line === null) return;
        this.port = Number(line[1]);
        this.mockPort = Number(line[2]);
        ready();
      });
      child.on('exit', (code) => failed(new Error(`the server ended with ${code}: ${this.stderr}${this.stdout}`)));
    });
  }

  /** Makes a key beside the running server, as the command line does; of a server that many files share, by a store that stays open. */
  key(ownerId: string, userId = ownerId, role: Role = 'editor'): Promise<string> {
    const key = { ownerId, userId, role };
    if (this.#undoes !== shared || isStoreUrl(this.data)) return createKey(this.data, key);
    this.#store ??= LmdbStore.open(this.data);
    const { keys } = this.#store;
    return inTurn(() => issueKey(keys, key, systemClock));
  }

  /** Makes a code for the console, as the command line does. */
  async code(ownerId: string, userId = ownerId, role: Role = 'editor'): Promise<string> {
    const link = await inTurn(() => consoleLink(this.data, '', { ownerId, userId, role }));
    return link.slice('/console#code='.length);
  }

  /** With the token of NAMED_METRICS, which a server without one ignores. */
  async metrics(): Promise<string> {
    return (await this.request('GET', '/metrics', { headers: { authorization: 'Bearer metrics' } })).json;
  }

  /** One request. A string body goes out as it is, anything else as JSON. */
  async request(method: string, path: string, { key, body, headers = {} }: RequestOptions = {}): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      dispatcher: CONNECTIONS,
      method,
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' || isBytes(body) ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = text;
    }
    if (this.#home !== undefined && method === 'POST' && response.ok) await this.#claim(json, key);
    return { status: response.status, headers: new Headers([...response.headers]), json };
  }

  /** A mock that was made here gets its home at the other node, which is asked for its counts first. */
  async #claim(answer: unknown, key: string | undefined): Promise<void> {
    const { id, url } = (answer as { data?: { id?: unknown; url?: unknown } }).data ?? {};
    if (typeof id === 'string' && typeof url === 'string')
      await this.#home?.request('GET', `/v1/mocks/${id}/counts`, { key });
  }

  /** Sends a signal and waits for the end; resolves with the exit status, or the signal that ended it. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    await this.#home?.end(signal);
    const child = this.#process as ChildProcess;
    if (child.exitCode !== null || child.signalCode !== null)
      return (child.exitCode ?? child.signalCode) as number | string;
    const ended = new Promise<number | string>((resolved) =>
      child.on('exit', (code, by) => resolved(code ?? (by as string))),
    );
    child.kill(signal);
    return ended;
  }

  /** Resolves when the process ends by itself. */
  async ended(): Promise<number | string> {
    const child = this.#process as ChildProcess;
    if (child.exitCode !== null || child.signalCode !== null)
      return (child.exitCode ?? child.signalCode) as number | string;
    return new Promise((resolved) => child.on('exit', (code, by) => resolved(code ?? (by as string))));
  }

  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.end(signal);
    await this.start();
  }
}

/** Not over a SharedArrayBuffer, which the types of browsers refuse in a body. */
function isBytes(body: unknown): body is Uint8Array<ArrayBuffer> {
  return body instanceof Uint8Array;
}
