/** Small files of the kinds that people bring, imported through a server and asked over HTTP. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listBundle, readBundle } from '../../src/app/read-bundle.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';
import { environment, response, route } from './whole/mockoon-parts.ts';

const { server, key } = await useServer();

const mockoon = (endpoint: string, body: string, more: object = {}, own: object = {}): object =>
  environment([route(`get ${endpoint}`, [response('', { body, default: true, ...more })])], own);
const stub = (request: object, body: string): object => ({ request, response: { status: 200, body } });
const openapi = (rest: string): string => `openapi: 3.0.3\ninfo: {title: T, version: '1'}\n${rest}`;
const saved = (body: string, target: string): object => ({
  name: body,
  originalRequest: { method: 'GET', header: [], url: `http://shop.test/${target}` },
  code: 200,
  header: [],
  body,
});

const BIG = '12345678901234567890';
const json = (method: string, body: string) => ({ method, body, headers: { 'content-type': 'application/json' } });
const upload = (type: string, content: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `--b\r\nContent-Disposition: form-data; name="picture"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n--b--\r\n`,
});
const NO_CODES: readonly string[] = [];

interface Asked {
  readonly path: string;
  readonly init?: RequestInit;
  /** Without a body where the text may be any. */
  readonly answer: readonly [status: number, body?: string, headers?: Readonly<Record<string, string>>];
}

const CASES: readonly [name: string, file: unknown, asked: readonly Asked[], codes?: readonly string[]][] = [
  [
    'a 304 that a browser recorded with its content',
    {
      log: {
        version: '1.2',
        entries: [
          {
            request: { method: 'GET', url: 'http://site.test/', headers: [{ name: 'If-None-Match', value: '"v1"' }] },
            response: {
              status: 304,
              headers: [{ name: 'ETag', value: '"v1"' }],
              content: { mimeType: 'text/html', text: '<p>hello</p>' },
            },
          },
        ],
      },
    },
    [
      { path: '/', answer: [200, '<p>hello</p>', { etag: '"v1"', 'content-type': 'text/html' }] },
      { path: '/', init: { headers: { 'if-none-match': '"v1"' } }, answer: [304, ''] },
    ],
    ['har.cached'],
  ],
  [
    'an element of a list that a template makes',
    mockoon('pick', `{"colour":"{{faker 'helpers.arrayElement' (array 'red' 'red')}}","three":{{int 3 3}} }`),
    [{ path: '/pick', answer: [200, '{"colour":"red","three":3 }'] }],
    ['mockoon.templates'],
  ],
  [
    'a bucket that reads the request',
    mockoon(
      'greet',
      '',
      { bodyType: 'DATABUCKET', databucketID: 'b' },
      { data: [{ uuid: 'b', id: 'b', name: 'b', documentation: '', value: '["{{queryParam \'name\'}}"]' }] },
    ),
    [{ path: '/greet?name=Ann', answer: [200, '["Ann"]'] }],
    ['mockoon.bucket-template'],
  ],
  [
    'a loop over a bare name, which is no variable',
    mockoon('list', "{{setVar 'x' (array 1 2)}}{{#each x}}{{this}};{{/each}}"),
    [{ path: '/list', answer: [200, ''] }],
    ['mockoon.templates'],
  ],
  [
    'lists of a query',
    mockoon('q', "{{queryParam 'tags.0'}} {{queryParam 'page'}}"),
    [{ path: '/q?tags[]=a&tags[]=b&page=2', answer: [200, 'a 2'] }],
    ['mockoon.templates'],
  ],
  [
    'an initialiser with comments and bare names',
    '// of a team\n[{httpRequest:{path:"/cities"},"httpResponse":{"body":"AA" /* code */}}]',
    [{ path: '/cities', answer: [200, 'AA'] }],
  ],
  [
    'a document whose paths are in files beside it',
    {
      'api.yaml': openapi('paths:\n  /ping: {$ref: resources/ping.yml}\n'),
      'resources/ping.yml':
        "get:\n  responses:\n    '200':\n      content:\n        text/plain:\n          example: pong\n",
      'resources/other.yml': 'nothing: here\n',
    },
    [{ path: '/ping', answer: [200, 'pong', { 'content-type': 'text/plain' }] }],
  ],
  [
    'headers that have a schema alone',
    openapi(`paths:
  /pages:
    get:
      responses:
        '200':
          description: a page
          headers:
            X-Total-Count: {required: true, schema: {type: integer, minimum: 0}}
            Location: {schema: {type: string, format: uri}}
          content: {application/json: {schema: {type: array, items: {type: integer}}}}
`),
    [{ path: '/pages', answer: [200, '[0]', { 'x-total-count': '0', location: 'https://example.com' }] }],
    ['openapi.sampled', 'openapi.sampled-header'],
  ],
  [
    'a merged schema',
    openapi(`x-shapes:
  stamped: &stamped {type: object, properties: {id: {type: integer, example: 17}, title: {type: string, example: Tides}}}
paths:
  /books/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        '200': {description: d, content: {application/json: {schema: {<<: *stamped, description: a book}}}}
`),
    [{ path: '/books/17', answer: [200, '{"id":17,"title":"Tides"}'] }],
    ['openapi.sampled'],
  ],
  [
    'a document of definitions alone',
    { swagger: '2.0', info: { title: 'Kinds', version: '1' }, paths: {}, definitions: { Kind: { type: 'object' } } },
    [{ path: '/', answer: [404] }],
    ['openapi.no-paths'],
  ],
  [
    'a variable beside a value',
    {
      info: { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      item: [
        {
          name: 'list',
          request: { method: 'GET', header: [], url: 'http://shop.test/items' },
          response: [
            saved('all', 'items'),
            saved('red only', 'items?colour=red'),
            saved('by colour', 'items?colour={{colour}}'),
          ],
        },
      ],
    },
    [
      { path: '/items', answer: [200, 'all'] },
      { path: '/items?colour=red', answer: [200, 'red only'] },
      { path: '/items?colour=blue', answer: [200, 'by colour'] },
    ],
    ['postman.host'],
  ],
  [
    'a stub for one user',
    stub({ urlPath: '/vault', basicAuth: { username: 'reader', password: 'secret-1' } }, 'inside'),
    [
      { path: '/vault', answer: [404] },
      {
        path: '/vault',
        init: { headers: { authorization: `Basic ${btoa('reader:secret-1')}` } },
        answer: [200, 'inside'],
      },
      { path: '/vault', init: { headers: { authorization: `Basic ${btoa('reader:secret-2')}` } }, answer: [404] },
    ],
  ],
  [
    'numbers of twenty digits',
    `{"mappings": [
      {"request": {"method": "POST", "urlPath": "/orders", "bodyPatterns": [{"equalToJson": "{\\"id\\":${BIG}}"}]}, "response": {"body": "this order"}},
      {"request": {"method": "GET", "urlPath": "/balance"}, "response": {"jsonBody": {"units": ${BIG}}}}]}`,
    [
      { path: '/orders', init: json('POST', `{"id": ${BIG}}`), answer: [200, 'this order'] },
      { path: '/orders', init: json('POST', `{"id": ${BIG.slice(0, -1)}1}`), answer: [404] },
      { path: '/balance', answer: [200, `{"units":${BIG}}`] },
    ],
  ],
  [
    'items that may be more',
    stub(
      { urlPath: '/basket', bodyPatterns: [{ equalToJson: '{"items":[1,2]}', ignoreExtraElements: true }] },
      'taken',
    ),
    [
      { path: '/basket', init: json('POST', '{"items":[1,2,3]}'), answer: [200, 'taken'] },
      { path: '/basket', init: json('POST', '{"items":[1]}'), answer: [404] },
    ],
  ],
  [
    'a part of an upload',
    stub(
      {
        method: 'POST',
        urlPath: '/avatar',
        multipartPatterns: [
          {
            matchingType: 'ANY',
            headers: { 'Content-Type': { contains: 'image/png' } },
            bodyPatterns: [{ equalTo: 'pixels' }],
          },
        ],
      },
      'stored',
    ),
    [
      { path: '/avatar', init: upload('image/png', 'pixels'), answer: [200, 'stored'] },
      { path: '/avatar', init: upload('image/gif', 'pixels'), answer: [404] },
      { path: '/avatar', init: upload('image/png', 'other'), answer: [404] },
    ],
  ],
];

test.each(CASES)('%s', async (name, file, asked, codes = NO_CODES) => {
  const body = name.includes('files beside it') ? await bundleOf(file as Readonly<Record<string, string>>) : file;
  const { json: imported } = await server.request('POST', '/v1/mocks/import?start=true', { key, body });
  const { mocks, report } = imported.data;
  expect(report.entries.map(({ code }: { code: string }) => code)).toEqual(codes);
  for (const { path, init = {}, answer } of asked) {
    const [status, text, headers = {}] = answer;
    const reply = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${mocks[0].id}${path}`, init);
    const sent = await reply.text();
    expect([path, reply.status, text === undefined ? undefined : sent]).toEqual([path, status, text]);
    for (const [header, value] of Object.entries(headers)) expect(reply.headers.get(header)).toBe(value);
  }
});

/** As `import FILE` sends a document: the files that it leads to, and no others. */
async function bundleOf(files: Readonly<Record<string, string>>): Promise<object> {
  const root = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const listing = await listBundle(join(root, 'api.yaml'));
  const read = await readBundle(listing);
  return { files: read.map(({ path, bytes }) => ({ path, text: bytes.toString() })), entry: listing.entry };
}
