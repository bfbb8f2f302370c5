/** `switchyard browser`: a browser with a profile of its own whose requests go through the gateway; docs/gateway.md, "A browser". */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../base/operator-error.ts';
import { SESSION_IDLE_MS_MAX } from '../limits.ts';
import { findBrowser } from './find-browser.ts';
import { startKeyProxy } from './key-proxy.ts';
import { printable, say, warn } from './print.ts';
import type { ServerOptions } from './server-options.ts';
import { withGateway } from './with-gateway.ts';
import { withServer } from './with-server.ts';

export interface BrowserOptions extends ServerOptions {
  readonly browser?: string;
  /** The id of a session; `true` makes one. */
  readonly session?: string | true;
}

/** Its own requests would stand among those of pages. */
const QUIET = [
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
];
/** Where a signal can be sent to all processes of a program. */
const HAS_GROUPS = process.platform !== 'win32';
/** How long it may take to end after SIGTERM, and its processes after it. */
const STOP_MS = 5_000;
const POLL_MS = 50;
/** How long its last output is waited for. */
const OUTPUT_MS = 1_000;
const OUTPUT_CHARS_MAX = 4_096;
/** Its processes may write into the profile for a moment after its end. */
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };

/**
 * Opens a browser, and resolves when it has ended, also by a signal to this process.
 *
 * @param page URL of the first page.
 * @param args Further arguments of the browser.
 * @throws OperatorError when it cannot be opened, or fails.
 */
export async function openBrowser(
  page: string,
  args: readonly string[],
  { browser, session: choice, ...options }: BrowserOptions,
): Promise<void> {
  const program = findBrowser(browser);
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());
  const isNew = choice === true;
  const sessions = isNew
    ? { newSession: { label: 'switchyard browser', idleMs: SESSION_IDLE_MS_MAX } }
    : { session: choice };
  await withServer(options, (client) =>
    withGateway(client, options.server, sessions, async (session, { ca }) => {
      const settings = await client.gateway.proxyFor(session && { session });
      const proxy = await startKeyProxy(settings);
      const profile = await mkdtemp(join(tmpdir(), 'switchyard-browser-'));
      try {
        say(`${basename(program)} opens: its requests go through the gateway ${settings.server}.`);
        if (session !== undefined)
          say(`Session ${session.id}: ${options.server}/console#/gateway/sessions/${session.id}`);
        if (ca === null) warn('the gateway has no CA: pages over HTTPS cannot be opened');
        say('Close it, or press Ctrl-C, to end.');
        await runBrowser(program, [...flags(profile, proxy.port, ca?.spkiSha256), ...args, page], stopped.signal);
      } finally {
        proxy.close();
        await rm(profile, REMOVAL).catch((error: Error) => warn(`could not remove the profile: ${error.message}`));
      }
    }),
  );
}

/** @param spki Of the gateway's CA: trusted in this profile alone. */
function flags(profile: string, port: number, spki: string | undefined): readonly string[] {
  return [
    `--user-data-dir=${profile}`,
    `--proxy-server=http://127.0.0.1:${port}`,
    // Pages of this machine, too.
    '--proxy-bypass-list=<-loopback>',
    ...(spki === undefined ? [] : [`--ignore-certificate-errors-spki-list=${spki}`]),
    ...QUIET,
  ];
}

/** @throws OperatorError when it cannot be started, or ends with a failure that nobody asked for. */
async function runBrowser(program: string, args: readonly string[], stop: AbortSignal): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: HAS_GROUPS });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-OUTPUT_CHARS_MAX)));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = await new Promise<number | string>((resolve, reject) => {
    child.once('error', (error) => reject(new OperatorError(`cannot start ${program}: ${error.message}`)));
    child.once('exit', (status, signal) => resolve(status ?? (signal as string)));
    const ask = (): void => {
      send(child.pid, 'SIGTERM');
      setTimeout(() => send(child.pid, 'SIGKILL'), STOP_MS).unref();
    };
    if (stop.aborted) ask();
    else stop.addEventListener('abort', ask, { once: true });
  });
  // The program may be a script, which ends before the browser.
  for (const until = performance.now() + STOP_MS; send(child.pid, 0) && performance.now() < until;)
    await sleep(POLL_MS);
  send(child.pid, 'SIGKILL');
  if (end === 0 || stop.aborted) return;
  await Promise.race([closed, sleep(OUTPUT_MS)]);
  const [last] = output.trim().split('\n').slice(-1);
  throw new OperatorError(printable(`${program} ended with ${end}${last === '' ? '' : `: ${last}`}`));
}

/** To all processes of the browser. @returns Whether any is there. */
function send(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(HAS_GROUPS ? -pid : pid, signal);
  } catch {
    return false;
  }
}
