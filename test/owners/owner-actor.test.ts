/**
 * The actor on a real LMDB store: when replies leave, what a failed commit and a bug do, how full a mailbox gets.
 *
 * Only the store's commit is held back or failed here, by a shell around the real one, since a disk fails when it likes.
 */
import { DATE_AHEAD_MS } from '../../src/owners/owner-actor.ts';
import { MAILBOX_TURNS_MAX } from '../../src/owners/owner-actor.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { isRefusal, type Refusal } from '../../src/errors.ts';
import { DEFAULT_LIMITS, IDEMPOTENCY_RETENTION_MS } from '../../src/limits.ts';
import { createGroup } from '../../src/model/decide-group.ts';
import { groupParser } from '../../src/model/group-payload.ts';
import type { Command, Query } from '../../src/model/command.ts';
import { listGroups } from '../../src/model/queries.ts';
import type { Group } from '../../src/model/group.ts';
import type { Principal } from '../../src/model/principal.ts';
import { OwnerDirectory } from '../../src/owners/owner-directory.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { CommitSkippedError, type PreparedCommit } from '../../src/store/store.ts';
import { temporaryDirectory } from '../support/server.ts';

const PRINCIPAL: Principal = { keyId: 'k', ownerId: 'acme', userId: 'ann', role: 'editor' };
const PAGE = { page: { offset: 0, pageSize: 75 }, filter: undefined };
const create = createGroup(groupParser(DEFAULT_LIMITS));

let store: LmdbStore;
let owners: OwnerDirectory;
let discarded: unknown[];
/** The version that each submitted commit expects, in order. */
let submitted: number[];
/** What the next commits wait for; set by a test. */
let gate: Promise<void> | undefined;

beforeEach(() => {
  store = LmdbStore.open(temporaryDirectory());
  gate = undefined;
  discarded = [];
  submitted = [];
  const commit = store.commit.bind(store);
  store.commit = async (prepared: PreparedCommit) => {
    const held = gate;
    submitted.push(prepared.expectedVersion);
    const durable = commit(prepared);
    await held;
    return durable;
  };
  owners = new OwnerDirectory({
    store,
    limitsOf: () => DEFAULT_LIMITS,
    clock: systemClock,
    onDiscarded: (_actor, error) => discarded.push(error),
    onDateAhead: () => undefined,
    onReplyError: (error) => discarded.push(error),
  });
});
afterEach(async () => {
  owners.stop();
  await store.close();
});

const command = <Input, Answer>(asked: Command<Input, Answer>, input: Input): Promise<Answer | Refusal> =>
  new Promise((resolve) => owners.command(asked, input, PRINCIPAL, resolve));
const query = <Input, Answer>(asked: Query<Input, Answer>, input: Input): Promise<Answer | Refusal> =>
  new Promise((resolve) => owners.query(asked, input, PRINCIPAL, resolve));
const names = async (): Promise<string[]> => {
  const page = await query(listGroups, PAGE);
  if (isRefusal(page)) throw new Error(page.message);
  return page.records.map(({ name }) => name);
};
const add = (name: string) => command(create, { body: { name } });
const kindOf = (outcome: unknown): string => (isRefusal(outcome) ? outcome.kind : 'answered');

function closedGate() {
  let open!: () => void;
  let fail!: (error: Error) => void;
  gate = new Promise((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  gate.catch(() => undefined);
  return { open, fail };
}

test('a read waits for the commit of what it reveals, and answers at once when nothing is pending', async () => {
  await add('first');
  const { open } = closedGate();
  const events: string[] = [];
  const written = add('second').then(() => events.push('write'));
  const read = names().then((seen) => events.push(`read ${seen.join()}`));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(events).toEqual([]);
  open();
  await Promise.all([written, read]);
  expect(events).toEqual(['write', 'read first,second']);

  let answered = false;
  owners.query(listGroups, PAGE, PRINCIPAL, () => {
    answered = true;
  });
  expect(answered).toBe(true);
});

test('turns go on while a commit is being made durable', async () => {
  await add('a');
  const { open } = closedGate();
  const writes = ['b', 'c', 'd'].map(add);
  await new Promise((resolve) => setTimeout(resolve, 50));
  // All four were submitted, each at the version that the one before it made, while the second still waits for its disk.
  expect(submitted).toEqual([0, 1, 2, 3]);
  open();
  await Promise.all(writes);
  expect(await names()).toEqual(['a', 'b', 'c', 'd']);
});

test('a decision that changes nothing commits nothing', async () => {
  await add('a');
  const same: Command<undefined, string> = { name: 'test.same', decide: () => ({ changes: [], answer: 'as it is' }) };
  expect(await command(same, undefined)).toBe('as it is');
  expect(submitted).toEqual([0]);
});

test('when a commit fails, it is a server error, reads of it are to be repeated, and the owner is loaded again', async () => {
  await add('kept');
  const { fail } = closedGate();
  const write = add('tried');
  const read = names().catch((error: Error) => error.message);
  fail(new Error('disk full'));
  expect(kindOf(await write)).toBe('serverError');
  expect(await read).toBe('Service recovering');
  expect(discarded.length).toBe(1);
  gate = undefined;
  // The real commit went through: its outcome was unknown, and the store tells.
  expect(await names()).toEqual(['kept', 'tried']);
});

test('an error in a turn is answered as a server error, and loses no write of others', async () => {
  await add('a');
  const bug: Command<undefined, Group> = {
    name: 'test.bug',
    decide() {
      throw new Error('a bug');
    },
  };
  const outcomes = await Promise.all([add('b'), command(bug, undefined), add('c'), add('d')]);
  expect(kindOf(outcomes[1])).toBe('serverError');
  // The first was tried, so its outcome counts as unknown; what came after found a new actor.
  expect(outcomes.slice(2).map(kindOf)).toEqual(['answered', 'answered']);
  expect(await names()).toEqual(['a', 'b', 'c', 'd']);
});

// reaches MAILBOX_TURNS_MAX
test('a full mailbox refuses, without effect', async () => {
  // The first turn loads the owner, and holds the mailbox until then.
  const outcomes = await Promise.all(
    Array.from({ length: MAILBOX_TURNS_MAX + 10 }, (_each, index) => add(`g${index}`)),
  );
  const refused = outcomes.filter((outcome) => kindOf(outcome) === 'overloaded');
  expect(refused.length).toBe(9);
  expect(store.history('acme', 0, 10_000).length).toBe(outcomes.length - refused.length);
});

test('each commit leaves one history entry: who, when, what', async () => {
  const before = Date.now();
  const group = (await add('a')) as Group;
  expect(store.history('acme', 0, 10)).toEqual([
    {
      version: 1,
      date: group.creationDate,
      userId: 'ann',
      keyId: 'k',
      command: 'group.create',
      recordIds: [group.id],
      recordCount: 1,
    },
  ]);
  expect(group.creationDate).toBeGreaterThanOrEqual(before);
});

test('dates of one owner never go back, even when the clock does', async () => {
  let now = 1_000_000;
  const jumping = new OwnerDirectory({
    store,
    limitsOf: () => DEFAULT_LIMITS,
    clock: () => now,
    onDiscarded: () => undefined,
    onDateAhead: () => undefined,
    onReplyError: () => undefined,
  });
  const dates: number[] = [];
  for (now of [1_000_000, 999_000, 1_000_001, 5]) {
    const group = await new Promise<Group | Refusal>((resolve) =>
      jumping.command(create, { body: { name: 'g' } }, PRINCIPAL, resolve),
    );
    dates.push((group as Group).creationDate);
  }
  jumping.stop();
  expect(dates).toEqual([1_000_000, 1_000_000, 1_000_001, 1_000_001]);
});

test('a repetition waits for the latest request with its key, when the clock jumped over the retention of the first', async () => {
  let now = 1_000_000;
  const jumping = new OwnerDirectory({
    store,
    limitsOf: () => DEFAULT_LIMITS,
    clock: () => now,
    onDiscarded: () => undefined,
    onDateAhead: () => undefined,
    onReplyError: () => undefined,
  });
  const repeat = (): Promise<Group | Refusal> =>
    new Promise((resolve) =>
      jumping.command(create, { body: { name: 'g' } }, PRINCIPAL, resolve, { key: 'k', bodyDigest: 'b' }),
    );
  // Held back before it is written, so that the store does not show it.
  const commit = LmdbStore.prototype.commit.bind(store);
  store.commit = async (prepared) => {
    submitted.push(prepared.expectedVersion);
    await gate;
    return commit(prepared);
  };
  await repeat();
  now += 2 * IDEMPOTENCY_RETENTION_MS;
  const first = closedGate();
  const expired = repeat();
  now += 2 * IDEMPOTENCY_RETENTION_MS;
  const second = closedGate();
  const anew = repeat();
  first.open();
  await expired;
  const again = repeat();
  second.open();
  expect(await again).toEqual(await anew);
  expect(submitted).toEqual([0, 1, 2]);
  jumping.stop();
});

test('a reply that throws does not affect others', async () => {
  const outcomes: string[] = [];
  const throwing = new Promise<void>((resolve) => {
    owners.command(create, { body: { name: 'a' } }, PRINCIPAL, () => {
      resolve();
      throw new Error('a bug in a reply');
    });
  });
  const other = add('b').then((outcome) => outcomes.push(kindOf(outcome)));
  await Promise.all([throwing, other]);
  expect(outcomes).toEqual(['answered']);
  expect(discarded).toEqual([expect.objectContaining({ message: 'a bug in a reply' })]);
  expect(await names()).toEqual(['a', 'b']);
});

test('turns that waited after a failed commit are refused as not tried', async () => {
  await add('kept');
  store.commit = () => Promise.reject(new CommitSkippedError(new Error('disk full')));
  expect(kindOf(await add('never tried'))).toBe('ownerReset');
});

test('a commit without disk space has no effect, and the next turn runs', async () => {
  const hasSpaceFor = store.hasSpaceFor.bind(store);
  store.hasSpaceFor = (_prepared, frees) => frees;
  expect(kindOf(await add('refused'))).toBe('storageFull');
  store.hasSpaceFor = hasSpaceFor;
  await add('taken');
  expect(await names()).toEqual(['taken']);
  expect(submitted).toEqual([0]);
  expect(discarded).toEqual([]);
});

// reaches DATE_AHEAD_MS
test('an owner whose newest date is more than five minutes ahead of the clock is reported once, when it is loaded or written', async () => {
  const told: [ownerId: string, aheadMs: number][] = [];
  let now = 10_000_000;
  const start = (): OwnerDirectory =>
    new OwnerDirectory({
      store,
      limitsOf: () => DEFAULT_LIMITS,
      clock: () => now,
      onDiscarded: () => undefined,
      onReplyError: () => undefined,
      onDateAhead: (ownerId, aheadMs) => told.push([ownerId, aheadMs]),
    });
  const write = (to: OwnerDirectory) =>
    new Promise((resolve) => to.command(create, { body: { name: 'g' } }, PRINCIPAL, resolve));
  const read = (to: OwnerDirectory) => new Promise((resolve) => to.query(listGroups, PAGE, PRINCIPAL, resolve));

  const first = start();
  await write(first);
  now -= DATE_AHEAD_MS;
  await write(first);
  expect(told).toEqual([]);
  now -= 1;
  await read(first);
  await write(first);
  await write(first);
  first.passivateIdle();
  await read(first);
  expect(told).toEqual([['acme', DATE_AHEAD_MS + 1]]);
  first.stop();

  const next = start();
  await read(next);
  await write(next);
  expect(told).toEqual([
    ['acme', DATE_AHEAD_MS + 1],
    ['acme', DATE_AHEAD_MS + 1],
  ]);
  next.stop();
});
