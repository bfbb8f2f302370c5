/**
 * Which response of a route answers, over HTTP with two threads: `rules`, `sequential`, `random`, `default`; docs/mocks-matching.md,
 * "Behaviour". Single rules: rules.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const has = (property: string, more: Fields = {}): Fields => ({
  target: 'query',
  property,
  operator: 'exists',
  ...more,
});

/** The reply texts of sequential requests, each on a new connection. */
async function inShare(mock: string, path: string, count: number): Promise<string[]> {
  const texts: string[] = [];
  for (let request = 0; request < count; request++) texts.push((await two.ask(mock, path)).text);
  return texts;
}

/** The same for concurrent requests. */
const atOnce = (mock: string, path: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async () => (await two.ask(mock, path)).text));

const bodies = (texts: readonly string[], more: Fields = {}): Fields[] => texts.map((body) => ({ body, ...more }));

describe('`rules`:', () => {
  const both = { body: 'a and b', rules: [has('a'), has('b')] };
  const either = { body: 'a or b', rules: [has('a'), has('b')], rulesOperator: 'OR' };
  const onlyC = { body: 'c', rules: [has('c')] };
  const plain = { body: 'plain' };
  const plain2 = { body: 'second plain' };
  const marked = { body: 'marked', default: true };
  const markedD = { body: 'marked d', default: true, rules: [has('d')] };
  const noneOf = { body: 'neither', rules: [has('a', { invert: true }), has('b', { invert: true })] };
  const notBoth = { ...noneOf, body: 'not both', rulesOperator: 'OR' };

  const cases: [what: string, responses: Fields[], query: string, expected: string][] = [
    ['AND, the default, needs every rule', [both, plain], '?a&b', 'a and b'],
    ['AND does not hold with one of them', [both, plain], '?a', 'plain'],
    ['OR needs one rule', [either, plain], '?b', 'a or b'],
    ['OR holds with all rules too', [either, plain], '?a&b', 'a or b'],
    ['OR does not hold with none', [either, plain], '?c', 'plain'],
    ['AND of inverted rules', [noneOf, plain], '?c', 'neither'],
    ['AND of inverted rules, one of which fails', [noneOf, plain], '?a', 'plain'],
    ['OR of inverted rules', [notBoth, plain], '?a', 'not both'],
    ['OR of inverted rules, all of which fail', [notBoth, plain], '?a&b', 'plain'],
    ['the first that holds wins', [either, both, plain], '?a&b', 'a or b'],
    ['the first that holds wins in the other order', [both, either, plain], '?a&b', 'a and b'],
    ['one without rules is skipped while another holds', [plain, onlyC], '?c', 'c'],
    ['one marked default is skipped while another holds', [marked, onlyC], '?c', 'c'],
    ['one marked default that has rules that hold', [plain, markedD, onlyC], '?d&c', 'marked d'],
    ['else the one marked default', [both, plain, marked], '', 'marked'],
    ['else the one marked default, even if its rules fail', [both, plain, markedD], '', 'marked d'],
    ['else the first without conditions', [both, plain, plain2], '', 'plain'],
    ['else the first', [both, onlyC], '', 'a and b'],
    ['a single response whose rules fail is the first', [onlyC], '', 'c'],
  ];
  let id: string;
  beforeAll(async () => {
    id = await two.mock(cases.map(([, responses], index) => route(`GET /${index}`, responses)));
  });
  test.each(cases.map(([what, , query, expected], index) => ({ what, query, expected, index })))(
    '$what',
    async ({ query, expected, index }) => {
      expect(await two.text(id, `/${index}${query}`)).toBe(expected);
    },
  );

  test('rules on different targets are combined', async () => {
    const rules = [
      has('q'),
      { target: 'header', property: 'x-h', operator: 'equals', value: '1' },
      { target: 'cookie', property: 'c', operator: 'equals', value: '2' },
      { target: 'urlParam', property: 'id', operator: 'gt', value: '3' },
      { target: 'body', property: 'b', operator: 'equals', value: '5' },
    ];
    const mock = await two.mock([route('POST /:id', [{ body: 'all', rules }, { body: 'else' }])]);
    const ask = { method: 'POST', headers: { 'x-h': '1', cookie: 'c=2' }, body: '{"b":5}' };
    expect(await two.text(mock, '/4?q', ask)).toBe('all');
    expect(await two.text(mock, '/3?q', ask)).toBe('else');
    expect(await two.text(mock, '/4', ask)).toBe('else');
    expect(await two.text(mock, '/4?q', { ...ask, headers: { 'x-h': '1', cookie: 'c=3' } })).toBe('else');
    expect(await two.text(mock, '/4?q', { ...ask, headers: { 'x-h': '2', cookie: 'c=2' } })).toBe('else');
    expect(await two.text(mock, '/4?q', { ...ask, body: '{"b":6}' })).toBe('else');
  });
});

describe('`default`:', () => {
  test('always chooses the marked response, regardless of all rules', async () => {
    const mock = await two.mock([
      route(
        'GET /',
        [{ body: 'ruled', rules: [has('a')] }, { body: 'plain' }, { body: 'marked', default: true, rules: [has('b')] }],
        { selection: 'default' },
      ),
    ]);
    for (const query of ['', '?a', '?b', '?a&b']) expect(await two.text(mock, `/${query}`)).toBe('marked');
  });
});

describe('`sequential`:', () => {
  const three = ['a', 'b', 'c'];
  const sequence = (spec: string, texts = three) =>
    route(spec, bodies(texts, { rules: [has('never')] }), { selection: 'sequential' });

  test('cycles from the first response, regardless of rules and threads', async () => {
    const mock = await two.mock([sequence('GET /')]);
    expect(await inShare(mock, '/', 7)).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a']);
  });

  test('counts each route separately, and a route for all paths that it matches', async () => {
    const mock = await two.mock([sequence('GET /one/:x'), sequence('GET /two'), sequence('ANY /two')]);
    expect(await inShare(mock, '/one/1', 2)).toEqual(['a', 'b']);
    expect(await inShare(mock, '/two', 1)).toEqual(['a']);
    expect(await inShare(mock, '/one/2', 2)).toEqual(['c', 'a']);
    expect((await two.ask(mock, '/two', { method: 'POST' })).text).toBe('a');
    expect(await inShare(mock, '/two', 1)).toEqual(['b']);
  });

  test('is exact across threads for concurrent requests', async () => {
    const texts = Array.from({ length: 100 }, (_each, index) => String(index));
    const mock = await two.mock([sequence('GET /', texts)]);
    for (let round = 1; round <= 3; round++) {
      expect((await atOnce(mock, '/', 100)).toSorted()).toEqual(texts.toSorted());
    }
    expect(await inShare(mock, '/', 1)).toEqual(['0']);
  });

  test.each<[string, (mock: string) => Promise<unknown>]>([
    ['save', (mock) => two.data('POST', `/${mock}/save`)],
    ['start', async (mock) => [await two.data('POST', `/${mock}/stop`), await two.data('POST', `/${mock}/start`)]],
    ['reset', (mock) => two.data('DELETE', `/${mock}/requests`)],
  ])('starts again from the first after a %s', async (_what, act) => {
    const mock = await two.mock([sequence('GET /')]);
    expect(await inShare(mock, '/', 2)).toEqual(['a', 'b']);
    await act(mock);
    expect(await inShare(mock, '/', 4)).toEqual(['a', 'b', 'c', 'a']);
  });

  test('continues while only the working copy or the name changes', async () => {
    const mock = await two.mock([sequence('GET /')]);
    expect(await inShare(mock, '/', 1)).toEqual(['a']);
    await two.data('PUT', `/${mock}`, { name: 'other' });
    await two.data('PUT', `/${mock}/staged`, { routes: [] });
    await two.data('POST', `/${mock}/discard`);
    expect(await inShare(mock, '/', 1)).toEqual(['b']);
  });

  test('counts HEAD requests as well', async () => {
    const mock = await two.mock([
      route(
        'GET /',
        ['a', 'b'].map((value) => ({ headers: [{ name: 'x-n', value }] })),
        { selection: 'sequential' },
      ),
    ]);
    const seen: unknown[] = [];
    for (const method of ['HEAD', 'GET', 'HEAD', 'HEAD'])
      seen.push((await two.ask(mock, '/', { method })).headers['x-n']);
    expect(seen).toEqual(['a', 'b', 'a', 'b']);
  });
});

describe('`random`:', () => {
  const weighted = (spec = 'GET /') =>
    route(
      spec,
      [
        { body: 'a', weight: 1, rules: [has('never')] },
        { body: 'b', weight: 3, rules: [has('never')] },
        { body: 'z', weight: 0 },
      ],
      { selection: 'random' },
    );
  const share = (texts: readonly string[], body: string): number =>
    texts.filter((text) => text === body).length / texts.length;

  test.each([
    ['without a seed', null],
    ['with a seed', 42],
  ])('honours weights and ignores rules, %s', async (_what, seed) => {
    const mock = await two.mock([weighted()], { seed });
    const texts = await atOnce(mock, '/', 1_200);
    // Three quarters, within seven standard deviations.
    expect(share(texts, 'b')).toBeGreaterThan(0.66);
    expect(share(texts, 'b')).toBeLessThan(0.84);
    expect(share(texts, 'a') + share(texts, 'b')).toBe(1);
  });

  test('uses equal weights by default', async () => {
    const mock = await two.mock([route('GET /', bodies(['a', 'b', 'c']), { selection: 'random' })]);
    const texts = await atOnce(mock, '/', 900);
    for (const body of ['a', 'b', 'c']) {
      expect(share(texts, body)).toBeGreaterThan(0.22);
      expect(share(texts, body)).toBeLessThan(0.45);
    }
  });

  test('is reproducible with a seed, after a reset, a save and a start, and in another mock', async () => {
    const mock = await two.mock([weighted()], { seed: 7 });
    const first = await inShare(mock, '/', 40);
    expect(new Set(first)).toEqual(new Set(['a', 'b']));
    await two.data('DELETE', `/${mock}/requests`);
    expect(await inShare(mock, '/', 40)).toEqual(first);
    await two.data('POST', `/${mock}/save`);
    expect(await inShare(mock, '/', 40)).toEqual(first);
    await two.data('POST', `/${mock}/stop`);
    await two.data('POST', `/${mock}/start`);
    expect(await inShare(mock, '/', 40)).toEqual(first);
    expect(await inShare(await two.mock([weighted()], { seed: 7 }), '/', 40)).toEqual(first);
    expect(await inShare(await two.mock([weighted()], { seed: 8 }), '/', 40)).not.toEqual(first);
  });

  test('is not reproducible without a seed', async () => {
    const mock = await two.mock([weighted()]);
    const first = await inShare(mock, '/', 60);
    await two.data('DELETE', `/${mock}/requests`);
    expect(await inShare(mock, '/', 60)).not.toEqual(first);
  });
});

describe('with `forced`, a request picks:', () => {
  const type = (value: string): Fields => ({ headers: [{ name: 'Content-Type', value }] });
  const responses = [
    { body: 'cat', label: 'cat', ...type('application/json') },
    { body: '<cat/>', label: 'cat', ...type('application/xml') },
    { body: 'café', label: 'café', ...type('text/plain') },
    { body: 'gone', label: 'gone', status: 404 },
    { body: 'by rule', rules: [has('r')], label: 'ruled', ...type('text/plain') },
  ];
  const routes = [route('GET /rules', responses), route('GET /one', [{ body: 'one' }])];
  let forced: string;
  let off: string;
  beforeAll(async () => {
    forced = await two.mock(routes, { forced: true });
    off = await two.mock(routes);
  });

  test.each<[Record<string, string>, string]>([
    [{ 'x-mock-response-name': 'cat' }, 'cat'],
    [{ 'X-Mock-Response-Name': 'caf%C3%A9' }, 'café'],
    [{ 'x-mock-response-code': '404' }, 'gone'],
    [{ prefer: 'wait=1, example="gone";q=1, code=404' }, 'gone'],
    [{ accept: 'text/*, application/xml;q=0.9' }, 'café'],
    [{ accept: 'application/xml', 'x-mock-response-name': 'cat' }, '<cat/>'],
    [{ 'x-mock-response-name': 'nobody' }, 'cat'],
  ])('by %j', async (headers, expected) => {
    expect((await two.both(forced, '/rules', { headers })).text).toBe(expected);
    expect((await two.both(off, '/rules', { headers })).text).toBe('cat');
    expect((await two.both(forced, '/one', { headers })).text).toBe('one');
    const { response, chosen } = await two.data('POST', `/${forced}/try`, { method: 'GET', path: '/rules', headers });
    expect(response.body).toBe(expected);
    expect(chosen.reason).not.toBe('the first without conditions');
  });

  test('before any rule', async () => {
    expect(await two.text(forced, '/rules?r')).toBe('by rule');
    const headers = { 'x-mock-response-name': 'gone' };
    expect((await two.both(forced, '/rules?r', { headers })).text).toBe('gone');
  });

  test('and is counted, and recorded, with the response that it got', async () => {
    const mock = await two.mock([route('GET /a', [{ body: 'a' }, { body: 'b', label: 'b' }])], { forced: true });
    await two.both(mock, '/a', { headers: { 'x-mock-response-name': 'b' } });
    const [{ responses: counted }] = (await two.data('GET', `/${mock}/counts`)).routes;
    expect(counted.map(({ count }: { count: number }) => count)).toEqual([0, 2]);
    const [, { responseId }] = counted;
    expect(await two.data('GET', `/${mock}/requests`)).toMatchObject([{ responseId }, { responseId }]);
  });

  test('without a place in the sequence, exactly across threads', async () => {
    const list = bodies(['a', 'b', 'c']).map((each, index) => ({ ...each, label: `l${index}` }));
    const mock = await two.mock([route('GET /s', list, { selection: 'sequential' })], { forced: true });
    const seen: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      seen.push((await two.ask(mock, '/s')).text);
      expect((await two.both(mock, '/s', { headers: { 'x-mock-response-name': 'l0' } })).text).toBe('a');
    }
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  test('from a page of another origin, too', async () => {
    const asked = 'x-mock-response-name, x-mock-response-code, prefer';
    const headers = {
      origin: 'https://a.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': asked,
    };
    const answer = await two.both(forced, '/rules', { method: 'OPTIONS', headers });
    expect(answer.headers['access-control-allow-headers']).toBe(asked);
  });
});
