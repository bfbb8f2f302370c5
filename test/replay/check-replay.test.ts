/** Whether a mock answers as it was recorded: what counts as equal, where a difference begins, and what cannot be compared. */
import { describe, expect, test } from 'vitest';
import type { MockDefinition, MockResponse } from '../../src/model/mocks/definition/definition.ts';
import { checkRecording, checkSamples } from '../../src/replay/check-replay.ts';
import { define, response, route, rule } from '../support/mocks.ts';

interface Given {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly own?: object;
  readonly post?: string;
}

function entry(
  target: string,
  body: string,
  { status = 200, type = 'application/json', headers = [], own, post }: Given = {},
) {
  const [method, path] = target.split(' ');
  return {
    request: {
      method,
      url: `http://mock.test${path}`,
      headers: [],
      ...(post === undefined ? {} : { postData: { mimeType: 'application/json', text: post } }),
    },
    response: {
      status,
      headers: [{ name: 'Content-Type', value: type }, ...headers],
      content: { mimeType: type, text: body },
    },
    ...(own === undefined ? {} : { _switchyard: own }),
  };
}

const check = (definition: MockDefinition, entries: readonly object[], headers: readonly string[] = []) =>
  checkRecording({ definition, sharedDomains: [] }, { log: { entries } }, headers);

const answer = (body: string, given: Partial<MockResponse> = {}, type = 'application/json') =>
  response({ body, headers: [{ name: 'Content-Type', value: type }], ...given });

/** What differs when a mock answers `answered` in place of `recorded`. */
function differenceOf(recorded: ReturnType<typeof entry>, answered: MockResponse, headers: readonly string[] = []) {
  const { checked, same, different } = check(define([route('GET /a', [answered])]), [recorded], headers);
  expect([checked, same]).toEqual([1, 1 - different.length]);
  return different.map(({ reason, at, recorded: one, answered: other }) => [reason, at, one, other]);
}

describe('an exchange is answered the same', () => {
  test('when status, media type and body are equal, JSON whatever its order and spaces', () => {
    const answered = answer('{"a":{"b":[1,{"c":null}]},"d":"é"}', {}, 'application/json; charset=utf-8');
    expect(differenceOf(entry('GET /a', '{ "d": "\\u00e9", "a": {"b": [1.0, {"c": null}]} }'), answered)).toEqual([]);
    expect(differenceOf(entry('GET /a', 'plain', { type: 'text/plain' }), answer('plain', {}, 'text/plain'))).toEqual(
      [],
    );
  });

  test.each([
    ['{"a":{"b":[1,2]}}', '{"a":{"b":[1,3]}}', '/a/b/1', '2', '3'],
    ['{"a":1}', '{"a":1,"b":{"c":2}}', '/b', null, '{"c":2}'],
    ['[1,2]', '[1]', '/1', '2', null],
    ['{"a/b":{"~":[]}}', '{"a/b":{"~":{}}}', '/a~1b/~0', '[]', '{}'],
    ['{"__proto__":1}', '{}', '/__proto__', '1', null],
    ['1', '"1"', '', '1', '"1"'],
    ['no JSON at all', 'no JSON after all', '9', 'no JSON at all', 'no JSON after all'],
    ['{"a":1}', '', '0', '{"a":1}', null],
    [`"${'x'.repeat(500)}"`, '1', '', `"${'x'.repeat(199)}…`, '1'],
  ])('the body %s is not %s: at %s', (recorded, answered, at, one, other) => {
    expect(differenceOf(entry('GET /a', recorded), answer(answered))).toEqual([['body', at, one, other]]);
  });

  test('else the first difference says what it is', () => {
    expect(differenceOf(entry('GET /a', '1', { status: 201 }), answer('1'))).toEqual([['status', null, '201', '200']]);
    expect(differenceOf(entry('GET /a', '1'), answer('1', {}, 'text/plain'))).toEqual([
      ['mediaType', null, 'application/json', 'text/plain'],
    ]);
    const tagged = entry('GET /a', '1', { headers: [{ name: 'X-Tag', value: 'a' }] });
    expect(differenceOf(tagged, answer('1'))).toEqual([]);
    expect(differenceOf(tagged, answer('1'), ['x-TAG'])).toEqual([['header', 'x-tag', 'a', null]]);
  });

  test('when the events of a stream are equal, however their lines are written', () => {
    const type = 'text/event-stream';
    const streamed = (...events: readonly object[]) => answer('', { stream: { events } }, type);
    const recorded = entry('GET /a', ':\n\ndata:1\r\nid:a\r\n\r\ndata: 2\n\n', { type });
    expect(differenceOf(recorded, streamed({ id: 'a', data: '1' }, { data: '2' }))).toEqual([]);
    expect(differenceOf(recorded, streamed({ id: 'a', data: '1' }))).toHaveLength(1);
    expect(differenceOf(recorded, streamed({ id: 'a', data: '1' }, { data: '3' }))).toHaveLength(1);
    const many = Array.from({ length: 150 }, (_, index) => ({ data: String(index) }));
    const text = many.map(({ data }) => `data: ${data}\n\n`).join('');
    expect(differenceOf(entry('GET /a', text, { type }), streamed(...many))).toEqual([]);
  });

  test('when there is no body to send: HEAD, 204 and 304', () => {
    const mock = define([
      route('ANY /a', [answer('mine')]),
      route('GET /b', [answer('', { status: 204 }, 'text/plain')]),
    ]);
    expect(check(mock, [entry('HEAD /a', ''), entry('GET /b', '', { status: 204 })])).toMatchObject({
      checked: 2,
      same: 2,
    });
  });

  test('a body nested as deeply as it is long is compared', () => {
    const deep = (end: string) => `${'['.repeat(50_000)}${end}${']'.repeat(50_000)}`;
    const [[reason, at, , answered] = []] = differenceOf(entry('GET /a', deep('1')), answer(deep('2')));
    expect([reason, at?.slice(0, 6), answered]).toEqual(['body', '/0/0/0', '2']);
  });
});

describe('requests go in their order', () => {
  test('through sequences and scenarios, from their first on', () => {
    const scenario = (requires: string, moveTo: string) => ({ scenario: { name: 'order', requires, moveTo } });
    const mock = define(
      [
        route('GET /s', [answer('1'), answer('2')], { selection: 'sequential' }),
        route('GET /state', [answer('"new"', scenario('new', 'paid')), answer('"paid"', scenario('paid', 'new'))]),
      ],
      { scenarios: [{ name: 'order', states: ['new', 'paid'] }] },
    );
    const entries = ['1', '2', '1'].map((body) => entry('GET /s', body));
    const states = ['"new"', '"paid"', '"new"'].map((body) => entry('GET /state', body));
    expect(check(mock, [...entries, ...states]).summary).toBe('all 6 exchanges are answered the same');
    expect(
      check(mock, [...states.slice(1), ...entries.slice(1)]).different.map(({ number, at }) => [number, at]),
    ).toEqual([
      [1, ''],
      [2, ''],
      [3, ''],
      [4, ''],
    ]);
  });

  test('conditions see path, query, headers and body', () => {
    const rules = [
      rule('body', 'n', 'equals', '1'),
      rule('query', 'x', 'equals', 'a b'),
      rule('urlParam', 'id', 'equals', '7'),
    ];
    const mock = define([route('POST /a/:id', [answer('1', { rules }), answer('0')])]);
    expect(check(mock, [entry('POST /a/7?x=a+b', '1', { post: '{"n":1}' }), entry('POST /a/8', '0')]).same).toBe(2);
  });
});

test('what cannot be compared is counted by its reason', () => {
  const mock = define([route('GET /a', [answer('1')])], { proxy: { upstream: 'http://127.0.0.1:1' } });
  const found = check(mock, [
    entry('GET /a', '1', { own: { id: '7' } }),
    entry('GET /a', '', { own: { partial: true } }),
    entry('GET /a', '1', { own: { open: true } }),
    entry('GET /a', '', { status: 0, own: { failed: { kind: 'timeout', reason: '' } } }),
    entry('GET /b', '2'),
  ]);
  expect(found.notChecked).toEqual({ partial: 1, open: 1, failed: 1, proxied: 1, beyond: 0 });
  expect(found.summary).toBe(
    '1 exchange is answered the same. Not checked: 1 without the whole body, 1 with an incomplete response, 1 without a response of the upstream, 1 that the mock proxies',
  );
});

test('without a route, the nearest one is named; so is a problem of the mock', () => {
  const mock = define([route('GET /users/:id', [answer('{{json "x"}}', { templated: true })])]);
  const found = check(mock, [entry('GET /user/1', '1', { own: { id: '41' } }), entry('GET /users/1', '1')]);
  expect(found.different[0]).toEqual({
    number: 41,
    request: 'GET /user/1',
    reason: 'noRoute',
    at: null,
    recorded: '200',
    answered: 'no route matches; nearest: GET /users/:id',
  });
  expect(found.summary).toBe('0 of 2 exchanges are answered the same; 2 differ');
  expect(check(define([]), [])).toMatchObject({ checked: 0, summary: 'no exchange was checked' });
});

// reaches REPLAY_ENTRIES_MAX, REPLAY_DIFFERENCES_MAX
test('of more exchanges than one check answers, the others are counted; a hundred differences are listed', () => {
  const mock = define([route('GET /a', [answer('1')])]);
  const found = check(
    mock,
    Array.from({ length: 5_002 }, (_, index) => entry('GET /a', index < 150 ? '2' : '1')),
  );
  expect([found.checked, found.same, found.different.length, found.notChecked.beyond]).toEqual([5_000, 4_850, 100, 2]);
});

test('each sample is answered by its own response', () => {
  const sample = (path: string, query = '', body = '') =>
    ({ path, query, headers: [], body, bodyEncoding: 'text' }) as const;
  const mock = define(
    [
      route('GET /a', [
        answer('1', { label: 'one', rules: [rule('query', 'x', 'equals', '1')], sample: sample('/a', 'x=1') }),
        answer('2', { label: 'two', rules: [rule('query', 'x', 'equals', '2')], sample: sample('/a', 'x=1') }),
        answer('3'),
      ]),
      route(
        'GET /s',
        ['1', '2'].map((body) => answer(body, { sample: sample('/s') })),
        { selection: 'sequential' },
      ),
      route('POST /state', [
        answer('1', { scenario: { name: 'order', requires: 'new' }, sample: sample('/state', '', '{}') }),
        answer('2', { scenario: { name: 'order', requires: 'paid' }, sample: sample('/state', '', '{}') }),
      ]),
      route('GET /gone', [answer('1', { sample: sample('/nowhere') })]),
    ],
    { scenarios: [{ name: 'order', states: ['new', 'paid'] }] },
  );
  const { checked, same, different, summary } = checkSamples({ definition: mock, sharedDomains: [] });
  expect([checked, same]).toEqual([7, 5]);
  expect(different.map(({ number, reason, recorded, answered }) => [number, reason, recorded, answered])).toEqual([
    [2, 'otherRoute', 'GET /a, response two', 'GET /a, response one'],
    [7, 'noRoute', expect.stringMatching(/^GET \/gone, response /), 'no route matches; nearest: GET /a'],
  ]);
  expect(summary).toBe('5 of 7 samples are answered the same; 2 differ');
});
