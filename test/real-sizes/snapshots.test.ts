/** Snapshots that take long: of many records, and under load. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { PrefixWriter, shownState } from '../support/prefix-writer.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { CLI, temporaryDirectory, TestServer } from '../support/server.ts';
import { created, isMaking, largeStore, listed, snapshotLine, STORE_FILES } from '../support/snapshots.ts';

afterEach(endAll);

test('one under load has, for every owner, all changes that were acknowledged before; the server goes on', async () => {
  const server = await TestServer.start(['--no-bootstrap', '--log-level', 'warn']);
  const writers = await PrefixWriter.start(server, 8);
  await sleep(300);
  const before = writers.map(({ acknowledged }) => acknowledged);
  const name = await created(server.data);
  const after = writers.map(({ acknowledged }) => acknowledged);
  const goOn = (): boolean => writers.every(({ acknowledged }, index) => acknowledged > (after[index] as number));
  expect(await eventually(goOn)).toBe(true);
  await Promise.all(writers.map((writer) => writer.stop()));

  const target = join(temporaryDirectory(), 'restored');
  const restored = await snapshotLine(server.data, 'restore', name, '--to', target);
  expect(restored).toMatchObject({ status: 0, stderr: '' });
  const second = await TestServer.start(['--log-level', 'warn'], target);
  for (const [index, { key, states }] of writers.entries()) {
    const place = states.indexOf(await shownState(second, key));
    expect(place, `owner ${index}`).toBeGreaterThanOrEqual(before[index] as number);
  }
  expect(await second.end()).toBe(0);
  expect((await snapshotLine(server.data, 'verify')).status).toBe(0);
  expect(await server.end()).toBe(0);
});

test('one that was killed is replaced', async () => {
  const data = await largeStore(50_000, 1_000);
  const killed = new Running(process.execPath, [CLI, 'snapshot', 'create', '--data', data]);
  expect(await eventually(() => isMaking(data), 20_000)).toBe(true);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(isMaking(data)).toBe(true);
  expect(await listed(data)).toEqual([]);
  const whole = await listed(data);
  const name = await created(data);
  expect((await listed(data)).map(([each]) => each)).toEqual([...whole.map(([each]) => each), name]);
  expect(
    readdirSync(data)
      .filter((each) => !each.startsWith('snapshot-'))
      .toSorted(),
  ).toEqual(STORE_FILES);
});

test.each([
  ['SIGTERM', [0, 30, 100]],
  ['SIGINT', [0]],
] as const)('one that is ended by %s leaves nothing', async (signal, delaysMs) => {
  const data = await largeStore(50_000, 1_000);
  for (const ms of delaysMs) {
    const begun = new Running(process.execPath, [CLI, 'snapshot', 'create', '--data', data]);
    expect(await eventually(() => isMaking(data), 20_000)).toBe(true);
    await sleep(ms);
    begun.child.kill(signal);
    const { status } = await begun.ended;
    if (ms === 0) expect(status).toBe(signal);
    const counted = (await listed(data)).map(([name]) => name);
    expect(readdirSync(data).toSorted()).toEqual([...counted, ...STORE_FILES].toSorted());
  }
});
