/** Imposters of mountebank: what is called exact answers as it does there (test/prove/oracles asks both), and nothing vanishes silently. */
import { describe, expect, test } from 'vitest';
import { answerOf } from '../support/answers.ts';
import { definitionOf, imported, notesOf } from '../support/imports.ts';

const stub = (predicates: object[], is: object = { body: 'held' }, more: object = {}) => ({
  predicates,
  responses: [{ is, ...more }],
});
const imposter = (stubs: object[], more: object = {}) => ({ protocol: 'http', port: 4545, stubs, ...more });

test('each imposter of HTTP is a mock', () => {
  const found = imported({
    imposters: [
      imposter([stub([])], { name: 'One' }),
      { protocol: 'tcp', port: 1, stubs: [{ responses: [] }] },
      imposter([stub([])], { protocol: 'https', key: 'k', cert: 'c', mutualAuth: true }),
      imposter([stub([])], { name: 'Two', protocol: 'https', ca: 'c', mutualAuth: true, rejectUnauthorized: true }),
    ],
  });
  expect(found.mocks.map(({ name }) => name)).toEqual(['One', 'port 4545', 'Two']);
  expect(notesOf(found)).toEqual([
    'mountebank.protocol /imposters/1',
    'mountebank.client-certificates /imposters/3/mutualAuth',
  ]);
});

describe('predicates', () => {
  const json = (value: unknown) => ({ body: JSON.stringify(value) });
  const form = (body: string, more = '') => ({
    body,
    headers: { 'content-type': `application/x-www-form-urlencoded${more}` },
  });
  test.each<[object, [string, object?][], [string, object?][]]>([
    [{ equals: { method: 'POST', path: '/a' } }, [['POST /a']], [['GET /a'], ['POST /b']]],
    [{ equals: { query: { q: 'X' } } }, [['GET /?q=x']], [['GET /?q=y'], ['GET /']]],
    [{ equals: { query: { q: 'X' } }, caseSensitive: true }, [['GET /?q=X']], [['GET /?q=x']]],
    [{ equals: { query: { q: ['1', '2'] } } }, [['GET /?q=2&q=1']], [['GET /?q=1']]],
    [{ deepEquals: { query: { q: 1 } } }, [['GET /?q=1']], [['GET /?q=1&r=2'], ['GET /']]],
    [{ deepEquals: { query: {} } }, [['GET /']], [['GET /?r=2']]],
    [
      { deepEquals: { body: { a: [1, 2] } } },
      [['POST /', json({ a: [2, 1] })]],
      [['POST /', json({ a: [1, 2], b: 1 })]],
    ],
    [
      { equals: { body: { a: { b: 1 } } } },
      [
        ['POST /', json({ a: { b: 1 }, c: 2 })],
        ['POST /', json({ a: [{ b: 2 }, { b: 1 }] })],
      ],
      [['POST /', json({ a: { b: 2 } })]],
    ],
    [
      { equals: { body: { v: null } } },
      [['POST /', json({ v: null })]],
      [
        ['POST /', json({ v: 'null' })],
        ['POST /', json({})],
      ],
    ],
    [{ contains: { body: 'x' } }, [['POST /', { body: 'aXb' }]], [['POST /', { body: 'ab' }]]],
    [{ startsWith: { path: '/a' } }, [['GET /A/b']], [['GET /b/a']]],
    [{ endsWith: { headers: { 'X-A': 'z' } } }, [['GET /', { headers: { 'x-a': 'yz' } }]], [['GET /']]],
    [{ matches: { path: '^/a/\\d+$' } }, [['GET /a/12']], [['GET /a/b']]],
    [{ exists: { query: { q: true, r: false } } }, [['GET /?q=1']], [['GET /'], ['GET /?q=1&r=1']]],
    [
      { jsonpath: { selector: '$..b' }, equals: { body: '1' } },
      [['POST /', json({ a: [{ b: 1 }] })]],
      [['POST /', json({ a: [{ b: 2 }] })]],
    ],
    [{ not: { equals: { path: '/a' } } }, [['GET /b']], [['GET /a']]],
    [{ or: [{ equals: { path: '/a' } }, { equals: { path: '/b' } }] }, [['GET /a'], ['GET /b']], [['GET /c']]],
    [{ and: [{ equals: { path: '/a' } }, { equals: { method: 'PUT' } }] }, [['PUT /a']], [['GET /a']]],
    [{ equals: { body: '' } }, [['GET /']], [['POST /', { body: 'x' }]]],
    [
      { equals: { form: { a: '1' } } },
      [['POST /', form('b=2&a=1')]],
      [
        ['POST /', form('a=2')],
        ['POST /', { ...form('a=1'), headers: { 'content-type': 'text/plain' } }],
        ['POST /', json({ a: '1' })],
      ],
    ],
    [
      { deepEquals: { form: { a: 'x y', b: 2 } } },
      [
        ['POST /', form('b=2&a=X+y')],
        ['POST /', form('&a=x%20y&&b=2&', '; charset=utf-8')],
      ],
      [
        ['POST /', form('a=x+y&b=2&c=3')],
        ['POST /', form('a=x+y&b=2&b=2')],
        ['POST /', form('a=x+y')],
        ['POST /', form('a=x+y&b=3')],
        ['POST /', json({ a: 'x y', b: 2 })],
        ['POST /'],
      ],
    ],
    [
      { deepEquals: { form: {} } },
      [['POST /', form('&')]],
      [
        ['POST /', form('')],
        ['POST /', form('a')],
      ],
    ],
    [
      { exists: { form: { a: false } } },
      [['POST /', form('b=1')]],
      [
        ['POST /', form('a=1')],
        ['POST /', json({ b: 1 })],
      ],
    ],
  ])('%j', (predicate, taken, missed) => {
    const found = imported(imposter([stub([predicate])], { defaultResponse: { body: 'other' } }));
    expect(found.report.entries).toEqual([]);
    for (const [target, more] of taken) expect(answerOf(found, target, more), target).toMatchObject({ body: 'held' });
    for (const [target, more] of missed) expect(answerOf(found, target, more), target).toMatchObject({ body: 'other' });
  });

  test.each<[unknown, string]>([
    [{ inject: 'function () {}' }, 'scripts are not run'],
    [{ equals: { body: 'x' }, xpath: { selector: '//a' } }, 'XPath'],
    [{ equals: { body: 'x' }, except: '^a' }, 'except'],
    [{ matches: { path: '(?=a)b' } }, 'RE2'],
    [{ deepEquals: { form: { a: ['b', 'c'] } } }, 'repeated'],
    [{ deepEquals: { form: { a: '' } } }, 'empty'],
    [{ equals: { form: { $a: '1' } } }, 'starts with $'],
    [{ constructor: { a: '1' } }, 'not a supported predicate'],
    [{ deepEquals: { constructor: '1' } }, 'constructor'],
    [{ equals: { path: '/a' }, nonsense: true }, 'nonsense is not known here'],
    ['equals', 'it is not a predicate'],
  ])('what cannot be expressed drops the stub: %j', (predicate, why) => {
    const found = imported(imposter([stub([predicate as object]), stub([{ equals: { path: '/b' } }])]));
    expect(found.report.entries.map(({ message }) => message).join()).toContain(why);
    expect(found.report.items.stubs).toEqual({ exact: 0, approximated: 1, dropped: 1 });
    expect(answerOf(found, 'GET /a')).toMatchObject({ status: 200, body: '' });
    expect(answerOf(found, 'GET /b')).toMatchObject({ body: 'held' });
  });
});

test('names that are compared without their case there are approximated, and so are headers as a whole', () => {
  const levelsOf = (predicate: object): unknown => imported(imposter([stub([predicate])])).report.items.stubs;
  const exact = { exact: 1, approximated: 0, dropped: 0 };
  const approximated = { exact: 0, approximated: 1, dropped: 0 };
  expect(levelsOf({ equals: { path: '/1' } })).toEqual(exact);
  expect(levelsOf({ equals: { path: '/a' } })).toEqual(approximated);
  expect(levelsOf({ equals: { path: '/a' }, caseSensitive: true })).toEqual(exact);
  expect(levelsOf({ not: { equals: { query: { q: '1' } } } })).toEqual(approximated);
  const found = imported(imposter([stub([{ deepEquals: { headers: { A: 'b' } } }])]));
  expect(notesOf(found)).toEqual(['mountebank.headers /stubs/0/predicates/0']);
  expect(answerOf(found, 'GET /', { headers: { a: 'B', c: 'd' } })).toMatchObject({ body: 'held' });
  expect(answerOf(found, 'GET /', { headers: { c: 'd' } })).toMatchObject({ body: '' });
});

describe('responses', () => {
  test('of a fault that does not exist there are the default one', () => {
    const faulty = ['NONE', 'constructor'].map((fault, index) => ({
      predicates: [{ equals: { path: `/${index}` } }],
      responses: [{ fault }],
    }));
    const found = imported(imposter(faulty, { defaultResponse: { statusCode: 418, body: 'default' } }));
    expect(found.report.entries).toEqual([]);
    expect(found.report.classes.map(({ code }) => code)).toContain('mountebank.fault');
    for (const path of ['/0', '/1'])
      expect(answerOf(found, `GET ${path}`)).toMatchObject({ status: 418, body: 'default' });
  });

  test('of bytes that are not base64 are read as mountebank does, which the report says', () => {
    const found = imported(imposter([stub([], { body: 'Y*WJ_j', _mode: 'binary' })]));
    expect(answerOf(found, 'GET /')?.body).toBe(Buffer.from('Y*WJ_j', 'base64').toString());
    expect(found.report.classes.map(({ code }) => code)).toContain('mountebank.base64');
  });

  test('of behaviors that do not exist are left out, whatever their name', () => {
    const named = ['constructor', 'toString'].map((name) => stub([], { body: 'x' }, { behaviors: [{ [name]: 1 }] }));
    const copies = ['constructor', { constructor: 'a' }].map((from) =>
      stub(
        [],
        { body: 'T' },
        { behaviors: [{ copy: { from, into: 'T', using: { method: 'regex', selector: '.' } } }] },
      ),
    );
    const found = imported(imposter([...named, ...copies]));
    expect(found.report.items.stubs).toEqual({ exact: 0, approximated: 0, dropped: 4 });
    expect(found.report.entries.map(({ code }) => code)).toEqual(
      Array.from({ length: 4 }, () => 'mountebank.behavior'),
    );
  });

  test('take what they leave out from the default', () => {
    const found = imported(
      imposter(
        [
          stub([{ equals: { path: '/a' } }], { statusCode: '201' }),
          stub([{ equals: { path: '/b' } }], { body: { a: [1] } }),
        ],
        {
          defaultResponse: { statusCode: 400, headers: { 'X-D': 'd' }, body: 'default' },
        },
      ),
    );
    expect(answerOf(found, 'GET /a')).toMatchObject({ status: 201, headers: ['X-D: d'], body: 'default' });
    expect(answerOf(found, 'GET /b')).toMatchObject({ status: 400, body: '{\n    "a": [\n        1\n    ]\n}' });
    expect(answerOf(found, 'GET /c')).toMatchObject({ status: 400, body: 'default' });
  });

  test('copy parts of the request', () => {
    const copy = [
      { from: 'PATH', into: '${id}', using: { method: 'regex', selector: '/(\\d+)$' } },
      { from: { query: 'q' }, into: '${q}', using: { method: 'regex', selector: '\\w+' } },
    ];
    const more = { _behaviors: { copy, wait: 5 } };
    const found = imported(imposter([stub([], { body: 'id ${id}[1] q ${q}' }, more)]));
    expect(answerOf(found, 'GET /a/12?q=x')).toMatchObject({ body: 'id 12 q x', latency: 5 });
    expect(answerOf(found, 'GET /a?q=x')).toMatchObject({ body: 'id ${id}[1] q x' });
  });

  test('take turns, within their condition too', () => {
    const responses = [{ is: { body: '1' }, repeat: 2 }, { is: { body: '2' } }];
    const { settings, routes } = definitionOf(
      imported(
        imposter([
          { predicates: [{ equals: { path: '/a' } }, { exists: { query: { q: true } } }], responses },
          { responses },
        ]),
      ),
    );
    expect(settings.scenarios).toEqual([{ name: 'stub 1', states: ['1', '2', '3'] }]);
    expect(routes.map(({ selection, responses: own }) => [selection, own.map(({ body }) => body)])).toEqual([
      ['rules', ['1', '1', '2']],
      ['sequential', ['1', '1', '2']],
      ['rules', ['']],
    ]);
  });

  test('that are scripts, or asked of other servers, are dropped', () => {
    const found = imported(
      imposter([
        { responses: [{ proxy: { to: 'tcp://127.0.0.1:1' } }] },
        { responses: [{ inject: 'function () {}' }] },
        stub([], {}, { _behaviors: { decorate: 'x' } }),
        stub([], {}, { behaviors: [{ lookup: {} }] }),
        stub([{ equals: { path: '/a' } }], { body: 'a' }, { behaviors: [{ wait: 'function () {}' }] }),
      ]),
    );
    expect(notesOf(found).map((note) => note.split(' ')[0])).toEqual([
      'mountebank.proxy',
      'mountebank.script',
      'mountebank.script',
      'mountebank.behavior',
      'mountebank.wait',
    ]);
    expect(answerOf(found, 'GET /a')).toMatchObject({ body: 'a' });
  });
});
