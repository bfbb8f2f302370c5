/** What request headers ask for, and which response of a mock with `forced` they get from both the compiled mock and the interpreter. */
import { ACCEPT_RANGES_MAX } from '../../src/serving/matching/choose/preferences.ts';
import { describe, expect, test } from 'vitest';
import type { MockResponse } from '../../src/model/mocks/definition/definition.ts';
import { answerRequest } from '../../src/serving/matching/answer-request.ts';
import { explainRequest } from '../../src/serving/matching/explain/explain.ts';
import { findRoute } from '../../src/serving/matching/routing/find-route.ts';
import {
  always,
  compile,
  compiledAnswer,
  define,
  explainedAnswer,
  request,
  response,
  route,
  rule,
} from '../support/mocks.ts';

type Headers = Record<string, string | string[]>;

const typed = (body: string, type: string, given: Partial<MockResponse> = {}): MockResponse =>
  response({ body, headers: [{ name: 'content-type', value: type }], ...given });

const RESPONSES = [
  typed('cat json', 'application/json; charset=utf-8', { label: 'cat' }),
  typed('cat xml', 'application/xml', { label: 'cat' }),
  typed('dog', 'application/json', { label: ' the "dog", née X ', default: true }),
  response({ body: 'plain', label: 'plain' }),
  typed('gone', 'application/json', { label: 'gone', status: 404 }),
  typed('cat gone', 'text/html', { label: 'cat', status: 404 }),
];

function answered(headers: Headers, forced = true): string | undefined {
  const definition = define([route('GET /', RESPONSES)], { forced });
  const asked = request('GET', '/', { headers });
  const answer = compiledAnswer(compile(definition), asked);
  expect(answer).toEqual(explainedAnswer(definition, asked));
  return answer?.body;
}

describe('a request gets', () => {
  test.each<[Headers, string]>([
    [{}, 'dog'],
    [{ 'x-mock-response-name': 'cat' }, 'cat json'],
    [{ 'x-mock-response-name': 'CAT' }, 'dog'],
    [{ 'x-mock-response-name': ' plain ' }, 'plain'],
    [{ 'x-mock-response-name': 'the "dog", née X' }, 'dog'],
    [{ 'x-mock-response-name': '%70lain' }, 'plain'],
    [{ 'x-mock-response-name': '%zzplain' }, 'dog'],
    [{ 'x-mock-response-name': ['', 'cat', 'plain'] }, 'cat json'],
    [{ 'x-mock-response-code': '404' }, 'gone'],
    [{ 'x-mock-response-code': '4.04e2' }, 'dog'],
    [{ 'x-mock-response-code': '404', 'x-mock-response-name': 'cat' }, 'cat gone'],
    [{ 'x-mock-response-code': '404', 'x-mock-response-name': 'plain' }, 'dog'],
    [{ 'x-mock-response-code': '404 cat' }, 'dog'],
    [{ prefer: 'example=cat' }, 'cat json'],
    [{ prefer: 'code=404' }, 'gone'],
    [{ prefer: 'respond-async, Code=404; x=1, wait=10, EXAMPLE = "cat"' }, 'cat gone'],
    [{ prefer: ['return=minimal', 'code=404', 'example=cat'] }, 'cat gone'],
    [{ prefer: 'example=plain, example=cat' }, 'plain'],
    [{ prefer: 'example="the \\"dog\\", n%C3%A9e X"' }, 'dog'],
    [{ prefer: 'x="example=cat, code=404"' }, 'dog'],
    [{ prefer: 'example, code=""' }, 'dog'],
    [{ prefer: 'code=404', 'x-mock-response-name': 'plain' }, 'plain'],
    [{ accept: '*/*' }, 'dog'],
    [{ accept: 'application/xml' }, 'cat xml'],
    [{ accept: 'application/xml;q=0.4, application/*;q=0.5' }, 'dog'],
    [{ accept: 'application/json;q=0, */*;q=0.1' }, 'cat xml'],
    [{ accept: 'application/*;q=0, *;q=0.1' }, 'plain'],
    [{ accept: ['text/html', 'APPLICATION/XML'] }, 'cat xml'],
    [{ accept: 'application/json;charset=utf-8, application/xml;q=0.9' }, 'dog'],
    [{ accept: 'application/json;version=2, application/xml;q=0.9' }, 'cat xml'],
    [{ accept: 'image/png' }, 'dog'],
    [{ accept: '' }, 'dog'],
    [{ accept: 'application/xml', 'x-mock-response-name': 'cat' }, 'cat xml'],
    [{ accept: 'text/html', 'x-mock-response-name': 'cat' }, 'cat json'],
    [{ accept: 'text/html', 'x-mock-response-code': '404' }, 'cat gone'],
    [{ accept: 'application/xml', 'x-mock-response-code': '404' }, 'gone'],
    [{ accept: 'application/xml', 'x-mock-response-name': 'none' }, 'cat xml'],
  ])('by %j: %s', (headers, expected) => {
    expect(answered(headers)).toBe(expected);
  });

  test.each<[Headers]>([
    [{ 'x-mock-response-name': 'cat' }],
    [{ prefer: 'code=404' }],
    [{ accept: 'application/xml' }],
  ])('by %j the usual response when `forced` is off', (headers) => {
    expect(answered(headers, false)).toBe('dog');
  });
});

// reaches ACCEPT_RANGES_MAX
test('of Accept, a hundred ranges are read', () => {
  const others = (count: number): string => 'text/x, '.repeat(count);
  expect(answered({ accept: `${others(ACCEPT_RANGES_MAX - 1)}application/xml` })).toBe('cat xml');
  expect(answered({ accept: `${others(ACCEPT_RANGES_MAX)}application/xml` })).toBe('dog');
});

test('under `rules`, Accept picks no response whose rules are others', () => {
  const page = (value: string) => ({ rules: [rule('query', 'page', 'equals', value)] });
  const responses = [
    typed('one', 'text/html', page('1')),
    typed('two', 'application/json', page('2')),
    typed('two as page', 'text/html', page('2')),
    typed('other', 'text/css'),
  ];
  const asked = (accept: string) => request('GET', '/?page=2', { headers: { accept } });
  const mock = compile(define([route('GET /', responses)], { forced: true }));
  expect(compiledAnswer(mock, asked('text/html'))?.body).toBe('two as page');
  expect(compiledAnswer(mock, asked('text/css'))?.body).toBe('two');
  const named = request('GET', '/', { headers: { 'x-mock-response-code': '200', accept: 'text/css' } });
  expect(compiledAnswer(mock, named)?.body).toBe('other');
});

describe('a route whose responses are chosen by number', () => {
  const responses = [response({ body: 'a', label: 'a' }), response({ body: 'b', label: 'b' })];
  const counted = { next: 0, upcoming: 0 };
  const counter = {
    ...always(1, 1),
    next: () => ++counted.next,
    upcoming: () => ((counted.upcoming += 1), counted.next + 1),
  };
  const bodyOf = (selection: 'sequential' | 'random' | 'rules', headers: Headers, text = ''): string => {
    const [first, second] = responses as [MockResponse, MockResponse];
    const list = [{ ...first, body: `a${text}`, templated: text !== '' }, second];
    const mock = compile(define([route('GET /', list, { selection })], { forced: true, seed: 1 }));
    const found = findRoute(mock, 'GET', '/') as NonNullable<ReturnType<typeof findRoute>>;
    const { body } = answerRequest(found, request('GET', '/', { headers }), counter) as { body: string | ArrayBuffer };
    return typeof body === 'string' ? body : Buffer.from(body).toString();
  };
  const name = (label: string): Headers => ({ 'x-mock-response-name': label });

  test('does not count a request that names its response', () => {
    expect(['', 'b', 'a', '', ''].map((label) => bodyOf('sequential', label === '' ? {} : name(label)))).toEqual([
      'a',
      'b',
      'a',
      'b',
      'a',
    ]);
    expect(counted).toEqual({ next: 3, upcoming: 2 });
    bodyOf('random', name('b'));
    expect(counted).toEqual({ next: 3, upcoming: 3 });
    expect(bodyOf('sequential', name('a'), ' {{requestNumber}}')).toBe('a 4');
    expect(bodyOf('sequential', name('none'))).toBe('b');
  });

  test('and on any other route it is numbered as all are', () => {
    counted.next = 0;
    const numbered = [name('a'), {}, name('a')].map((headers) => bodyOf('rules', headers, ' {{requestNumber}}'));
    expect(numbered).toEqual(['a 1', 'a 2', 'a 3']);
  });
});

test('the answer is ready, and no header is looked at, without `forced` and on a route of one response', () => {
  const [off, one, several] = [
    define([route('GET /', RESPONSES, { selection: 'default' })]),
    define([route('GET /', RESPONSES.slice(0, 1))], { forced: true }),
    define([route('GET /', RESPONSES)], { forced: true }),
  ].map((definition) => compile(definition).routes[0]);
  expect(off).toMatchObject({ staticAnswer: { status: 200 }, forced: undefined });
  expect(one).toMatchObject({ staticAnswer: { status: 200 }, forced: undefined });
  expect(several).toMatchObject({ staticAnswer: undefined, forced: expect.anything() });
});

test.each<[Headers, string]>([
  [
    { 'x-mock-response-name': 'cat', 'x-mock-response-code': '404' },
    'the request names the response with label "cat" and status 404',
  ],
  [
    { prefer: 'code=500' },
    'marked as the default; the request names the response with status 500, which the route does not have',
  ],
  [{ accept: 'application/xml' }, 'marked as the default; among those with its status, Accept prefers application/xml'],
  [{ accept: 'image/png' }, 'marked as the default; Accept matches no response with its status'],
  [{}, 'marked as the default'],
])('%j is explained: %s', (headers, expected) => {
  const definition = define([route('GET /', RESPONSES)], { forced: true });
  expect(explainRequest(definition, request('GET', '/', { headers }), []).chosen?.reason).toBe(expected);
});
