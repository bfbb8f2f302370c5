/**
 * Clients write and read the same few records at once, while the server is killed: is there an order of all they did?
 *
 * Each owner's rules and groups are checked as one object, lists and group deletes included, which says more than each record by itself;
 * each mock is checked as one. The checker must report the same histories with a stale read or without a write that was seen.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../../src/cli/keys.ts';
import { childrenOf, eventually } from '../../support/process.ts';
import { newPlace, TestServer } from '../../support/server.ts';
import { itemModel, storeHistories, type StoreCall } from '../linearizability/store-work.ts';
import { checkHistory, type Model, type Operation } from '../linearizability/check-history.ts';
import { MockWork, OwnerWork } from '../linearizability/clients.ts';
import { mockModel, mockSights } from '../linearizability/mock-model.ts';
import { ownerModel, ownerSights, shownBy, type OwnerCall, type Shown } from '../linearizability/owner-model.ts';
import { Recorder, type Events, type Servers } from '../linearizability/recorder.ts';
import { sighted, type Sights } from '../linearizability/unanswered.ts';
import type { Effort, Proof, Tally } from '../proof.ts';
import { Draws } from '../simulation/draws.ts';

const EFFORTS = {
  short: { owners: 2, mocks: 1, ms: 1_000, lifeEvents: 400, storeCalls: 60, storeKills: 1 },
  full: { owners: 4, mocks: 3, ms: 20_000, lifeEvents: 1_500, storeCalls: 1_000, storeKills: 5 },
} as const;
const CLIENTS_PER_OWNER = 5;
const CLIENTS_PER_MOCK = 3;
/** A process on a slow machine is killed after so long, however little it did. */
const LIFE_MS_MAX = 15_000;
/** For one history. What is not decided by then is told in a row. */
const CHECK_MS_MAX = 30_000;

export const proof: Proof = {
  name: 'linearizable',
  onEveryStore: true,
  promise: 'What clients see of a record is one order of what they did to it, kill -9 included.',
  async run(tally: Tally, effort: Effort) {
    const { owners: ownerCount, mocks: mockCount, ms, lifeEvents, storeCalls, storeKills } = EFFORTS[effort];
    const data = await newPlace();
    const draws = new Draws(Date.now());
    const recorder = new Recorder(data);
    const unexpected = (what: string): void => tally.failed('requests are answered as documented', what);
    const ownerIds = Array.from({ length: ownerCount }, (_, index) => `owner-${index}`);
    const keys: string[] = [];
    for (const ownerId of ownerIds) keys.push(await createKey(data, { ownerId, userId: 'u', role: 'editor' }));
    await recorder.start();

    const owners = keys.map((key) => new OwnerWork(recorder, draws, key, unexpected));
    const mocks: MockHistory[] = [];
    for (let index = 0; index < mockCount; index++) {
      mocks.push(await createMock(recorder, draws, keys[index % keys.length] as string, unexpected));
    }
    const clients = [
      ...owners.flatMap((owner) => Array.from({ length: CLIENTS_PER_OWNER }, () => owner.client())),
      ...mocks.flatMap(({ work }) => Array.from({ length: CLIENTS_PER_MOCK }, () => work.client())),
    ];
    const end = performance.now() + ms;
    while (performance.now() < end) {
      const events = recorder.events + lifeEvents + draws.below(lifeEvents);
      await eventually(() => recorder.events >= events, LIFE_MS_MAX);
      await sleep(draws.below(20));
      await recorder.kill();
      tally.tried('kill -9 under load');
    }
    recorder.finish();
    await Promise.all(clients);
    for (const owner of owners) await owner.updateAlone();
    for (const work of [...owners, ...mocks.map((mock) => mock.work)]) await work.readAll();
    const status = await recorder.stop();
    tally.check('the last server ends well', status === 0, () => `it ended with ${status}`);

    for (const [index, { history }] of owners.entries()) {
      const operations = withIds(recorder.operations(history));
      tally.tried('requests are answered as documented', operations.length);
      const fault = 'rules and groups of an owner: one order of';
      const isDecided = checkOne(tally, fault, ownerIds[index] as string, ownerModel, operations, ownerSights);
      if (isDecided) checkControls(tally, operations);
    }
    checkMocks(tally, recorder, mocks);
    await checkStores(tally, draws, storeCalls, storeKills);
  },
};

const STORE_THREADS = 3;
const STORE_CLIENTS = 6;

/**
 * What clients see of each item of a store is one order, whichever of the threads they reach: of a mock, and of a session. A killed data
 * plane takes the items along, and `epoch` says so: from then on the store is another one, that begins anew.
 */
async function checkStores(tally: Tally, draws: Draws, calls: number, kills: number): Promise<void> {
  const server = await TestServer.start(['--workers', String(STORE_THREADS), '--log-level', 'warn']);
  const key = await server.key('acme', 'ann');
  const body = {
    name: 'm',
    start: true,
    settings: { stores: [{ name: 'items', value: [] }] },
    routes: [{ kind: 'crud', path: '/items', store: 'items' }],
  };
  const { id } = (await server.request('POST', '/v1/mocks', { key, body })).json.data;
  const session = (await server.request('POST', `/v1/mocks/${id}/sessions`, { key, body: {} })).json.data.id;
  for (const scope of [undefined, session as string]) {
    const path = `/v1/mocks/${id}${scope === undefined ? '' : `/sessions/${scope}`}`;
    const counts = async () => (await server.request('GET', `${path}/counts`, { key })).json.data;
    let { epoch } = await counts();
    const kill = async (): Promise<void> => {
      const [pid] = childrenOf(server.pid);
      if (pid === undefined) throw new Error('the data plane has no process');
      process.kill(pid, 'SIGKILL');
      const isBack = await eventually(async () => {
        const { data } = (await server.request('GET', `${path}/stores/items`, { key })).json;
        return Array.isArray(data?.value) && (await counts())?.epoch !== epoch;
      }, LIFE_MS_MAX);
      tally.check(
        'a killed data plane has a successor, with another epoch',
        isBack,
        () => `not within ${LIFE_MS_MAX} ms`,
      );
      epoch = (await counts())?.epoch;
    };
    const lives = await storeHistories(server, id, scope, draws, { clients: STORE_CLIENTS, calls, kills, kill });
    const where = scope === undefined ? 'a mock' : 'a session';
    for (const [life, histories] of lives.entries()) {
      for (const [index, operations] of histories.entries()) {
        checkItem(tally, operations, `item ${index} of ${where}, life ${life}`);
      }
    }
    const answered = (lives.at(-1) ?? []).flat().filter(({ certain }) => certain).length;
    const found = await counts();
    const isExact = found.total === answered && (kills === 0 || lives.length === kills + 1);
    tally.check(
      'each request that was handed over is counted once',
      isExact,
      () => `${answered}: ${JSON.stringify(found)}`,
    );
  }
  await server.end();
}

function checkItem(tally: Tally, operations: readonly Operation<StoreCall>[], what: string): void {
  const { linearizable, failedAt } = checkHistory(itemModel, operations, CHECK_MS_MAX);
  tally.tried('items of a store: one order of requests', operations.length);
  if (!linearizable) {
    const failed = JSON.stringify(operations[failedAt as number]);
    tally.failed('items of a store: one order of requests', `${what}: ${failed}`);
  }
  const stale = withInventedRead(operations);
  if (stale === undefined) return;
  const isFound = !checkHistory(itemModel, stale, CHECK_MS_MAX).linearizable;
  tally.check('a stale read of an item is reported', isFound, () => `it was not: ${what}`);
}

/** The last read that shows a value shows one that nobody wrote. */
function withInventedRead(operations: readonly Operation<StoreCall>[]): Operation<StoreCall>[] | undefined {
  const at = operations.findLastIndex(({ call }) => call.kind === 'read' && call.status === 200);
  const read = operations[at];
  return read && operations.with(at, { ...read, call: { ...read.call, shown: 'older' } });
}

export async function createMock(recorder: Servers, draws: Draws, key: string, unexpected: (what: string) => void) {
  const routes = [{ method: 'GET', path: '/', responses: [{ body: 'v0' }] }];
  const answer = await recorder.ask('POST', '/mocks', key, { name: 'm', routes }, {});
  if (answer?.status !== 200) throw new Error(`a mock was not made: ${JSON.stringify(answer)}`);
  const { id } = answer.json.data as { id: string };
  const model = mockModel({ name: 'm', nameTag: answer.etag, staged: 'v0', stagedTag: undefined, saved: ['v0'] });
  return { work: new MockWork(recorder, draws, key, id, unexpected), model };
}

export interface MockHistory {
  readonly work: MockWork;
  readonly model: ReturnType<typeof mockModel>;
}

export function checkMocks(tally: Tally, recorder: Events, mocks: readonly MockHistory[]): void {
  const fault = 'name, working copy and versions of a mock: one order of';
  for (const { work, model } of mocks) {
    const operations = recorder.operations(work.history);
    tally.tried('requests are answered as documented', operations.length);
    checkOne(tally, fault, work.id, model, operations, mockSights);
  }
}

/** @returns Whether there was time for all of it. */
export function checkOne<State, Call>(
  tally: Tally,
  fault: string,
  which: string,
  model: Model<State, Call>,
  operations: readonly Operation<Call>[],
  sights: Sights<Call>,
): boolean {
  const { seen, withoutUnseen } = sighted(operations, sights);
  let checked = withoutUnseen;
  let verdict = checkHistory(model, checked, CHECK_MS_MAX);
  if (!verdict.linearizable) {
    checked = seen;
    verdict = checkHistory(model, checked, CHECK_MS_MAX);
  }
  const { linearizable, undecidedFrom, failedAt, possible } = verdict;
  if (undecidedFrom !== undefined) {
    const until = checked[undecidedFrom]?.returned ?? 0;
    tally.tried(`${fault} requests`, operations.filter(({ returned }) => returned < until).length);
    tally.tried('histories of which a rest was not decided in their time');
    return false;
  }
  tally.tried(`${fault} requests`, operations.length);
  if (linearizable) return true;
  const failed = checked[failedAt as number];
  tally.failed(
    `${fault} requests`,
    `${which}: ${JSON.stringify(failed)} fits none of the states\n${possible?.slice(0, 5).join('\n')}`,
  );
  return true;
}

/** Gives creates without an answer the id that others saw under their name. One that nobody ever saw never happened. */
export function withIds(operations: readonly Operation<OwnerCall>[]): Operation<OwnerCall>[] {
  const ids = new Map<string, string>();
  for (const { call } of operations) for (const { name, id } of shownBy(call)) ids.set(`${call.of} ${name}`, id);
  return operations.flatMap((operation) => {
    const { call, certain } = operation;
    if (certain || call.kind !== 'create') return [operation];
    const id = ids.get(`${call.of} ${call.name}`);
    return id === undefined ? [] : [{ ...operation, call: { ...call, id } }];
  });
}

/** Breaks a history in two ways, both of which must be noticed. */
function checkControls(tally: Tally, operations: readonly Operation<OwnerCall>[]): void {
  const stale = withStaleRead(operations);
  const lost = withoutWrite(operations);
  for (const [fault, broken] of [
    ['control: a stale read is reported', stale],
    ['control: a value that nobody wrote is reported', lost],
  ] as const) {
    const verdict = broken === undefined ? undefined : checkHistory(ownerModel, broken, CHECK_MS_MAX);
    if (verdict?.undecidedFrom !== undefined) continue;
    const noticed = verdict?.linearizable === false;
    tally.check(fault, noticed, () => (broken === undefined ? 'there was none to make' : 'it was not noticed'));
  }
}

/** The last read that can be made so answers what the rule was before its update. */
function withStaleRead(operations: readonly Operation<OwnerCall>[]): Operation<OwnerCall>[] | undefined {
  const updates = updatesByContent(operations);
  for (const read of operations.toReversed()) {
    const [seen] = read.call.kind === 'read' ? shownBy(read.call) : [];
    const update = seen && updates.get(contentOf(seen));
    if (update === undefined || update.returned >= read.invoked) continue;
    const isBefore = (each: Shown): boolean =>
      each.id === seen?.id && each.name !== seen.name && each.etag !== undefined;
    const before = operations.find(({ call, returned }) => returned < update.invoked && shownBy(call).some(isBefore));
    const answer = before && shownBy(before.call).find(isBefore);
    if (answer === undefined) continue;
    return operations.map((each) => (each === read ? { ...read, call: { ...read.call, answer } as OwnerCall } : each));
  }
  return undefined;
}

/** Without an update that a read saw. */
function withoutWrite(operations: readonly Operation<OwnerCall>[]): Operation<OwnerCall>[] | undefined {
  const updates = updatesByContent(operations);
  for (const { call } of operations) {
    const [seen] = call.kind === 'read' ? shownBy(call) : [];
    const update = seen && updates.get(contentOf(seen));
    if (update !== undefined) return operations.filter((each) => each !== update);
  }
  return undefined;
}

/** Answered updates of rules by what they wrote; no two write the same. */
function updatesByContent(operations: readonly Operation<OwnerCall>[]): Map<string, Operation<OwnerCall>> {
  const updates = operations.filter(({ call, certain }) => certain && call.kind === 'update' && call.of === 'rules');
  return new Map(updates.flatMap((each) => shownBy(each.call).map((shown) => [contentOf(shown), each])));
}

function contentOf({ id, name }: Shown): string {
  return `${id} ${name}`;
}
