/**
 * The disk errs or dawdles: `strace` makes the system calls of a commit fail, or wait, in the running server.
 *
 * LMDB makes a commit of `pwrite64` and `writev` of its pages, `fdatasync`, and `pwrite64` of a meta page on a descriptor that is opened
 * with O_DSYNC. Which thread of libuv's pool makes it differs, and strace counts by thread: "the first call" fails once in each.
 *
 * What fsync has failed once may not be tried again, since the kernel takes the pages for clean from then on: the service must end.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../../src/cli/keys.ts';
import { COMMIT_HANG_MS } from '../../../src/limits.ts';
import { STORE_FILE } from '../../../src/store/lmdb-store.ts';
import { eventually, Running, serve } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const OWNERS = ['alpha', 'beta', 'gamma'];
const WRITERS_PER_OWNER = 3;
/** Writes before the fault, so that a store without any is not what is recovered. */
const WRITES_BEFORE = 30;
/** From the first failure to the end of the process; itself takes two seconds for what is in flight. */
const END_MS = 10_000;
/** All of them once takes half of it. */
const ERRORS_SECONDS = 60;
/** From when strace is gone to the end of a process that was killed under it. */
const LET_GO_MS = 5_000;
/** What a read may take beside a commit that hangs; far below the delays, far above a busy machine's. */
const READ_MS_MAX = 2_000;

interface Fault {
  readonly name: string;
  /** What strace injects. */
  readonly inject: string;
  /** Whether no commit can pass it: then every write that is sent after it must fail. */
  readonly meetsEveryCommit: boolean;
  /** How the process may end: with 1, unless something else is said. */
  readonly ends?: readonly (number | string)[];
  readonly short?: boolean;
}

/** lmdb-js may abort the process, now and then, when a page cannot be written. */
const BY_ENGINE_TOO = [1, 'SIGABRT', 'SIGSEGV'];

const ERRORS: readonly Fault[] = [
  { name: 'fdatasync: EIO once', inject: 'fdatasync:error=EIO:when=1', meetsEveryCommit: true, short: true },
  { name: 'fdatasync: EIO for ever', inject: 'fdatasync:error=EIO', meetsEveryCommit: true },
  { name: 'fdatasync: EIO the third time', inject: 'fdatasync:error=EIO:when=3', meetsEveryCommit: false },
  {
    name: 'pwrite64 of pages or meta: EIO once',
    inject: 'pwrite64:error=EIO:when=1',
    meetsEveryCommit: true,
    ends: BY_ENGINE_TOO,
  },
  {
    name: 'pwrite64 of pages or meta: EIO for ever',
    inject: 'pwrite64:error=EIO',
    meetsEveryCommit: true,
    ends: BY_ENGINE_TOO,
  },
  {
    name: 'pwrite64 of pages or meta: EIO later',
    inject: 'pwrite64:error=EIO:when=4',
    meetsEveryCommit: false,
    ends: BY_ENGINE_TOO,
  },
  {
    name: 'pwrite64 of pages or meta: half is written',
    inject: 'pwrite64:retval=64:when=2',
    meetsEveryCommit: false,
    ends: BY_ENGINE_TOO,
  },
  {
    name: 'writev of pages: EIO once',
    inject: 'writev:error=EIO:when=1',
    meetsEveryCommit: false,
    ends: BY_ENGINE_TOO,
  },
  {
    name: 'writev of pages: ENOSPC for ever',
    inject: 'writev:error=ENOSPC',
    meetsEveryCommit: false,
    ends: BY_ENGINE_TOO,
  },
];

export const proof: Proof = {
  name: 'fsync',
  runsBeside: 'kill',
  promise:
    'When the disk errs or hangs nothing is acknowledged that is not on it; the service ends, and starts again whole.',
  unavailable,
  async run(tally: Tally, effort: Effort) {
    const errors = effort === 'full' ? ERRORS : ERRORS.filter(({ short }) => short === true);
    for (const fault of tally.within(ERRORS_SECONDS, 'errors', errors)) await failing(tally, fault, END_MS);
    await slow(tally, 300);
    if (effort === 'short') return;
    await slow(tally, 5_000);
    const hangMs = 2 * COMMIT_HANG_MS;
    // A thread that waits for the disk would hold an exit for as long.
    const hang = { name: `fdatasync hangs for ${hangMs} ms`, inject: delayed(hangMs), meetsEveryCommit: true };
    await failing(tally, { ...hang, ends: ['SIGKILL'] }, COMMIT_HANG_MS + END_MS);
  },
};

/** Whether the first thread of a process has ended, or all have: some Linux kernels keep a killed one while a tracer holds a thread of it. */
function isDying(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return 'ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}

function delayed(ms: number): string {
  return `fdatasync:delay_enter=${ms * 1_000}`;
}

function unavailable(): string | undefined {
  if (spawnSync('strace', ['--version']).error !== undefined) return 'strace is missing: apt-get install strace';
  const scope = readYama();
  if (process.getuid?.() !== 0 && scope !== '0')
    return `strace may not attach to the server: needs root, or kernel.yama.ptrace_scope 0 (it is ${scope})`;
  return undefined;
}

function readYama(): string {
  try {
    return readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'utf8').trim();
  } catch {
    // A kernel without Yama restricts nothing.
    return '0';
  }
}

interface Attempt {
  readonly owner: string;
  readonly name: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** undefined when the connection ended. */
  readonly status: number | undefined;
  readonly message: string | undefined;
}

/** A server, its clients, and what they were answered. */
class Rig {
  readonly data = temporaryDirectory();
  readonly attempts: Attempt[] = [];
  isOver = false;
  server!: Running;
  readonly #keys = new Map<string, string>();
  #port = 0;
  #count = 0;

  static async start(): Promise<Rig> {
    const rig = new Rig();
    for (const ownerId of OWNERS)
      rig.#keys.set(ownerId, await createKey(rig.data, { ownerId, userId: 'ann', role: 'editor' }));
    await rig.serve();
    return rig;
  }

  async serve(): Promise<void> {
    this.server = serve(this.data, ['--no-bootstrap', '--log-level', 'warn']);
    const port = await this.server.ready();
    if (port === undefined) throw new Error(`the server ended: ${(await this.server.ended).stderr}`);
    this.#port = port;
  }

  /** Lets strace inject into the server; resolves when it does. */
  async inject(what: string): Promise<Running> {
    const call = what.split(':', 1)[0] as string;
    const strace = new Running('strace', [
      '-f',
      '-o',
      '/dev/null',
      '-e',
      `trace=${call}`,
      '-P',
      join(this.data, STORE_FILE),
      '-e',
      `inject=${what}`,
      '-p',
      String(this.server.child.pid),
    ]);
    const isAttached = await eventually(() => strace.stderr.includes('attached'), 10_000);
    if (!isAttached) throw new Error(`strace does not attach: ${strace.stderr}`);
    return strace;
  }

  /** Every writer writes one rule after the other until the rig is over, or the server gone. */
  async write(): Promise<void> {
    await Promise.all(OWNERS.flatMap((owner) => Array.from({ length: WRITERS_PER_OWNER }, () => this.#writeOf(owner))));
  }

  async create(owner: string): Promise<Attempt> {
    const name = `${owner}-${++this.#count}`;
    const body = {
      name,
      description: name.repeat(60),
      ruleType: 'Cancel',
      pairs: [{ source: { key: 'Url', operator: 'Equals', value: name } }],
    };
    const sentAt = performance.now();
    const answer = await this.#ask(owner, 'POST', '/v1/rules', body);
    const attempt = { owner, name, sentAt, answeredAt: performance.now(), ...answer };
    this.attempts.push(attempt);
    return attempt;
  }

  /** Milliseconds that a read of an owner without writes takes, with one of the process itself. */
  async read(): Promise<number> {
    const sentAt = performance.now();
    const answers = await Promise.all([
      this.#ask('reader', 'GET', '/v1/rules?pageSize=1'),
      this.#ask('reader', 'GET', '/healthz'),
    ]);
    const astray = answers.find(({ status }) => status !== 200);
    if (astray !== undefined) throw new Error(`a read is answered ${astray.status} ${astray.message}`);
    return performance.now() - sentAt;
  }

  async addReader(): Promise<void> {
    this.#keys.set('reader', await createKey(this.data, { ownerId: 'reader', userId: 'rita', role: 'viewer' }));
  }

  /** Names of an owner's rules, with whether each is whole. */
  async stored(owner: string): Promise<Map<string, boolean>> {
    const stored = new Map<string, boolean>();
    for (let offset: number | null = 0; offset !== null;) {
      const answer: Response = await fetch(`http://127.0.0.1:${this.#port}/v1/rules?pageSize=75&offset=${offset}`, {
        headers: { 'x-api-key': this.#keys.get(owner) as string },
      });
      const page = (await answer.json()) as {
        data: { name: string; description: string }[];
        nextOffset: number | null;
      };
      for (const { name, description } of page.data) stored.set(name, description === name.repeat(60));
      offset = page.nextOffset;
    }
    return stored;
  }

  async #writeOf(owner: string): Promise<void> {
    while (!this.isOver) {
      const { status } = await this.create(owner);
      if (status === undefined) return;
      // What is refused is refused at once: a breath, so that the refusals do not drown the server.
      if (status !== 200) await sleep(20);
    }
  }

  async #ask(owner: string, method: string, path: string, body?: object): Promise<Pick<Attempt, 'status' | 'message'>> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
        method,
        headers: { 'x-api-key': this.#keys.get(owner) as string, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { message } = (await answer.json()) as { message?: string };
      return { status: answer.status, message };
    } catch {
      return { status: undefined, message: undefined };
    }
  }
}

/** A fault that a commit cannot survive: the service ends by itself, and every acknowledged write outlives it. */
async function failing(
  tally: Tally,
  { name, inject, meetsEveryCommit, ends = [1] }: Fault,
  endMs: number,
): Promise<void> {
  const rig = await Rig.start();
  const writing = rig.write();
  if (!(await eventually(() => rig.attempts.length >= WRITES_BEFORE, 30_000))) throw new Error('nothing is written');
  const strace = await rig.inject(inject);
  const injectedAt = performance.now();
  await Promise.race([rig.server.ended, eventually(() => isDying(rig.server.child.pid as number), endMs + 20_000)]);
  const lastedMs = performance.now() - injectedAt;
  rig.isOver = true;
  // The thread that strace holds dies when strace lets go of it, not before: the process ended when all others had.
  strace.child.kill('SIGKILL');
  const outcome = await Promise.race([rig.server.ended, sleep(LET_GO_MS)]);
  rig.server.child.kill('SIGKILL');
  await Promise.all([rig.server.ended, strace.ended, writing]);
  tally.check(
    `${name}: the service ends by itself`,
    outcome !== undefined && ends.includes(outcome.status) && lastedMs < endMs,
    () => `it ended with ${outcome?.status} after ${Math.round(lastedMs)} ms: ${outcome?.stderr.slice(-300)}`,
  );

  const failures = rig.attempts.filter(({ status }) => status === 500);
  // Else the rig is broken, and has proved nothing. A process that was aborted has answered nobody.
  if (failures.length === 0 && outcome?.status === 1)
    throw new Error(
      `${name}: no write met the fault: ${rig.attempts
        .slice(-12)
        .map(({ status }) => status)
        .join(' ')}: ${outcome.stdout.slice(-2_000)} ${outcome.stderr}`,
    );
  const lost = rig.attempts.filter(({ status }) => status === 500 || status === undefined);
  const firstFailure = Math.min(...lost.map(({ answeredAt }) => answeredAt));
  const from = meetsEveryCommit ? injectedAt : firstFailure;
  const wrong = rig.attempts.find(({ status, sentAt }) => status === 200 && sentAt > from);
  tally.check(
    'nothing is acknowledged after the fault',
    wrong === undefined,
    () => `${name}: ${wrong?.name} was, which was sent ${Math.round((wrong?.sentAt ?? 0) - from)} ms after it`,
  );
  const odd = rig.attempts.find(
    ({ status, message }) =>
      !(status === 200 || status === undefined || status === 503 || (status === 500 && message === 'server error')),
  );
  tally.check(
    'answers are 500 (tried) or 503 (not tried)',
    odd === undefined,
    () => `${name}: ${odd?.status} ${odd?.message}`,
  );

  await rig.serve();
  await checkStored(tally, rig, name);
  const again = await rig.create('alpha');
  tally.check('a new start writes again', again.status === 200, () => `${name}: ${again.status} ${again.message}`);
  rig.server.child.kill('SIGTERM');
  const { status } = await rig.server.ended;
  tally.check('a new start stops cleanly', status === 0, () => `${name}: it ended with ${status}`);
}

/** A disk that takes its time, but less than what is taken for a hang: writes wait for it, and nobody else does. */
async function slow(tally: Tally, ms: number): Promise<void> {
  const name = `fdatasync takes ${ms} ms`;
  const rig = await Rig.start();
  await rig.addReader();
  await rig.read();
  const strace = await rig.inject(delayed(ms));
  const writing = rig.write();
  const reads: number[] = [];
  const until = performance.now() + 2.5 * ms + 1_000;
  while (performance.now() < until) {
    reads.push(await rig.read());
    await sleep(20);
  }
  rig.isOver = true;
  await writing;
  tally.check(
    `${name}: every write succeeds`,
    rig.attempts.length > 0 && rig.attempts.every(({ status }) => status === 200),
    () => JSON.stringify(rig.attempts.find(({ status }) => status !== 200) ?? 'none was sent'),
  );
  const early = rig.attempts.find(({ sentAt, answeredAt }) => answeredAt - sentAt < ms);
  tally.check(
    `${name}: no answer to a write comes before it`,
    early === undefined,
    () => `one came after ${Math.round((early?.answeredAt ?? 0) - (early?.sentAt ?? 0))} ms`,
  );
  if (ms > READ_MS_MAX) {
    const slowest = Math.max(...reads);
    tally.check(
      `${name}: reads of other owners do not wait`,
      slowest < READ_MS_MAX,
      () => `one took ${Math.round(slowest)} ms`,
    );
  }
  strace.child.kill('SIGTERM');
  await strace.ended;
  rig.server.child.kill('SIGKILL');
  await rig.server.ended;
  await rig.serve();
  await checkStored(tally, rig, name);
  rig.server.child.kill('SIGTERM');
  await rig.server.ended;
}

/** After a start without the fault: what was acknowledged is there, what was refused untried is not, and all is whole. */
async function checkStored(tally: Tally, rig: Rig, name: string): Promise<void> {
  for (const owner of OWNERS) {
    const stored = await rig.stored(owner);
    const own = rig.attempts.filter((attempt) => attempt.owner === owner);
    const lost = own.filter((attempt) => attempt.status === 200 && !stored.has(attempt.name));
    tally.check(
      'every acknowledged write outlives it',
      lost.length === 0,
      () => `${name}: ${lost.length} of ${owner} are lost`,
    );
    const risen = own.find((attempt) => attempt.status === 503 && stored.has(attempt.name));
    tally.check('what was refused untried is not there', risen === undefined, () => `${name}: ${risen?.name} is`);
    const torn = [...stored].find(([, isWhole]) => !isWhole);
    tally.check('what is there is whole', torn === undefined, () => `${name}: ${torn?.[0]} is not`);
  }
}
