/**
 * Malformed requests against both ports of a real server, each with the reply that is pinned in
 * support/malformed-requests.ts. None of them may run a request hidden after it, or change anything.
 *
 * The same requests in two packets, split at every byte: `npm run prove -- malformed`.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { MALFORMED_REQUESTS } from '../support/malformed-requests.ts';
import { MalformedRun, PLANES, type Taken } from '../support/malformed-run.ts';

let taken: Taken[];
let bodiesApart: Taken[];
let wrongTraces: string[];

// All concurrently: many rows wait for a timeout of the server.
beforeAll(async () => {
  const run = await MalformedRun.start();
  taken = await run.table();
  bodiesApart = await run.bodiesApart();
  wrongTraces = await run.wrongTraces();
});

test('every row is unique and was sent to both ports', () => {
  const names = MALFORMED_REQUESTS.map(({ what }) => what);
  expect(names).toEqual([...new Set(names)]);
  expect(taken).toHaveLength(names.length * PLANES.length);
});

describe.each(PLANES)('the %s plane answers as pinned', (plane) => {
  test.each(MALFORMED_REQUESTS)('$what', ({ what }) => {
    const { seen, pinned } = taken.find((each) => each.plane === plane && each.row === what) as Taken;
    expect(seen).toBe(pinned);
  });
});

test('a body in a packet of its own changes no answer', () => {
  expect(bodiesApart.length).toBeGreaterThan(50);
  expect(bodiesApart.filter(({ seen, pinned }) => seen !== pinned)).toEqual([]);
});

test('refused requests changed nothing, nothing after them was run, and accepted requests were run once', () => {
  expect(wrongTraces).toEqual([]);
});
