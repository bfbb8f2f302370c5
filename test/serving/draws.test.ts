/** What is drawn: seeded draws, the distributions of latency, and that a purpose disturbs no other. */
import { describe, expect, test } from 'vitest';
import { draws, streamOf } from '../../src/base/seeded-draw.ts';
import type { MockResponse, MockSettings } from '../../src/model/mocks/definition/definition.ts';
import { drawOf } from '../../src/serving/matching/compile/latency.ts';
import { compile, compiledAnswer, define, request, response, route, type Answer } from '../support/mocks.ts';
import type { Latency } from '../../src/model/mocks/behaviour/latency-schema.ts';

const COUNT = 20_000;

describe('seeded draws', () => {
  const firsts = (of: (index: number) => number): number[] => Array.from({ length: COUNT }, (_, index) => of(index));
  test.each<[string, (index: number) => number]>([
    ['of one sequence', () => sequence()],
    ['of one stream', (index) => draws(42, 7, index)()],
    ['of neighbouring streams', (index) => draws(42, index, 1)()],
    ['of neighbouring seeds', (index) => draws(index - 9, 7, 1)()],
    ['of seeds that differ in their high bits alone', (index) => draws(index * 2 ** 32, 7, 1)()],
  ])('are uniform and differ, %s', (_what, of) => {
    const drawn = firsts(of);
    expect(new Set(drawn).size).toBe(COUNT);
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const each of drawn) tenths[Math.floor(each * 10)]! += 1;
    for (const count of tenths) expect(Math.abs(count - COUNT / 10)).toBeLessThan(COUNT / 50);
    const means = drawn.reduce((sum, each, index) => sum + (each - 0.5) * ((drawn[index + 1] ?? 0.5) - 0.5), 0);
    expect(Math.abs((12 * means) / COUNT)).toBeLessThan(0.03);
  });
  const sequence = draws(1, 2, 3);

  test('have streams that differ by each part and by where parts end', () => {
    const streams = [['a', 'bc'], ['ab', 'c'], ['abc'], ['abc', ''], ['bc', 'a'], ['a', 'bc', 0], []];
    expect(new Set(streams.map((parts) => streamOf(...parts))).size).toBe(streams.length);
  });
});

describe('latency', () => {
  const drawn = (latency: Latency): number[] => {
    const of = drawOf(latency);
    const random = draws(5, 6, 7);
    return Array.from({ length: COUNT }, () => (typeof of === 'number' ? of : of(random))).toSorted((a, b) => a - b);
  };
  const at = (sorted: readonly number[], percentile: number): number =>
    sorted[Math.floor((percentile / 100) * COUNT)] as number;
  const near = (value: number, expected: number, part = 0.05): void => {
    expect(Math.abs(value - expected), `${value} near ${expected}`).toBeLessThanOrEqual(part * expected);
  };

  test('uniform, normal and lognormal has the shape that it names', () => {
    const uniform = drawn({ min: 100, max: 300 });
    expect(uniform[0]).toBeGreaterThanOrEqual(100);
    expect(uniform.at(-1)).toBeLessThanOrEqual(300);
    for (const [percentile, ms] of [
      [10, 120],
      [50, 200],
      [90, 280],
    ] as const)
      near(at(uniform, percentile), ms);
    const normal = drawn({ mean: 500, deviation: 50 });
    for (const [percentile, ms] of [
      [2.275, 400],
      [15.87, 450],
      [50, 500],
      [84.13, 550],
    ] as const) {
      near(at(normal, percentile), ms, 0.01);
    }
    const lognormal = drawn({ median: 100, sigma: 0.5 });
    for (const [percentile, ms] of [
      [15.87, 60.65],
      [50, 100],
      [84.13, 164.9],
    ] as const)
      near(at(lognormal, percentile), ms);
  });

  test.each<[Latency, number, number]>([
    [{ min: 3, max: 3 }, 3, 3],
    [{ min: 0, max: 600_000 }, 0, 600_000],
    [{ mean: 10, deviation: 500 }, 0, 600_000],
    [{ mean: 10, deviation: 0 }, 10, 10],
    [{ mean: 10, deviation: 0, min: 20 }, 20, 20],
    [{ mean: 10, deviation: 500, min: 5, max: 12 }, 5, 12],
    [{ mean: 600_000, deviation: 600_000 }, 0, 600_000],
    [{ median: 0, sigma: 10 }, 0, 0],
    [{ median: 50, sigma: 0 }, 50, 50],
    [{ median: 600_000, sigma: 10 }, 0, 600_000],
    [{ median: 50, sigma: 10, max: 60 }, 0, 60],
  ])('%j is within its bounds, also for the least and the greatest draw', (latency, min, max) => {
    const of = drawOf(latency);
    const edges = [0, 1 - 2 ** -53].map((edge) => (typeof of === 'number' ? of : of(() => edge)));
    const all = [...drawn(latency), ...edges];
    expect(all.filter((ms) => !(ms >= min && ms <= max))).toEqual([]);
  });
});

const PAGE = request('GET', '/a/1');
const TEXT = "{{uuid}} {{randomInt 1 9007199254740991}} {{faker 'person.fullName'}} {{faker 'number.float'}}";

function answers(
  given: Partial<MockResponse> = {},
  settings: Partial<MockSettings> = {},
  from = 1,
): (Answer | undefined)[] {
  const responses = [response({ id: 'a', body: TEXT, templated: true, ...given }), response({ id: 'b', body: 'b' })];
  const drawn = { ...route('GET /a/:id', responses, { selection: 'random' }), id: 'r' };
  const mock = compile(define([drawn], { seed: 42, ...settings }));
  return Array.from({ length: 12 }, (_, index) => compiledAnswer(mock, PAGE, from + index));
}

describe('with a seed', () => {
  test('the same requests get the same answers, another number and another seed others', () => {
    const first = answers({ latency: { min: 0, max: 600_000 } });
    expect(answers({ latency: { min: 0, max: 600_000 } })).toEqual(first);
    expect(answers({ latency: { min: 0, max: 600_000 } }, {}, 3).slice(0, 10)).toEqual(first.slice(2));
    const bodies = [first, answers({}, { seed: 43 })].flat().map((answer) => answer?.body);
    const templated = bodies.filter((body) => body !== 'b');
    expect(new Set(templated).size).toBe(templated.length);
    for (const body of templated) {
      expect(body).toMatch(
        /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12} \d{1,16} \p{L}.+ [\d.e-]+$/u,
      );
    }
  });

  test('a latency, a header or a fault more changes no other draw', () => {
    const plain = answers();
    const bodies = (list: typeof plain) => list.map((answer) => [answer?.responseId, answer?.body]);
    const latency = { min: 0, max: 600_000 };
    const latencies = (list: typeof plain) => list.flatMap((each) => (each?.responseId === 'a' ? [each.latency] : []));
    const header = { name: 'x-id', value: '{{uuid}}' };
    for (const [given, settings] of [
      [{ latency }, {}],
      [{}, { latency }],
      [{ headers: [header] }, { debugHeaders: true }],
    ] as const) {
      expect(bodies(answers(given, settings))).toEqual(bodies(plain));
    }
    const [ofResponse, ofMock] = [latencies(answers({ latency })), latencies(answers({}, { latency }))];
    expect(ofResponse).not.toEqual(ofMock);
    expect(latencies(answers({ latency }, { latency }))).toEqual(
      ofResponse.map((ms, index) => expect.closeTo((ms ?? 0) + (ofMock[index] ?? 0), -1)),
    );
    const other = { name: 'x-other', value: '{{uuid}}' };
    const last = (list: typeof plain) => list.map((answer) => answer?.headers?.at(-1));
    expect(last(answers({ headers: [other, header] }))).toEqual(last(answers({ headers: [header] })));
  });

  test('requests of a route whose template draws are numbered, others are not', () => {
    const routeOf = (body: string) =>
      compile(define([route('GET /', [response({ body, templated: true })])])).routes[0];
    for (const helper of ['{{uuid}}', '{{randomInt 1 2}}', "{{#repeat 2}}{{faker 'number.int'}}{{/repeat}}"]) {
      expect(routeOf(helper)).toMatchObject({ draws: true, usesCounter: false });
    }
    expect(routeOf('{{now}} {{method}}')).toMatchObject({ draws: false, usesCounter: false });
  });
});

test('without a seed answers differ', () => {
  const bodies = answers({}, { seed: null }).flatMap((each) => (each?.responseId === 'a' ? [each.body] : []));
  expect(new Set(bodies).size).toBe(bodies.length);
});

test('`debugHeaders` tells the seed and the number of each answer, nothing without a seed or over own headers', () => {
  const told = (given: Partial<MockResponse>, settings: Partial<MockSettings>) =>
    answers({ templated: false, ...given }, { debugHeaders: true, ...settings }, 7)[0]?.headers;
  expect(told({}, {})).toEqual(['x-mock-seed: 42', 'x-mock-request-number: 7']);
  expect(told({}, { seed: null })).toEqual([]);
  expect(told({}, { debugHeaders: false })).toEqual([]);
  const own = { name: 'X-Mock-Seed', value: 'own' };
  expect(answers({ weight: 1e9, headers: [own] }, { debugHeaders: true })[0]?.headers).toEqual(['X-Mock-Seed: own']);
});
