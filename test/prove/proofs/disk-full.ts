/**
 * The disk is full: by what the server itself stores, by what others store, and for a server that was told to keep no reserve.
 *
 * A small tmpfs holds the data directory and nothing else, so that every byte of it can be used up, and given back. No other proof may run
 * beside this one: a process that starts while a key is made inherits the store's file, and the disk could not be unmounted.
 */
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../../src/cli/keys.ts';
import { mountsUnavailable, mountTmpfs, type Mount } from '../../support/mounts.ts';
import { eventually, run, serve, type Running } from '../../support/process.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const DISK_MIB = { short: 12, full: 160 };
/** Of the disk. */
const RESERVE_PART = 1 / 4;
const OWNERS = 4;
const WRITERS_PER_OWNER = 4;
const RULES_OF_A_GROUP = { short: 150, full: 3_000 };
/** Fills after which rules are deleted at random until there is room again. */
const FILLS = { short: 2, full: 6 };
const DESCRIPTION_CHARS = [0, 500, 3_000, 10_000];
const BLOCK = Buffer.alloc(4_096);
const FULL = 'Storage full';
/** What lmdb-js itself prints may stand before it. */
const FAILED_LINE = /error: cannot use the data directory [^\n]+$/;
/** Longer than the server takes to look at the disk again. */
const NOTICED_MS = 5_000;

export const proof: Proof = {
  name: 'disk-full',
  promise: 'On a full disk what adds is refused, what is there can be read and deleted, and nothing is lost.',
  unavailable: mountsUnavailable,
  async run(tally: Tally, effort: Effort) {
    await fillBySelf(tally, effort);
    await fillByOthers(tally, effort);
    await withoutReserve(tally, effort);
  },
};

/** The server's own writes fill the disk, again and again, with kills between. */
async function fillBySelf(tally: Tally, effort: Effort): Promise<void> {
  const disk = new Disk(DISK_MIB[effort]);
  const args = ['--disk-reserve', String(DISK_MIB[effort] * RESERVE_PART)];
  const owners = await disk.owners();
  let server = await disk.serve(args, owners);
  const groups = await Promise.all(owners.map((owner) => owner.fillGroup(RULES_OF_A_GROUP[effort])));
  for (let fill = 0; fill < FILLS[effort]; fill++) {
    const where = `fill ${fill}`;
    await Promise.all(owners.map((owner) => owner.addUntilRefused(tally, where)));
    tally.check('the disk is not used up', disk.freeBytes > 0, () => where);
    if (fill % 2 === 1) {
      server.child.kill('SIGKILL');
      await server.ended;
      server = await disk.serve(args, owners);
    }
    const group = groups.pop();
    if (group !== undefined) await group.owner.deleteGroup(tally, group.id, where);
    for (const owner of owners) await owner.deleteSome(tally, 5, where);
    const made = await run(['keys', 'create', '--owner', 'o', '--user', 'u', '--data', disk.data]);
    tally.check('keys are made and revoked', made.status === 0, () => `${where}: ${made.stderr}`);
    const revoked = await run(['keys', 'revoke', made.stdout.trim(), '--data', disk.data]);
    tally.check('keys are made and revoked', revoked.status === 0, () => `${where}: ${revoked.stderr}`);
    // Deleted rules leave room within the store's file, while the disk gets none of it back.
    await Promise.all(owners.map((owner) => owner.deleteSome(tally, Math.floor(owner.rules.size / 2), where)));
    const isRoom = await eventually(() => (owners[0] as Owner).canAdd(), NOTICED_MS);
    tally.check('what was deleted makes room', isRoom, () => where);
    await Promise.all(owners.map((owner) => owner.check(tally, where)));
  }
  await end(tally, server, 'after the fills');
  disk.release();
}

/** Other programs take the last byte, and give it back. */
async function fillByOthers(tally: Tally, effort: Effort): Promise<void> {
  const disk = new Disk(DISK_MIB[effort]);
  const args = ['--disk-reserve', String(DISK_MIB[effort] * RESERVE_PART)];
  const owners = await disk.owners();
  const [owner] = owners as [Owner];
  let server = await disk.serve(args, owners);
  for (const each of owners) await each.fillGroup(20);
  for (const restarts of [false, true]) {
    const where = restarts ? 'a restart without a free byte' : 'no free byte';
    disk.fill();
    const isNoticed = await eventually(async () => !(await owner.canAdd()), NOTICED_MS);
    tally.check('the server notices that others filled the disk', isNoticed, () => where);
    if (restarts) {
      server.child.kill('SIGKILL');
      await server.ended;
      server = await disk.serve(args, owners);
    }
    const refused = await owner.tryDelete();
    const isRefused = refused.status === 503 && refused.message === FULL;
    tally.check('without a free byte deletes are refused too', isRefused, () => `${where}: ${JSON.stringify(refused)}`);
    await Promise.all(owners.map((each) => each.check(tally, where)));
    const fresh = join(disk.directory, 'fresh');
    for (const command of [
      ['keys', 'create', '--new', '--owner', 'o', '--user', 'u'],
      ['serve', '--port', '0', '--mock-port', '0'],
    ]) {
      const { status, stderr } = await run([...command, '--data', fresh]);
      // reaches DISK_FIRST_BYTES
      const isTold = status === 2 && FAILED_LINE.test(stderr.trimEnd());
      tally.check('a first start says in one line that it cannot', isTold, () => `${command[0]}: ${status} ${stderr}`);
      rmSync(fresh, { recursive: true, force: true });
    }
    const made = await run(['keys', 'create', '--owner', 'o', '--user', 'u', '--data', disk.data]);
    const isHonest = made.status === 0 || (made.status === 2 && FAILED_LINE.test(made.stderr.trimEnd()));
    tally.check('a key is made, or one line says that it is not', isHonest, () => `${made.status} ${made.stderr}`);
    disk.free();
    const isBack = await eventually(() => owner.canAdd(), NOTICED_MS);
    tally.check('it works again by itself when there is room', isBack, () => where);
    await owner.deleteSome(tally, 3, where);
    await Promise.all(owners.map((each) => each.check(tally, where)));
  }
  await end(tally, server, 'after others filled the disk');
  disk.release();
}

/** Without a reserve the disk refuses a write itself: the server ends, and the next one has all that was answered. */
async function withoutReserve(tally: Tally, effort: Effort): Promise<void> {
  const disk = new Disk(DISK_MIB[effort]);
  const owners = await disk.owners();
  const server = await disk.serve(['--disk-reserve', '0'], owners);
  await Promise.all(owners.map((owner) => owner.addUntilTheEnd(tally)));
  const { status } = await server.ended;
  // lmdb may abort the process on a page that cannot be written (docs/operations.md, "Start and stop"). What counts is that it ends, and
  // what is there then.
  const isOver = status === 1 || status === 'SIGABRT';
  tally.check('a server that meets the end of the disk ends', isOver, () => `it ended with ${status}`);
  disk.grow();
  const next = await disk.serve([], owners);
  await Promise.all(owners.map((owner) => owner.check(tally, 'the start after the end of the disk')));
  await end(tally, next, 'after the end of the disk');
  disk.release();
}

async function end(tally: Tally, server: Running, where: string): Promise<void> {
  server.child.kill('SIGTERM');
  const { status } = await server.ended;
  tally.check(
    'the server lives through it, and stops as asked',
    status === 0,
    () => `${where}: it ended with ${status}`,
  );
}

/** A tmpfs that can be filled to its last byte. */
class Disk {
  readonly data: string;
  readonly directory: string;
  readonly #mount: Mount;
  readonly #filler: string;
  readonly #mib: number;

  constructor(mib: number) {
    this.#mib = mib;
    this.#mount = mountTmpfs(mib);
    this.directory = this.#mount.directory;
    this.data = join(this.directory, 'data');
    this.#filler = join(this.directory, 'filler');
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }

  owners(): Promise<Owner[]> {
    const make = async (index: number): Promise<Owner> =>
      new Owner(await createKey(this.data, { ownerId: `owner${index}`, userId: 'ann', role: 'editor' }));
    return Promise.all(Array.from({ length: OWNERS }, (_, index) => make(index)));
  }

  async serve(args: readonly string[], owners: readonly Owner[]): Promise<Running> {
    const server = serve(this.data, ['--workers', '1', '--log-level', 'fatal', ...args]);
    const port = await server.ready();
    if (port === undefined) throw new Error(`the server ended: ${(await server.ended).stderr}`);
    for (const owner of owners) owner.port = port;
    return server;
  }

  fill(): void {
    const file = openSync(this.#filler, 'a');
    try {
      for (;;) writeSync(file, BLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#filler);
  }

  grow(): void {
    this.#mount.grow(2 * this.#mib);
  }

  release(): void {
    this.#mount.unmount();
  }
}

interface Refused {
  readonly status: number;
  readonly message: string | undefined;
}

/** One owner's client, and what it was told that there is. */
class Owner {
  port = 0;
  /** By id. */
  readonly rules = new Map<string, { name: string; description: string }>();
  /** Names whose creation was tried with an unknown outcome. */
  readonly #tried = new Set<string>();
  readonly #key: string;
  #names = 0;

  constructor(key: string) {
    this.#key = key;
  }

  async fillGroup(rulesCount: number): Promise<{ owner: Owner; id: string }> {
    const { json } = await this.#ask('POST', '/groups', { name: 'many' });
    const { id } = json.data;
    for (let index = 0; index < rulesCount; index++) await this.#add(id);
    return { owner: this, id };
  }

  async canAdd(): Promise<boolean> {
    return (await this.#add()).status === 200;
  }

  /** Until each of some writers was refused: with what was promised. */
  async addUntilRefused(tally: Tally, where: string): Promise<void> {
    const write = async (): Promise<void> => {
      for (;;) {
        const { status, message } = await this.#add();
        if (status === 200) continue;
        const holds = status === 503 && message === FULL;
        tally.check('what adds is refused before it is tried', holds, () => `${where}: ${status} ${message}`);
        return;
      }
    };
    await Promise.all(Array.from({ length: WRITERS_PER_OWNER }, write));
  }

  /** Until the server is gone. */
  async addUntilTheEnd(tally: Tally): Promise<void> {
    const write = async (): Promise<void> => {
      for (;;) {
        const { status } = await this.#add();
        if (status === 0) return;
        tally.check(
          'without a reserve an answer is 200, 500 or 503',
          [200, 500, 503].includes(status),
          () => `${status}`,
        );
        if (status !== 200) await sleep(20);
      }
    };
    await Promise.all(Array.from({ length: WRITERS_PER_OWNER }, write));
  }

  async deleteGroup(tally: Tally, id: string, where: string): Promise<void> {
    const { status, json } = await this.#ask('DELETE', `/groups/${id}`);
    tally.check('deletes work on a full disk', status === 200, () => `${where}: group: ${status} ${json?.message}`);
  }

  /** Rules here and there. */
  async deleteSome(tally: Tally, count: number, where: string): Promise<void> {
    const ids = [...this.rules.keys()];
    const step = ids.length / count;
    for (let at = 0; at < count; at++) {
      const id = ids[Math.floor(at * step)] as string;
      const { status, json } = await this.#ask('DELETE', `/rules/${id}`);
      if (status === 200) this.rules.delete(id);
      tally.check('deletes work on a full disk', status === 200, () => `${where}: rule: ${status} ${json?.message}`);
    }
  }

  async tryDelete(): Promise<Refused> {
    const [id] = this.rules.keys();
    const { status, json } = await this.#ask('DELETE', `/rules/${id}`);
    if (status === 200) this.rules.delete(id as string);
    return { status, message: json?.message };
  }

  /** What is there is what was answered; of what was tried without an answer, anything. */
  async check(tally: Tally, where: string): Promise<void> {
    const held = new Map<string, { name: string; description: string }>();
    for (let offset: number | null = 0; offset !== null;) {
      const { status, json } = await this.#ask('GET', `/rules?pageSize=75&offset=${offset}`);
      if (!tally.check('what is there can be read', status === 200, () => `${where}: ${status}`)) return;
      for (const rule of json.data) held.set(rule.id, rule);
      offset = json.nextOffset;
    }
    for (const [id, { name, description }] of this.rules) {
      const now = held.get(id);
      const holds = now?.name === name && now.description === description;
      tally.check('what was answered is there', holds, () => `${where}: ${id} ${name} is ${now?.name}`);
    }
    for (const [id, { name }] of held) {
      const holds = this.rules.has(id) || this.#tried.has(name);
      tally.check('what was deleted or refused is not there', holds, () => `${where}: ${id} ${name}`);
    }
  }

  async #add(groupId = ''): Promise<Refused> {
    const name = `rule ${this.#names++}`;
    const description = 'd'.repeat(DESCRIPTION_CHARS[this.#names % DESCRIPTION_CHARS.length] as number);
    const pairs = [{ source: { key: 'Url', operator: 'Contains', value: name } }];
    const body = { name, description, groupId, ruleType: 'Cancel', pairs };
    const { status, json } = await this.#ask('POST', '/rules', body);
    if (status === 200) this.rules.set(json.data.id, { name, description });
    else if (status !== 503) this.#tried.add(name);
    return { status, message: json?.message };
  }

  /** Status 0 when the server was gone before it answered. */
  async #ask(method: string, path: string, body?: object): Promise<Answer> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.port}/v1${path}`, {
        method,
        headers: { 'x-api-key': this.#key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, json: JSON.parse(await answer.text()) };
    } catch {
      return { status: 0, json: undefined };
    }
  }
}

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any answer
  readonly json: any;
}
