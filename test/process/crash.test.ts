/**
 * `kill -9` under load: what was acknowledged is there, what was not is there whole or not at all.
 *
 * Each writer changes its own records one request after the other, so that a record's acceptable contents are known at every
 * moment: the acknowledged one, or that of a request whose answer never came.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { eventually } from '../support/process.ts';
import { TestServer, type Answer } from '../support/server.ts';

const ROUNDS = 20;
const OWNERS = ['alpha', 'beta', 'gamma', 'delta'];
const WRITERS_PER_OWNER = 12;
/** Acknowledged writes of a round before the kill, at the least. */
const ROUND_WRITES = 200;

type Kind = 'rules' | 'groups';

/** What a test may find of a record: its content as one line of text, or that it is gone. */
const GONE = 'gone';

interface Tracked {
  readonly kind: Kind;
  readonly id: string;
  /** The body that was acknowledged last. */
  body: Record<string, unknown>;
  /** More than one while the outcome of a request is unknown. */
  acceptable: string[];
}

/** A create without an answer: it may have happened. */
interface Unanswered {
  readonly kind: Kind;
  readonly body: Record<string, unknown>;
  readonly idempotencyKey: string;
}

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly groupId?: string;
  readonly [member: string]: unknown;
}

let server: TestServer;
let acknowledged = 0;

beforeAll(async () => {
  server = await TestServer.start(['--no-bootstrap', '--log-level', 'warn']);
});
afterAll(() => server.end('SIGKILL'));

class Writer {
  readonly owner: string;
  readonly records: Tracked[] = [];
  readonly deleted: string[] = [];
  unanswered: Unanswered | undefined;
  readonly #key: string;
  readonly #name: string;
  #count = 0;
  #random: number;

  constructor(owner: string, key: string, index: number) {
    this.owner = owner;
    this.#key = key;
    this.#name = `${owner}-${index}`;
    this.#random = index * 7_919 + owner.length * 104_729 + 1;
  }

  /** Writes until the server is gone. */
  async work(): Promise<void> {
    try {
      for (;;) await this.#step();
    } catch (error) {
      // fetch's way to say that the connection ended.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  async #step(): Promise<void> {
    const choice = this.#next(10);
    const record = this.records[this.#next(Math.max(1, this.records.length))];
    if (record === undefined || choice < 4) return this.#create(choice % 4 === 0 ? 'groups' : 'rules');
    if (choice < 8) return this.#update(record);
    return this.#delete(record);
  }

  async #create(kind: Kind): Promise<void> {
    const body = this.#body(kind);
    const idempotencyKey = body.name as string;
    this.unanswered = { kind, body, idempotencyKey };
    await this.repeatUnanswered();
  }

  /** Sends a create whose outcome is unknown, with the key it had. */
  async repeatUnanswered(): Promise<void> {
    if (this.unanswered === undefined) return;
    const { kind, body, idempotencyKey } = this.unanswered;
    const answer = await this.#send('POST', `/v1/${kind}`, body, { 'idempotency-key': idempotencyKey });
    this.unanswered = undefined;
    const { id } = answer.json.data as Stored;
    this.records.push({ kind, id, body, acceptable: [contentOf(kind, answer.json.data as Stored)] });
    expect(this.records.at(-1)?.acceptable).toEqual([contentOf(kind, body)]);
  }

  async #update(record: Tracked): Promise<void> {
    const body = this.#body(record.kind);
    record.acceptable.push(contentOf(record.kind, body));
    await this.#send('PUT', `/v1/${record.kind}/${record.id}`, body);
    record.body = body;
    record.acceptable = [contentOf(record.kind, body)];
  }

  async #delete(record: Tracked): Promise<void> {
    record.acceptable.push(GONE);
    // Deleting a group ungroups its rules, in the same transaction.
    const members = this.records.filter(({ body }) => record.kind === 'groups' && body.groupId === record.id);
    for (const member of members) member.acceptable.push(contentOf('rules', { ...member.body, groupId: '' }));
    await this.#send('DELETE', `/v1/${record.kind}/${record.id}`);
    for (const member of members) {
      member.body = { ...member.body, groupId: '' };
      member.acceptable = [contentOf('rules', member.body)];
    }
    this.deleted.push(record.id);
    this.records.splice(this.records.indexOf(record), 1);
  }

  /** Compares with what the server has after a restart, which becomes what is known. */
  check(stored: ReadonlyMap<string, Stored>): void {
    for (const record of this.records.splice(0)) {
      const found = stored.get(record.id);
      const content = found === undefined ? GONE : contentOf(record.kind, found);
      expect(record.acceptable, `${record.kind} ${record.id} of ${this.owner}`).toContain(content);
      if (found === undefined) this.deleted.push(record.id);
      else this.records.push({ ...record, body: JSON.parse(content) as Tracked['body'], acceptable: [content] });
    }
    for (const id of this.deleted) expect(stored.has(id), `the deleted ${id}`).toBe(false);
  }

  #body(kind: Kind): Record<string, unknown> {
    const name = `${this.#name}-${++this.#count}`;
    if (kind === 'groups') return { name, status: 'Active', isFavourite: this.#next(2) === 0 };
    const groups = this.records.filter((record) => record.kind === 'groups');
    return {
      name,
      description: name.repeat(this.#next(40)),
      ruleType: 'Cancel',
      groupId: groups[this.#next(groups.length + 1)]?.id ?? '',
      pairs: [{ id: 'p', source: { key: 'Url', operator: 'Equals', value: name } }],
    };
  }

  async #send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await server.request(method, path, { key: this.#key, body, headers });
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.json)}`).toBe(200);
    acknowledged++;
    return answer;
  }

  /** The same choices in every run. */
  #next(below: number): number {
    this.#random = (Math.imul(this.#random, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (this.#random >>> 12) % below;
  }
}

/** The members that a client decides on. */
function contentOf(kind: Kind, record: Readonly<Record<string, unknown>>): string {
  const { name, description, ruleType, groupId, pairs, status, isFavourite } = record;
  if (kind === 'groups') return JSON.stringify({ name, status, isFavourite });
  return JSON.stringify({ name, description, ruleType, groupId, pairs });
}

/** Every record of an owner, page after page. */
async function readAll(key: string): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>();
  for (const kind of ['rules', 'groups'] as const) {
    for (let offset: number | null = 0; offset !== null;) {
      const answer: Answer = await server.request('GET', `/v1/${kind}?pageSize=75&offset=${offset}`, { key });
      expect(answer.status).toBe(200);
      const { data, nextOffset } = answer.json as { data: Stored[]; nextOffset: number | null };
      for (const record of data) stored.set(record.id, record);
      offset = nextOffset;
    }
  }
  return stored;
}

test(`${ROUNDS} kills under load lose no acknowledged write, and leave none half done`, async () => {
  const keys = new Map<string, string>();
  for (const owner of OWNERS) keys.set(owner, await server.key(owner));
  const writers = OWNERS.flatMap((owner) =>
    Array.from({ length: WRITERS_PER_OWNER }, (_, index) => new Writer(owner, keys.get(owner) as string, index)),
  );

  for (let round = 0; round < ROUNDS; round++) {
    acknowledged = 0;
    const work = Promise.all(writers.map((writer) => writer.work()));
    expect(await eventually(() => acknowledged >= ROUND_WRITES, 20_000)).toBe(true);
    await sleep((round * 37) % 150);
    await server.restart('SIGKILL');
    await work;

    await Promise.all(
      OWNERS.map(async (owner) => {
        const stored = await readAll(keys.get(owner) as string);
        const ownWriters = writers.filter((writer) => writer.owner === owner);
        for (const writer of ownWriters) writer.check(stored);
        for (const { id, groupId = '' } of stored.values()) {
          if (groupId !== '') expect(stored.has(groupId), `${id} is in the group ${groupId}`).toBe(true);
        }
        // A create without an answer is repeated with its Idempotency-Key: it happens once, whether it had happened or not.
        for (const writer of ownWriters) await writer.repeatUnanswered();
        const now = await readAll(keys.get(owner) as string);
        expect([...now.keys()].toSorted()).toEqual(
          ownWriters.flatMap(({ records }) => records.map(({ id }) => id)).toSorted(),
        );
      }),
    );
  }

  expect(await server.end()).toBe(0);
  const store = LmdbStore.open(server.data);
  try {
    for (const owner of OWNERS) {
      const state = await store.loadOwner(owner);
      const ownWriters = writers.filter((writer) => writer.owner === owner);
      const ids = [...state.rules.ordered(), ...state.groups.ordered()].map(({ id }) => id);
      expect(ids.toSorted()).toEqual(ownWriters.flatMap(({ records }) => records.map(({ id }) => id)).toSorted());
      expect(ids.filter((id) => store.ownerOf(id) !== owner)).toEqual([]);
      expect(ownWriters.flatMap(({ deleted }) => deleted).filter((id) => store.ownerOf(id) !== undefined)).toEqual([]);
      const versions = store.history(owner, 0, Infinity).map(({ version }) => version);
      expect(versions).toEqual(Array.from({ length: state.version }, (_, index) => index + 1));
    }
  } finally {
    await store.close();
  }
});
