/** Environments of Mockoon: what is called exact answers as it does there, and nothing vanishes silently. */
import { describe, expect, test } from 'vitest';
import { importMocks } from '../../src/interchange/import-mocks.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { answerOf } from '../support/answers.ts';
import { codesAt, definitionOf, imported, notesOf } from '../support/imports.ts';
import { environment, response, route, rule } from './whole/mockoon-parts.ts';

const JSON_BODY = { headers: { 'content-type': 'application/json' } };

describe('detection', () => {
  test.each([
    [environment([]), '33', '`routes` with `lastMigration`'],
    [
      { source: 'mockoon:1.20.0', data: [{ type: 'environment', item: environment([]) }] },
      '1.20.0',
      '`source` of an export',
    ],
  ])('%#', (source, version, detectedBy) => {
    const { report } = imported(source);
    expect([report.format, report.version, report.detectedBy]).toEqual(['mockoon', version, detectedBy]);
  });

  test('an export has a mock for each environment, and tells what else it holds', () => {
    const one = environment([route('get a')]);
    const found = imported({
      source: 'mockoon:1.2.3',
      data: [
        { type: 'environment', item: { ...one, name: 'One' } },
        { type: 'route', item: route('get b') },
        { type: 'environment', item: { ...one, name: 'Two' } },
      ],
    });
    expect(found.mocks.map(({ name }) => name)).toEqual(['One', 'Two']);
    expect(notesOf(found)).toEqual(['mockoon.item /data/1']);
  });
});

describe('paths', () => {
  test.each([
    ['users', '/users'],
    ['users/:id', '/users/:id'],
    ['users/:id?', '/users/:id?'],
    ['files/:name.:ending', '/files/:name([^/]+).:ending'],
    ['v1/:user-id', '/v1/:user([^/]+)-id'],
    ['a/', '/a/'],
    ['v:major/x', '/v:major([^/]+)/x'],
    ['files/*', '/files/(?P<wildcard0>.+)/?'],
    ['*', '/(?P<wildcard0>.+)/?'],
    ['a//b', '/a/b'],
    ['two words', '/two%20words'],
    ['', '/'],
  ])('%s is %s', (endpoint, path) => {
    const found = imported(environment([route(`get ${endpoint}`.replace('two words', 'two%20words'))]));
    expect(definitionOf(found).routes.map((each) => each.path)).toEqual([path]);
    expect(notesOf(found)).toEqual([]);
  });

  test.each([
    ['ab(cd)?e', ['/abe', '/abcde'], ['/abcd']],
    ['a/(.*)/z', ['/a/b/z', '/a/b/c/z'], ['/a/b']],
    ['ab?c', ['/ac', '/abc'], ['/abbc']],
    ['items/:id([0-9]+)/x*', ['/items/12/x', '/items/12/xyz'], ['/items/a/x']],
  ])('%s is a pattern', (endpoint, taken, missed) => {
    const found = imported(environment([route(`get ${endpoint}`)]));
    for (const path of taken) expect(answerOf(found, `GET ${path}`), path).toMatchObject({ body: 'ok' });
    for (const path of missed) expect(answerOf(found, `GET ${path}`), path).toBeUndefined();
  });

  test('a wildcard leaves the path in front of it to its route', () => {
    const found = imported(environment([route('get a/*', [response('rest')]), route('get a', [response('own')])]));
    expect(answerOf(found, 'GET /a')).toMatchObject({ body: 'own' });
    expect(answerOf(found, 'GET /a/b')).toMatchObject({ body: 'rest' });
  });

  test('a fragment is a condition', () => {
    const found = imported(
      environment([
        route('post /#X-Amz-Target=S.Get', [response('get'), response('never')]),
        route('post /#Action=List&Version=1', [response('list')]),
        route('get /b#acl', [response('acl')]),
        route('get /b', [response('b')]),
      ]),
    );
    expect(answerOf(found, 'POST /', { headers: { 'x-amz-target': 'S.Get' } })).toMatchObject({ body: 'get' });
    expect(answerOf(found, 'POST /?Action=List&Version=1')).toMatchObject({ body: 'list' });
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'Action=List&Version=1' };
    expect(answerOf(found, 'POST /', form)).toMatchObject({ body: 'list' });
    expect(answerOf(found, 'POST /?Action=List')).toBeUndefined();
    expect(answerOf(found, 'GET /b?acl')).toMatchObject({ body: 'acl' });
    expect(answerOf(found, 'GET /b')).toMatchObject({ body: 'b' });
    expect(found.report.items.routes).toEqual({ exact: 0, approximated: 4, dropped: 0 });
  });
});

test('routes are asked in the order of the folders, under the prefix', () => {
  const routes = [
    route('get :any', [response('any')]),
    route('get a', [response('a')]),
    route('all x', [response('x')]),
  ];
  const found = imported(
    environment(routes, {
      endpointPrefix: 'api',
      rootChildren: [
        { type: 'folder', uuid: 'f' },
        { type: 'route', uuid: routes[0]?.uuid },
      ],
      folders: [{ uuid: 'f', name: 'F', children: [{ type: 'route', uuid: routes[1]?.uuid }] }],
    }),
  );
  expect(answerOf(found, 'GET /api/a')).toMatchObject({ body: 'a' });
  expect(answerOf(found, 'GET /api/b')).toMatchObject({ body: 'any' });
  expect(codesAt(found, '/routes/2')).toEqual(['mockoon.unplaced']);
  expect(definitionOf(found).routes.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

describe('the choice among responses', () => {
  const two = [
    response('first', { rules: [rule('query', 'q', 'equals', '1')] }),
    response('second', { default: true }),
    response('third', { rules: [rule('query', 'q', 'equals', '3')] }),
  ];
  test.each([
    [null, ['1', '3', ''], ['first', 'third', 'second']],
    ['DISABLE_RULES', ['1', ''], ['second', 'second']],
    ['FALLBACK', ['1', ''], ['first', 'next']],
  ])('%s', (responseMode, queries, expected) => {
    const found = imported(environment([route('get a', two, { responseMode }), route('get :b', [response('next')])]));
    expect(queries.map((q) => answerOf(found, `GET /a?q=${q}`)?.body)).toEqual(expected);
  });

  test('SEQUENTIAL, and RANDOM, also in the words of older files', () => {
    const labels = (more: object): unknown => {
      const definition = definitionOf(imported(environment([route('get a', two, more)])));
      return definition.routes[0]?.selection;
    };
    expect(labels({ responseMode: 'SEQUENTIAL' })).toBe('sequential');
    expect(labels({ responseMode: 'RANDOM' })).toBe('random');
    expect(labels({ responseMode: undefined, sequentialResponse: true })).toBe('sequential');
    expect(labels({ responseMode: undefined, randomResponse: true, sequentialResponse: false })).toBe('random');
  });

  test('without a default the first answers, though it has rules', () => {
    const found = imported(environment([route('get a', [two[0], two[2]])]));
    expect(answerOf(found, 'GET /a?q=9')).toMatchObject({ body: 'first' });
  });
});

describe('rules', () => {
  const json = (value: unknown) => ({ ...JSON_BODY, body: JSON.stringify(value) });
  const path = (query: string) => `POST /a?${query}`;
  test.each<[unknown, [string, object?][], [string, object?][]]>([
    [rule('query', 'q', 'equals', '1'), [[path('q=1')], [path('q=2&q=1')]], [[path('q=2')], [path('')]]],
    [rule('query', 'f.n', 'equals', '1'), [[path('f[n]=1')]], [[path('f=1')]]],
    [rule('query', 'q', 'null'), [[path('')], [path('q=')]], [[path('q=1')]]],
    [rule('query', 'q', 'equals', '1', true), [[path('q=2')], [path('')]], [[path('q=1')]]],
    [
      rule('header', 'X-A', 'regex', '^a[0-9]'),
      [[path(''), { headers: { 'x-a': 'a1b' } }]],
      [[path(''), { headers: { 'x-a': 'A1' } }]],
    ],
    [rule('header', 'X-A', 'regex_i', '^a[0-9]'), [[path(''), { headers: { 'x-a': 'A1' } }]], [[path('')]]],
    [
      rule('cookie', 'c', 'equals', 'x'),
      [[path(''), { headers: { cookie: 'c=x' } }]],
      [[path(''), { headers: { cookie: 'c=y' } }]],
    ],
    [rule('params', 'id', 'equals', 'a'), [[path('')]], [['POST /b']]],
    [rule('method', '', 'equals', 'post'), [[path('')]], []],
    [rule('path', '', 'regex', '^/a$'), [[path('')]], [['POST /b']]],
    [rule('request_number', '', 'equals', '1'), [[path('')]], []],
    [rule('body', '', 'equals', 'text'), [[path(''), { body: 'text' }]], [[path(''), { body: 'text2' }]]],
    [
      rule('body', 'a.0.b', 'equals', '1'),
      [[path(''), json({ a: [{ b: 1 }] })]],
      [[path(''), json({ a: [{ b: 2 }] })]],
    ],
    [rule('body', 'a\\.b', 'equals', '1'), [[path(''), json({ 'a.b': '1' })]], [[path(''), json({ a: { b: '1' } })]]],
    [
      rule('body', '$.a[*].b', 'equals', '2'),
      [[path(''), json({ a: [{ b: 1 }, { b: 2 }] })]],
      [[path(''), json({ a: [] })]],
    ],
    [
      rule('body', 'tags', 'array_includes', 'x'),
      [[path(''), json({ tags: ['y', 'x'] })]],
      [[path(''), json({ tags: ['y'] })]],
    ],
    [
      rule('body', 'tags', 'empty_array'),
      [[path(''), json({ tags: [] })]],
      [
        [path(''), json({ tags: [1] })],
        [path(''), json({})],
      ],
    ],
    [
      rule('body', 'user', 'valid_json_schema', 'sch'),
      [[path(''), json({ user: { n: 1 } })]],
      [[path(''), json({ user: { n: 'a' } })]],
    ],
  ])('%j', (given, taken, missed) => {
    const data = [
      {
        uuid: 'u',
        id: 'sch',
        name: 'Schema',
        documentation: '',
        value: '{"type":"object","properties":{"n":{"type":"number"}}}',
      },
    ];
    const responses = [response('else', { default: true }), response('held', { rules: [given] })];
    const found = imported(environment([route('post :id', responses)], { data }));
    const { target: of, modifier } = given as { readonly target: string; readonly modifier: string };
    // Members of a body are read whatever its type.
    const isNear = of === 'path' || (of === 'body' && modifier !== '');
    expect(found.report.items.responses).toEqual({ exact: isNear ? 1 : 2, approximated: isNear ? 1 : 0, dropped: 0 });
    for (const [target, more] of taken) expect(answerOf(found, target, more), target).toMatchObject({ body: 'held' });
    for (const [target, more] of missed) expect(answerOf(found, target, more), target).toMatchObject({ body: 'else' });
  });

  test('what cannot be expressed never answers more requests', () => {
    const unsaid = rule('data_bucket', 'no such', 'equals', '1');
    const said = rule('query', 'q', 'equals', '1');
    const found = imported(
      environment([
        route('get a', [
          response('else'),
          response('and', { rules: [unsaid, said], rulesOperator: 'AND' }),
          response('or', { rules: [unsaid, said], rulesOperator: 'OR' }),
          response('alone', { rules: [rule('query', 'q', 'equals', '{{now}}')] }),
        ]),
      ]),
    );
    expect(answerOf(found, 'GET /a?q=1')).toMatchObject({ body: 'or' });
    expect(answerOf(found, 'GET /a')).toMatchObject({ body: 'else' });
    expect(found.report.items.responses).toEqual({ exact: 1, approximated: 1, dropped: 2 });
  });
});

test('headers are those of the environment and the response, in UTF-8', () => {
  const headers = (...lines: [string, string][]) => lines.map(([key, value]) => ({ key, value }));
  const found = imported(
    environment(
      [
        route('get a', [response('{}', { headers: headers(['content-type', 'application/json'], ['X-A', 'own']) })]),
        route('get b', [
          response('b', { headers: headers(['Content-Type', 'Text/Plain;version=1'], ['Set-Cookie', 'c=1']) }),
        ]),
        route('get c', [response('c', { headers: headers(['Content-Length', '9'], ['bad name', 'x']) })]),
        route('get d', [response('', { statusCode: 204 })]),
      ],
      { headers: headers(['X-A', 'all'], ['Set-Cookie', 'e=1'], ['', 'x'], ['X-B', '']) },
    ),
  );
  const linesOf = (target: string): string[] => {
    const answer = answerOf(found, target);
    return [...(answer?.headers ?? [])].toSorted();
  };
  expect(linesOf('GET /a')).toEqual(
    expect.arrayContaining(['Content-Type: application/json; charset=utf-8', 'X-A: own', 'Set-Cookie: e=1']),
  );
  expect(linesOf('GET /b')).toEqual(
    expect.arrayContaining(['Content-Type: text/plain; charset=utf-8; version=1', 'X-A: all', 'Set-Cookie: c=1']),
  );
  expect(linesOf('GET /c')).toEqual(expect.arrayContaining(['Content-Type: text/html; charset=utf-8']));
  expect(linesOf('GET /d').join()).not.toMatch(/content-type/i);
  expect(codesAt(found, '/routes/2')).toEqual(['mockoon.header']);
  expect(found.report.classes.find(({ code }) => code === 'mockoon.framing-headers')?.count).toBe(1);
});

describe('bodies', () => {
  const data = [
    { uuid: '1', id: 'u1', name: 'Users', documentation: '', value: '[{"name":"Ann"},{"name":"Bob"}]' },
    { uuid: '2', id: 'made', name: 'Made', documentation: '', value: '{"id":"{{uuid}}"}' },
  ];
  const bodyOf = (body: string, more: object = {}): string | undefined => {
    const found = imported(environment([route('get :id', [response('x', { body, ...more })])], { data }));
    return answerOf(found, 'GET /7?page=2')?.body;
  };
  test.each([
    ["{{urlParam 'id'}} {{queryParam 'page'}}", '7 2'],
    ['[{{#repeat 3}}{"i":{{@index}}},{{/repeat}}]', '[{"i":0},\n{"i":1},\n{"i":2}\n]'],
    ['[{{#repeat 2 comma=false}}{{@index}}{{/repeat}}]', '[01]'],
    ["{{data 'users' '1.name'}} {{data 'u1' '0.name'}}", 'Bob Ann'],
    ["{{#each (dataRaw 'Users')}}{{name}};{{/each}}", 'Ann;Bob;'],
    ["{{oneOf (array 'a') true}}", '"a"'],
    ["{{#switch (method)}}{{#case 'GET'}}got{{/case}}{{#default}}?{{/default}}{{/switch}}", 'got'],
  ])('%s is %s', (body, expected) => {
    expect(bodyOf(body)).toBe(expected);
  });

  test('made-up values have the helpers of faker', () => {
    expect(bodyOf("{{firstName}} {{lorem 3}} {{float 1 1}} {{faker 'number.int' min=4 max=4}}")).toMatch(
      /^\p{L}+ \p{L}+ \p{L}+ \p{L}+\. 1 4$/u,
    );
  });

  test('a data bucket is a body', () => {
    expect(bodyOf('unused', { bodyType: 'DATABUCKET', databucketID: 'u1' })).toBe('[{"name":"Ann"},{"name":"Bob"}]');
    expect(bodyOf('unused', { bodyType: 'DATABUCKET', databucketID: 'made' })).toMatch(/^\{"id":"[0-9a-f-]{36}"\}$/);
    const found = imported(
      environment([route('get a', [response('x', { bodyType: 'DATABUCKET', databucketID: 'no' })])]),
    );
    expect(notesOf(found)).toEqual(['mockoon.bucket /routes/0/responses/0']);
  });

  test('templates that are switched off, or not understood, are told', () => {
    expect(bodyOf('{{method}}', { disableTemplating: true })).toBe('{{method}}');
    const found = imported(environment([route('get a', [response('x', { body: '{{jmesPath 1 2}}' })])]));
    expect(codesAt(found, '/routes/0')).toEqual(['mockoon.template']);
  });

  test('files of a folder are bodies', () => {
    const file = (filePath: string, more: object = {}) =>
      response('none', { bodyType: 'FILE', filePath, sendFileAsBody: true, ...more });
    const source = environment([
      route('get a', [file('./files/a.json')]),
      route('get b', [file('files/b.bin', { sendFileAsBody: false })]),
      route('get c', [file('files/c.txt', { fallbackTo404: true })]),
      route('get d', [file('files/d.txt')]),
      route('get e', [file("files/{{urlParam 'x'}}.txt")]),
    ]);
    const files = [
      { path: 'shop.json', bytes: Buffer.from(JSON.stringify(source)) },
      { path: 'files/a.json', bytes: Buffer.from('{"method":"{{method}}"}') },
      { path: 'files/b.bin', bytes: Buffer.from([0xff, 0, 1]) },
      { path: 'files/other.txt', bytes: Buffer.from('x') },
    ];
    const found = importMocks(files, undefined, {}, DEFAULT_LIMITS.mocks);
    if ('details' in found) throw new Error(JSON.stringify(found.details));
    expect(answerOf(found, 'GET /a')).toMatchObject({
      body: '{"method":"GET"}',
      headers: expect.arrayContaining(['Content-Type: application/json; charset=utf-8']),
    });
    expect(answerOf(found, 'GET /b')).toMatchObject({
      body: '\xff\0\x01',
      headers: expect.arrayContaining(['Content-Disposition: attachment; filename="b.bin"']),
    });
    expect(answerOf(found, 'GET /c')).toMatchObject({ status: 404, body: 'none' });
    expect(notesOf(found)).toEqual([
      'mockoon.file /routes/3/responses/0/filePath',
      'mockoon.file-path /routes/4/responses/0/filePath',
    ]);
    expect([answerOf(found, 'GET /d'), answerOf(found, 'GET /e')]).toEqual([undefined, undefined]);
    expect(found.report.classes.find(({ code }) => code === 'import.other-file')?.count).toBe(1);
  });
});

test('what is not an answer over HTTP is dropped, and the rest is served', () => {
  const found = imported(
    environment(
      [
        route('get a', [response('a', { callbacks: [{ uuid: 'c', latency: 0 }] })]),
        route(' b', [response('b')], { type: 'other' }),
        route(' users', [response('c')], { type: 'crud' }),
        route('get d', [response('d', { statusCode: 42 })]),
      ],
      { proxyMode: true, proxyHost: '127.0.0.1:1', callbacks: [{ uuid: 'c', name: 'C', uri: '/x' }] },
    ),
  );
  expect(answerOf(found, 'GET /a')).toMatchObject({ body: 'a' });
  expect(notesOf(found).toSorted()).toEqual([
    'import.refused /routes/3',
    'import.refused /routes/3/responses/0',
    'mockoon.callback /routes/0/responses/0/callbacks/0',
    'mockoon.proxy /proxyMode',
    'mockoon.route-type /routes/1',
    'mockoon.route-type /routes/2',
  ]);
});

test('messages at an interval become ticks, of each socket or to all', () => {
  const socket = (streamingMode: string) =>
    route(` ${streamingMode}`, [response('tick', { default: true })], {
      type: 'ws',
      streamingMode,
      streamingInterval: 20,
    });
  const found = imported(environment([socket('UNICAST'), socket('BROADCAST')]));
  expect(definitionOf(found).routes.map(({ tickMs, tickTo }) => [tickMs, tickTo])).toEqual([
    [20, undefined],
    [20, 'all'],
  ]);
  expect(notesOf(found)).toEqual([]);
});

describe('stored data', () => {
  const source = environment(
    [
      route(
        'get unused',
        [
          response('', {
            bodyType: 'DATABUCKET',
            databucketID: 'u',
            headers: [{ key: 'x-a', value: 'b' }],
            crudKey: 'key',
          }),
        ],
        {
          type: 'crud',
          method: '',
          endpoint: 'users',
        },
      ),
      route('post visits', [
        response(
          "{{setData 'inc' 'Totals' 'visits'}}{{setGlobalVar 'last' (body 'who')}}{{data 'Totals' 'visits'}} {{getGlobalVar 'last'}}",
        ),
      ]),
      route('get state', [
        response('many', { rules: [rule('data_bucket', 'Totals.visits', 'equals', '2')] }),
        response('by ann', { rules: [rule('global_var', 'last', 'equals', 'ann')] }),
        response('else', { default: true }),
      ]),
      route('get made', [response('', { bodyType: 'DATABUCKET', databucketID: 'm' })]),
    ],
    {
      data: [
        { uuid: '1', id: 'u', name: 'Users', value: '[{"key": 1, "name": "Ann"}]', documentation: '' },
        { uuid: '2', id: 't', name: 'Totals', value: '{"visits": 0}', documentation: '' },
        { uuid: '3', id: 'm', name: 'Made', value: '[{{#repeat 2}}{"id": "{{uuid}}"}{{/repeat}}]', documentation: '' },
      ],
    },
  );

  test('of buckets becomes stores: CRUD routes, helpers and rules', () => {
    const found = imported(source);
    expect(notesOf(found)).toEqual([
      'mockoon.templates /routes/1/responses/0',
      'mockoon.templates /routes/3/responses/0',
    ]);
    const { settings, routes } = definitionOf(found);
    expect(settings.stores?.map(({ name, idMember, templated }) => [name, idMember, templated])).toEqual([
      ['Users', 'key', undefined],
      ['Totals', undefined, undefined],
      ['Made', undefined, true],
    ]);
    expect(routes[0]).toMatchObject({ kind: 'crud', store: 'Users', path: '/users' });
    expect(answerOf(found, 'GET /users/1')).toMatchObject({ status: 200, body: '{"key":1,"name":"Ann"}' });
    expect(answerOf(found, 'GET /state')).toMatchObject({ body: 'else' });
    expect(answerOf(found, 'POST /visits', { ...JSON_BODY, body: '{"who":"ann"}' })).toMatchObject({ body: '1 ann' });
    expect(JSON.parse(answerOf(found, 'GET /made')?.body ?? '')).toHaveLength(2);
  });

  test('of buckets with a number that no double holds is told', () => {
    const values = ['[{"id": 9007199254740993}]', '[{"id": {{1}}9007199254740993}]', 'no. 9007199254740993', '[0.10]'];
    const data = values.map((value, at) => ({ uuid: `${at}`, id: `${at}`, name: `b${at}`, value, documentation: '' }));
    expect(notesOf(imported(environment([route('get a', [response('x')])], { data })))).toEqual([
      'import.number /data/0/value',
      'import.number /data/1/value',
    ]);
  });
});

test('the oldest files have one response in the route itself', () => {
  const found = imported({
    ...environment([
      {
        uuid: 'r',
        method: 'get',
        endpoint: 'old',
        statusCode: '201',
        body: 'old',
        latency: 5,
        headers: [{ uuid: 'h', key: 'X-A', value: 'a' }],
        enabled: true,
      },
    ]),
    lastMigration: 5,
  });
  expect(answerOf(found, 'GET /old')).toMatchObject({ status: 201, body: 'old', latency: 5 });
});
