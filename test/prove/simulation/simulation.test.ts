/** The simulation itself: a seed is a run, and the oracle says what the service's documentation says. */
import { expect, test } from 'vitest';
import { EMPTY, expectedOf, RULES_MAX, type Operation, type View } from './oracle.ts';
import { runSeed } from './run-seed.ts';

async function traceOf(seed: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const result = await runSeed(seed, { trace: (line) => lines.push(line) });
  return [...lines, JSON.stringify(result)];
}

test('the same seed is the same run, step by step, and another seed is another', async () => {
  const traces: string[] = [];
  for (let seed = 0; seed < 10; seed++) {
    const first = await traceOf(seed);
    expect(first.length).toBeGreaterThan(20);
    // What ran before, and how busy the machine is, must not matter.
    await new Promise((resolve) => setTimeout(resolve, seed % 3));
    expect(await traceOf(seed)).toEqual(first);
    expect(await traceOf(seed)).toEqual(first);
    traces.push(first.join('\n'));
  }
  expect(new Set(traces).size).toBe(10);
});

test('a run that finds a violation is the same again, and leaves nothing behind for the next', async () => {
  const flaw = 'stores half of a commit';
  let found = 0;
  for (let seed = 0; seed < 15; seed++) {
    const { violations } = await runSeed(seed, { flaw });
    // Ids are random; the first line names the request.
    const again = await runSeed(seed, { flaw });
    expect(again.violations.length).toBe(violations.length);
    if (violations.length > 0) found++;
    expect((await runSeed(seed)).violations).toEqual([]);
  }
  expect(found).toBeGreaterThan(0);
});

test('the globals that a run replaces are back after it', async () => {
  const replaced = (): unknown[] => [
    setImmediate,
    setInterval,
    clearInterval,
    Object.getOwnPropertyDescriptor(performance, 'now'),
  ];
  const before = replaced();
  await runSeed(1);
  expect(replaced()).toEqual(before);
  const now = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(performance.now()).toBeGreaterThan(now);
});

test('runs have commits, faults and deaths in them, and some have none of the latter', async () => {
  let withFaults = 0;
  let withKills = 0;
  let commits = 0;
  for (let seed = 1_000; seed < 1_040; seed++) {
    const { violations, faultCount, killCount, commitCount } = await runSeed(seed);
    expect(violations).toEqual([]);
    if (faultCount > 0) withFaults++;
    if (killCount > 0) withKills++;
    commits += commitCount;
  }
  expect(withFaults).toBeGreaterThan(8);
  expect(withFaults).toBeLessThan(38);
  expect(withKills).toBeGreaterThan(8);
  expect(commits).toBeGreaterThan(200);
});

test('the oracle: a deleted group lets its rules go, and refusals come in their order', () => {
  let view: View = EMPTY;
  let ids = 0;
  const give = (operation: Operation): string => {
    const newId = `id${++ids}`;
    const expected = expectedOf(view, operation, {
      user: 'ann',
      date: 7,
      newId,
      heldElsewhere: (id) => id === 'theirs',
    });
    view = expected.view;
    return expected.refused ?? newId;
  };
  const group = give({ kind: 'createGroup', name: 'g' });
  const rule = give({ kind: 'createRule', name: 'r', groupId: group });
  expect(give({ kind: 'createRule', name: 'r', groupId: 'nowhere' })).toBe('groupNotFound');
  expect(give({ kind: 'createRule', name: 'r', groupId: 'theirs' })).toBe('unauthorized');
  expect(give({ kind: 'updateRule', id: 'nowhere', name: 'r', groupId: 'nowhere' })).toBe('ruleNotFound');
  expect(give({ kind: 'updateRule', id: rule, name: 'r', groupId: '', ifVersion: 1 })).toBe('preconditionFailed');
  expect(give({ kind: 'deleteGroup', id: group, ifVersion: 2 })).toBe('preconditionFailed');
  expect(view.version).toBe(2);
  give({ kind: 'deleteGroup', id: group, ifVersion: 1 });
  expect(view).toMatchObject({ version: 3, groups: [], rules: [{ id: rule, groupId: '', writtenVersion: 3 }] });
  expect(give({ kind: 'readGroup', id: group })).toBe('groupNotFound');
  while (view.rules.length < RULES_MAX) give({ kind: 'createRule', name: 'r', groupId: '' });
  expect(give({ kind: 'createRule', name: 'r', groupId: '' })).toBe('limitReached');
});
