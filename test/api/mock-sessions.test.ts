/** Sessions of mocks over HTTP: their bodies, answers and refusals; docs/mocks.md, "Sessions". What they answer: test/contract/sessions.test.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OVERLAY_BYTES_MAX } from '../../src/limits.ts';
import { TestServer, type Answer } from '../support/server.ts';

let server: TestServer;
let key: string;
let mock: string;
const ids = { route: '', empty: '', response: '', none: '' };

const SETTINGS = { scenarios: [{ name: 'login', states: ['out', 'in'] }] };
const ROUTES = [
  {
    method: 'GET',
    path: '/a',
    responses: [
      { label: 'full', body: 'a' },
      { body: 'b', templated: true },
    ],
  },
  { method: 'DELETE', path: '/a', responses: [{ status: 204 }] },
];

beforeAll(async () => {
  server = await TestServer.start(['--workers', '1']);
  key = await server.key('acme', 'ann');
  mock = await makeMock();
  const { routes } = (await send('GET', '/staged')).json.data;
  Object.assign(ids, {
    route: routes[0].id,
    response: routes[0].responses[0].id,
    empty: routes[1].id,
    none: routes[1].responses[0].id,
  });
});
afterAll(() => server?.end());

async function makeMock(settings: object = SETTINGS): Promise<string> {
  const body = { name: 'm', start: true, settings, routes: ROUTES };
  return (await server.request('POST', '/v1/mocks', { key, body })).json.data.id as string;
}

const send = (method: string, path: string, body?: unknown, as = key): Promise<Answer> =>
  server.request(method, `/v1/mocks/${mock}${path}`, { key: as, ...(body === undefined ? {} : { body }) });

/** With the id of the route, of its first response, or of the route that answers 204. */
const named = (text: string): string =>
  text.replaceAll('ROUTE', ids.route).replaceAll('RESPONSE', ids.response).replaceAll('EMPTY', ids.empty);

describe('a body is refused with the place of the mistake:', () => {
  test.each<[body: object, path: string, message: RegExp]>([
    [{ id: 'Upper' }, '/id', /expected up to 40 lower-case letters/],
    [{ id: 'a--b' }, '/id', /expected up to 40/],
    [{ id: '-a' }, '/id', /expected up to 40/],
    [{ id: 'a'.repeat(41) }, '/id', /expected up to 40/],
    [{ idleMs: 999 }, '/idleMs', /must be 1000 or more/],
    [{ idleMs: 86_400_001 }, '/idleMs', /must be 86400000 or less/],
    [{ seed: 0.5 }, '/seed', /expected an integer/],
    [{ lable: 'x' }, '/lable', /known are id, label/],
    [{ state: { login: 'gone' } }, '/state/login', /no state of scenario "login", which has "out", "in"/],
    [{ state: { logout: 'in' } }, '/state/logout', /settings.scenarios has "login"/],
    [{ overlay: { route: [] } }, '/overlay/route', /known are routes, responses/],
    [
      { overlay: { routes: [{ method: 'get', path: '/', responses: [{}] }] } },
      '/overlay/routes/0/method',
      /upper case/,
    ],
    [
      { overlay: { routes: [{ method: 'GET', path: '/x', responses: [{ templated: true, body: '{{body "$["}}' }] }] } },
      '/overlay/routes/0/responses/0/body',
      /GET \/x: the JSONPath/,
    ],
    [
      { overlay: { routes: [{ id: 'ROUTE', method: 'GET', path: '/', responses: [{}] }] } },
      '/overlay/routes/0/id',
      /in `responses`/,
    ],
    [
      { overlay: { responses: { nobodys: { status: 500 } } } },
      '/overlay/responses/nobodys',
      /"nobodys" is the id of no route/,
    ],
    [{ overlay: { responses: { 'a/~b': {} } } }, '/overlay/responses/a~1~0b', /"a\/~b" is the id of no route/],
    [
      { overlay: { responses: { ROUTE: 'RESPONSE' } } },
      '/overlay/responses/ROUTE',
      /expected {responseId}, {merge} or a response/,
    ],
    [
      { overlay: { responses: { ROUTE: { responseId: 'x' } } } },
      '/overlay/responses/ROUTE/responseId',
      /none of the route's responses RESPONSE, /,
    ],
    [
      { overlay: { responses: { ROUTE: { responseId: 'x', status: 200 } } } },
      '/overlay/responses/ROUTE/status',
      /not known here/,
    ],
    [{ overlay: { responses: { ROUTE: { status: 99 } } } }, '/overlay/responses/ROUTE/status', /200 or more/],
    [{ overlay: { responses: { ROUTE: { bdoy: '' } } } }, '/overlay/responses/ROUTE/bdoy', /not known here/],
    [
      { overlay: { responses: { ROUTE: { merge: { body: '' } } } } },
      '/overlay/responses/ROUTE/merge/body',
      /known are status, latency, fault, headers/,
    ],
    [
      { overlay: { responses: { ROUTE: { merge: { latency: { min: 2, max: 1 } } } } } },
      '/overlay/responses/ROUTE/merge/latency',
      /min is above max/,
    ],
    [
      { overlay: { responses: { ROUTE: { merge: { fault: { kind: 'status' } } } } } },
      '/overlay/responses/ROUTE/merge/fault/status',
      /is required/,
    ],
    [
      { overlay: { responses: { ROUTE: { merge: { headers: [{ name: 'a b', value: '' }] } } } } },
      '/overlay/responses/ROUTE/merge/headers/0',
      /the name must be/,
    ],
    [
      { overlay: { responses: { EMPTY: { merge: { fault: { kind: 'truncated' } } } } } },
      '/overlay/responses/EMPTY/merge/fault/kind',
      /truncated needs a body, and 204 has none/,
    ],
    [
      { overlay: { responses: { ROUTE: { merge: { headers: [{ name: 'a', value: "{{body '$['}}" }] } } } } },
      '/overlay/responses/ROUTE/merge/headers/0/value',
      /the JSONPath/,
    ],
    [{ overlay: { disabled: ['nobodys'] } }, '/overlay/disabled/0', /"nobodys" is the id of no route/],
    [{ overlay: { settings: { cors: false } } }, '/overlay/settings/cors', /known are latency, faults, rateLimit/],
    [
      { overlay: { settings: { faults: [{ kind: 'hang', probability: 2 }] } } },
      '/overlay/settings/faults/0/probability',
      /1 or less/,
    ],
  ])('%j', async (body, path, message) => {
    const sent = JSON.parse(named(JSON.stringify(body))) as { overlay?: object };
    const { status, json } = await send('POST', '/sessions', sent);
    expect({ status, json }).toMatchObject({ status: 400, json: { message: 'Mock Payload is invalid' } });
    const detail = (json.details as { path: string; message: string }[]).find((each) => each.path === named(path));
    expect(detail?.message, JSON.stringify(json.details)).toMatch(new RegExp(named(message.source)));
  });
});

test('an overlay of more than a mebibyte is refused by its limit', async () => {
  const overlay = { routes: [{ method: 'GET', path: '/', responses: [{ body: 'x'.repeat(OVERLAY_BYTES_MAX) }] }] };
  const { status, json } = await send('POST', '/sessions', { overlay });
  expect(status).toBe(403);
  expect(json.message).toBe('Limit reached: 1048576 bytes of an overlay');
  expect(json.details).toEqual([{ path: '/overlay', message: 'more than 1048576 bytes of an overlay' }]);
});
