/** HAR: what is called exact answers as it was recorded, nothing vanishes silently, and credentials of requests do not enter. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archiveOf, requestEntries } from '../../src/interchange/formats/har-write.ts';
import type { MockImport } from '../../src/interchange/import-mocks.ts';
import { isRefusal } from '../../src/errors.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { definitionParser } from '../../src/model/mocks/definition/definition-payload.ts';
import type { TrafficRecord } from '../../src/model/mocks/traffic.ts';
import { codesAt, definitionOf, imported, notesOf, tryImport } from '../support/imports.ts';
import { compile, compiledAnswer, explainedAnswer, request } from '../support/mocks.ts';

const RUNS = 150;

interface Reply {
  readonly status?: number;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  readonly text?: string;
  readonly content?: object;
  readonly post?: { readonly mimeType: string; readonly text?: string; readonly params?: object[] };
  readonly time?: number;
  readonly asked?: Readonly<Record<string, string>>;
}

/** `target`: "GET /path?query", or with a whole URL. */
function entry(target: string, given: Reply = {}) {
  const [method = '', url = ''] = target.split(' ');
  const { status = 200, headers = [{ name: 'Content-Type', value: 'application/json' }], text = '{}', post } = given;
  return {
    request: {
      method,
      url: url.startsWith('/') ? `https://shop.test${url}` : url,
      ...(post === undefined ? {} : { postData: post }),
      ...(given.asked && { headers: Object.entries(given.asked).map(([name, value]) => ({ name, value })) }),
    },
    response: { status, headers, content: given.content ?? { size: Buffer.byteLength(text), text } },
    ...(given.time === undefined ? {} : { time: given.time }),
  };
}

type Entry = ReturnType<typeof entry>;

const har = (...entries: Entry[]) => ({ log: { version: '1.2', entries } });
const json = (text: string) => ({ mimeType: 'application/json', text });
const form = (text: string) => ({ mimeType: 'application/x-www-form-urlencoded', text });

/** What the mock answers to each entry when all are sent again in their order; undefined when it has no route. */
function replay(entries: readonly Entry[], found: MockImport) {
  const mock = compile(definitionOf(found));
  const counts = new Map<string, number>();
  return entries.map(({ request: { method, url, postData } }) => {
    const { pathname, search } = new URL(url);
    const place = `${method} ${pathname}`;
    const number = (counts.get(place) ?? 0) + 1;
    counts.set(place, number);
    const headers = postData === undefined ? {} : { 'content-type': postData.mimeType };
    const asked = request(method, `${pathname}${search}`, { headers, body: postData?.text ?? '' });
    const answer = compiledAnswer(mock, asked, number);
    return answer && { status: answer.status, body: answer.body, headers: answer.headers };
  });
}

function expectReplayed(entries: readonly Entry[], found: MockImport): number {
  let compared = 0;
  for (const [index, answer] of replay(entries, found).entries()) {
    if (codesAt(found, `/log/entries/${index}`).length > 0) continue;
    compared++;
    const { status, headers, content } = (entries[index] as Entry).response;
    const { text, encoding } = content as { text: string; encoding?: 'base64' };
    expect([index, answer?.status]).toEqual([index, status]);
    expect([index, answer?.body]).toEqual([index, Buffer.from(text, encoding ?? 'utf8').toString('latin1')]);
    for (const { name, value } of headers) expect(answer?.headers).toContain(`${name}: ${value}`);
  }
  return compared;
}

const shownOf = (found: MockImport) =>
  definitionOf(found).routes.map(({ method, path, selection, responses }) => [
    `${method} ${path} ${selection}`,
    ...responses.map(({ status, label, body }) => [status, label, body].join(' ').trim()),
  ]);

describe('detection', () => {
  test.each([
    [{ log: { entries: [] } }, { version: undefined, detectedBy: '`log.entries`' }],
    [{ log: { version: '1.1', entries: [] } }, { version: '1.1', detectedBy: '`log.entries` with `log.version`' }],
  ])('%j', (source, { version, detectedBy }) => {
    const { report, mocks } = imported(source);
    expect([report.format, report.version, report.detectedBy]).toEqual(['har', version, detectedBy]);
    expect([mocks, notesOf({ report, mocks })]).toEqual([[], ['har.no-host /log']]);
  });

  test.each([
    [{ log: { version: '2.0', entries: [] } }, 'nearly har (`log.version` is "2.0": supported are 1.1 and 1.2)'],
    [{ log: { version: '1.2', entries: {} } }, 'nearly har (`log.entries` is not an array)'],
  ])('%j is refused', (source, problem) => {
    expect(tryImport(source)).toBe(problem);
  });
});

describe('routes', () => {
  test('entries of a method and a path are one route, of the host with most entries', () => {
    const found = imported(
      har(
        entry('GET https://cdn.test/a.js'),
        entry('GET /users', { text: '[1]' }),
        entry('GET https://shop.test:444/users'),
        entry('GET /users/?page=1', { text: '[1]' }),
        entry('POST /users', { status: 201 }),
        entry('GET https://cdn.test/b.js'),
      ),
    );
    expect(found.mocks[0]?.name).toBe('shop.test');
    expect(shownOf(found)).toEqual([
      ['GET /users rules', '200  [1]'],
      ['POST /users rules', '201  {}'],
    ]);
    expect(found.report.entries.map(({ message }) => message.split(': ').slice(-2).join(': '))).toEqual([
      'cdn.test: 2',
      'shop.test:444: 1',
    ]);
    expect(found.report.items).toEqual({
      mocks: { exact: 1, approximated: 0, dropped: 2 },
      routes: { exact: 2, approximated: 0, dropped: 0 },
      responses: { exact: 3, approximated: 0, dropped: 0 },
    });
  });

  test('option `host` says which host becomes the mock; of another there is none', () => {
    const source = har(entry('GET /a'), entry('GET /b'), entry('GET https://API.test/c'));
    expect(shownOf(imported(source, { host: 'Api.test' }))).toEqual([['GET /c rules', '200  {}']]);
    const none = imported(source, { host: 'other.test' });
    expect([none.mocks, notesOf(none).at(-1)]).toEqual([[], 'har.no-host /log']);
  });

  test('what a route gives a meaning is escaped, and answers', () => {
    const entries = ['/:a/b', '/a*', '/a%20b/%E4%BD%A0', '/x%2Fy', '//double', '/%zz'].map((path) =>
      entry(`GET ${path}`),
    );
    const found = imported(har(...entries));
    expect(definitionOf(found).routes.map(({ path }) => path)).toEqual([
      '/%3Aa/b',
      '/a%2A',
      '/a%20b/%E4%BD%A0',
      '/x%2Fy',
      '//double',
      '/%zz',
    ]);
    expect(expectReplayed(entries, found)).toBe(6);
  });

  test.each([
    ['GET data:text/plain,hello', 'har.request'],
    ['GET nothing', 'har.request'],
    ['ANY /a', 'har.request'],
    [`GET /${'a/'.repeat(60)}`, 'har.request'],
    ['GET /%zz*', 'har.request'],
  ])('%s is left out', (target, code) => {
    const found = imported(har(entry('GET /kept'), entry(target)));
    expect(notesOf(found)).toEqual([`${code} /log/entries/1`]);
    expect(found.report.items.responses).toEqual({ exact: 1, approximated: 0, dropped: 1 });
  });

  test.each([0, 101, 103])('status %d is left out', (status) => {
    expect(notesOf(imported(har(entry('GET /a'), entry('GET /b', { status }))))).toEqual(['har.status /log/entries/1']);
  });

  test('a second import has the same ids', () => {
    const source = har(entry('GET /a?x=1', { text: '1' }), entry('GET /a?x=2', { text: '2' }), entry('GET /b'));
    expect(definitionOf(imported(source))).toEqual(definitionOf(imported(source)));
  });

  test('option `parameterise` makes ids of paths parameters, told apart by rules', () => {
    const uuid = '0b1e7e5e-7b0a-4b7e-9d6c-3f1f3b6a2a10';
    const entries = [
      entry('GET /users/1/posts/2', { text: '"a"' }),
      entry(`GET /users/7/posts/${uuid}`, { text: '"b"' }),
      entry('GET /users/me/posts/2', { text: '"c"' }),
    ];
    const found = imported(har(...entries), { parameterise: true });
    expect(shownOf(found)).toEqual([
      ['GET /users/:id/posts/:id2 rules', '200 id=1 "a"', '200 id=7 "b"'],
      ['GET /users/me/posts/:id rules', '200  "c"'],
    ]);
    expect(notesOf(found)).toEqual([0, 1, 2].map((index) => `har.parameter /log/entries/${index}`));
    expect(replay(entries, found).map((answer) => answer?.body)).toEqual(['"a"', '"b"', '"c"']);
  });

  test('option `paths` `auto` makes parameters of ids where several were recorded, behind the same segments', () => {
    const hex = (digit: string) => `0${digit.repeat(16)}`;
    const entries = [
      entry('GET /users/1', { text: '"a"' }),
      entry('GET /users/2', { text: '"b"' }),
      entry('GET /users/2/posts/7', { text: '"c"' }),
      entry('GET /v1/health', { text: '"d"' }),
      entry('GET /years/2024', { text: '"e"' }),
      entry(`DELETE /files/${hex('a')}`, { text: '"f"' }),
      entry(`GET /files/${hex('b')}`, { text: '"g"' }),
    ];
    const found = imported(har(...entries), { paths: 'auto' });
    expect(shownOf(found)).toEqual([
      ['GET /users/:id rules', '200 id=1 "a"', '200 id=2 "b"'],
      ['GET /users/:id/posts/7 rules', '200  "c"'],
      ['GET /v1/health rules', '200  "d"'],
      ['GET /years/2024 rules', '200  "e"'],
      ['DELETE /files/:id rules', '200  "f"'],
      ['GET /files/:id rules', '200  "g"'],
    ]);
    expect(replay(entries, found).map((answer) => answer?.body)).toEqual(
      'abcdefg'.split('').map((body) => `"${body}"`),
    );
  });

  test('with `auto`, an id whose requests were answered otherwise over time is a route of its own, which is a sequence', () => {
    const entries = [
      entry('GET /jobs/1', { text: '"waiting"' }),
      entry('GET /jobs/2', { text: '"done"' }),
      entry('GET /jobs/1', { text: '"done"' }),
      entry('GET /jobs/3', { text: '"done"' }),
    ];
    const found = imported(har(...entries), { paths: 'auto' });
    expect(shownOf(found)).toEqual([
      ['GET /jobs/1 sequential', '200 1 of 2 "waiting"', '200 2 of 2 "done"'],
      ['GET /jobs/:id rules', '200  "done"'],
    ]);
    expect(replay(entries, found).map((answer) => answer?.body)).toEqual(['"waiting"', '"done"', '"done"', '"done"']);
    expect(codesAt(found, '')).not.toContain('har.repeat');
  });

  test('with `auto`, ids of more answers than a route may have are routes of their own', () => {
    const users = (count: number) =>
      Array.from({ length: count }, (_, id) => entry(`GET /users/${id}`, { text: `${id}` }));
    expect(shownOf(imported(har(...users(100)), { paths: 'auto' }))).toHaveLength(1);
    const found = imported(har(...users(101), entry('GET /b/1'), entry('GET /b/2')), { paths: 'auto' });
    expect(found.report.items.routes).toEqual({ exact: 102, approximated: 0, dropped: 0 });
    expect(shownOf(found).at(-1)).toEqual(['GET /b/:id rules', '200  {}']);
    const same = Array.from({ length: 101 }, (_, id) => entry(`GET /same/${id}`));
    expect(shownOf(imported(har(...same), { paths: 'auto' }))).toEqual([['GET /same/:id rules', '200  {}']]);
  });

  test('what was replaced when it was recorded is no condition, and no credential of the mock', () => {
    const secret = 'redacted-0123abcd';
    const post = (tenant: string, name: string) => json(JSON.stringify({ tenant, name }));
    const headers = [{ name: 'Set-Cookie', value: `sid=${secret}; Path=/` }];
    const found = imported(
      har(
        entry('POST /a', { text: '1', post: post(secret, 'x'), headers }),
        entry('POST /a', { text: '2', post: post('redacted-4567abcd', 'y') }),
        entry(`GET /b?tenant=${secret}`, { text: JSON.stringify({ token: secret }) }),
        entry('GET /b?tenant=redacted-4567abcd', { text: '2' }),
      ),
    );
    expect(shownOf(found)).toEqual([
      ['POST /a rules', '200 name=x 1', '200 name=y 2'],
      ['GET /b sequential', `200 1 of 2 {"token":"${secret}"}`, '200 2 of 2 2'],
    ]);
    expect(notesOf(found)).toEqual([2, 3].map((index) => `har.told-apart /log/entries/${index}`));
    expect(found.report.classes.map(({ code }) => code)).not.toContain('har.response-credentials');
  });

  test('option `samples` keeps the first request that got a response, without what said by whom it was sent', () => {
    const asked = entry('POST /a%20b?x=1', { post: json('{"n":1}') });
    const headers = ['Accept', 'Host', ':authority', 'Content-Length', 'X-Mock-Session', 'Via', 'Baggage'].map(
      (name) => ({
        name,
        value: '1',
      }),
    );
    const source = har(
      { ...asked, request: { ...asked.request, headers } },
      entry('POST /a%20b?x=2', { post: json('{"n":2}') }),
    );
    const [only] = definitionOf(imported(source, { samples: true })).routes[0]?.responses ?? [];
    expect(only?.sample).toEqual({
      path: '/a%20b',
      query: 'x=1',
      headers: [{ name: 'Accept', value: '1' }],
      body: '{"n":1}',
      bodyEncoding: 'text',
    });
    expect(definitionOf(imported(source)).routes[0]?.responses[0]).not.toHaveProperty('sample');
    // reaches SAMPLE_BYTES_MAX
    const large = imported(har(entry('POST /a', { post: json('x'.repeat(65_536)) })), { samples: true });
    expect(definitionOf(large).routes[0]?.responses[0]).not.toHaveProperty('sample');
    expect(large.report.classes).toContainEqual(expect.objectContaining({ code: 'har.sample', count: 1 }));
  });

  test('of a recording of this server, what was not kept whole is left out, and what had not ended is approximated', () => {
    const own = (target: string, _switchyard: object, text = '{}') =>
      ({ ...entry(target, { text }), _switchyard }) as Entry;
    const marked = [
      { name: 'X-Switchyard-Proxied', value: 'a' },
      { name: 'Via', value: '1.1 switchyard-x' },
      { name: 'Via', value: '1.1 cdn' },
    ];
    const found = imported(
      har(own('GET /a', { partial: true }, ''), own('GET /b', { open: true }), entry('GET /c', { headers: marked })),
    );
    expect(notesOf(found)).toEqual(['recording.partial /log/entries/0', 'recording.stream /log/entries/1']);
    expect(definitionOf(found).routes.map(({ path }) => path)).toEqual(['/b', '/c']);
    expect(definitionOf(found).routes[1]?.responses[0]?.headers).toEqual([{ name: 'Via', value: '1.1 cdn' }]);
  });
});

describe('requests are told apart', () => {
  test('by as little of the query as suffices; the rest is answered by one without rules, or that succeeded', () => {
    const entries = [
      entry('GET /a?q=x&page=1&_=5', { text: '1' }),
      entry('GET /a?q=x&page=2&_=6', { text: '2' }),
      entry('GET /a?q=x&page=2&_=7', { text: '2' }),
      entry('GET /a', { text: '0' }),
      entry('GET /b?x=1', { status: 404, text: '' }),
      entry('GET /b?x=2', { text: 'ok' }),
    ];
    const found = imported(har(...entries));
    expect(shownOf(found)).toEqual([
      ['GET /a rules', '200 page=1 1', '200 page=2 2', '200  0'],
      ['GET /b rules', '404 x=1', '200 x=2 ok'],
    ]);
    expect(definitionOf(found).routes[1]?.responses.map((each) => each.default)).toEqual([false, true]);
    expect(notesOf(found)).toEqual([]);
    expect(expectReplayed(entries, found)).toBe(6);
  });

  test('by members of JSON, fields of forms and the text of a body', () => {
    const posts = [
      json('{"filter":{"tags":["a"]},"page":1}'),
      json('{"filter":{"tags":["b"]},"page":1}'),
      json('{"page": "1", "more": true}'),
      form('name=a+b&x=1'),
      form('name=c&x=1'),
      { mimeType: 'text/plain', text: 'hello' },
      { mimeType: 'text/plain', text: 'bye' },
    ];
    const entries = posts.map((post, index) => entry('POST /a', { text: String(index), post }));
    const found = imported(har(...entries));
    expect(notesOf(found)).toEqual([]);
    expect(expectReplayed(entries, found)).toBe(7);
  });

  test('a request whose values are those of another and more comes first', () => {
    const entries = [
      entry('GET /a?x=1', { text: 'one' }),
      entry('GET /a?x=1&x=2', { text: 'two' }),
      entry('GET /a?y=1'),
    ];
    const found = imported(har(...entries));
    expect(notesOf(found)).toEqual([]);
    expect(expectReplayed(entries, found)).toBe(3);
  });

  test('order and repetition in a query, a trailing slash and files of a form are not', () => {
    const file = { mimeType: 'multipart/form-data; boundary=x', params: [{ name: 'f', fileName: 'a.txt' }] };
    const entries = [
      entry('GET /a?x=1&y=1', { text: '1' }),
      entry('GET /a?y=1&x=1', { text: '2' }),
      entry('GET /b', { status: 301, text: '' }),
      entry('GET /b/', { text: '2' }),
      entry('POST /c', { text: '1', post: { ...file, text: '--x one' } }),
      entry('POST /c', { text: '2', post: { ...file, text: '--x two' } }),
    ];
    const found = imported(har(...entries));
    expect(notesOf(found)).toEqual(entries.map((_, index) => `har.told-apart /log/entries/${index}`));
    expect(shownOf(found).map(([route]) => route)).toEqual([
      'GET /a sequential',
      'GET /b sequential',
      'POST /c sequential',
    ]);
  });

  test('a header that alone says which answer a request got is named, and tells the requests apart where it is asked for', () => {
    const inLanguage = (language: string, text: string) =>
      entry('GET /hello', { text, asked: { 'Accept-Language': language, 'X-Request-Id': text, Date: text } });
    const source = har(inLanguage('de', '"hallo"'), inLanguage('en', '"hello"'), inLanguage('de', '"hallo"'));
    const found = imported(source);
    expect(notesOf(found)).toEqual([0, 1, 2].map((index) => `har.header-apart /log/entries/${index}`));
    expect(found.report.entries[0]?.message).toContain('accept-language');
    const told = imported(source, { distinguishBy: ['accept-language'] });
    expect(notesOf(told)).toEqual([]);
    expect(shownOf(told)).toEqual([
      ['GET /hello rules', '200 accept-language=de "hallo"', '200 accept-language=en "hello"'],
    ]);
    const mock = compile(definitionOf(told));
    const answers = ['en', 'de', 'en'].map(
      (language) => compiledAnswer(mock, request('GET', '/hello', { headers: { 'accept-language': language } }))?.body,
    );
    expect(answers).toEqual(['"hello"', '"hallo"', '"hello"']);
    // What changes by itself is a sequence, whatever else differs from request to request.
    expect(notesOf(imported(har(entry('GET /a', { text: '1' }), entry('GET /a', { text: '2' }))))).toEqual([]);
  });

  // reaches IMPORT_VALUES_TRIED_MAX
  test('the first 200 values are tried to tell requests apart', () => {
    const same = (count: number) => Array.from({ length: count }, (_, index) => `n${index}=1`).join('&');
    const pair = (count: number) => ['1', '2'].map((x) => entry(`GET /a?${same(count)}&x=${x}`, { text: x }));
    expect(notesOf(imported(har(...pair(199))))).toEqual([]);
    expect(notesOf(imported(har(...pair(200))))).toEqual([
      'har.told-apart /log/entries/0',
      'har.told-apart /log/entries/1',
    ]);
  });

  // reaches IMPORT_RULES_MAX
  test('a request is told apart by 20 rules at most', () => {
    const values = (count: number, from: number) =>
      Array.from({ length: count }, (_, index) => `x=${index + from}`).join('&');
    const pair = (count: number) =>
      [0, 1].map((from) => entry(`GET /a?${values(count, from)}`, { text: String(from) }));
    expect(notesOf(imported(har(...pair(20))))).toEqual([]);
    expect(notesOf(imported(har(...pair(21)))).length).toBe(2);
  });

  test('repeats are one response when their replies are equal, else a sequence that is as short as it can be', () => {
    const replies = (path: string, texts: string) => texts.split('').map((text) => entry(`GET ${path}`, { text }));
    const entries = [...replies('/same', 'aaa'), ...replies('/turns', 'abab'), ...replies('/waits', 'aab')];
    const found = imported(har(...entries));
    expect(shownOf(found)).toEqual([
      ['GET /same rules', '200  a'],
      ['GET /turns sequential', '200 1 of 2 a', '200 2 of 2 b'],
      ['GET /waits sequential', '200 1 of 3 a', '200 2 of 3 a', '200 3 of 3 b'],
    ]);
    expect(notesOf(found)).toEqual([]);
    expect(expectReplayed(entries, found)).toBe(10);
    expect(found.report.items.responses).toEqual({ exact: 10, approximated: 0, dropped: 0 });
  });

  test('a repeat beside requests with rules has its first reply', () => {
    const texts: [string, string][] = [
      ['x=1', 'a'],
      ['x=2', 'b'],
      ['x=2', 'c'],
      ['x=2', 'b'],
    ];
    const entries = texts.map(([query, text]) => entry(`GET /a?${query}`, { text }));
    const found = imported(har(...entries));
    expect(shownOf(found)).toEqual([['GET /a rules', '200 x=1 a', '200 x=2 b']]);
    expect(notesOf(found)).toEqual(['har.repeat /log/entries/2']);
    expect(expectReplayed(entries, found)).toBe(3);
  });

  test('whatever was recorded, what is called exact is answered as it was', () => {
    const queries = fc.array(fc.constantFrom('x=1', 'x=2', 'y=1', 'y', 'z=%41', 'z=A', 'x=1%zz', 'token=1'), {
      maxLength: 3,
    });
    const posts = fc.constantFrom(
      undefined,
      json('{"a":1}'),
      json('{"a":"1"}'),
      json('{"a":[1,2],"b":"[1,2]"}'),
      json('{"a":{"0":1,"1":2}}'),
      json('{"a":[]}'),
      json('{"a":12345678901234567890}'),
      json('{"a":12345678901234567891}'),
      json('{"a.0":1,"":2,"$":3}'),
      json('[1]'),
      json('7'),
      form('a=1'),
      form('a=1&a=2'),
      form('a.0=2&a=1'),
      form('{"a":1}'),
      form('7'),
      { mimeType: 'text/plain', text: 'a=1' },
      { mimeType: 'text/plain', text: '{"a":1}' },
    );
    const one = fc.record({
      path: fc.constantFrom('/a', '/a/', '/b'),
      query: queries,
      post: posts,
      text: fc.constantFrom('one', 'two', 'three'),
      status: fc.constantFrom(200, 200, 404),
    });
    let compared = 0;
    fc.assert(
      fc.property(fc.array(one, { maxLength: 7 }), (recorded) => {
        const entries = recorded.map(({ path, query, post, text, status }) =>
          entry(`POST ${path}${query.length === 0 ? '' : `?${query.join('&')}`}`, {
            text,
            status,
            ...(post === undefined ? {} : { post }),
          }),
        );
        const found = imported(har(...entries));
        if (entries.length > 0) compared += expectReplayed(entries, found);
      }),
      { numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS);
  });
});

describe('replies', () => {
  const one = (given: Reply, target = 'GET /a') => imported(har(entry(target, given)));

  test.each<[string, Reply, string[]]>([
    ['a body that was not recorded', { content: { size: 5 } }, ['har.no-body']],
    ['a body of unknown size that was not recorded', { content: { size: -1 } }, ['har.no-body']],
    ['a body that there was none of', { content: { size: 0 } }, []],
    ['204 without a body', { status: 204, content: { size: -1 } }, []],
    ['304', { status: 304, content: { size: 9 } }, ['har.not-modified']],
    ['a body that was recorded in part', { content: { size: 100, text: 'abc' } }, ['har.partial-body']],
    ['a body whose bytes were lost', { content: { text: 'a\ufffdb' } }, ['har.partial-body']],
    ['base64 that is broken', { content: { text: 'a?', encoding: 'base64' } }, ['har.partial-body']],
    ['an encoding that is not known', { content: { text: 'a', encoding: 'rot13' } }, ['import.unknown']],
  ])('%s', (_name, given, codes) => {
    expect(codesAt(one(given), '/log/entries/0')).toEqual(codes);
  });

  test('a 304 with recorded content is that content, and 304 only to who has it', () => {
    const cached = { status: 304, headers: [{ name: 'ETag', value: '"v1"' }], content: { text: '<p>hello</p>' } };
    const found = one(cached);
    expect(codesAt(found, '/log/entries/0')).toEqual(['har.cached']);
    const answer = (headers: Record<string, string>) =>
      compiledAnswer(compile(definitionOf(found)), request('GET', '/a', { headers }));
    expect(answer({})).toMatchObject({ status: 200, body: '<p>hello</p>' });
    expect(answer({ 'if-none-match': '"v1"' })).toMatchObject({ status: 304 });
    expect(answer({ 'if-none-match': '"v0"' })).toMatchObject({ status: 200 });
  });

  test('URLs of the recorded host are said, and become those of the mock where that is asked for', () => {
    const text =
      '{"next":"https://shop.test/a?page=2","own":"{{x}}","else":"https://shop.test.example/","esc":"https:\\/\\/shop.test\\/b"}';
    const given = { headers: [{ name: 'Location', value: 'https://shop.test/c' }], content: json(text) };
    const found = one(given, 'GET /a');
    expect(codesAt(found, '/log/entries/0')).toEqual(['import.own-url']);
    const rewritten = imported(har(entry('GET /a', given)), { rewriteUrls: true });
    expect(notesOf(rewritten)).toEqual([]);
    const asked = request('GET', '/a', { headers: { host: 'mock.example:81' } });
    const answer = explainedAnswer(definitionOf(rewritten), asked);
    const base = 'http://mock.example:81';
    expect(answer?.body).toBe(
      `{"next":"${base}/a?page=2","own":"{{x}}","else":"https://shop.test.example/","esc":"${base}\\/b"}`,
    );
    expect(JSON.stringify(answer?.headers)).toContain(`${base}/c`);
  });

  test('base64 stays base64, and a missing header is made of the media type', () => {
    const found = one({
      headers: [],
      content: { size: 2, text: '/wA=\n', encoding: 'base64', mimeType: 'image/png' },
    });
    expect(definitionOf(found).routes[0]?.responses[0]).toMatchObject({
      body: '/wA=',
      bodyEncoding: 'base64',
      headers: [{ name: 'Content-Type', value: 'image/png' }],
    });
    expect(notesOf(found)).toEqual([]);
  });

  test.each([
    ['gzip data', 'H4sIAAAAAAAAA6uuBQBDv6ajAgAAAA==', 'text/plain', ['Content-Type', 'Content-Encoding']],
    ['text that is not UTF-8', 'GwEAAP8=', 'application/json', ['Content-Type', 'Content-Encoding']],
    ['decoded text', 'e30=', 'application/json', ['Content-Type']],
  ])('base64 of %s keeps its encoding where it is still encoded', (_name, text, type, names) => {
    const headers = [
      { name: 'Content-Type', value: type },
      { name: 'Content-Encoding', value: 'gzip' },
    ];
    const found = one({ headers, content: { text, encoding: 'base64' } });
    expect(definitionOf(found).routes[0]?.responses[0]?.headers.map(({ name }) => name)).toEqual(names);
    expect(notesOf(found)).toEqual([]);
  });

  test('bytes that were recorded as text are not what was sent', () => {
    const image = [{ name: 'Content-Type', value: 'image/png' }];
    expect(notesOf(one({ headers: image, text: '\u0089PNG' }))).toEqual(['har.partial-body /log/entries/0']);
    expect(notesOf(one({ headers: image, text: 'none' }))).toEqual([]);
  });

  test('headers of framing are counted, joined ones are split, cookies lose their Domain, others cannot be sent', () => {
    const names = [':status', 'Content-Encoding', 'Content-Length', 'Transfer-Encoding', 'Connection'];
    const found = one({
      headers: [
        ...names.map((name) => ({ name, value: '1' })),
        { name: 'Set-Cookie', value: 'a=1; Domain=.shop.test; Path=/\nb=2; Secure' },
        { name: 'X y', value: '1' },
        { name: 'ETag', value: '"1"' },
      ],
    });
    expect(definitionOf(found).routes[0]?.responses[0]?.headers).toEqual([
      { name: 'Set-Cookie', value: 'a=1; Path=/' },
      { name: 'Set-Cookie', value: 'b=2; Secure' },
      { name: 'ETag', value: '"1"' },
    ]);
    expect(notesOf(found)).toEqual([
      'har.cookie-domain /log/entries/0/response/headers/5',
      'har.header /log/entries/0/response/headers/6',
    ]);
    expect(found.report.classes).toContainEqual(
      expect.objectContaining({ code: 'har.framing-headers', level: 'exact', count: 5 }),
    );
    expect(found.report.classes).toContainEqual(
      expect.objectContaining({ code: 'har.response-credentials', level: 'exact', count: 2 }),
    );
  });

  test('text is sent as UTF-8, and the content type says so', () => {
    const found = one({ headers: [{ name: 'content-type', value: 'text/html; charset=ISO-8859-1' }], text: 'é' });
    expect(definitionOf(found).routes[0]?.responses[0]?.headers[0]?.value).toBe('text/html; charset=utf-8');
    expect(notesOf(found)).toEqual(['har.charset /log/entries/0']);
    const meta = '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">é';
    const own = one({ headers: [{ name: 'content-type', value: 'text/html' }], text: meta });
    expect(definitionOf(own).routes[0]?.responses[0]?.headers[0]?.value).toBe('text/html; charset=utf-8');
    const ascii = one({ headers: [{ name: 'content-type', value: 'text/html; charset=ISO-8859-1' }], text: 'e' });
    expect(notesOf(ascii)).toEqual([]);
  });

  test('option `latency` waits as long as was recorded', () => {
    const source = har(
      entry('GET /a', { time: 12.4 }),
      entry('GET /b', { time: 700_000 }),
      entry('GET /c', { time: -1 }),
      { ...entry('GET /d', { time: 50 }), timings: { send: 0, wait: 12, receive: 38 } } as Entry,
    );
    const latencies = (found: MockImport) => definitionOf(found).routes.map(({ responses }) => responses[0]?.latency);
    expect(latencies(imported(source))).toEqual([0, 0, 0, 0]);
    const found = imported(source, { latency: true });
    expect([latencies(found), notesOf(found)]).toEqual([[12, 600_000, 0, 12], ['har.latency /log/entries/1']]);
  });

  describe('server-sent events', () => {
    const headers = [{ name: 'Content-Type', value: 'text/event-stream; charset=utf-8' }];
    const streamed = (text: string, more: object = {}) => ({ ...entry('GET /a', { headers, text }), ...more });
    const sent = (found: MockImport) => definitionOf(found).routes[0]?.responses.map(({ stream }) => stream);

    test('are a stream, which is answered as it was read', () => {
      const text = ': hi\r\nid: 1\r\nevent: tick\r\nretry: 5\r\ndata: a\r\ndata:  ü\r\n\r\n:\n\ndata\n\n';
      const found = imported(har(streamed(text)));
      expect(sent(found)).toEqual([
        { events: [{ event: 'tick', id: '1', retry: 5, comment: 'hi', data: 'a\n ü' }, { data: '' }] },
      ]);
      expect(notesOf(found)).toEqual([]);
    });

    test('come evenly over the time of receiving with the option `latency`', () => {
      const source = har(
        streamed('data: 1\n\ndata: 2\n\n', { time: 130, timings: { send: 0, wait: 30, receive: 100 } }),
      );
      expect(sent(imported(source))).toEqual([{ events: [{ data: '1' }, { data: '2' }] }]);
      const found = imported(source, { latency: true });
      expect(sent(found)).toEqual([
        {
          events: [
            { delay: 50, data: '1' },
            { delay: 50, data: '2' },
          ],
        },
      ]);
      expect(definitionOf(found).routes[0]?.responses[0]?.latency).toBe(30);
      expect(notesOf(found)).toEqual(['har.event-times /log/entries/0']);
    });

    test('come when Chromium has recorded it, also where the text was not kept', () => {
      const messages = [
        { time: 1_700_000_000.5, eventName: 'message', eventId: '1', data: 'a' },
        { time: 1_700_000_000.75, eventName: 'tick', eventId: '', data: 'b' },
      ];
      const timed = (text: string) =>
        har({
          ...streamed(text, {
            _eventSourceMessages: messages,
            time: 430,
            timings: { send: 0, wait: 30, receive: 400 },
          }),
          ...(text === '' ? { response: { status: 200, headers, content: { size: 30 } } } : {}),
        });
      const found = imported(timed(''), { latency: true });
      expect(sent(found)?.[0]?.events).toEqual([
        { id: '1', delay: 150, data: 'a' },
        { event: 'tick', delay: 250, data: 'b' },
      ]);
      expect(notesOf(found)).toEqual([]);
      expect(sent(imported(timed('')))?.[0]?.events).toEqual([
        { id: '1', data: 'a' },
        { event: 'tick', data: 'b' },
      ]);
      const whole = imported(timed('retry: 9\n\nid: 1\ndata: a\n\nevent: tick\ndata: b\n\n'), { latency: true });
      expect(sent(whole)?.[0]?.events).toEqual([
        { retry: 9 },
        { id: '1', delay: 150, data: 'a' },
        { event: 'tick', delay: 250, data: 'b' },
      ]);
      expect(notesOf(whole)).toEqual([]);
      const other = imported(timed('data: a\n\n'), { latency: true });
      expect(notesOf(other)).toEqual(['har.event-times /log/entries/0']);
    });

    test.each([
      ['data: 1\n\ndata: cut'],
      ['data: 1\nown: x\n\n'],
      ['data: 1\nretry: soon\n\n'],
      [': one\n: two\ndata: 1\n\n'],
      [`id: ${'x'.repeat(1_001)}\ndata: 1\n\n`],
    ])('lines that are no part of an event are reported: %j', (text) => {
      const found = imported(har(streamed(text)));
      expect(sent(found)).toEqual([{ events: [expect.objectContaining({ data: '1' })] }]);
      expect(notesOf(found)).toEqual(['har.event-lines /log/entries/0']);
    });

    test('that had not ended stay open; a text without events is a body, and repeats are told by their events', () => {
      const open = imported(har(streamed('data: 1\n\n', { _switchyard: { open: true } })));
      expect(sent(open)).toEqual([{ events: [{ data: '1' }], end: 'open' }]);
      expect(shownOf(imported(har(streamed('none'))))).toEqual([['GET /a rules', '200  none']]);
      const twice = imported(har(streamed('data: 1\n\n'), streamed('data: 2\n\n'), streamed('data: 1\n\n')));
      expect(sent(twice)?.map((stream) => stream?.events[0]?.data)).toEqual(['1', '2']);
    });

    test('are sent several at once where they are more than a stream may have', () => {
      const text = Array.from({ length: 2_001 }, (_, index) => `data: ${index}\n\n`).join('');
      const [stream] = sent(imported(har(streamed(text)))) ?? [];
      expect([stream?.format, stream?.events.length]).toEqual(['raw', 667]);
      expect(stream?.events.map(({ data }) => data).join('')).toBe(text);
    });
  });

  test('a repeat that differs in other headers is approximated', () => {
    const headers = (value: string) => [{ name: 'ETag', value }];
    const found = imported(har(entry('GET /a', { headers: headers('1') }), entry('GET /a', { headers: headers('2') })));
    expect(notesOf(found)).toEqual(['har.repeat-headers /log/entries/1']);
  });

  test('a response that a mock cannot hold is counted with its repeats, and leaves a sequence that is another', () => {
    const text = 'x'.repeat(1_000_001);
    const found = imported(har(entry('GET /a', { text }), entry('GET /a', { text }), entry('GET /b')));
    expect(found.report.items.responses).toEqual({ exact: 1, approximated: 0, dropped: 2 });
    const sequence = imported(har(entry('GET /a'), entry('GET /a', { text }), entry('GET /a', { text: 'last' })));
    expect(codesAt(sequence, '/log/entries/1')).toEqual(['import.limit']);
    expect(codesAt(sequence, '/log/entries/2')).toEqual(['import.sequence']);
  });
});

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzM2NyM3QifQ.c2lnbmF0dXJl';

test('credentials of requests do not enter a mock, and those of responses are counted', () => {
  const secret = 's3cr3t';
  const pairs = (target: string, posts: (string | undefined)[], make: (text: string) => Reply['post'] = json) =>
    posts.map((text, index) => {
      const { request: asked, ...rest } = entry(target.replace('#', String(index)), {
        text: String(index),
        ...(text === undefined ? {} : { post: make(text) as NonNullable<Reply['post']> }),
      });
      const headers = [{ name: 'Authorization', value: `Bearer ${secret}` }];
      return { request: { ...asked, headers, cookies: [{ name: 'sid', value: secret }] }, ...rest };
    });
  const entries = [
    ...pairs(`GET https://u:${secret}@shop.test/a?access_token=${secret}#`, [undefined, undefined]),
    ...pairs(`GET /b?q=${JWT}#`, [undefined, undefined]),
    ...pairs(`GET /c/${JWT}/#`, [undefined]),
    ...pairs('POST /d', [`{"user":{"password":"${secret}1"}}`, `{"user":{"password":"${secret}2"}}`]),
    ...pairs('POST /e', [`pwd=${secret}1`, `pwd=${secret}2`], form),
    ...pairs('POST /f', [`token: ${secret}1`, `token: ${secret}2`], (text) => ({ mimeType: 'text/plain', text })),
    // A token without a name, and one within the value of another name.
    ...pairs(`GET /h?${JWT}#`, [undefined, undefined]),
    ...pairs(`GET /i?back=%2Fcb%3Faccess_token%3D${secret}#`, [undefined, undefined]),
    ...pairs(`GET /j?back=%2Fcb%3Ft%3D${JWT}#`, [undefined, undefined]),
    ...pairs(`GET /k?variables=%7B%22password%22%3A%22${secret}#%22%7D`, [undefined, undefined]),
    ...pairs('POST /l', [`f=token%3D${secret}1`, `f=token%3D${secret}2`], form),
    ...pairs(
      'POST /m',
      ['1', '2'].map((text) => JSON.stringify({ query: `{login(password:"${secret}${text}"){ok}}` })),
    ),
    ...pairs(`GET /n?user[pass]=${secret}#`, [undefined, undefined]),
    ...pairs(`GET /o?pin[]=${secret}#`, [undefined, undefined]),
    ...pairs(`GET /p?auth_key=${secret}#`, [undefined, undefined]),
    ...pairs(`GET /q?client_assertion=${secret}#`, [undefined, undefined]),
    ...pairs('POST /r', [`SAMLResponse=${secret}1`, `SAMLResponse=${secret}2`], form),
    // In paths.
    ...pairs(`GET /s;jsessionid=${secret}`, [undefined]),
    ...pairs(`GET /t/v1.${JWT}`, [undefined]),
    ...pairs(`GET /u/${JWT.replaceAll('.', '%2E')}`, [undefined]),
    ...pairs(`GET /v/Bearer%20${secret}`, [undefined]),
  ];
  const found = imported(har(...entries, entry('GET /g', { text: '{"a":{"refresh_token":"kept"}}' })));
  const text = JSON.stringify(found);
  expect(text).not.toContain(secret);
  expect(text).not.toContain(JWT);
  expect(text).not.toContain(JWT.replaceAll('.', '%2E'));
  expect(text).toContain('kept');
  expect(found.report.classes).toContainEqual(
    expect.objectContaining({ code: 'har.response-credentials', level: 'exact', count: 1 }),
  );
});

describe('recorded traffic as HAR', () => {
  const definition = definitionParser(DEFAULT_LIMITS.mocks).definition({
    routes: [
      {
        id: 'r1',
        method: 'POST',
        path: '/a',
        responses: [
          { id: 's1', status: 201, headers: [{ name: 'Content-Type', value: 'text/plain' }], body: 'é' },
          { id: 's2', body: '/w==', bodyEncoding: 'base64' },
          { id: 's3', body: '{{path}}', templated: true },
          { id: 's4', stream: { events: [{ data: '1' }, { id: 'a', data: '' }] } },
        ],
      },
    ],
  });
  if (isRefusal(definition)) throw new Error(definition.message);
  const responses = new Map(definition.routes[0]?.responses.map((response) => [response.id, response]));
  const record = (number: number, given: Partial<TrafficRecord>): TrafficRecord => ({
    number,
    session: '',
    time: 1_700_000_000_000 + number,
    method: 'POST',
    path: '/a',
    query: '',
    headers: [{ name: 'content-type', value: 'application/json' }],
    body: Buffer.from('{"x":1}'),
    bodyTruncated: false,
    bodyReadAs: 'json',
    routeId: 'r1',
    responseId: 's1',
    version: 3,
    status: 201,
    durationMs: 1.5,
    problem: '',
    ...given,
  });
  const entryOf = requestEntries({
    url: 'http://m1.localhost:8081',
    responseOf: ({ responseId }) => responses.get(responseId),
  });
  const write = (...records: TrafficRecord[]) =>
    archiveOf(records.map(entryOf), '1.0.0') as {
      log: { entries: readonly { request: object; response: { content: object }; _switchyard: object }[] };
    };

  test('has the request as it came and the reply as it is defined', () => {
    const file = write(
      record(1, { responseId: 's2', status: 200 }),
      record(2, { query: 'q=%41', bodyTruncated: true }),
    );
    expect(file.log.entries[1]).toEqual({
      startedDateTime: '2023-11-14T22:13:20.002Z',
      time: 1.5,
      request: {
        method: 'POST',
        url: 'http://m1.localhost:8081/a?q=%41',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: [{ name: 'content-type', value: 'application/json' }],
        queryString: [{ name: 'q', value: 'A' }],
        headersSize: -1,
        bodySize: 7,
        postData: { mimeType: 'application/json', text: '{"x":1}' },
      },
      response: {
        status: 201,
        statusText: '',
        httpVersion: 'HTTP/1.1',
        cookies: [],
        headers: [{ name: 'Content-Type', value: 'text/plain' }],
        content: { size: 2, mimeType: 'text/plain', text: 'é' },
        redirectURL: '',
        headersSize: -1,
        bodySize: 2,
      },
      cache: {},
      timings: { send: 0, wait: 1.5, receive: 0 },
      _switchyard: { routeId: 'r1', responseId: 's1', version: 3, truncated: true },
    });
    expect(file.log.entries[0]?.response.content).toEqual({ size: 1, mimeType: '', text: '/w==', encoding: 'base64' });
  });

  test.each<[string, Partial<TrafficRecord>, object]>([
    ['a template', { responseId: 's3' }, { size: -1, mimeType: '' }],
    ['a response of a version that is gone', { responseId: 'gone' }, { size: -1, mimeType: '' }],
    ['a miss', { routeId: '', responseId: '', status: 404 }, { size: -1, mimeType: '' }],
    ['a response that could not be rendered', { problem: 'p', status: 500 }, { size: -1, mimeType: '' }],
    ['HEAD', { method: 'HEAD' }, { size: 0, mimeType: 'text/plain' }],
  ])('of %s no body is known', (_name, given, content) => {
    expect(write(record(1, given)).log.entries[0]?.response.content).toEqual(content);
  });

  test('of a stream the events are known that ran to their end, with the time that they took', () => {
    const streamed = (ended: 'script' | 'client', events: number) =>
      write(
        record(1, { method: 'GET', responseId: 's4', status: 200, stream: { events, bytes: 18, ms: 40, ended } }),
      ) as unknown as { log: { entries: { time: number; timings: object; response: { content: object } }[] } };
    const [whole] = streamed('script', 2).log.entries;
    expect([whole?.time, whole?.timings]).toEqual([41.5, { send: 0, wait: 1.5, receive: 40 }]);
    expect(whole?.response.content).toEqual({
      size: 23,
      mimeType: 'text/event-stream',
      text: 'data: 1\n\nid: a\ndata: \n\n',
    });
    for (const cut of [streamed('client', 2), streamed('script', 3)])
      expect(cut.log.entries[0]?.response.content).toEqual({ size: -1, mimeType: 'text/event-stream' });
    expect(definitionOf(imported(streamed('script', 2), { latency: true })).routes[0]?.responses[0]?.stream).toEqual({
      events: [
        { delay: 20, data: '1' },
        { id: 'a', delay: 20, data: '' },
      ],
    });
  });

  test('is imported again as the mock that was asked', () => {
    const found = imported(
      write(record(1, {}), record(2, { body: Buffer.from('{"x":2}'), responseId: 's2', status: 200 })),
    );
    expect(notesOf(found)).toEqual([]);
    expect(shownOf(found)).toEqual([['POST /a rules', '201 x=1 é', '200 x=2 /w==']]);
  });
});
