/** A compiled overlay over its mock, and the interpreter with the mock as a session sees it, give the same answer to every request. */
import { OVERLAY_ROUTES_COMPILED_MAX } from '../../src/serving/matching/overlay.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atOnce } from '../../src/base/slices.ts';
import { definitionInSession } from '../../src/model/mocks/sessions/definition-in-session.ts';
import type { MockDefinition } from '../../src/model/mocks/definition/definition.ts';
import {
  changeOfRoutes,
  EMPTY_OVERLAY,
  type ResponseChange,
  type SessionOverlay,
} from '../../src/model/mocks/sessions/session.ts';
import { answerRequest } from '../../src/serving/matching/answer-request.ts';
import { explainRequest } from '../../src/serving/matching/explain/explain.ts';
import type { FoundRoute } from '../../src/serving/matching/compile/compiled-mock.ts';
import type { MockRequest } from '../../src/serving/matching/request/mock-request.ts';
import { routesBehind } from '../../src/serving/matching/routing/routes-in-order.ts';
import { Overlay } from '../../src/serving/matching/overlay.ts';
import { MockSessions } from '../../src/serving/process/mock-sessions.ts';
import { toBytes } from '../../src/serving/shared/mock-bytes.ts';
import { slotOf } from '../../src/serving/shared/publication.ts';
import { Counters, Tally } from '../../src/serving/shared/counters.ts';
import { partsOf, type OverlayParts } from '../../src/serving/thread/overlay-parts.ts';
import { always, compile, define, request, response, route, rule } from '../support/mocks.ts';
import { runs } from '../support/effort.ts';

const PATHS = ['/', '/a', '/a/b', '/a/:x', '/:x', '/a/*', '/:x/b'];
const METHODS = ['GET', 'HEAD', 'POST', 'ANY', 'OPTIONS'];
const SEED = 7;

const anyResponse = fc
  .record({
    body: fc.constantFrom(
      'x',
      "{{urlParam 'x'}}",
      '{{requestNumber}} {{method}}',
      '{{randomInt 1 1000}}',
      "[{{body 'a'}}]",
      '{{request.clientIp}}',
      "{{now}} {{variable 'v'}}",
    ),
    status: fc.constantFrom(200, 201, 404),
    templated: fc.boolean(),
    weight: fc.integer({ min: 1, max: 3 }),
    rules: fc.constantFrom([], [rule('query', 'a', 'exists')]),
    headers: fc.constantFrom([], [{ name: 'X-A', value: '1' }]),
  })
  .map(response);
const anyRoute = fc
  .tuple(
    fc.constantFrom(...METHODS),
    fc.constantFrom(...PATHS),
    fc.array(anyResponse, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('rules' as const, 'sequential' as const, 'random' as const, 'default' as const),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([method, path, responses, selection, enabled, isNext]) =>
    route(`${method} ${path}`, responses, {
      selection,
      enabled,
      ...(isNext && selection === 'rules' ? { otherwise: 'next' } : {}),
    }),
  );
const anyCase = fc
  .record({
    routes: fc.array(anyRoute, { maxLength: 6 }),
    own: fc.array(anyRoute, { maxLength: 3 }),
    precedence: fc.constantFrom('specific' as const, 'listed' as const),
    changes: fc.array(fc.constantFrom('none', 'pick', 'replace', 'merge', 'disable'), { minLength: 6, maxLength: 6 }),
    replacement: anyResponse,
    settings: fc.constantFrom<SessionOverlay['settings']>(
      {},
      {},
      { latency: 5 },
      { clock: '2020-01-01T00:00:00Z' },
      { variables: { v: 'session' } },
      { headers: [{ name: 'X-B', value: "{{body 'a'}}" }] },
    ),
    asked: fc.record({
      method: fc.constantFrom(...METHODS, 'get'),
      path: fc.constantFrom('/', '/a', '/a/', '/a/b', '/a/b/c', '/z', '/z/b', '//'),
      query: fc.constantFrom('', '?a'),
      number: fc.integer({ min: 1, max: 4 }),
    }),
  })
  .map(({ routes, own, precedence, changes, replacement, settings, asked }) => {
    const responses: Record<string, ResponseChange> = {};
    for (const [index, { id, responses: known }] of routes.entries()) {
      if (changes[index] === 'pick') responses[id] = { kind: 'pick', responseId: known.at(-1)?.id as string };
      if (changes[index] === 'replace') responses[id] = { kind: 'replace', response: replacement };
      if (changes[index] === 'merge') {
        responses[id] = { kind: 'merge', merge: { status: 202, headers: [{ name: 'x-a', value: '2' }] } };
      }
    }
    const disabled = routes.filter((_each, index) => changes[index] === 'disable').map(({ id }) => id);
    return {
      definition: define(routes, { precedence, seed: SEED, clock: '2026-01-02T03:04:05Z', variables: { v: 'mock' } }),
      overlay: { routes: own, responses, disabled, settings },
      asked,
    };
  });

/** Laid out by the main thread, compiled as by a thread. */
function overlaid(definition: MockDefinition, overlay: SessionOverlay): Overlay {
  const bytes = atOnce(
    toBytes({ mockId: 'm', ownerId: 'o', createdVersion: 1, state: 'running', version: 1, definition }),
  );
  const shared = new SharedArrayBuffer(bytes.definition.byteLength);
  new Uint8Array(shared).set(bytes.definition);
  const { numbers } = new Tally(bytes.routes, bytes.stateLayout);
  const sessions = new MockSessions({ ...bytes, definition: shared, numbers }, []);
  const made = { id: 's', label: '', createdAt: 0, idleMs: 1_000, seed: SEED, overlay, state: {} };
  const { places } = sessions.put(made, true)?.session ?? expect.fail('a new session is known');
  return new Overlay({ compiled: compile(definition), definition: () => definition }, overlay, places, []);
}

/** What the first route does not ask for is not there for the next ones either: a thread has not read it. */
function answerInSession(
  session: Overlay,
  found: FoundRoute,
  asked: MockRequest,
  number: number,
): ReturnType<typeof answerRequest> {
  const { needsBody, needsIp } = found.route;
  const others = routesBehind(session.matching(asked.method, asked.path, true), found);
  const seen = {
    ...asked,
    body: needsBody ? asked.body : undefined,
    clientIp: needsIp ? asked.clientIp : undefined,
  };
  return answerRequest(found, seen, always(number, SEED), others);
}

test('any overlay, any request', () => {
  fc.assert(
    fc.property(anyCase, ({ definition, overlay, asked: { method, path, query, number } }) => {
      const asked = { ...request(method, `${path}${query}`), body: Buffer.from('{"a":1}'), clientIp: '10.0.0.1' };
      const session = overlaid(definition, overlay);
      const found = session.find(method, path);
      const answer = found === undefined ? undefined : answerInSession(session, found, asked, number);
      const explained = explainRequest(definitionInSession(definition, overlay), asked, [], number);
      const expected =
        explained.route === undefined ? undefined : [explained.route.routeId, explained.chosen?.responseId];
      expect(answer === undefined ? undefined : [answer.routeId, answer.responseId]).toEqual(expected);
      if (answer === undefined || !('body' in answer)) return;
      const { body } = answer;
      expect((typeof body === 'string' ? Buffer.from(body) : Buffer.from(body)).toString()).toBe(
        explained.response?.body.toString(),
      );
      expect(answer.status).toBe(explained.response?.status);
    }),
    { numRuns: runs(1_500) },
  );
});

const NEXT = { otherwise: 'next' } as const;
const ifA = [rule('query', 'a', 'exists')];

test.each([
  ['picked', { kind: 'pick', responseId: 'ruled' }],
  ['replaced', { kind: 'replace', response: response({ id: 'session', body: 'session' }) }],
] as const)('a route that hands requests on has its %s response always', (_name, change) => {
  const first = route('GET /a', [response({ id: 'ruled', rules: ifA })], NEXT);
  const definition = define([first, route('GET /a', [response({ body: 'later' })])]);
  const overlay = { ...EMPTY_OVERLAY, responses: { [first.id]: change } };
  const session = overlaid(definition, overlay);
  const found = session.find('GET', '/a') as FoundRoute;
  const id = change.kind === 'pick' ? change.responseId : change.response.id;
  expect(answerInSession(session, found, request('GET', '/a'), 1)?.responseId).toBe(id);
  const explained = explainRequest(definitionInSession(definition, overlay), request('GET', '/a'), []);
  expect(explained.chosen?.responseId).toBe(id);
});

test('a route that hands requests on asks for the body that the session reads behind it', () => {
  const first = route('POST /a', [response({ rules: ifA })], NEXT);
  const last = route('POST /:x', [response({ body: 'plain' })]);
  const reads = response({ body: "[{{body 'a'}}]", templated: true });
  const definition = define([first, last]);
  const asked = { ...request('POST', '/a'), body: Buffer.from('{"a":1}') };
  const session = overlaid(definition, {
    ...EMPTY_OVERLAY,
    responses: { [last.id]: { kind: 'replace', response: reads } },
  });
  const answer = answerInSession(session, session.find('POST', '/a') as FoundRoute, asked, 1);
  expect(answer !== undefined && 'body' in answer ? Buffer.from(answer.body as string).toString() : answer).toBe('[1]');
});

test('a route hands on in a session that disables another one', () => {
  const off = route('GET /');
  const first = route('GET /a', [response({ rules: ifA })], NEXT);
  const last = route('GET /*');
  const session = overlaid(define([off, first, last]), { ...EMPTY_OVERLAY, disabled: [off.id] });
  const found = session.find('GET', '/a') as FoundRoute;
  expect(answerInSession(session, found, request('GET', '/a'), 1)?.routeId).toBe(last.id);
});

test('an overlay without any effect is none', () => {
  const definition = define([route('GET /a')]);
  expect(overlaid(definition, EMPTY_OVERLAY).find('GET', '/a')?.route.path).toBe('/a');
});

// reaches OVERLAY_ROUTES_COMPILED_MAX
test('of routes that overlays have compiled again, 5,000 stay', () => {
  const routes = Array.from({ length: 100 }, (_each, index) => route(`GET /${index}`));
  const definition = define(routes);
  const overlay = { ...EMPTY_OVERLAY, settings: { latency: 1 } };
  const overlays = Array.from({ length: OVERLAY_ROUTES_COMPILED_MAX / 100 + 2 }, () => overlaid(definition, overlay));
  const first = overlays[0]?.find('GET', '/1')?.route;
  expect(overlays[0]?.find('GET', '/1')?.route).toBe(first);
  for (const each of overlays) for (const { path } of routes) each.find('GET', path);
  expect(overlays[0]?.find('GET', '/1')?.route).not.toBe(first);
  for (const each of overlays) each.release();
});

/** One change of an overlay's routes, or of what is beside them, and the requests that follow. */
const anyEdit = fc.record({
  at: fc.nat(20),
  removed: fc.nat(2),
  added: fc.array(anyRoute, { maxLength: 3 }),
  settings: fc.constantFrom<SessionOverlay['settings']>(
    {},
    { latency: 1 },
    { scenarios: [{ name: 's', states: ['a', 'b'] }] },
    { faults: [{ kind: 'status', status: 503, probability: 0 }] },
  ),
  asked: fc.array(fc.tuple(fc.constantFrom(...METHODS), fc.constantFrom('/', '/a', '/a/b', '/c/d?a=1')), {
    maxLength: 3,
  }),
});

test('an overlay that is changed route by route answers and counts as one that is made whole', () => {
  fc.assert(
    fc.property(fc.array(anyRoute, { maxLength: 3 }), fc.array(anyEdit, { maxLength: 12 }), (routes, edits) => {
      const definition = define(routes);
      const bytes = atOnce(
        toBytes({ mockId: 'm', ownerId: 'o', createdVersion: 1, state: 'running', version: 1, definition }),
      );
      const shared = new SharedArrayBuffer(bytes.definition.byteLength);
      new Uint8Array(shared).set(bytes.definition);
      const { numbers } = new Tally(bytes.routes, bytes.stateLayout);
      const sessions = new MockSessions({ ...bytes, definition: shared, numbers }, []);
      const base = { compiled: compile(definition), definition: () => definition };
      const session = { id: 's', label: '', createdAt: 0, idleMs: 1_000, seed: SEED, state: {} };
      sessions.put({ ...session, overlay: EMPTY_OVERLAY }, true);
      let overlay: SessionOverlay = EMPTY_OVERLAY;
      let parts: OverlayParts | undefined;
      const hits = new Map<string, number>();
      for (const { at, removed, added, settings, asked } of edits) {
        const next = { ...overlay, routes: overlay.routes.toSpliced(at, removed, ...added), settings };
        const routesChange = changeOfRoutes(overlay.routes, next.routes);
        const sent =
          routesChange === undefined ? { overlay: next } : { overlay: { ...next, routes: [] }, routesChange };
        overlay = next;
        const put = sessions.put({ ...session, ...sent }, false) ?? expect.fail('the session is known');
        put.finish();
        parts = partsOf(put.session, parts);
        const byParts = parts && new Overlay(base, parts.overlay, parts.places, [], parts.compiled);
        const whole = overlaid(definition, overlay);
        const { counters, routeCount } = put.session;
        const counted = new Counters(counters, { seed: SEED, layout: put.session.stateLayout });
        for (const [method, path] of asked) {
          const given = { ...request(method, path), body: Buffer.from('{"a":1}'), clientIp: '10.0.0.1' };
          const found = (byParts ?? whole).find(method, given.path);
          const expected = whole.find(method, given.path);
          expect(found?.route.id).toBe(expected?.route.id);
          if (found === undefined || expected === undefined) continue;
          const answer = answerInSession(byParts ?? whole, found, given, 1);
          const other = answerInSession(whole, expected, given, 1);
          const shown = (each: typeof answer) => each && { routeId: each.routeId, responseId: each.responseId };
          expect(shown(answer)).toEqual(shown(other));
          if (answer === undefined || answer.place < 0) continue;
          counted.hit(slotOf(routeCount, answer.place));
          const named = `${answer.routeId}/${answer.responseId}`;
          hits.set(named, (hits.get(named) ?? 0) + 1);
        }
      }
      const { routes: byRoute } = sessions.get('s')?.tally.counts() ?? expect.fail('the session is known');
      const sums = byRoute.flatMap(({ routeId, responses }) =>
        responses.map(({ responseId, count }) => [`${routeId}/${responseId}`, count] as const),
      );
      expect(new Map(sums.filter(([, count]) => count > 0))).toEqual(hits);
    }),
    { numRuns: runs(200) },
  );
});
