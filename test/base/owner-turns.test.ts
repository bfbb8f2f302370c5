/** Turns of owners in one thread. Work takes the time that it says, whatever else runs on the machine, but where others find a thread idle. */
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OWNER_WAITING_MAX, OwnerTurns } from '../../src/base/owner-turns.ts';
import { STRANGER, type Account } from '../../src/base/owner-account.ts';
import { isNotable, sumOfWaits } from '../../src/base/owner-waits.ts';

let now = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now));
afterEach(() => void vi.restoreAllMocks());

function burn(ms: number): void {
  now += ms;
}

function newTurns(): { readonly turns: OwnerTurns; readonly faults: unknown[] } {
  const faults: unknown[] = [];
  return { turns: new OwnerTurns((error) => faults.push(error)), faults };
}

/** As a server does with a request. */
function ask(turns: OwnerTurns, account: Account, work: () => void): 'ran' | 'waits' | 'refused' {
  if (!turns.mayRun(account)) return turns.wait(account, work) ? 'waits' : 'refused';
  turns.run(account, work);
  return 'ran';
}

/** Enough short requests that an owner counts as one whom others hardly notice. */
function makeLight(turns: OwnerTurns, account: Account): void {
  for (let count = 0; count < 20; count++) turns.run(account, () => undefined);
}

async function untilIdle(...accounts: Account[]): Promise<void> {
  while (accounts.some(({ isQueued }) => isQueued)) {
    await nextIteration();
    now += 0.1;
  }
}

test('one owner alone waits for nobody within some 100 ms of one iteration', () => {
  const { turns } = newTurns();
  const alone = turns.account('alone');
  for (let count = 0; count < 80; count++) expect(ask(turns, alone, () => burn(1))).toBe('ran');
});

test('beside others an owner that has used its share waits, and those within theirs run at once', async () => {
  const { turns } = newTurns();
  const [heavy, light] = [turns.account('heavy'), turns.account('light')];
  makeLight(turns, light);
  const outcomes: string[] = [];
  for (let count = 0; count < 10; count++) {
    expect(ask(turns, light, () => undefined)).toBe('ran');
    outcomes.push(ask(turns, heavy, () => burn(15)));
    await nextIteration();
  }
  expect(outcomes[0]).toBe('ran');
  expect(outcomes.filter((each) => each === 'waits').length).toBeGreaterThanOrEqual(5);
  await untilIdle(heavy);
  expect(turns.waits()).toMatchObject([{ ownerId: 'heavy', waiting: 0, refused: 0 }]);
});

test('what waits runs in order, and no later request of its owner passes it', async () => {
  const { turns } = newTurns();
  const [heavy, light] = [turns.account('heavy'), turns.account('light')];
  makeLight(turns, light);
  ask(turns, light, () => undefined);
  const ran: number[] = [];
  for (let number = 0; number < 30; number++) ask(turns, heavy, () => (burn(2), ran.push(number)));
  await untilIdle(heavy);
  expect(ran).toEqual(Array.from({ length: 30 }, (_, index) => index));
});

test('an owner that begins to wait is served between slices of one with a long queue', async () => {
  const { turns } = newTurns();
  const [heavy, other] = [turns.account('heavy'), turns.account('other')];
  let done = 0;
  for (let count = 0; count < 60; count++) turns.wait(heavy, () => (burn(5), done++));
  await nextIteration();
  let doneBefore = Infinity;
  turns.wait(other, () => (doneBefore = done));
  await untilIdle(other);
  expect(doneBefore).toBeLessThan(6);
  await untilIdle(heavy);
});

test('beside work of 40 ms others find the thread idle half of the time', async () => {
  vi.restoreAllMocks();
  const { turns } = newTurns();
  const [heavy, light] = [turns.account('heavy'), turns.account('light')];
  makeLight(turns, light);
  let usedMs = 0;
  const burnReally = (): void => {
    const begunAt = performance.now();
    while (performance.now() < begunAt + 40);
    usedMs += performance.now() - begunAt;
  };
  ask(turns, light, () => undefined);
  ask(turns, heavy, burnReally);
  usedMs = 0;
  for (let count = 0; count < 12; count++) turns.wait(heavy, burnReally);
  const begunAt = performance.now();
  while (heavy.isQueued) {
    ask(turns, light, () => undefined);
    await sleep(5);
  }
  expect(usedMs / (performance.now() - begunAt)).toBeLessThan(0.65);
});

test('thirty owners whose requests are long hold up none that is light, and among them none is served twice in a row', async () => {
  const { turns } = newTurns();
  const light = turns.account('light');
  makeLight(turns, light);
  const ran: number[] = [];
  for (let round = 0; round < 2; round++) {
    for (let owner = 0; owner < 30; owner++) ask(turns, turns.account(`${owner}`), () => (burn(16), ran.push(owner)));
    expect(ask(turns, light, () => undefined)).toBe('ran');
  }
  await untilIdle(...Array.from({ length: 30 }, (_, owner) => turns.account(`${owner}`)));
  expect(ran).toHaveLength(60);
  expect(new Set(ran.slice(0, 30)).size).toBeGreaterThanOrEqual(28);
});

test('a long task lets requests of its owner through, keeps the order of its lane, and calls back at its end', async () => {
  const { turns } = newTurns();
  const owner = turns.account('owner');
  const events: string[] = [];
  const items = Array.from({ length: 30 }, (_, index) => index);
  const loop = (name: string): void =>
    turns.forEach(
      owner,
      'steps',
      () => items,
      () => burn(1),
      () => events.push(name),
    );
  loop('first loop');
  loop('second loop');
  turns.wait(owner, () => events.push('request'));
  await untilIdle(owner);
  expect(events).toEqual(['request', 'first loop', 'second loop']);
});

test('each queue of an owner goes on, however long the tasks of the others are', async () => {
  const { turns } = newTurns();
  const owner = turns.account('owner');
  const lanes = ['requests', 'steps', 'loads'] as const;
  const ran: string[] = [];
  for (const lane of lanes)
    for (let count = 0; count < 4; count++) turns.add(owner, lane, () => (burn(5), void ran.push(lane)));
  await untilIdle(owner);
  expect(new Set(ran.slice(0, 3))).toEqual(new Set(lanes));
});

test('work that goes on in promises is begun once a slice, and charged for what it does in them', async () => {
  const { turns } = newTurns();
  const [agent, other] = [turns.account('agent'), turns.account('other')];
  makeLight(turns, other);
  const seen: string[] = [];
  const several = async (): Promise<void> => {
    for (let step = 0; step < 3; step++) {
      await Promise.resolve();
      burn(1);
    }
    seen.push('agent');
  };
  for (let count = 0; count < 5; count++) turns.beginPromises(agent, () => void several());
  for (let count = 0; count < 5; count++) {
    await nextIteration();
    if (seen.at(-1) === 'agent') ask(turns, other, () => seen.push('other'));
  }
  await untilIdle(agent);
  expect(seen.slice(0, 4)).toEqual(['agent', 'other', 'agent', 'other']);
  expect(agent.debtMs).toBeGreaterThan(10);
});

test('strangers keep to some milliseconds of an iteration, also where nobody waits, and no owner waits because of them', () => {
  const { turns } = newTurns();
  const [stranger, owner] = [turns.account(`${STRANGER}7f000001`), turns.account('owner')];
  const asked: string[] = [];
  for (let count = 0; count < 50; count++) {
    asked.push(ask(turns, owner, () => burn(1)));
    if (count === 0)
      expect(Array.from({ length: 9 }, () => ask(turns, stranger, () => burn(0.9))).at(-1)).toBe('waits');
  }
  expect(new Set(asked)).toEqual(new Set(['ran']));
});

// reaches OWNER_WAITING_MAX
test('beyond what may wait of an owner it is refused, and what throws stops nothing', async () => {
  const { turns, faults } = newTurns();
  const owner = turns.account('owner');
  let ran = 0;
  for (let count = 0; count < OWNER_WAITING_MAX; count++) {
    expect(
      turns.wait(owner, () => {
        ran++;
        if (count === 0) throw new Error('a bug');
      }),
    ).toBe(true);
  }
  expect(turns.wait(owner, () => undefined)).toBe(false);
  expect(turns.wait(turns.account('other'), () => undefined)).toBe(true);
  await untilIdle(owner);
  expect([ran, faults.length]).toEqual([OWNER_WAITING_MAX, 1]);
  expect(turns.waits()).toMatchObject([
    { ownerId: 'owner', waited: OWNER_WAITING_MAX, refused: 1 },
    { ownerId: 'other', waited: 1 },
  ]);
  expect(turns.waits('other')).toMatchObject([{ ownerId: 'other' }]);
  expect(turns.waits('nobody')).toEqual([]);
});

test('refusals and long waits are reported to owners', () => {
  const of = (refused: number, longestWaitMs: number) => ({
    ownerId: 'a',
    waiting: 0,
    waited: 9,
    refused,
    longestWaitMs,
  });
  expect([of(0, 99), of(0, 100), of(1, 0)].map(isNotable)).toEqual([false, true, true]);
});

test('what owners waited in several threads is one figure for each', () => {
  const of = (ownerId: string, waited: number) => ({ ownerId, waiting: 1, waited, refused: 2, longestWaitMs: waited });
  expect(sumOfWaits([of('a', 1), of('b', 5), of('a', 3)])).toEqual([
    of('b', 5),
    { ownerId: 'a', waiting: 2, waited: 4, refused: 4, longestWaitMs: 3 },
  ]);
});

test('between two slices of long work connections are polled many times, but not before work of an owner that is light', async () => {
  const { turns } = newTurns();
  const [heavy, other] = [turns.account('heavy'), turns.account('other')];
  makeLight(turns, other);
  let polls = 0;
  const pollsAt: number[] = [];
  for (let count = 0; count < 3; count++) turns.wait(heavy, () => (burn(10), pollsAt.push(polls)));
  while (pollsAt.length < 3) {
    await nextIteration();
    polls++;
    if (pollsAt.length === 2 && turns.waits().length === 1) turns.wait(other, () => pollsAt.push(polls));
  }
  expect((pollsAt[1] as number) - (pollsAt[0] as number)).toBeGreaterThanOrEqual(20);
  expect((pollsAt[2] as number) - (pollsAt[1] as number)).toBeLessThan(5);
});
