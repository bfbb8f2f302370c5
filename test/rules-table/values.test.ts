/** What is filled into destinations and values: texts that sources capture, and functions of the file format. */
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import { compiled, requestLines, responseLines, run, sentTo, source } from '../support/rules-table.ts';

const URL = 'https://a.example/x?y=1&z=2';

describe('a destination has', () => {
  const sent = (destination: string, from: object, url = URL) =>
    sentTo(compiled('Redirect', [{ ...from, destinationType: 'url', destination }]), url);
  const star = source('https://a.example/*', 'Wildcard_Matches');

  test.each([
    ['rq_encode($1)', 'x%3Fy%3D1%26z%3D2'],
    ['rq_encode(a+b@c)', 'a%2Bb%40c'],
    ['rq_decode(a%2Bb)', 'a+b'],
    ['rq_decode(%)', 'rq_decode(%)'],
    ['rq_increment(3,5)', '8'],
    ['rq_decrement(3)', '2'],
    ['rq_increment($1)', 'rq_increment(x?y=1&z=2)'],
    ['rq_nothing($1)', 'rq_nothing(x?y=1&z=2)'],
  ])('the result of a function: %s', (call, result) => {
    expect(sent(`https://b.example/?to=${call}`, star)).toBe(`https://b.example/?to=${result}`);
  });

  test('a random number', () => {
    expect(sent('https://b.example/rq_rand(4)', star)).toMatch(/\/[1-9]\d{3}$/);
  });

  test('ten groups and more, and groups with a name', () => {
    const pattern = source(`/${'(.)'.repeat(11)}$/`, 'Matches');
    expect(sent('https://b.example/$10-$11-$1-$12-$<n>', pattern, 'https://a.example/abcdefghijk')).toBe(
      'https://b.example/j-k-a-a2-$%3Cn%3E',
    );
    const named = source('/example\\/(?:v\\d)\\/(?<kind>\\w+)\\/(?<id>\\d+)/', 'Matches');
    expect(sent('https://b.example/$<id>/$<kind>/$2/$<no>', named, 'https://a.example/v1/users/7')).toBe(
      'https://b.example/7/users/7/$%3Cno%3E',
    );
  });

  test('captured text as it is: nothing in it is called or filled', () => {
    expect(sent('https://b.example/$1', star, 'https://a.example/rq_encode($2)')).toBe(
      'https://b.example/rq_encode($2)',
    );
  });
});

describe('the value of a header has', () => {
  const withHeader = (value: string, from: object, url = URL) =>
    requestLines(
      run([compiled('Headers', [{ ...from, modifications: [{ header: 'x', type: 'Add', value }] }])], { url }),
    );

  test('what stars and groups match', () => {
    expect(withHeader('to $1, $2', source('https://*.example/*', 'Wildcard_Matches'))).toEqual(['x: to a, x?y=1&z=2']);
    expect(withHeader('$<host>$3', source('/\\/\\/(?<host>[^/]+)/', 'Matches'))).toEqual(['x: a.example$3']);
    expect(withHeader('rq_encode($1)', source('https://a.example/*', 'Wildcard_Matches'))).toEqual([
      'x: x%3Fy%3D1%26z%3D2',
    ]);
  });

  test('a dollar, where the source captures nothing', () => {
    expect(withHeader('$1 for $<all>', source('a.example'))).toEqual(['x: $1 for $<all>']);
  });

  test('at most 16,384 characters', () => {
    const long = `https://a.example/${'a'.repeat(9_000)}`;
    const rule = compiled('Headers', [
      {
        ...source('https://a.example/*', 'Wildcard_Matches'),
        modifications: [{ header: 'x', type: 'Add', value: '$1$1' }],
      },
    ]);
    expect(run([rule], { url: long }).skipped).toMatchObject([
      { reason: 'noChange', expected: expect.stringContaining('16384') },
    ]);
  });

  test('the text that the response has, too', () => {
    const modifications = { Response: [{ header: 'x-path', type: 'Modify', value: '/$1' }] };
    const rule = compiled('Headers', [{ ...source('https://a.example/*', 'Wildcard_Matches'), modifications }]);
    const answered = run([rule], { url: URL, upstream: { headers: { 'X-Path': 'old' } } });
    expect(responseLines(answered)).toEqual(['X-Path: /x?y=1&z=2']);
  });
});

test('a parameter and a replacement have them, too', () => {
  const added = compiled('QueryParam', [
    {
      ...source('https://a.example/*', 'Wildcard_Matches'),
      modifications: [{ param: 'n', type: 'Add', value: 'rq_increment(1)' }],
    },
  ]);
  expect(sentTo(added, 'https://a.example/x')).toBe('https://a.example/x?n=2');
  const replaced = compiled('Replace', [{ ...source('a.example'), from: '/(?<a>\\w)\\.example/', to: '$<a>$1.test' }]);
  expect(sentTo(replaced, 'https://a.example/')).toBe('https://aa.test/');
});

test('a Modify of several lines leaves one, and the step shows those that are gone', () => {
  const modifications = { Response: [{ header: 'Set-Cookie', type: 'Modify', value: 'a=9; Path=/' }] };
  const rule = compiled('Headers', [{ ...source('/login'), modifications }]);
  const headers = [
    { name: 'set-cookie', value: 'a=1; Path=/' },
    { name: 'set-cookie', value: 'b=2; HttpOnly' },
    { name: 'set-cookie', value: 'c=3' },
  ];
  const { steps, response } = runOn(rule, headers);
  expect(response?.headers).toEqual([{ name: 'set-cookie', value: 'a=9; Path=/' }]);
  expect(steps[0]?.changed).toEqual([
    { what: 'header', before: 'set-cookie: a=1; Path=/', after: 'set-cookie: a=9; Path=/' },
    { what: 'header', before: 'set-cookie: b=2; HttpOnly', after: null },
    { what: 'header', before: 'set-cookie: c=3', after: null },
  ]);
});

function runOn(rule: ReturnType<typeof compiled>, headers: { name: string; value: string }[]) {
  const found = evaluate(tableOf([rule]), {
    request: { method: 'GET', url: 'https://a.example/login', headers: [], body: undefined },
    response: { status: 200, headers, body: undefined },
  });
  if (typeof found === 'string') throw new Error(found);
  return found;
}
