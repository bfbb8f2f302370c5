/** Imported environments answer as Mockoon 9 does; the answers were asked of it. `npm run prove -- oracles` asks it again, of all kinds. */
import { describe, expect, test } from 'vitest';
import { importMocks } from '../../src/interchange/import-mocks.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { answerOf } from '../support/answers.ts';
import { codesAt, imported, notesOf } from '../support/imports.ts';
import { TwoThreads } from '../support/two-threads.ts';
import { environment, response, route, rule } from './whole/mockoon-parts.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const XML_TYPE = { 'content-type': 'application/xml' };
const BUCKETS = ['[{"n":1,"t":"a"},{"n":2,"t":"b"}]', '{"a":"x","z":null}', '{"type":"number"}'].map(
  (value, index) => ({
    uuid: `b${index}`,
    id: ['list', 'obj', 'num'][index],
    name: `bucket ${index}`,
    documentation: '',
    value,
  }),
);

/** One route `POST /r/:id`. */
function ofBody(body: string, more: object = {}) {
  return imported(environment([route('post r/:id', [response('', { body, ...more })])], { data: BUCKETS }));
}

test.each<[body: string, query: string, expected: string]>([
  [
    '{"colour":"{{faker \'helpers.arrayElement\' (array \'red\' \'red\')}}","three":{{int 3 3}} }',
    '',
    '{"colour":"red","three":3 }',
  ],
  ["{{setVar 'x' (array 1 2)}}{{#each x}}{{this}};{{/each}}", '', ''],
  ["{{setVar 'x' (array 1 2)}}{{#each @x}}{{this}};{{/each}}", '', '1;2;'],
  ["{{queryParam 'tags.0'}} {{queryParam 'page'}}", '?tags[]=a&tags[]=b&page=2', 'a 2'],
  ["{{queryParam 'f'}} {{queryParam 'f.n'}} {{queryParam 'q'}}", '?f[n]=1&q=1&q=2', '{"n":"1"} 1 ["1","2"]'],
  ['{{queryParam}}', '?tags[1]=b&tags[0]=a', '{"tags":["a","b"]}'],
  ["{{join (filter (array 1 2 1) 1) '+'}} {{len (filter (dataRaw 'list') (object n=2))}}", '', '1+1 1'],
  ["{{lookup (find (dataRaw 'list') (object t='b')) 'n'}}", '', '2'],
  ["{{reverse (array 1 2)}} {{array 1 'a'}}", '', '2,1 1,a'],
  ["{{objectPath (objectMerge (object a=1) (object a=2)) 'a'}} {{objectPath (object a=1) 'b' 'none'}}", '', '2 none'],
  ["{{jsonPath (dataRaw 'list') '$[0].t'}}{{jsonPath (dataRaw 'list') '$[5].t' '-'}}", '', 'a-'],
  ["{{isValidDate '2024-02-28'}} {{isValidDate 'no date'}}", '', 'true false'],
  ['{{#repeat 2 comma=false}}{{@index}}/{{@total}} {{/repeat}}', '', '0/2 1/2 '],
  ["{{dateTimeShift date='2024-01-31' months=1 format='yyyy-MM-dd'}}", '', '2024-03-02'],
  ["{{dateTimeShift date='2024-12-31' days=31 months=1 format='yyyy-MM-dd'}}", '', '2025-03-03'],
  ["{{dateTimeShift date='2024-02-29' years=1 months=1 format='yyyy-MM-dd'}}", '', '2025-03-29'],
  ["{{data 'obj' 'z'}}|{{dataRaw 'obj' 'z'}}", '', 'null|'],
  ["{{oneOf 'b' 'b'}}", '', 'b'],
  ['{{#each (object a=1 b=2)}}{{@key}}{{/each}}', '', 'ba'],
  ["{{#repeat (len (bodyRaw 'none'))}}x{{/repeat}}", '', ''],
])('%s', (body, query, expected) => {
  const found = ofBody(body);
  expect(codesAt(found, '/routes/0')).not.toContain('mockoon.template');
  expect(answerOf(found, `POST /r/7${query}`, { headers: JSON_TYPE, body: '{"a":1}' })?.body).toBe(expected);
});

test.each<[body: string, headers: object, sent: string, expected: string]>([
  ["{{body 'o.k'}} {{body 'b'}} {{body 'b.1'}}", FORM_TYPE, 'o%5Bk%5D=v&b%5B%5D=1&b%5B%5D=2', 'v ["1","2"] 2'],
  ["{{body 'b'}}", FORM_TYPE, 'b=1&b=2', '["1","2"]'],
  [
    "{{body 'a.k._text'}} {{body 'a.o'}}",
    XML_TYPE,
    '<a><k>1 &amp; 2</k><o n="x">t</o></a>',
    '1 & 2 {"_attributes":{"n":"x"},"_text":"t"}',
  ],
  ["{{body 'n'}}|{{body 'none'}}|{{body 'none' 'd'}}", JSON_TYPE, '{"n":null}', 'null||d'],
  ["{{body '$.items[*].v'}} {{body '$.none[*]' 'd'}}", JSON_TYPE, '{"items":[{"v":"x"}]}', '["x"] d'],
  ["{{#each (bodyRaw 'items')}}{{path}}{{upper}}{{/each}}", JSON_TYPE, '{"items":[{"path":"p","upper":"u"}]}', 'pu'],
])('of bodies: %s', (body, headers, sent, expected) => {
  expect(answerOf(ofBody(body), 'POST /r/7', { headers: headers as Record<string, string>, body: sent })?.body).toBe(
    expected,
  );
});

test('a status that a template sets for all requests is that of the response, any other is named', () => {
  expect(answerOf(ofBody('{{status 418}}tea'), 'POST /r/7')).toMatchObject({ status: 418, body: 'tea' });
  const found = ofBody("{{#if (eq (queryParam 'q') '1')}}{{status 404}}{{/if}}");
  expect(codesAt(found, '/routes/0/responses/0')).toContain('mockoon.template');
});

describe('a template in a header', () => {
  const headers = [{ key: 'x-a', value: '{{method}}' }];
  test('makes none of the body', () => {
    const found = ofBody('as {{method}} and {{! all }}', { headers, disableTemplating: true });
    expect(answerOf(found, 'POST /r/7')).toMatchObject({
      body: 'as {{method}} and {{! all }}',
      headers: expect.arrayContaining(['x-a: POST']),
    });
  });

  test('makes none of a file that is not one', () => {
    const own = response('', { body: '', bodyType: 'FILE', filePath: 'a.yaml', sendFileAsBody: true, headers });
    const files = [
      { path: 'e.json', bytes: Buffer.from(JSON.stringify(environment([route('get a', [own])]))) },
      { path: 'a.yaml', bytes: Buffer.from('m: {{method}}') },
    ];
    const found = importMocks(files, 'e.json', {}, DEFAULT_LIMITS.mocks);
    if ('details' in found) throw new Error(JSON.stringify(found.details));
    expect(answerOf(found, 'GET /a')).toMatchObject({
      body: 'm: {{method}}',
      headers: expect.arrayContaining(['x-a: GET']),
    });
  });
});

test('an unknown tag spoils itself alone, and a template that does not parse is named', () => {
  const unknown = ofBody(`{{jmesPath (bodyRaw 'a') "b'c"}} {{method}}`);
  expect(answerOf(unknown, 'POST /r/7')?.body).toBe(`{{jmesPath (bodyRaw 'a') "b'c"}} POST`);
  expect(codesAt(unknown, '/routes/0/responses/0')).toEqual(['mockoon.template']);
  for (const body of ['{{', "{{method}} {{queryParam 'q' }", '{{#if a}}open'])
    expect(codesAt(ofBody(body), '/routes/0/responses/0'), body).toContain('mockoon.template');
  expect(codesAt(ofBody('{"i": {{method}}}'), '/routes/0/responses/0')).toEqual(['mockoon.template-value']);
});

test.each<[endpoint: string, answers: Readonly<Record<string, string | undefined>>]>([
  ['x/*rest', { '/x/a': 'a||', '/x/a/b': 'a,b||', '/x': undefined }],
  ['x{/:a}', { '/x': '||', '/x/1': '|1|', '/x/1/2': undefined }],
  ['x{/:a{/:b}}', { '/x': '||', '/x/1/2': '|1|2' }],
  ['{:a/}x', { '/x': '||', '/1/x': '|1|', '/1/2/x': undefined }],
  ['f/:a{.:b}', { '/f/x': '|x|', '/f/x.json': '|x|json', '/f/x.tar.gz': '|x.tar|gz' }],
  ['*rest/end', { '/a/b/end': 'a,b||', '/end': undefined }],
  ['x/:"a"b', { '/x/1b': '|1|', '/x/1': undefined }],
  ['x/:a*', { '/x': '||', '/x/1/2': '|1,2|' }],
])('the path %s', (endpoint, answers) => {
  const body = "{{urlParam 'rest'}}|{{urlParam 'a'}}|{{urlParam 'b'}}";
  const found = imported(environment([route('get ', [response('', { body })], { endpoint })]));
  expect(codesAt(found, '/routes/0')).not.toContain('mockoon.path-form');
  for (const [path, expected] of Object.entries(answers))
    expect(answerOf(found, `GET ${path}`)?.body, path).toBe(expected);
});

const OF_LISTS = '{"b":["x","y"],"i":[{"v":"x"}],"o":{"k":"v"},"n":null,"s":"str","d":{"l":[1]}}';

test.each<[rule: ReturnType<typeof rule>, isHeld: boolean]>([
  [rule('body', 'b', 'equals', 'x'), true],
  [rule('body', 'o', 'equals', 'v'), false],
  [rule('body', 'b', 'equals', '["x","y"]'), false],
  [rule('body', 'o', 'regex', 'v'), false],
  [rule('body', 'i', 'regex', 'x'), false],
  [rule('body', 'b', 'regex', '^y$'), true],
  [rule('body', 'b', 'regex', ','), false],
  [rule('body', 'b', 'null'), false],
  [rule('body', 'o', 'null'), false],
  [rule('body', 'n', 'null'), true],
  [rule('body', 'n', 'equals', ''), true],
  [{ ...rule('body', 'n', 'equals'), value: null as never }, true],
  [{ ...rule('body', 'b', 'equals'), value: ['x', 'y'] as never }, false],
  [rule('body', 'b.length', 'equals', '2'), true],
  [rule('body', 'b.length', 'equals', '3'), false],
  [rule('body', 'none.length', 'null'), true],
  [rule('body', 's', 'array_includes', 'str'), false],
  [rule('body', 'd.l', 'array_includes', '1'), true],
  [rule('body', 'd.l', 'valid_json_schema', 'num'), false],
  [rule('body', 'd.l.0', 'valid_json_schema', 'num'), true],
  [rule('query', 'tags', 'array_includes', 'a'), true],
  [rule('query', 'q', 'array_includes', '1'), false],
  [rule('query', 'tags.1', 'equals', 'b'), true],
  [rule('query', 'f.n', 'equals', '1'), true],
  [rule('query', 'f', 'null'), false],
  [rule('query', 'f', 'equals', '1'), false],
])('the rule %o', (own, isHeld) => {
  const found = imported(
    environment([route('post a', [response('else', { default: true }), response('held', { rules: [own] })])], {
      data: BUCKETS,
    }),
  );
  const asked = 'POST /a?q=1&tags[]=a&tags[]=b&f[n]=1';
  expect(answerOf(found, asked, { headers: JSON_TYPE, body: OF_LISTS })?.body).toBe(isHeld ? 'held' : 'else');
});

test('a rule with a member that is unknown matches nothing', () => {
  const own = { ...rule('query', 'q', 'equals', '1'), onlyOn: 'mondays' };
  const found = imported(
    environment([route('get a', [response('else', { default: true }), response('held', { rules: [own] })])]),
  );
  expect(answerOf(found, 'GET /a?q=1')?.body).toBe('else');
  expect(codesAt(found, '/routes/0/responses/1')).toContain('mockoon.rule');
});

test('values that some requests print otherwise are named at their response', () => {
  const found = imported(
    environment([
      route('get a', [response('', { body: "{{urlParam 'x'}} {{method}}" })]),
      route('get b', [response('', { body: '{{method}}' })]),
    ]),
  );
  expect(notesOf(found)).toEqual(['mockoon.templates /routes/0/responses/0']);
  expect(found.report.entries[0]?.message).toContain("{{urlParam 'x'}}");
});

test('a null of a bucket that routes change is named', () => {
  const crud = route('', [response('', { body: '', bodyType: 'DATABUCKET', databucketID: 'obj', default: true })], {
    type: 'crud',
    endpoint: 'obj',
  });
  const codes = (body: string): readonly string[] =>
    codesAt(imported(environment([route('get a', [response('', { body })]), crud], { data: BUCKETS })), '/routes/0');
  expect([codes("{{data 'obj' 'z'}}"), codes("{{data 'obj' 'a'}}")]).toEqual([['mockoon.template-value'], []]);
});

describe('data buckets', async () => {
  const two = await TwoThreads.use();
  const own = (id: string, value: string) => ({ uuid: id, id, name: id, documentation: '', value });
  const source = environment(
    [
      route('get greet', [response('', { body: '', bodyType: 'DATABUCKET', databucketID: 'greet' })]),
      route('get ', [response('', { body: '', bodyType: 'DATABUCKET', databucketID: 'things', default: true })], {
        type: 'crud',
        method: '',
        endpoint: 'things',
      }),
    ],
    { data: [own('greet', '["{{queryParam \'name\'}}"]'), own('things', '[1,2]')] },
  );

  test('that read the request are rendered for it, and the report says that Mockoon keeps the first', async () => {
    const { mocks, report } = await two.data('POST', '/import?start=true', source);
    expect((await two.ask(mocks[0].id, '/greet?name=Ann')).text).toBe('["Ann"]');
    expect(report.entries).toMatchObject([
      { code: 'mockoon.bucket-template', source: { pointer: '/routes/0/responses/0' } },
    ]);
  });

  test('that routes behind change are read as they are by then', async () => {
    const [greet, crud] = source.routes as [object, object];
    const printing = { ...greet, ...route('get list', [response('', { body: "{{len (dataRaw 'things')}}" })]) };
    const { mocks } = await two.data('POST', '/import?start=true', { ...source, routes: [printing, crud] });
    expect((await two.ask(mocks[0].id, '/list')).text).toBe('2');
    await two.ask(mocks[0].id, '/things', { method: 'POST', headers: JSON_TYPE, body: '3' });
    expect((await two.ask(mocks[0].id, '/list')).text).toBe('3');
  });

  test('take any value over CRUD routes, which answer JSON', async () => {
    const { mocks } = await two.data('POST', '/import?start=true', source);
    const ask = async (method: string, path: string, body?: string, headers: Record<string, string> = JSON_TYPE) => {
      const reply = await two.ask(mocks[0].id, path, { method, headers, ...(body === undefined ? {} : { body }) });
      return [reply.status, reply.text, reply.headers['content-type']];
    };
    const json = 'application/json; charset=utf-8';
    expect(await ask('POST', '/things', '"text"')).toEqual([201, 'text', json]);
    expect(await ask('POST', '/things', 'no json', { 'content-type': 'text/plain' })).toEqual([201, 'no json', json]);
    expect(await ask('GET', '/things')).toEqual([200, '[1,2,"text","no json"]', json]);
    expect(await ask('PUT', '/things/0', 'null')).toEqual([200, 'null', json]);
    expect(await ask('DELETE', '/things/1')).toEqual([200, '{}', json]);
    expect(await ask('PATCH', '/things', '{"a":1}')).toEqual([200, '{"0":null,"1":"text","2":"no json","a":1}', json]);
    expect(await ask('GET', '/things/9')).toEqual([200, '{"0":null,"1":"text","2":"no json","a":1}', json]);
    expect(await ask('DELETE', '/things')).toEqual([200, '{}', json]);
    expect(await ask('GET', '/things')).toEqual([200, '', json]);
  });
});
