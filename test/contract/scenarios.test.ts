/**
 * Scenarios over HTTP with two threads: which response a state lets answer, the moves, exactly across threads, the API
 * of states, refused edits and warnings; docs/mocks-matching.md, "Scenarios". The same on random definitions: serving/conformance.
 */
import { Agent } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';
import { checkHistory, type Model, type Operation } from '../prove/linearizability/check-history.ts';

const two = await TwoThreads.use();

const PAYMENT = { name: 'payment', states: ['new', 'paid', 'shipped'] };
const LOGIN = { name: 'log in', states: ['in', 'out', 'away'], initial: 'out' };
const WAS = { target: 'query', property: 'q', operator: 'exists' };

const step = (requires: unknown, moveTo?: string, name = PAYMENT.name): Fields => ({
  scenario: { name, ...(requires === undefined ? {} : { requires }), ...(moveTo === undefined ? {} : { moveTo }) },
});

/** Refused, with one detail. */
async function refused(method: string, path: string, body: unknown): Promise<{ path: string; message: string }> {
  const { status, json } = await two.api(method, path, body);
  expect({ status, message: json.message }).toEqual({ status: 400, message: 'Mock Payload is invalid' });
  return json.details[0];
}

const states = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await two.data('GET', `/${id}/scenarios`)).map((each: { name: string; state: string }) => [each.name, each.state]),
  );

describe('what answers:', () => {
  test('the usual choice among the responses that answer in this state; none is a miss', async () => {
    const id = await two.mock(
      [
        route('GET /', [
          { body: 'ruled in new', rules: [WAS], ...step('new') },
          { body: 'plain in new or paid', ...step(['new', 'paid']) },
          { body: 'marked in paid', default: true, ...step('paid') },
        ]),
      ],
      { scenarios: [PAYMENT] },
    );
    expect(await two.text(id, '/?q')).toBe('ruled in new');
    expect(await two.text(id, '/')).toBe('plain in new or paid');
    await two.data('PUT', `/${id}/scenarios/payment`, { state: 'paid' });
    expect(await two.text(id, '/?q')).toBe('marked in paid');
    await two.data('PUT', `/${id}/scenarios/payment`, { state: 'shipped' });
    const { status, text } = await two.both(id, '/?q');
    const problem = 'GET / has no response for state "shipped" of scenario "payment"';
    expect([status, JSON.parse(text)]).toEqual([
      404,
      { success: false, message: `No response in this state: ${problem}` },
    ]);
    const [miss] = (await two.api('GET', `/${id}/requests?matched=false`)).json.data;
    expect(miss).toMatchObject({ routeId: null, status: 404, problem });
    expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ total: 8, unmatched: 2 });
  });

  test('each answer moves, under every selection; several scenarios, each by its own', async () => {
    const both = [
      { name: LOGIN.name, moveTo: 'in' },
      { name: PAYMENT.name, requires: ['new'], moveTo: 'paid' },
    ];
    const id = await two.mock(
      [
        route('GET /both', [{ body: 'both', scenario: both }, { body: 'neither' }]),
        route(
          'GET /turn',
          [
            { body: 'a', ...step(undefined, 'shipped') },
            { body: 'b', ...step(undefined, 'new') },
          ],
          {
            selection: 'sequential',
          },
        ),
      ],
      { scenarios: [PAYMENT, LOGIN] },
    );
    expect(await states(id)).toEqual({ payment: 'new', 'log in': 'out' });
    expect((await two.ask(id, '/both')).text).toBe('both');
    expect(await states(id)).toEqual({ payment: 'paid', 'log in': 'in' });
    expect((await two.ask(id, '/both')).text).toBe('neither');
    for (const [body, state] of [
      ['a', 'shipped'],
      ['b', 'new'],
      ['a', 'shipped'],
    ]) {
      expect((await two.ask(id, '/turn')).text).toBe(body);
      expect((await states(id)).payment).toBe(state);
    }
  });

  test('a request that names its response gets it in any state, and moves', async () => {
    const id = await two.mock(
      [
        route('GET /', [
          { body: 'new', ...step('new') },
          { body: 'paid', label: 'pay', ...step('paid', 'shipped') },
        ]),
      ],
      { scenarios: [PAYMENT], forced: true },
    );
    expect((await two.ask(id, '/', { headers: { 'x-mock-response-name': 'pay' } })).text).toBe('paid');
    expect(await states(id)).toEqual({ payment: 'shipped' });
    expect((await two.ask(id, '/', { headers: { accept: 'text/css' } })).status).toBe(404);
  });
});

describe('the API of states:', () => {
  test('reads and sets them, also before the first request; a reset, a save and a start begin anew', async () => {
    const routes = [route('GET /', [{ body: 'x', ...step('new', 'paid') }, { body: 'y' }])];
    const id = await two.mock(routes, { scenarios: [PAYMENT, LOGIN] });
    const path = `/${id}/scenarios/${encodeURIComponent(LOGIN.name)}`;
    const login = { ...LOGIN, state: 'away' };
    expect(await two.data('PUT', path, { state: 'away' })).toEqual(login);
    expect(await two.data('GET', path)).toEqual(login);
    expect(await two.data('GET', `/${id}/scenarios`)).toEqual([{ ...PAYMENT, state: 'new', initial: 'new' }, login]);
    const initial = { payment: 'new', 'log in': 'out' };
    for (const [method, again] of [
      ['DELETE', '/requests'],
      ['POST', '/save'],
      ['POST', '/stop'],
    ] as const) {
      await two.data('PUT', path, { state: 'in' });
      expect((await two.api(method, `/${id}${again}`)).status).toBe(200);
      expect(await states(id), again).toEqual(initial);
    }
  });

  test('refuses what there is not', async () => {
    const id = await two.mock([route('GET /')], { scenarios: [PAYMENT] });
    const none = await two.api('PUT', `/${id}/scenarios/none`, { state: 'x' });
    expect([none.status, none.json.message]).toEqual([404, 'Scenario not found']);
    expect(await refused('PUT', `/${id}/scenarios/payment`, { state: 'sent' })).toEqual({
      path: '/state',
      message: '"sent" is not a state of scenario "payment", which has "new", "paid", "shipped"',
    });
    expect(await refused('PUT', `/${id}/scenarios/payment`, {})).toMatchObject({ path: '/state' });
    const tried = (scenarios: Fields) => refused('POST', `/${id}/try`, { method: 'GET', path: '/', scenarios });
    expect(await tried({ payment: 'sent' })).toMatchObject({ path: '/scenarios/payment' });
    expect(await tried({ 'a/b': 'new' })).toMatchObject({ path: '/scenarios/a~1b' });
  });

  test('`try` tells the state, what was required and the move, and moves nothing', async () => {
    const id = await two.mock([route('GET /', [{ body: 'x', ...step('paid', 'shipped') }, { body: 'y' }])], {
      scenarios: [PAYMENT],
    });
    await two.data('PUT', `/${id}/scenarios/payment`, { state: 'paid' });
    const tried = await two.data('POST', `/${id}/try`, { method: 'GET', path: '/' });
    expect(tried).toMatchObject({
      response: { body: 'x' },
      explanation: {
        scenarios: [{ name: 'payment', before: 'paid', after: 'shipped' }],
        candidates: [
          { scenarios: [{ name: 'payment', state: 'paid', requires: ['paid'], holds: true, moveTo: 'shipped' }] },
          {},
        ],
      },
    });
    expect(await states(id)).toEqual({ payment: 'paid' });
    const other = await two.data('POST', `/${id}/try`, { method: 'GET', path: '/', scenarios: { payment: 'new' } });
    expect(other).toMatchObject({
      response: { body: 'y' },
      chosen: { reason: 'the first without conditions, among those that answer in this state' },
    });
  });
});

describe('across threads:', () => {
  test('of 8 connections at once each is answered by the state that it was in, in one order of all moves', async () => {
    const RING = ['a', 'b', 'c'];
    const ring = RING.map((state, index) => ({
      body: state,
      ...step(state, RING[(index + 1) % RING.length], 'ring'),
    }));
    const id = await two.mock([route('POST /', ring)], { scenarios: [{ name: 'ring', states: RING }] });
    const operations: Operation<string>[] = [];
    let events = 0;
    const client = async (count: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let request = 0; request < count; request++) {
        const invoked = ++events;
        const { status, text } = await askMock(two.server.mockPort, '/', { mock: id, method: 'POST', agent });
        operations.push({ call: `${status} ${text}`, invoked, returned: ++events, certain: true });
      }
      agent.destroy();
    };
    const each = 600;
    await Promise.all(Array.from({ length: 8 }, () => client(each)));
    const answered = RING.map((state) => operations.filter(({ call }) => call === `200 ${state}`).length);
    expect(answered).toEqual(RING.map(() => (8 * each) / RING.length));
    expect(checkHistory(RING_MODEL, operations)).toEqual({ linearizable: true });
    expect(await states(id)).toEqual({ ring: 'a' });
    expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ total: 8 * each, unmatched: 0 });
  });
});

/** A call is the answer, whose last letter is the state that it required. */
const RING_MODEL: Model<string, string> = {
  initial: 'a',
  keyOf: (state) => state,
  isHarmless: () => false,
  after: (state, call) => (call === `200 ${state}` ? { a: 'b', b: 'c', c: 'a' }[state] : undefined),
};

describe('edits that are refused, with the place and what there is:', () => {
  const cases: [what: string, responses: Fields, path: string, message: RegExp][] = [
    ['an unknown scenario', step('new', undefined, 'pay'), '/scenario/name', /has "payment", "log in"$/],
    ['an unknown state', step('sent'), '/scenario/requires', /"payment", which has "new", "paid", "shipped"$/],
    ['one of several', step(['new', 'sent']), '/scenario/requires/1', /"sent" is not a state/],
    ['a move to nowhere', step('new', 'sent'), '/scenario/moveTo', /"sent" is not a state/],
    [
      'the second of a list',
      { scenario: [{ name: PAYMENT.name }, { name: LOGIN.name, moveTo: 'x' }] },
      '/scenario/1/moveTo',
      /has "in", "out", "away"$/,
    ],
  ];
  let id: string;
  let routeId: string;
  beforeAll(async () => {
    const mock = await two.data('POST', '', {
      name: 'edits',
      settings: { scenarios: [PAYMENT, LOGIN] },
      routes: [route('GET /used', [step('paid')]), route('GET /turn', [{}, {}], { selection: 'sequential' })],
    });
    id = mock.id;
    routeId = (await two.data('GET', `/${id}/staged`)).routes[0].id;
  });

  test.each(cases)('%s', async (_what, response, path, message) => {
    const routes = [route('GET /'), route('GET /x', [{}, response])];
    const settings = { scenarios: [PAYMENT, LOGIN] };
    const expected = (at: string) => ({ path: `${at}${path}`, message: expect.stringMatching(message) });
    expect(await refused('POST', '', { name: 'm', routes, settings })).toEqual(expected('/routes/1/responses/1'));
    expect(await refused('PUT', `/${id}/staged`, { routes })).toEqual(expected('/routes/1/responses/1'));
    expect(await refused('POST', `/${id}/staged/routes`, routes[1])).toEqual(expected('/responses/1'));
    expect(await refused('PUT', `/${id}/staged/routes/${routeId}`, routes[1])).toEqual(expected('/responses/1'));
    expect(await refused('POST', `/${id}/staged/routes/${routeId}/responses`, response)).toEqual(expected(''));
  });

  test('a required state where rules do not choose', async () => {
    const turn = route('GET /', [{}, step('new', 'paid')], { selection: 'sequential' });
    expect(await refused('POST', `/${id}/staged/routes`, turn)).toEqual({
      path: '/responses/1/scenario/requires',
      message: 'requires the selection rules, and the route has sequential; moveTo works with any selection',
    });
  });

  test('settings without what routes use; with the routes, or after them, they are taken', async () => {
    for (const scenarios of [[LOGIN], [{ ...PAYMENT, states: ['new'] }], undefined]) {
      const settings = scenarios === undefined ? {} : { scenarios };
      const { path, message } = await refused('PUT', `/${id}/staged`, { settings });
      expect(path).toBe('/settings/scenarios');
      expect(message).toContain('(GET /used)');
    }
    const whole = { settings: { scenarios: [LOGIN] }, routes: [route('GET /', [step('in', 'out', LOGIN.name)])] };
    await two.data('PUT', `/${id}/staged`, whole);
    await two.data('PUT', `/${id}/staged`, { settings: { scenarios: [LOGIN, PAYMENT] } });
    await two.data('POST', `/${id}/staged/routes`, route('GET /paid', [step('paid')]));
    await two.data('POST', `/${id}/discard`);
  });
});

test('the diff warns of states without an answer, states that nobody moves to, and scenarios that nobody uses', async () => {
  const id = await two.mock(
    [route('GET /', [step('new', 'paid'), { ...step('shipped'), rules: [WAS] }, { body: 'late', ...step('new') }])],
    { scenarios: [PAYMENT, LOGIN] },
  );
  const { warnings } = await two.data('GET', `/${id}/staged/diff`);
  const [{ id: routeId, responses }] = (await two.data('GET', `/${id}/staged`)).routes;
  expect(warnings).toEqual([
    { routeId, responseId: responses[2].id, warning: 'is never chosen' },
    { routeId, warning: 'has no answer in the state "paid" of scenario "payment": requests get 404' },
    {
      routeId,
      responseId: responses[1].id,
      warning: 'requires the state "shipped" of scenario "payment", which no response leads to',
    },
    { warning: 'have the scenario "log in", which no response names' },
  ]);
});
