/** A mock whose stubs change one by one answers and counts as one that is compiled whole, in every order of changes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MockRoute, MockSettings, PublishedMock } from '../../src/model/mocks/definition/definition.ts';
import { answerRequest } from '../../src/serving/matching/answer-request.ts';
import { findRoute } from '../../src/serving/matching/routing/find-route.ts';
import { matchingRoutes, routesBehind } from '../../src/serving/matching/routing/routes-in-order.ts';
import { MockDirectory } from '../../src/serving/process/mock-directory.ts';
import { toBytes } from '../../src/serving/shared/mock-bytes.ts';
import type { MockForThread, MockVersion } from '../../src/serving/shared/messages.ts';
import { atOnce } from '../../src/base/slices.ts';
import { prepareMock, type PreparedMock } from '../../src/serving/thread/prepare-mock.ts';
import { ServedMock } from '../../src/serving/thread/served-mock.ts';
import type { MockCounts } from '../../src/model/mocks/traffic.ts';
import { define, request, response, route, rule } from '../support/mocks.ts';
import { runs } from '../support/effort.ts';

const PATHS = ['/', '/a', '/a/b', '/a/:x', '/a/*'];

const anyStub = fc
  .tuple(
    fc.constantFrom('GET', 'POST', 'ANY'),
    fc.constantFrom(...PATHS),
    fc.array(
      fc.record({
        body: fc.constantFrom('x', 'y', '{{requestNumber}}', "[{{urlParam 'x'}}]"),
        templated: fc.boolean(),
        rules: fc.constantFrom([], [rule('query', 'a', 'exists')], [rule('body', '', 'contains', 'b')]),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    fc.constantFrom('rules' as const, 'sequential' as const),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([method, path, responses, selection, enabled, isNext]) =>
    route(`${method} ${path}`, responses.map(response), {
      selection,
      enabled,
      ...(isNext && selection === 'rules' ? { otherwise: 'next' as const } : {}),
      stub: { priority: 5 },
    }),
  );

const anyChange = fc.record({
  at: fc.nat(20),
  removed: fc.nat(2),
  added: fc.array(anyStub, { maxLength: 3 }),
  moved: fc.boolean(),
  settings: fc.constantFrom<Partial<MockSettings>>(
    {},
    { latency: 1 },
    { scenarios: [{ name: 's', states: ['a', 'b'] }] },
    { faults: [{ kind: 'status', status: 503, probability: 0 }] },
  ),
  asked: fc.array(fc.tuple(fc.constantFrom('GET', 'POST'), fc.constantFrom('/', '/a', '/a/b', '/a/c?a=1')), {
    maxLength: 4,
  }),
  isLoadedAnew: fc.boolean(),
});

/** The main thread of the data plane's process, with one thread that confirms at once. */
function directory(served: { now: ServedMock | undefined }): {
  readonly publish: (mock: PublishedMock) => void;
  readonly counts: () => Promise<MockCounts>;
} {
  let prepared: PreparedMock | undefined;
  const askThread = <Result>(name: string, question: unknown, merge: (answers: []) => Result): Promise<Result> => {
    if (name === 'compile') prepared = atOnce(prepareMock(question as MockVersion, [], served.now?.prepared));
    if (name === 'serve') served.now = new ServedMock(prepared as PreparedMock, question as MockForThread, []);
    return Promise.resolve(merge([]));
  };
  const rest = {
    send: () => undefined,
    sendToAll: () => undefined,
    requestsTaken: () => [],
    open: () => ({}) as never,
  };
  const { answers } = new MockDirectory({ ...rest, count: 1, ask: askThread }, () => undefined);
  return {
    publish: (mock) => void answers.publish({ mock: atOnce(toBytes(mock)), keepsSequences: false, sessions: [] }),
    counts: async () => answers.counts({ mockId: 'm' }),
  };
}

/** @returns What answers, and how; counted as a thread counts it. */
function ask(served: ServedMock, method: string, path: string): object | undefined {
  const asked = { ...request(method, path), body: Buffer.from('abc'), clientIp: '10.0.0.1' };
  const found = findRoute(served.compiled, method, asked.path);
  if (found === undefined) return undefined;
  const others = routesBehind(matchingRoutes(served.compiled, method, asked.path, true), found);
  const seen = { ...asked, body: found.route.needsBody ? asked.body : undefined };
  const answer = answerRequest(found, seen, served.counters, others);
  if (answer === undefined || !('body' in answer)) return { answer };
  served.hit(answer);
  return {
    routeId: answer.routeId,
    responseId: answer.responseId,
    body: Buffer.from(new Uint8Array(answer.body as ArrayBuffer)).toString(),
  };
}

test('any history of changes, any requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyChange, { maxLength: 12 }), async (changes) => {
      const served: { now: ServedMock | undefined } = { now: undefined };
      const whole: typeof served = { now: undefined };
      const byParts = directory(served);
      const plain = directory(whole);
      const revisions = new Map<MockRoute, number>();
      let routes: MockRoute[] = [];
      let version = 0;
      for (const { at, removed, added, moved, settings, asked, isLoadedAnew } of changes) {
        routes = routes.toSpliced(at, removed, ...added);
        if (moved) routes = [...routes.slice(1), ...routes.slice(0, 1)];
        for (const each of routes) if (!revisions.has(each)) revisions.set(each, revisions.size + 1);
        const mock: PublishedMock = {
          mockId: 'm',
          ownerId: 'o',
          createdVersion: 1,
          state: 'running',
          version: ++version,
          definition: define(routes, { precedence: 'listed', ...settings }),
        };
        if (isLoadedAnew) served.now = undefined;
        byParts.publish({ ...mock, revisions: routes.map((each) => revisions.get(each) as number) });
        plain.publish(mock);
        for (const [method, path] of asked) {
          const [one, other] = [served.now, whole.now].map((each) => each && ask(each, method, path));
          expect(one).toEqual(other);
        }
      }
      if (version === 0) return;
      const countsOf = async (each: typeof plain): Promise<object> => {
        const { routes: counted, ...totals } = await each.counts();
        return { totals, counted: counted.filter(({ count }) => count > 0).toSorted(byId) };
      };
      const [one, other] = [await countsOf(byParts), await countsOf(plain)];
      expect(one).toEqual(other);
    }),
    { numRuns: runs(300) },
  );
});

function byId(one: { readonly routeId: string }, other: { readonly routeId: string }): number {
  return one.routeId.localeCompare(other.routeId);
}

test('a stub before a thousand others leaves these compiled as they are', () => {
  const served: { now: ServedMock | undefined } = { now: undefined };
  const { publish } = directory(served);
  const stub = (index: number): MockRoute => route(`GET /s${index}`, [response()], { stub: { priority: 5 } });
  const first = Array.from({ length: 1_000 }, (_, index) => stub(index));
  const mock = { mockId: 'm', ownerId: 'o', createdVersion: 1, state: 'running' as const };
  const before = first.map((_, index) => index + 1);
  publish({ ...mock, version: 1, definition: define(first), revisions: before });
  const compiled = new Set(served.now?.compiled.routes);
  publish({ ...mock, version: 2, definition: define([stub(1_000), ...first]), revisions: [1_001, ...before] });
  const added = served.now?.compiled.routes.filter((each) => !compiled.has(each)) ?? [];
  expect(added.map((each) => each?.path)).toEqual(['/s1000']);
});

test('where hundreds came and went, those that stay are laid out anew, and counted as before', async () => {
  const served: { now: ServedMock | undefined } = { now: undefined };
  const { publish, counts } = directory(served);
  const stub = (path: string): MockRoute => route(`GET ${path}`, [response()], { stub: { priority: 5 } });
  const stays = stub('/stays');
  const slots = new Set<number>();
  for (let round = 1; round <= 600; round++) {
    const others = round === 1 ? [] : [stub(`/${round}`)];
    const mock = { mockId: 'm', ownerId: 'o', createdVersion: 1, state: 'running' as const, version: round };
    publish({ ...mock, definition: define([...others, stays]), revisions: [...others.map(() => round), 1] });
    slots.add(served.now?.compiled.routes.at(-1)?.index ?? -1);
    ask(served.now as ServedMock, 'GET', '/stays');
  }
  expect(slots).toEqual(new Set([0, 1]));
  expect((await counts()).routes.find(({ routeId }) => routeId === stays.id)?.count).toBe(600);
});
