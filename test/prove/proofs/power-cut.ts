/**
 * The power goes: what is on the disk at that moment is all there is.
 *
 * The server writes on a file system in an image, which brings out nothing but what is synced. At a random moment under load every
 * thread of the server is stopped, so that no write is under way, and the image is copied. The copy is mounted, which replays its
 * journal, and a server started on it must hold what was answered until then. A thread that is within an fsync stops behind it; what was
 * written and not yet synced is dirty in memory, and a random part of it, in sectors, is put into the copy's store: as if the kernel had
 * written that much back by itself when the power went. In half of the rounds every sync is held back for some milliseconds, so that many
 * cuts find such writes.
 *
 * Without syncs the same rig must find loss, or it would find none anywhere: eatmydata makes fsync, fdatasync and O_DSYNC, by which LMDB
 * writes its meta pages, do nothing.
 *
 * Not covered: a disk that loses or reorders what it has acknowledged before a flush.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, openSync, closeSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../../src/cli/keys.ts';
import { copyImage, imagesUnavailable, makeImage, mountImage, type Mount } from '../../support/mounts.ts';
import { eventually, run, Running } from '../../support/process.ts';
import { CLI, temporaryDirectory } from '../../support/server.ts';
import { OwnerWalk } from '../owner-walk.ts';
import { Tally, type Effort, type Proof } from '../proof.ts';

const IMAGE_MIB = 128;
const OWNERS = 12;
const RULES_OF_A_GROUP = 150;
const ROUNDS = { short: 2, full: 50 };
const CONTROLS = { short: 1, full: 3 };
/** Of load before a cut. A round is over long before the kernel writes back by itself. */
const LOAD_MS_MIN = 150;
const LOAD_MS_MAX = 1_500;
/** How long strace holds back each sync of the rounds that it takes part in. */
const SYNC_HELD_US = 20_000;
const SECTOR_BYTES = 512;
/** Which part of what was not synced is on the disk; one of them each round. */
const SURVIVING = [0, 0.5, 1, 0.1, 0.9];
const STORE = 'data/switchyard.mdb';
/** The two rows that a server without syncs must fail in. */
const STARTS = 'a server starts on what is left';
const ANSWERED = 'answered commands are there, whole and in order';
const DRAIN_MS = 50;
const STOP_MS = 20_000;
const FIRST_KEY_MS = 10_000;

/** What a round starts from: an image, and what each owner's client knows of it. */
interface Origin {
  readonly image: string;
  readonly walks: readonly OwnerWalk[];
}

type Serving = 'plain' | 'syncs held back' | 'without syncs';

export const proof: Proof = {
  name: 'power-cut',
  promise: 'Every write that was answered is there after a power cut, whole and in order.',
  unavailable() {
    const missing = ['mkfs.ext4', 'losetup', 'eatmydata'].find((tool) => spawnSync('which', [tool]).status !== 0);
    if (missing !== undefined) return `${missing} is missing (Debian: apt-get install e2fsprogs mount eatmydata)`;
    return imagesUnavailable();
  },
  async run(tally: Tally, effort: Effort) {
    const hasStrace = spawnSync('strace', ['-V']).status === 0;
    const folder = temporaryDirectory();
    const origin = await makeOrigin(join(folder, 'origin'));
    for (let round = 0; round < ROUNDS[effort]; round++) {
      const serving = hasStrace && round % 2 === 1 ? 'syncs held back' : 'plain';
      const survives = SURVIVING[round % SURVIVING.length] as number;
      await cutOnce(tally, origin, folder, `round ${round}, ${serving}`, serving, survives);
    }
    for (let round = 0; round < CONTROLS[effort]; round++) {
      const control = new Tally();
      await cutOnce(control, origin, folder, `control ${round}`, 'without syncs', 0);
      const lost = control.rows.some(
        ({ fault, failures }) => [STARTS, ANSWERED].includes(fault) && failures.length > 0,
      );
      tally.check('control: a server that does not sync is found out', lost, () => 'no loss was noticed');
    }
  },
};

/** A store with some owners, each with a group of many rules; written out and unmounted. */
async function makeOrigin(image: string): Promise<Origin> {
  makeImage(image, IMAGE_MIB);
  const mount = mountImage(image);
  const data = join(mount.directory, 'data');
  const walks: OwnerWalk[] = [];
  for (let index = 0; index < OWNERS; index++) {
    const ownerId = `owner${index}`;
    walks.push(new OwnerWalk(ownerId, await createKey(data, { ownerId, userId: 'ann', role: 'editor' })));
  }
  const server = serveOn(mount, 'plain');
  await connect(server, walks);
  await Promise.all(walks.map((walk) => walk.fill(RULES_OF_A_GROUP)));
  server.child.kill('SIGTERM');
  await server.ended;
  mount.unmount();
  return { image, walks };
}

async function cutOnce(
  tally: Tally,
  origin: Origin,
  folder: string,
  where: string,
  serving: Serving,
  survives: number,
): Promise<void> {
  const image = join(folder, 'image');
  const left = join(folder, 'left');
  copyImage(origin.image, image);
  const walks = origin.walks.map((walk) => walk.fork(Math.floor(Math.random() * 0x1_0000_0000)));
  const mount = mountImage(image);
  const server = serveOn(mount, serving);
  if (!(await connect(server, walks))) throw new Error(`${where}: it does not start: ${await said(server)}`);
  const keys = new KeyWalk(mount, serving);
  const ends = [...walks.map((walk) => walk.run()), keys.run()];
  // What a walk throws is reported when all have ended.
  for (const end of ends) end.catch(() => undefined);
  // A key takes a process of its own: on a busy machine longer than the load.
  await eventually(() => keys.acknowledged > 0, FIRST_KEY_MS);
  await sleep(LOAD_MS_MIN + Math.random() * (LOAD_MS_MAX - LOAD_MS_MIN));

  if (server.child.exitCode !== null || server.child.signalCode !== null)
    throw new Error(`${where}: it ends by itself: ${await said(server)}`);
  const first = server.child.pid as number;
  const tracer = tracerOf(first);
  const pids = [first, ...childrenOf(first), ...keys.pids];
  await stopAll(pids, tracer);
  const written = sectorsWritten(mount);
  copyImage(image, left);
  tally.check('the copy is what the disk holds at one moment', sectorsWritten(mount) === written, () => where);
  const memory = readFileSync(join(mount.directory, STORE));
  // Answers that left before the stop are still on their way.
  await sleep(DRAIN_MS);
  keys.isCut = true;
  for (const pid of tracer === undefined ? pids : [...pids, tracer]) kill(pid, 'SIGKILL');
  await server.ended;
  await Promise.all(ends);
  mount.unmount();
  rmSync(image);

  await checkLeft(tally, { left, memory, survives, walks, keys, where });
  rmSync(left);
}

interface Left {
  readonly left: string;
  /** The store as the server saw it: what is on the disk, and what was not yet. */
  readonly memory: Buffer;
  readonly survives: number;
  readonly walks: readonly OwnerWalk[];
  readonly keys: KeyWalk;
  readonly where: string;
}

async function checkLeft(tally: Tally, { left, memory, survives, walks, keys, where }: Left): Promise<void> {
  const mount = mountImage(left);
  try {
    const dirty = surviving(join(mount.directory, STORE), memory, survives);
    if (dirty > 0) tally.tried('cuts that found writes before their sync');
    const server = serveOn(mount, 'plain');
    const isUp = await connect(server, walks);
    const { stderr } = isUp ? server : await server.ended;
    if (!tally.check(STARTS, isUp, () => `${where}: ${stderr}`)) return;
    for (const walk of walks) {
      tally.tried(ANSWERED, walk.acknowledged);
      const lost = await walk.check().catch(String);
      if (lost !== undefined) {
        tally.failed(ANSWERED, `${where}: ${walk.ownerId}: ${lost}`);
        continue;
      }
      const checks: [string, Promise<string | undefined>][] = [
        ['running mocks serve what was saved', walk.checkServed()],
        ['a retry of what was answered has no effect', walk.repeatAnswered()],
      ];
      for (const [fault, checked] of checks) {
        const wrong = await checked;
        tally.check(fault, wrong === undefined, () => `${where}: ${walk.ownerId}: ${wrong}`);
      }
      const wrong = await walk.repeatPending();
      tally.check('a retry of what was not has one effect', wrong === undefined, () => `${where}: ${wrong}`);
    }
    const wrongKeys = await keys.wrong(mount);
    tally.tried('keys are there, and revoked ones stay so', keys.acknowledged);
    for (const wrong of wrongKeys) tally.failed('keys are there, and revoked ones stay so', `${where}: ${wrong}`);
    server.child.kill('SIGTERM');
    const { status } = await server.ended;
    tally.check('that server stops as any does', status === 0, () => `${where}: it ended with ${status}`);
  } finally {
    mount.unmount();
  }
}

/** The command line makes and revokes keys beside the server, one after the other. */
class KeyWalk {
  readonly #data: string;
  readonly #before: readonly string[];
  readonly #made = new Map<string, 'valid' | 'revoked' | 'unknown'>();
  #command: Running | undefined;
  isCut = false;
  acknowledged = 0;

  constructor(mount: Mount, serving: Serving) {
    this.#data = join(mount.directory, 'data');
    // A sync of the same file would bring out what the server did not sync.
    this.#before = serving === 'without syncs' ? ['eatmydata'] : [];
  }

  get pids(): number[] {
    const pid = this.#command?.child.pid;
    return pid === undefined ? [] : [pid];
  }

  async run(): Promise<void> {
    while (!this.isCut) {
      const key = await this.#run('create', '--owner', 'other', '--user', 'ann');
      if (key === undefined) return;
      const keyId = key.split('_')[1] as string;
      this.#made.set(keyId, 'valid');
      this.acknowledged++;
      this.#made.set(keyId, 'unknown');
      if ((await this.#run('revoke', keyId)) === undefined) return;
      this.#made.set(keyId, 'revoked');
      this.acknowledged++;
    }
  }

  /** What `keys list` shows otherwise than it was. */
  async wrong(mount: Mount): Promise<string[]> {
    const { stdout } = await run(['keys', 'list', '--data', join(mount.directory, 'data')]);
    const listed = new Map(stdout.split('\n').map((line) => [line.split('\t')[0], line.split('\t')[5]]));
    const wrong: string[] = [];
    for (const [keyId, state] of this.#made) {
      const revoked = listed.get(keyId);
      if (revoked === undefined) wrong.push(`the key ${keyId} is gone`);
      else if (state === 'revoked' && revoked === '-') wrong.push(`the key ${keyId} is valid again`);
    }
    return wrong;
  }

  /** @returns What it printed, undefined when it was cut off. */
  async #run(...args: string[]): Promise<string | undefined> {
    const command = [...this.#before, process.execPath, CLI, 'keys', ...args, '--data', this.#data];
    this.#command = new Running(command[0] as string, command.slice(1));
    const { status, stdout } = await this.#command.ended;
    this.#command = undefined;
    return status === 0 && !this.isCut ? stdout.trim() : undefined;
  }
}

function serveOn(mount: Mount, serving: Serving): Running {
  const data = join(mount.directory, 'data');
  const serve = [
    CLI,
    'serve',
    '--port',
    '0',
    '--mock-port',
    '0',
    '--no-gateway',
    '--workers',
    '1',
    '--disk-reserve',
    '0',
    '--log-level',
    'error',
  ];
  const command = [process.execPath, ...serve, '--data', data];
  const held = `inject=fdatasync,fsync:delay_enter=${SYNC_HELD_US}`;
  const before = {
    plain: [],
    // Its options, in order: the server is this process's child; with its threads; others' calls are not slowed; nothing is printed.
    'syncs held back': [
      'strace',
      '-D',
      '-f',
      '--seccomp-bpf',
      '-qqq',
      '-o',
      '/dev/null',
      '-e',
      'fdatasync,fsync',
      '-e',
      held,
    ],
    'without syncs': ['eatmydata'],
  }[serving];
  const [program, ...args] = [...before, ...command];
  return new Running(program as string, args);
}

/** @returns Whether the server is up. */
async function connect(server: Running, walks: readonly OwnerWalk[]): Promise<boolean> {
  const port = await server.ready();
  const mockPort = Number(/mocks http:\/\/\S+:(\d+)/.exec(server.stdout)?.[1]);
  for (const walk of walks) {
    walk.port = port ?? 0;
    walk.mockPort = mockPort;
  }
  return port !== undefined;
}

/** What a server that ended by itself left behind. */
async function said(server: Running): Promise<string> {
  return JSON.stringify(await server.ended);
}

/**
 * Stops processes and waits until no thread of them runs or is within a call of the kernel: one that syncs stops when it has. What
 * traces them is stopped behind them, since it hands them their signals; a thread that it holds back stays where it is.
 */
async function stopAll(pids: readonly number[], tracer: number | undefined): Promise<void> {
  for (const pid of pids) kill(pid, 'SIGSTOP');
  await whenStopped(pids);
  if (tracer === undefined) return;
  kill(tracer, 'SIGSTOP');
  // The tracer first: once it is stopped, none of the others is let go.
  await whenStopped([tracer, ...pids]);
}

async function whenStopped(pids: readonly number[]): Promise<void> {
  for (const until = performance.now() + STOP_MS; !pids.every(isStopped); await sleep(1)) {
    if (performance.now() > until) throw new Error('a process does not stop');
  }
}

function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).every((task) => /^[Ttz]$/i.test(stateOf(`${tasks}/${task}/stat`)));
  } catch {
    return !existsSync(tasks);
  }
}

/** The letter behind the name, which is in brackets. */
function stateOf(file: string): string {
  const text = readFileSync(file, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3);
}

function tracerOf(pid: number): number | undefined {
  const tracer = Number(/^TracerPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return tracer > 0 ? tracer : undefined;
}

function childrenOf(pid: number): number[] {
  const direct = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return direct.flatMap((child) => [child, ...childrenOf(child)]);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** By the device of a mounted image, since it was set up. */
function sectorsWritten({ directory }: Mount): number {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const device = mounts.find((line) => line.split(' ')[1] === directory)?.split(' ')[0] as string;
  return Number(
    readFileSync(`/sys/block/${device.slice('/dev/'.length)}/stat`, 'utf8')
      .trim()
      .split(/\s+/)[6],
  );
}

/** Puts a random part of what differs into a file, sector by sector. @returns The count of sectors that differed. */
function surviving(path: string, memory: Buffer, part: number): number {
  const disk = readFileSync(path);
  const file = openSync(path, 'r+');
  let dirty = 0;
  for (let at = 0; at < memory.length; at += SECTOR_BYTES) {
    const sector = memory.subarray(at, at + SECTOR_BYTES);
    if (sector.equals(disk.subarray(at, at + SECTOR_BYTES))) continue;
    dirty++;
    if (Math.random() < part) writeSync(file, sector, 0, sector.length, at);
  }
  closeSync(file);
  return dirty;
}
