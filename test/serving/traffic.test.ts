/**
 * Traffic and counts: what is recorded, that a question sees the requests answered before it, and what is dropped at
 * the limits.
 */
import { OwnerTurns } from '../../src/base/owner-turns.ts';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mergePages } from '../../src/serving/process/merge-pages.ts';
import { headBytes, unpackRecords, writeHead, type PackedPage } from '../../src/serving/shared/packed-records.ts';
import { Traffic } from '../../src/serving/thread/traffic/traffic.ts';
import type { RecordInput } from '../../src/serving/thread/traffic/traffic-blocks.ts';
import type { TrafficFilter, TrafficRecord } from '../../src/model/mocks/traffic.ts';
import { keepAlive, mock, response, route, TestPlane } from '../support/data-plane.ts';
import { runs } from '../support/effort.ts';

const turns = new OwnerTurns((error) => expect.unreachable(String(error)));

const ALL: TrafficFilter = { limit: 1_000 };

describe('over HTTP', () => {
  let own: TestPlane;

  beforeAll(async () => {
    own = await TestPlane.start({ trafficBytesPerMock: 200_000, trafficBytesMax: 1_000_000 });
  });
  afterAll(async () => {
    expect(own.log).toEqual([]);
    await own.plane.close();
  });

  test('misses, requests to a stopped mock and refused answers are kept; answered preflights are not', async () => {
    const bad = response({ templated: true, headers: [{ name: 'x', value: "{{queryParam 'v'}}" }] });
    const routes = [route('/bad', [bad])];
    await own.publish(mock('odd', routes));
    await own.ask('/nothing', { mock: 'odd' });
    expect((await own.ask('/bad?v=%0a', { mock: 'odd' })).status).toBe(500);
    await own.ask('/bad', {
      mock: 'odd',
      method: 'OPTIONS',
      headers: { origin: 'https://a', 'access-control-request-method': 'GET' },
    });
    await own.publish(mock('odd', routes, { state: 'stopped' }));
    await own.ask('/bad', { mock: 'odd' });
    const records = (await own.plane.requests('odd', ALL))?.records ?? [];
    expect(records.map(({ status, routeId }) => [status, routeId])).toEqual([
      [503, ''],
      [500, routes[0]?.id],
      [404, ''],
    ]);
    expect(records[1]?.problem).not.toBe('');
    expect(await own.plane.counts('odd')).toMatchObject({ total: 3, unmatched: 2 });
  });

  test('is bounded, says so, and counts stay exact', async () => {
    await own.publish(mock('full', [route('/', [response()], { method: 'POST' })]));
    const agent = keepAlive(8);
    const body = 'x'.repeat(1_000);
    const from = Date.now();
    await Promise.all(Array.from({ length: 1_000 }, () => own.ask('/', { mock: 'full', method: 'POST', body, agent })));
    agent.destroy();
    const page = await own.plane.requests('full', ALL);
    expect(page?.truncated).toBe(true);
    expect(page?.count).toBeGreaterThan(50);
    expect((page?.count ?? 0) * 1_000).toBeLessThan(200_000);
    expect(page?.oldestTime).toBeGreaterThanOrEqual(from);
    expect(page?.records[0]?.number).toBe(1_000);
    expect(await own.plane.counts('full')).toMatchObject({ total: 1_000, unmatched: 0, routes: [{ count: 1_000 }] });
  });

  test('counts continue over a save, name removed routes, and end with a reset', async () => {
    const kept = route('/kept', [response()]);
    const dropped = route('/dropped', [response()]);
    await own.publish(mock('tally', [dropped, kept]));
    for (const path of ['/kept', '/kept', '/dropped', '/none']) await own.ask(path, { mock: 'tally' });
    await own.publish(mock('tally', [kept], { version: 2 }));
    await own.ask('/kept', { mock: 'tally' });
    expect(await own.plane.counts('tally')).toMatchObject({
      total: 5,
      unmatched: 1,
      routes: [
        { routeId: kept.id, count: 3, responses: [{ responseId: kept.responses[0]?.id, count: 3 }] },
        { routeId: dropped.id, count: 1 },
      ],
    });
    expect(await own.plane.reset('tally')).toBe(true);
    expect(await own.plane.counts('tally')).toMatchObject({
      total: 0,
      unmatched: 0,
      routes: [{ routeId: kept.id, count: 0 }],
    });
    expect(await own.plane.requests('tally', ALL)).toMatchObject({ records: [], count: 0, truncated: false });
  });
});

describe('a record in memory', () => {
  const recorded = (number: number, more: Partial<RecordInput> = {}): RecordInput => ({
    number,
    time: 1_000 + number,
    method: 'GET',
    path: '/',
    query: '',
    headers: ['host', 'a'],
    body: undefined,
    bodyTruncated: false,
    routeId: 'r',
    responseId: 's',
    version: 1,
    status: 200,
    durationMs: 0,
    problem: '',
    isStreamed: false,
    message: undefined,
    faultCode: 0,
    place: 0,
    ...more,
  });

  test('returns what was recorded', async () => {
    // Texts that repeat are not written again: some records must differ from each other in one text only.
    const once = fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll('\n', ''));
    const text = fc.oneof(fc.constantFrom('', 'a', 'b', 'c'.repeat(300)), once);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ path: text, query: text, value: text, body: fc.uint8Array({ maxLength: 5_000 }) })),
        async (requests) => {
          const traffic = new Traffic(10_000_000, 10_000_000, turns);
          for (const [index, { path, query, value, body }] of requests.entries()) {
            traffic.append(
              traffic.of('m', 'acme'),
              recorded(index, { path, query, headers: ['x', value], body: Buffer.from(body) }),
            );
          }
          const records = recordsOf(await traffic.read('m', ALL));
          const back = records.map(({ path, query, headers, body }) => ({
            path,
            query,
            value: headers[0]?.value,
            body,
          }));
          expect(back.toReversed()).toEqual(requests);
        },
      ),
      { numRuns: runs(50) },
    );
  });

  // reaches TRAFFIC_BYTES_PER_MOCK, TRAFFIC_BYTES_MAX
  test('never exceeds the limit of one mock or of all, and drops the oldest', async () => {
    const traffic = new Traffic(400_000, 150_000, turns);
    for (let number = 1; number <= 3_000; number++) {
      traffic.append(traffic.of(`m${number % 7}`, 'acme'), recorded(number, { body: Buffer.alloc(500) }));
      expect(traffic.bytes).toBeLessThanOrEqual(400_000);
    }
    const pages = await Promise.all(Array.from({ length: 7 }, (_, index) => traffic.read(`m${index}`, ALL)));
    for (const page of pages) {
      const times = recordsOf(page).map(({ time }) => time);
      expect(page.truncated).toBe(true);
      expect(times).toEqual(times.toSorted((one, other) => other - one));
      expect(Math.min(...times, Infinity)).toBeGreaterThanOrEqual(page.oldestTime as number);
    }
    expect(pages.some((page) => recordsOf(page)[0]?.number === 3_000)).toBe(true);
  });

  test('an owner below its share loses nothing, however much others record', async () => {
    const owners = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(owners, fc.array(fc.nat(), { minLength: 50 }), async (mocks, picks) => {
        const traffic = new Traffic(1_000_000, 200_000, turns);
        const name = (owner: number, number: number): string => `m${owner}-${number % (mocks[owner] as number)}`;
        const add = (owner: number, number: number, bytes: number): void =>
          void traffic.append(
            traffic.of(name(owner, number), String(owner), number % 3 === 0 ? 's' : ''),
            recorded(number, { body: Buffer.alloc(bytes) }),
          );
        // All blocks of the small owner take less than an eighth: its first blocks, and as much as it records, twice.
        for (let number = 0; number < 40; number++) {
          add(0, number, 300);
          for (const pick of picks) add(1 + (pick % (mocks.length - 1)), number, pick % 9_000);
        }
        let count = 0;
        for (let number = 0; number < (mocks[0] as number); number++) {
          const page = await traffic.read(name(0, number), ALL);
          expect(page.truncated).toBe(false);
          count += page.count;
        }
        expect(count).toBe(40);
        expect(traffic.bytes).toBeLessThanOrEqual(1_000_000);
      }),
      { numRuns: runs(30) },
    );
  });

  test('many questions at once take no longer than a turn of their owner', async () => {
    const traffic = new Traffic(6_000_000, 6_000_000, turns);
    const own = traffic.of('m', 'acme');
    for (let number = 1; number <= 100; number++) {
      traffic.append(own, recorded(number, { body: Buffer.alloc(32_000, 'é') }));
    }
    const used = process.cpuUsage();
    const asked = Array.from({ length: 300 }, () => traffic.read('m', { ...ALL, q: 'y' }));
    expect(process.cpuUsage(used).user / 1_000).toBeLessThan(400);
    expect((await Promise.all(asked)).every(({ seen }) => seen === 100)).toBe(true);
  });

  test('a question sees the records of its time, whatever is recorded meanwhile', async () => {
    const traffic = new Traffic(6_000_000, 6_000_000, turns);
    const own = traffic.of('m', 'acme');
    const append = (count: number, body: string) => {
      for (let number = 1; number <= count; number++) {
        traffic.append(own, recorded(number, { path: `/${number}`, body: Buffer.from(body) }));
      }
    };
    append(30_000, 'old');
    const asked = traffic.read('m', { ...ALL, bodyContains: 'old' });
    let times = 0;
    let page: PackedPage | undefined;
    while (page === undefined) {
      append(30_000, 'new');
      times++;
      page = await Promise.race([asked, setImmediate(undefined)]);
    }
    expect(times, 'it was recorded meanwhile').toBeGreaterThan(1);
    expect(page.count).toBe(30_000);
  });

  test('pages of two threads, oldest first, have every matching request once and in order', async () => {
    const requests = fc.array(fc.record({ thread: fc.nat(1), status: fc.constantFrom(200, 404), bytes: fc.nat(900) }));
    await fc.assert(
      fc.asyncProperty(requests, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (made, limit, isFiltered) => {
        const threads = [new Traffic(10_000_000, 10_000_000, turns), new Traffic(10_000_000, 10_000_000, turns)];
        for (const [index, { thread, status, bytes }] of made.entries()) {
          const own = threads[thread] as Traffic;
          own.append(own.of('m', 'acme'), recorded(index + 1, { status, body: Buffer.alloc(bytes) }));
        }
        const upToNumber = made.length - 1;
        const numbers: number[] = [];
        for (let hasMore = true; hasMore;) {
          const afterNumber = numbers.at(-1) ?? 0;
          const status = isFiltered ? { status: 404 } : {};
          const filter = { ...status, afterNumber, upToNumber, limit, bytesMax: 2_000, isOldestFirst: true };
          const pages = await Promise.all(threads.map((each) => each.read('m', filter)));
          const page = mergePages(pages, filter);
          expect(page.seen).toBe(Math.max(0, upToNumber - afterNumber));
          numbers.push(...recordsOf(page).map(({ number }) => number));
          ({ hasMore } = page);
        }
        const expected = made.flatMap(({ status }, index) =>
          index < upToNumber && (!isFiltered || status === 404) ? [index + 1] : [],
        );
        expect(numbers).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  });

  test('a summary has no headers and no body', async () => {
    const traffic = new Traffic(1_000_000, 1_000_000, turns);
    traffic.append(traffic.of('m', 'acme'), recorded(1, { path: '/a', body: Buffer.from('{"a":1}') }));
    const [whole] = recordsOf(await traffic.read('m', ALL));
    const [summary] = recordsOf(await traffic.read('m', { ...ALL, isSummary: true }));
    expect(whole?.headers).toHaveLength(1);
    expect(summary).toEqual({ ...whole, headers: [], body: new Uint8Array(), bodyReadAs: null });
  });

  test('pages of two threads are one, newest first', () => {
    const page = (numbers: number[], oldestTime?: number, hasMore = false): PackedPage => ({
      versions: numbers,
      records: packed(numbers),
      count: numbers.length,
      unjudged: 0,
      seen: numbers.length,
      passed: numbers.length,
      dropped: 0,
      hasMore,
      truncated: oldestTime !== undefined,
      oldestTime,
    });
    const numbersIn = (merged: PackedPage) => recordsOf(merged).map(({ number }) => number);
    const whole = mergePages([page([9, 4, 2], 20), page([8, 5], 30), page([])], { limit: 4 });
    expect(numbersIn(whole)).toEqual([9, 8, 5, 4]);
    expect(whole).toMatchObject({
      count: 5,
      hasMore: true,
      truncated: true,
      oldestTime: 30,
      versions: [9, 4, 2, 8, 5],
    });
    // Records older than the last one of a thread that has more are incomplete.
    const cut = mergePages([page([9, 7], undefined, true), page([8, 6, 5])], ALL);
    expect([numbersIn(cut), cut.hasMore]).toEqual([[9, 8, 7], true]);
    expect(mergePages([page([9]), page([8])], { limit: 2 }).hasMore).toBe(false);
    // Two threads with full pages make one, not two.
    const full = mergePages([page([9]), page([8]), page([7])], { limit: 3, bytesMax: 2 * PACKED_BYTES });
    expect([numbersIn(full), full.hasMore]).toEqual([[9, 8], true]);
    expect(numbersIn(mergePages([page([9]), page([8])], { limit: 2, bytesMax: 1 }))).toEqual([9]);
  });
});

function recordsOf({ records }: PackedPage): TrafficRecord[] {
  return unpackRecords(records);
}

/** Of a record that `packed` makes. */
const PACKED_BYTES = headBytes(undefined) + 4;

/** Records with a body, and no texts. */
function packed(numbers: readonly number[]): PackedPage['records'] {
  const bytes = new Uint8Array(PACKED_BYTES * numbers.length);
  const starts = Uint32Array.from(numbers, (_, index) => index * PACKED_BYTES);
  const parts = {
    lineBytes: 0,
    headersBytes: 0,
    bodyBytes: 4,
    flags: 0,
    stream: undefined,
    bodyReadAs: 'text',
  } as const;
  for (const [index, number] of numbers.entries()) {
    const head = { number, time: 0, version: 1, durationMs: 0, status: 200, ...parts };
    writeHead(new DataView(bytes.buffer), starts[index] as number, head);
  }
  return { bytes, starts, sessions: numbers.map(() => '') };
}
