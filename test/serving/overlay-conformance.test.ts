/** A compiled overlay over its mock, and the interpreter with the mock as a session sees it, give the same answer to every request. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OVERLAY_ROUTES_COMPILED_MAX } from '../../src/limits.ts';
import { definitionInSession } from '../../src/model/mocks/sessions/definition-in-session.ts';
import type { MockDefinition } from '../../src/model/mocks/definition.ts';
import { EMPTY_OVERLAY, type ResponseChange, type SessionOverlay } from '../../src/model/mocks/sessions/session.ts';
import { answerRequest } from '../../src/serving/matching/answer-request.ts';
import { explainRequest } from '../../src/serving/matching/explain/explain.ts';
import { Overlay } from '../../src/serving/matching/overlay.ts';
import { Tally } from '../../src/serving/shared/counters.ts';
import { MockSessions } from '../../src/serving/process/mock-sessions.ts';
import { toBytes } from '../../src/serving/shared/messages.ts';
import { always, compile, define, request, response, route, rule } from '../support/mocks.ts';

const PATHS = ['/', '/a', '/a/b', '/a/:x', '/:x', '/a/*', '/:x/b'];
const METHODS = ['GET', 'HEAD', 'POST', 'ANY', 'OPTIONS'];
const SEED = 7;

const anyResponse = fc
  .record({
    body: fc.constantFrom('x', "{{urlParam 'x'}}", '{{requestNumber}} {{method}}', '{{randomInt 1 1000}}'),
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
  )
  .map(([method, path, responses, selection, enabled]) =>
    route(`${method} ${path}`, responses, { selection, enabled }),
  );
const anyCase = fc
  .record({
    routes: fc.array(anyRoute, { maxLength: 6 }),
    own: fc.array(anyRoute, { maxLength: 3 }),
    precedence: fc.constantFrom('specific' as const, 'listed' as const),
    changes: fc.array(fc.constantFrom('none', 'pick', 'replace', 'merge', 'disable'), { minLength: 6, maxLength: 6 }),
    replacement: anyResponse,
    settings: fc.constantFrom<SessionOverlay['settings']>({}, {}, { latency: 5 }),
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
      definition: define(routes, { precedence, seed: SEED }),
      overlay: { routes: own, responses, disabled, settings },
      asked,
    };
  });

/** Laid out by the main thread, compiled as by a thread. */
function overlaid(definition: MockDefinition, overlay: SessionOverlay): Overlay {
  const bytes = toBytes({ mockId: 'm', ownerId: 'o', state: 'running', version: 1, definition });
  const shared = new SharedArrayBuffer(bytes.definition.byteLength);
  new Uint8Array(shared).set(bytes.definition);
  const { numbers } = new Tally(bytes.routes, bytes.stateLayout);
  const sessions = new MockSessions({ ...bytes, definition: shared, numbers }, []);
  const made = { id: 's', label: '', createdAt: 0, idleMs: 1_000, seed: SEED, overlay, state: {} };
  const { places } = sessions.put(made, true).session;
  return new Overlay({ compiled: compile(definition), definition: () => definition }, overlay, places, []);
}

test('any overlay, any request', () => {
  fc.assert(
    fc.property(anyCase, ({ definition, overlay, asked: { method, path, query, number } }) => {
      const asked = request(method, `${path}${query}`);
      const found = overlaid(definition, overlay).find(method, path);
      const answer = found === undefined ? undefined : answerRequest(found, asked, always(number, SEED));
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
    { numRuns: 1_500 },
  );
});

test('an overlay without any effect is none', () => {
  const definition = define([route('GET /a')]);
  expect(overlaid(definition, EMPTY_OVERLAY).find('GET', '/a')?.route.path).toBe('/a');
});

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
