/**
 * Malformed requests against both planes of a real server, each with the answer that is pinned in support/malformed-requests.ts; and what
 * none of them may do: run a request that hides behind it, or change anything.
 *
 * The same in two packets, cut at every byte: `npm run prove -- malformed`.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { MALFORMED_REQUESTS } from '../support/malformed-requests.ts';
import { MalformedRun, PLANES, type Taken } from '../support/malformed-run.ts';

let taken: Taken[];
let wrongTraces: string[];

// All at once: many rows wait until the server has lost its patience.
beforeAll(async () => {
  const run = await MalformedRun.start();
  taken = await run.table();
  wrongTraces = await run.wrongTraces();
});

test('every row is there once', () => {
  const names = MALFORMED_REQUESTS.map(({ what }) => what);
  expect(names).toEqual([...new Set(names)]);
  expect(taken).toHaveLength(names.length * PLANES.length);
});

describe.each(PLANES)('the %s plane answers as pinned', (plane) => {
  test.each(MALFORMED_REQUESTS)('$what', ({ what }) => {
    const { seen, allowed } = taken.find((each) => each.plane === plane && each.row === what) as Taken;
    expect(seen).toBe(allowed[0]);
  });
});

test('what was refused changed nothing, nothing behind it was run, and what was taken was run once', () => {
  expect(wrongTraces).toEqual([]);
});
