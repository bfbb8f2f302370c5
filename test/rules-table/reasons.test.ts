/** Every reason for which a rule does not act that evaluating can give, in terms that a person acts on. */
import { SKIPPED_NEAREST_MAX } from '../../src/rules-table/skipped-rules.ts';
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import type { Evaluation } from '../../src/rules-table/outcome.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import { isUnsupported, ruleWarnings } from '../../src/rules-table/rule-warnings.ts';
import { ANY, compiled, exchangeOf, redirect, run, skippedOf, source, stored } from '../support/rules-table.ts';

const MODIFICATIONS = [{ header: 'x-a', type: 'Add', value: '1' }];
const headers = (from: object, more = {}) => compiled('Headers', [{ ...from, modifications: MODIFICATIONS }], more);
const filtered = (filters: unknown) => headers(source('a.test', 'Contains', 'Url', filters));
const post = (body: string, more: Record<string, string> = {}) => ({ method: 'POST', body, headers: more });

test('source: the value and what the URL has in its place', () => {
  expect(
    skippedOf(headers(source('search.example.com', 'Equals', 'Host')), { url: 'http://pay.example.com/' }),
  ).toEqual({
    ruleId: expect.stringMatching(/^Headers_/),
    pairId: 'p0',
    reason: 'source',
    expected: 'search.example.com',
    actual: 'pay.example.com',
  });
  expect(skippedOf(headers(source('/v2', 'Contains', 'Path')), { url: 'http://a.test/v1?x=/v2' })).toMatchObject({
    expected: 'contains /v2',
    actual: '/v1',
  });
});

test.each([
  ['ruleInactive', { status: 'Inactive' }],
  ['groupInactive', { groupId: 'Group_1' }],
] as const)('%s: whatever its source', (reason, more) => {
  for (const from of [ANY, source('nowhere.test')]) {
    const rule = headers(from, more);
    const answer = evaluate(tableOf([rule], new Set(['Group_1'])), exchangeOf({}), { details: 'applied' });
    expect(answer).toMatchObject({ steps: [], skipped: [{ ruleId: rule.id, reason }], skippedCount: 1 });
  }
});

test.each([
  ['requestMethod', { requestMethod: ['POST', 'put'] }, {}, 'POST, PUT', 'GET'],
  ['resourceType', { resourceType: ['script'] }, { headers: { 'Sec-Fetch-Dest': 'style' } }, 'script', 'stylesheet'],
  ['resourceType', { resourceType: ['script'] }, {}, 'script', undefined],
  [
    'pageDomains',
    { pageDomains: ['example.com'] },
    { headers: { origin: 'https://ample.com' } },
    'example.com',
    'ample.com',
  ],
  [
    'pageDomains',
    { pageDomains: ['ample.com'] },
    { headers: { origin: 'https://example.com' } },
    'ample.com',
    'example.com',
  ],
  ['pageDomains', { pageDomains: ['example.com'] }, {}, 'example.com', undefined],
  [
    'pageUrl',
    { pageUrl: { operator: 'Contains', value: '/cart' } },
    { headers: { referer: 'https://example.com/' } },
    'contains /cart',
    'https://example.com/',
  ],
  ['requestPayload', { requestPayload: { key: 'a.b', value: 1 } }, post('{"a":{"b":2}}'), 'a.b 1', '2'],
  ['requestPayload', { requestPayload: { key: 'a', value: 1 } }, post('a=1'), 'a 1', undefined],
  ['requestPayload', { requestPayload: { key: 'q', value: 'x' } }, { url: 'http://a.test/?q=y' }, 'q x', 'y'],
])('filter:%s %j', (name, filters, asked, expected, actual) => {
  expect(skippedOf(filtered(filters), asked)).toMatchObject({
    reason: `filter:${name}`,
    expected,
    ...(actual === undefined ? {} : { actual }),
  });
});

test.each([
  [{ requestMethod: 'get' }, {}],
  [[{}, null, { requestMethod: [] }], {}],
  [{ resourceType: ['main_frame'] }, { headers: { 'sec-fetch-dest': 'document' } }],
  [{ resourceType: ['xmlhttprequest', 'script'] }, { headers: { 'sec-fetch-dest': 'empty' } }],
  [{ pageDomains: ['Example.com'] }, { headers: { origin: 'https://shop.example.com:8443' } }],
  [{ pageDomains: ['example.com'] }, { headers: { origin: 'null', referer: 'https://example.com/x' } }],
  [{ pageUrl: { operator: 'Equals', value: 'https://example.com' } }, { headers: { referer: 'https://example.com/' } }],
  [{ pageUrl: { operator: 'Equals', value: 'https://example.com' } }, {}],
  [{ requestPayload: { key: '', value: '' } }, {}],
  [{ requestPayload: { key: 'q', value: 'x y' } }, { url: 'http://a.test/?q=1&q=x+y' }],
  [{ requestPayload: { key: 'a', operator: 'Matches', value: '^us' } }, post('{"a":"users"}')],
  [{ requestPayload: { key: 'a', operator: 'Wildcard_Matches', value: 'u*s' } }, post('{"a":"users"}')],
  [[{ requestMethod: ['POST'] }, { requestPayload: { key: 'a', value: 'true' } }], post('{"a":true}')],
])('the filter %j lets %j through', (filters, asked) => {
  expect(run([filtered(filters)], asked).steps).toHaveLength(1);
});

test('several filter objects are all asked', () => {
  const rule = filtered([{ requestMethod: ['GET'] }, { resourceType: ['script'] }]);
  expect(skippedOf(rule)?.reason).toBe('filter:resourceType');
});

describe('pattern: what the engine of linear time cannot express keeps a rule off', () => {
  test.each(['/(?=a)/', '(?<!b)a', '/(a)\\1/', `/${'a{1000}'.repeat(20)}/`, `/${'a'.repeat(1_001)}/`])(
    '%s',
    (value) => {
      expect(skippedOf(headers(source(value, 'Matches')))).toMatchObject({
        reason: 'pattern',
        expected: expect.any(String),
      });
    },
  );

  test('in a filter and in the text of a Replace', () => {
    expect(
      skippedOf(filtered({ requestPayload: { key: 'a', operator: 'Matches', value: '(?=a)' } }), post('{"a":1}')),
    ).toMatchObject({
      reason: 'pattern',
    });
    expect(skippedOf(compiled('Replace', [{ ...ANY, from: '/(?=a)/', to: 'b' }]))?.reason).toBe('pattern');
  });
});

test('noChange: what is there already, is absent, or may not be written', () => {
  const of = (type: string, header: string, value?: string) =>
    skippedOf(compiled('Headers', [{ ...ANY, modifications: [{ type, header, value }] }]), {
      headers: { host: 'a.test', 'x-a': '1' },
    });
  expect(of('Modify', 'x-a', '1')).toMatchObject({ reason: 'noChange', actual: 'x-a: 1' });
  expect(of('Remove', 'x-b')).toMatchObject({ reason: 'noChange', actual: 'no such header' });
  for (const [header, value] of [
    ['content-length', '1'],
    ['Proxy-Authorization', 'x'],
    ['a b', '1'],
    ['', '1'],
    ['x', '1\n2'],
    ['x', '\0'],
    ['host', 'a b'],
  ] as const) {
    expect(of('Add', header, value), header).toMatchObject({
      reason: 'noChange',
      expected: expect.stringContaining('that'),
    });
  }
  expect(of('Remove', 'Host')?.actual).toContain('must have it');
  expect(skippedOf(redirect(ANY, 'http://a.test/'))).toMatchObject({ reason: 'noChange', actual: 'http://a.test/' });
  expect(skippedOf(compiled('Request', [{ ...ANY, type: 'static', value: '' }]), post('x'))?.reason).toBe('noChange');
  expect(skippedOf(compiled('Response', [{ ...ANY, type: 'static', value: '', statusCode: 'x' }]))?.reason).toBe(
    'noChange',
  );
  expect(skippedOf(compiled('Delay', [{ ...ANY, delay: '0' }]))?.reason).toBe('noChange');
  expect(skippedOf(compiled('UserAgent', [{ ...ANY, userAgent: 'x\r\ny' }]))?.reason).toBe('noChange');
});

describe('a preflight', () => {
  const preflight = {
    method: 'OPTIONS',
    url: 'http://a.test/',
    headers: {
      origin: 'https://p.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  };
  const allowed = {
    status: 204,
    headers: [
      { name: 'access-control-allow-origin', value: 'https://p.test' },
      { name: 'access-control-allow-credentials', value: 'true' },
      { name: 'vary', value: 'origin' },
      { name: 'access-control-allow-methods', value: 'POST' },
      { name: 'access-control-allow-headers', value: 'content-type' },
    ],
    body: Buffer.alloc(0),
  };
  const posts = (filters: object) => ({ source: { ...source('a.test').source, filters } });
  const served = { type: 'static', value: '{"id":1}', serveWithoutRequest: true };
  const reasons = ({ skipped }: Evaluation) => skipped.map(({ reason, actual }) => [reason, actual]);

  test('of a request that is redirected is answered', () => {
    for (const filters of [{}, { requestMethod: ['POST'] }]) {
      const rules = [
        compiled('Redirect', [{ ...posts(filters), destinationType: 'url', destination: 'http://b.test/' }]),
        compiled('QueryParam', [{ ...ANY, modifications: [{ param: 'a', type: 'Add', value: '1' }] }]),
        compiled('Headers', [{ ...ANY, modifications: [{ header: 'x', type: 'Add', value: '1' }] }]),
      ];
      const answered = run(rules, preflight);
      expect(answered).toMatchObject({ outcome: 'served', location: null, request: { url: 'http://a.test/' } });
      expect(answered.response).toEqual(allowed);
      expect(answered.steps.map(({ phase }) => phase)).toEqual(['url', 'url']);
      expect(reasons(answered)).toEqual([['noChange', 'a preflight']]);
      expect(run(rules, preflight, { mode: 'rewrite' }).request.url).toBe('http://b.test/?a=1');
    }
    const ofGets = compiled('Redirect', [
      { ...posts({ requestMethod: ['GET'] }), destinationType: 'url', destination: 'http://b.test/' },
    ]);
    expect(run([ofGets], preflight)).toMatchObject({ outcome: 'forward', steps: [] });
  });

  test('of a request that a rule serves is answered', () => {
    for (const filters of [{}, { requestMethod: ['POST'] }]) {
      const answered = run([compiled('Response', [{ ...posts(filters), ...served }])], preflight);
      expect(answered).toMatchObject({ outcome: 'served', response: allowed });
      expect(answered.steps.map(({ changed }) => changed)).toEqual([[{ what: 'status', before: null, after: '204' }]]);
    }
    const bare = run([compiled('Response', [{ ...ANY, ...served }])], {
      ...preflight,
      headers: { origin: 'x\u0001', 'access-control-request-method': 'PUT' },
    });
    expect(bare.response?.headers).toContainEqual({ name: 'access-control-allow-origin', value: '*' });
    const ofGets = compiled('Response', [{ ...posts({ requestMethod: ['GET'] }), ...served }]);
    expect(run([ofGets], preflight)).toMatchObject({ outcome: 'forward', steps: [] });
  });

  test('is not waited for, nor has it a body or answer replaced, unless a filter names it', () => {
    const rules = (filters: object) => [
      compiled('Response', [{ ...posts(filters), type: 'static', value: 'x', statusCode: '500' }]),
      compiled('Request', [{ ...posts(filters), type: 'static', value: 'y' }]),
      compiled('Delay', [{ ...posts(filters), delay: '1000' }]),
    ];
    const upstream = { upstream: { status: 204, headers: { 'access-control-allow-origin': '*' } } };
    const passed = run(rules({}), { ...preflight, ...upstream });
    expect(passed).toMatchObject({ outcome: 'forward', delayMs: 0, steps: [], response: { status: 204 } });
    expect(passed.request.body).toBeUndefined();
    expect(reasons(passed)).toEqual(Array.from({ length: 3 }, () => ['noChange', 'a preflight']));
    const named = run(rules({ requestMethod: ['OPTIONS'] }), { ...preflight, ...upstream });
    expect(named).toMatchObject({ delayMs: 1_000, response: { status: 500 } });
    expect(named.request.body?.toString()).toBe('y');
    const servedItself = compiled('Response', [{ ...posts({ requestMethod: ['options'] }), ...served }]);
    expect(run([servedItself], preflight).response).toMatchObject({ status: 200 });
  });
});

test('noBody: of a GET, of an answer to HEAD, of a status without one', () => {
  expect(skippedOf(compiled('Request', [{ ...ANY, type: 'static', value: 'x' }]), { method: 'HEAD' })).toMatchObject({
    reason: 'noBody',
    actual: 'HEAD',
  });
  const body = compiled('Response', [{ ...ANY, type: 'static', value: 'x' }]);
  expect(skippedOf(body, { method: 'HEAD', upstream: {} })).toMatchObject({ reason: 'noBody' });
  expect(skippedOf(body, { upstream: { status: 204 } })).toMatchObject({ reason: 'noBody', actual: '204' });
});

test.each(['http://', 'file:///etc/passwd', '/elsewhere', 'ftp://b.test/', 'http://b.test\\x', 'http://[', '', '$1'])(
  'destinationInvalid: %j',
  (destination) => {
    const expected = expect.stringContaining('http or https URL');
    expect(skippedOf(redirect(ANY, destination))).toMatchObject({
      reason: 'destinationInvalid',
      expected,
      actual: destination,
    });
  },
);

// reaches RULE_URL_CHARS_MAX
test('destinationInvalid: what a Replace or a query makes too long, or no URL', () => {
  const url = `http://a.test/${'a'.repeat(14_000)}`;
  expect(skippedOf(compiled('Replace', [{ ...ANY, from: 'http', to: 'ftp' }]))?.reason).toBe('destinationInvalid');
  expect(skippedOf(compiled('Replace', [{ ...ANY, from: 'a.t', to: 'b'.repeat(131_072) }]), { url })?.reason).toBe(
    'destinationInvalid',
  );
  const modifications = [{ param: 'a', type: 'Add', value: 'b'.repeat(131_072) }];
  expect(skippedOf(compiled('QueryParam', [{ ...ANY, modifications }]), { url })?.reason).toBe('destinationInvalid');
  const grows = compiled('Redirect', [
    { ...source('*', 'Wildcard_Matches'), destination: `http://b.test/${'$1'.repeat(20)}` },
  ]);
  expect(skippedOf(grows, { url })?.reason).toBe('destinationInvalid');
});

test('filesOff, codeOff', () => {
  expect(skippedOf(redirect(ANY, 'http://b.test/', 'map_local'))?.reason).toBe('filesOff');
  expect(skippedOf(compiled('Request', [{ ...ANY, type: 'code', value: 'x' }]))?.reason).toBe('codeOff');
  expect(
    skippedOf(compiled('Response', [{ ...ANY, type: 'code', value: 'x', serveWithoutRequest: true }]))?.reason,
  ).toBe('codeOff');
});

test('bodyEncoded: a payload that nobody decoded', () => {
  const rule = filtered({ requestPayload: { key: 'a', value: 1 } });
  expect(skippedOf(rule, post('\u001f\u008b', { 'Content-Encoding': 'gzip' }))).toMatchObject({
    reason: 'bodyEncoded',
    actual: 'gzip',
  });
  expect(run([rule], post('{"a":1}', { 'Content-Encoding': 'gzip' })).steps).toHaveLength(1);
});

test('endedBefore: what has the URL and comes behind a Cancel or a redirect', () => {
  const late = [
    headers(ANY),
    compiled('Delay', [{ ...ANY, delay: 5 }]),
    compiled('Response', [{ ...ANY, type: 'static', value: 'x', serveWithoutRequest: true }]),
  ];
  const other = headers(source('b.test'));
  for (const ending of [compiled('Cancel', [ANY]), redirect(ANY, 'http://b.test/')]) {
    const answer = run([...late, other, ending], { upstream: {} });
    expect(answer.steps.map(({ ruleId }) => ruleId)).toEqual([ending.id]);
    expect(answer.skipped.map(({ reason }) => reason)).toEqual(['endedBefore', 'endedBefore', 'endedBefore', 'source']);
    expect(answer.delayMs).toBe(0);
  }
});

test("source: nothing applies to the server's own addresses", () => {
  const input = { ownAddresses: new Set(['a.test:80']) };
  expect(skippedOf(redirect(ANY, 'http://b.test/'), {}, input)).toMatchObject({ reason: 'source', actual: 'a.test' });
  expect(run([redirect(ANY, 'http://b.test/')], { url: 'http://a.test:81/' }, input).outcome).toBe('redirect');
});

test('a rule of which one pair acts is not a miss; what of it cannot be done is told', () => {
  const rule = compiled('Headers', [
    { ...ANY, modifications: [...MODIFICATIONS, { header: 'te', type: 'Remove' }] },
    { ...source('b.test'), modifications: MODIFICATIONS },
  ]);
  expect(run([rule])).toMatchObject({
    steps: [{ pairId: 'p0' }],
    skipped: [{ pairId: 'p0', actual: expect.stringContaining('te ') }],
    skippedCount: 1,
  });
});

test('of several pairs the one that came nearest is told', () => {
  const rule = compiled('Cancel', [
    source('b.test'),
    source('a.test', 'Contains', 'Url', { requestMethod: ['PUT'] }),
    source('c.test'),
  ]);
  expect(skippedOf(rule)).toMatchObject({ pairId: 'p1', reason: 'filter:requestMethod' });
});

describe('details', () => {
  const misses = Array.from({ length: 50 }, (_, index) => headers(source(`http://host${index}.test/`, 'Equals')));
  const near = headers(source('http://a.test/near', 'Equals'));
  const short = filtered({ requestMethod: ['PUT'] });
  const rules = [...misses, near, short];

  // reaches SKIPPED_NEAREST_MAX
  test('applied: those that have the URL, and the twenty nearest of the others', () => {
    const { skipped, skippedCount, nextOffset } = run(rules);
    expect(skipped.slice(0, 2).map(({ ruleId }) => ruleId)).toEqual([short.id, near.id]);
    expect(skipped).toHaveLength(1 + SKIPPED_NEAREST_MAX);
    expect([skippedCount, nextOffset]).toEqual([52, null]);
  });

  test('all: page by page, in order of creation', () => {
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page = run(rules, {}, { details: { offset, count: 20 } });
      seen.push(...page.skipped.map(({ ruleId }) => ruleId));
      offset = page.nextOffset;
    }
    expect(seen).toEqual(rules.map(({ id }) => id));
  });

  test('none: nothing is told of what was skipped', () => {
    expect(evaluate(tableOf(rules), exchangeOf({}))).toMatchObject({ skipped: [], skippedCount: 0, steps: [] });
  });

  // reaches SKIPPED_MATCHING_MAX
  test('more than 1,000 that have the URL are cut', () => {
    const inactive = Array.from({ length: 1_100 }, () => headers(ANY, { status: 'Inactive' }));
    const { skipped, skippedCount } = run(inactive);
    expect([skipped.length, skippedCount]).toEqual([1_000, 1_100]);
  });
});

describe('a source matches as the wire spells it:', () => {
  test.each([
    ['Url', 'Equals', 'https://API.Example.com/users', 'https://API.Example.com/users'],
    ['Url', 'Wildcard_Matches', 'http://api.example.com:80/*', 'http://api.example.com:80/users'],
    ['Url', 'Equals', 'https://a.example:443', 'https://a.example/'],
    ['Host', 'Equals', 'bücher.example', 'https://bücher.example/'],
    ['Host', 'Equals', 'a.example:443', 'https://a.example/'],
    ['Host', 'Equals', 'a.example:443', 'http://a.example:443/'],
    ['Url', 'Wildcard_Matches', 'https://*.bücher.example/*', 'https://www.xn--bcher-kva.example/1'],
    ['Url', 'Contains', '/café', 'https://a.example/café/1'],
    ['Path', 'Equals', '/caf%c3%a9', 'https://a.example/caf%C3%A9'],
    ['Path', 'Contains', '/caf%C3%A9', 'https://a.example/caf%c3%a9/2'],
    ['Url', 'Wildcard_Matches', 'wss://live.example/*', 'https://live.example/feed'],
  ])('%s %s %s', (key, operator, value, url) => {
    const rule = headers(source(value, operator, key));
    expect(run([rule], { url }).steps).toHaveLength(1);
    expect(
      ruleWarnings(stored('Headers', [{ ...source(value, operator, key), modifications: MODIFICATIONS }])),
    ).toEqual([]);
  });

  test('a redirect of a WebSocket leads to one', () => {
    const rule = compiled('Redirect', [
      {
        ...source('wss://live.example/*', 'Wildcard_Matches'),
        destinationType: 'url',
        destination: 'ws://127.0.0.1:9001/$1',
      },
    ]);
    expect(run([rule], { url: 'https://live.example/feed' }, { mode: 'rewrite' }).request.url).toBe(
      'http://127.0.0.1:9001/feed',
    );
  });
});

describe('what can never act is said at the save, and looks off:', () => {
  test.each([
    ['https://a.example/#/cart', 'Equals', 'Url', 'fragment'],
    ['https://u:p@a.example/', 'Equals', 'Url', 'user'],
    ['ftp://a.example/', 'Equals', 'Url', 'ftp'],
    ['a.example/x', 'Equals', 'Url', 'http://'],
    ['https://a.example', 'Equals', 'Host', 'scheme'],
    ['users', 'Equals', 'Path', '"/"'],
    ['/users?x=1', 'Equals', 'Path', 'query'],
  ] as const)('%s %s %s', (value, operator, key, word) => {
    const rule = stored('Cancel', [source(value, operator, key)]);
    expect(ruleWarnings(rule)).toEqual([
      {
        pairId: 'p0',
        path: '/pairs/0/source/value',
        warning: expect.stringMatching(`^this pair stays off: .*${word}`),
      },
    ]);
    expect(isUnsupported(rule)).toBe(true);
    expect(isUnsupported(stored('Cancel', [source(value, operator, key), source('a.example', 'Equals', 'Host')]))).toBe(
      false,
    );
  });

  test.each([
    [{ resourceTypes: ['xmlhttprequest'] }, true, 'resourceType'],
    [{ resourceType: ['xhr'] }, true, 'xmlhttprequest'],
    [{ resourceType: ['xhr', 'script'] }, false, 'xmlhttprequest'],
    [{ requestMethod: ['P OST'] }, true, 'method'],
  ])('the filter %j', (filters, isOff, word) => {
    const rule = stored('Cancel', [source('a.test', 'Contains', 'Url', filters)]);
    expect(ruleWarnings(rule)).toEqual([
      expect.objectContaining({ path: '/pairs/0/source/filters', warning: expect.stringContaining(word) }),
    ]);
    expect(isUnsupported(rule)).toBe(isOff);
    expect(run([filtered(filters)]).steps).toEqual([]);
  });

  test.each([
    ['Redirect', { destinationType: 'map_local', destination: 'file:///a.json' }, 'filesOff', '/destination'],
    ['Request', { type: 'code', value: 'x' }, 'codeOff', '/value'],
    ['Response', { response: { type: 'code', value: 'x' } }, 'codeOff', '/response/value'],
  ] as const)('what the server has no option for: %s %j', (ruleType, pair, code, path) => {
    const none = { runsCode: false, readsFiles: false };
    const rule = stored(ruleType, [{ ...ANY, ...pair }]);
    expect(ruleWarnings(rule, none)).toEqual([
      { pairId: 'p0', path: `/pairs/0${path}`, warning: expect.stringMatching(/^cannot act: .* --rule-/), code },
    ]);
    expect(isUnsupported(rule, none)).toBe(true);
    expect(ruleWarnings(rule)).toEqual([]);
    expect(isUnsupported(rule)).toBe(false);
    expect(isUnsupported(stored(ruleType, [{ ...ANY, ...pair }, source('a.test', 'Equals', 'Host')]), none)).toBe(
      false,
    );
    expect(ruleWarnings(stored('Cancel', [{ ...ANY, ...pair }]), none)).toEqual([]);
  });
});

test('filters have names in any case, and a misspelt one acts on nothing', () => {
  expect(run([filtered({ RequestMethod: ['POST'] })], { method: 'POST' }).steps).toHaveLength(1);
  expect(skippedOf(filtered([{ RequestMethod: ['POST'] }]))).toMatchObject({ reason: 'filter:requestMethod' });
  expect(skippedOf(filtered({ requestMethods: ['GET'] }))).toMatchObject({
    reason: 'filter:unknown',
    actual: 'requestMethods',
  });
  expect(run([filtered({ requestMethods: [], other: { value: '' } })]).steps).toHaveLength(1);
});

test('the page is named by a host, with its subdomains, with a port, as an origin, or by its subdomains alone', () => {
  const onPage = (domain: string, origin: string) =>
    run([filtered({ pageDomains: [domain] })], { headers: { origin } }).steps.length === 1;
  expect(onPage('p.test', 'https://p.test')).toBe(true);
  expect(onPage('p.test', 'https://www.p.test:8443')).toBe(true);
  expect(onPage('p.test:8443', 'https://p.test:8443')).toBe(true);
  expect(onPage('p.test:8443', 'https://p.test')).toBe(false);
  expect(onPage('https://p.test/', 'https://p.test')).toBe(true);
  expect(onPage('http://p.test', 'https://p.test')).toBe(false);
  expect(onPage('*.p.test', 'https://www.p.test')).toBe(true);
  expect(onPage('*.p.test', 'https://p.test')).toBe(false);
});

test('a payload is a form, its fields, or any text', () => {
  const sees = (filter: object, body: string, type: string) =>
    run([filtered({ requestPayload: filter })], post(body, { 'content-type': type })).steps.length === 1;
  const form = 'application/x-www-form-urlencoded';
  expect(sees({ operator: 'Contains', value: 'action=pay' }, 'action=pay&x=1', form)).toBe(true);
  expect(sees({ key: 'name', operator: 'Equals', value: 'a b' }, 'x=1&name=a+b', form)).toBe(true);
  expect(sees({ key: 'x', operator: 'Equals', value: '2' }, 'x=1', form)).toBe(false);
  const parts = '--b\r\nContent-Disposition: form-data; name="op"\r\n\r\npay\r\n--b--\r\n';
  expect(sees({ key: 'op', operator: 'Equals', value: 'pay' }, parts, 'multipart/form-data; boundary=b')).toBe(true);
  expect(sees({ operator: 'Contains', value: '<pay>' }, '<pay>1</pay>', 'application/xml')).toBe(true);
  expect(sees({ key: 'pay', operator: 'Equals', value: '1' }, '<pay>1</pay>', 'application/xml')).toBe(false);
});
