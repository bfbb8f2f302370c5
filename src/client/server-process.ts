/** A server in a separate process, for tests: starts it, waits until it is ready, stops it and removes its files. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programFile } from '../base/program-files.ts';

export interface StartOptions {
  /** Data directory, which is kept. Without it a temporary one, which is removed. */
  readonly data?: string;
  /** Files and folders to serve as mocks, each with the id of its name: `['openapi.yaml']` is the mock `openapi`. */
  readonly mocks?: readonly string[];
  /** Whether rules act on live requests: `client.gateway` then has the address of an HTTP proxy. */
  readonly gateway?: boolean;
  /** Threads that serve mocks; 1 by default, so that parallel test files do not compete for cores. */
  readonly workers?: number;
  /** Further arguments of `switchyard serve`; they override those that are set here. */
  readonly args?: readonly string[];
  /** Added to this process's environment without its SWITCHYARD_ variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long the start may take, in ms; 30,000 by default. */
  readonly startMs?: number;
}

export interface ServerProcess {
  readonly apiUrl: string;
  readonly mockPort: number;
  /** An admin's key of owner and user "local". */
  readonly key: string;
  /** The temporary data directory, which is removed at the end; undefined where `data` is given. */
  readonly files: string | undefined;
  /**
   * The last 64 Ki characters that it printed: warnings and errors of its log. The key is masked, since tests print the
   * output.
   */
  readonly output: () => string;
  /** Stops the process, waits for its end and removes the temporary directory. May be called more than once. */
  readonly stop: () => Promise<void>;
}

const PROGRAM = fileURLToPath(programFile('serve-while-attached'));
const CLI = fileURLToPath(programFile('cli'));

const START_MS = 30_000;
/** After this it is killed. Longer than its own limit (serve-while-attached.ts). */
const STOP_MS = 25_000;
const OUTPUT_CHARS_MAX = 65_536;

const READY = /ready: API (\S+) .*:(\d+)\n/;

/**
 * @param isDetached Whether a signal of the terminal, such as that of Ctrl-C, reaches this process alone.
 * @throws Error with the output of the server when it does not start. Nothing of it is left then.
 */
export async function startProcess(options: StartOptions, { isDetached = false } = {}): Promise<ServerProcess> {
  const { data, mocks = [], gateway = false, workers = 1, args = [], startMs = START_MS } = options;
  const env = environment(options.env);
  const temporary = data === undefined ? await mkdtemp(join(tmpdir(), 'switchyard-')) : '';
  const directory = data ?? temporary;
  const ports = ['--host', '127.0.0.1', '--port', '0', '--mock-port', '0', ...gatewayArguments(gateway, args)];
  // A directory that is kept keeps no key of ours.
  const keyFile = temporary === '' ? undefined : join(temporary, 'key');
  const keys = keyFile === undefined ? [] : ['--key-file', keyFile];
  const given = ['--data', directory, ...keys, '--workers', String(workers), '--log-level', 'warn'];
  const served = mocks.flatMap((path) => ['--mock', path]);
  const child = spawn(process.execPath, [PROGRAM, temporary, 'serve', ...ports, ...given, ...served, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: isDetached,
  });

  let output = '';
  const keep = (text: string): void => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  // The process may end while its input is being closed.
  child.stdin.on('error', () => undefined);

  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= end(child, temporary));
  try {
    const { apiUrl, mockPort } = await readiness(child, () => output, startMs);
    const key = (await (keyFile === undefined ? undefined : readKey(keyFile))) ?? (await createKey(directory, env));
    unreference(child);
    const files = temporary === '' ? undefined : temporary;
    return { apiUrl, mockPort, key, files, output: () => output.replaceAll(key, 'sy_…'), stop };
  } catch (error) {
    // A process that did not start in time may not notice a closed input either.
    child.kill('SIGKILL');
    await stop();
    throw error;
  }
}

/** Without a gateway unless one is asked for: the default port is one for all servers of a machine. */
function gatewayArguments(gateway: boolean, args: readonly string[]): readonly string[] {
  if (gateway) return ['--gateway-port', '0'];
  return args.some((each) => each.startsWith('--gateway-port')) ? [] : ['--no-gateway'];
}

function environment(added: StartOptions['env']): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SWITCHYARD_'));
  return { ...Object.fromEntries(own), ...added };
}

function readiness(
  child: ChildProcess,
  output: () => string,
  startMs: number,
): Promise<{ apiUrl: string; mockPort: number }> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      reject(new Error(`Switchyard did not start: ${why}${output() === '' ? '' : `\n${output().trim()}`}`));
    };
    const timer = setTimeout(() => fail(`not ready after ${startMs} ms`), startMs);
    child.once('error', (error) => fail(error.message));
    // `close`, not `exit`: only then all of its output has been read.
    child.once('close', (code, signal) => fail(`it exited with ${code ?? signal}`));
    child.stdout?.on('data', () => {
      const [, apiUrl, mockPort] = READY.exec(output()) ?? [];
      if (apiUrl === undefined) return;
      clearTimeout(timer);
      resolve({ apiUrl, mockPort: Number(mockPort) });
    });
  });
}

/** @returns undefined when the arguments name another file. */
function readKey(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
}

async function createKey(directory: string, env: NodeJS.ProcessEnv): Promise<string> {
  const args = [CLI, 'keys', 'create', '--owner', 'local', '--user', 'local', '--role', 'admin', '--data', directory];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout.trim();
}

/** Lets a test that forgot `stop` end: the pipe closes with its process, and the server stops. */
function unreference(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) {
    if (stream !== null && stream !== undefined && 'unref' in stream) (stream as { unref: () => void }).unref();
  }
}

async function end(child: ChildProcess, temporary: string): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    child.ref();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.stdin?.end();
    await ended;
    clearTimeout(timer);
  }
  if (temporary !== '') await rm(temporary, { recursive: true, force: true });
}
