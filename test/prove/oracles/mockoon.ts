/** Mockoon beside us: environments of random routes, rules and modes, over few names and values, so that requests often meet them. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, listening } from '../../../bench/contenders/ports.ts';
import { missingPeer, peerFolder } from '../../../bench/installed.ts';
import { endAll, startProgram, temporaryDirectory } from '../../../bench/processes.ts';
import type { Random } from '../../../src/base/seeded-draw.ts';
import { chance, exactTemplates, pick, type Asked, type Oracle } from './oracle.ts';

const PACKAGE = '@mockoon/cli';

export const mockoon: Oracle = {
  name: 'mockoon',
  missing: () => missingPeer(PACKAGE),
  async start() {
    const directory = temporaryDirectory();
    const quiet = ['--disable-log-to-file', '--disable-admin-api', '--max-transaction-logs', '1'];
    return {
      async serve(source, files = {}) {
        await endAll();
        const port = await freePort();
        for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
        const data = join(directory, 'environment.json');
        writeFileSync(data, JSON.stringify({ ...(source as object), port, hostname: '127.0.0.1' }));
        const args = [join(peerFolder(PACKAGE), 'bin/run.js'), 'start', '--data', data, ...quiet];
        await listening(startProgram(process.execPath, args, { cwd: directory }), port);
        return port;
      },
    };
  },
  source: environment,
  request,
  areMisses: (ours, theirs) => ours.status === 404 && theirs.body.startsWith('<!DOCTYPE html>'),
};

const ENDPOINTS = ['a', 'a/b', 'a/:id', ':any', 'b/*', 'a/:x/:y?', 'f/:name.:ending', 'b', 'a/:id-x', 'b/'];
const PATHS = [
  '/a',
  '/a/b',
  '/a/12',
  '/b',
  '/b/c',
  '/b/c/d',
  '/a/1/2',
  '/f/x.json',
  '/f/x.y.json',
  '/a/1-x',
  '/b/',
  '/c',
];
const TEXTS = ['1', '2', 'x', 'Xy', 'a b', ''];
const BODIES = ['', '{"a":1}', '{"a":1,"b":[1,2]}', '{"a":{"b":"x"},"b":[]}', '{"a":null}', '{"a.c":"1"}'];

function environment(random: Random, hasTemplates = false): object {
  const routes = Array.from({ length: 1 + Math.floor(random() * 7) }, (_, index) => route(random, index, hasTemplates));
  const folder = randomUUID();
  const inFolder = routes.filter(() => chance(random, 0.3));
  const outside = routes.filter((each) => !inFolder.includes(each));
  const children = (those: typeof routes) => those.map(({ uuid }) => ({ type: 'route', uuid }));
  return {
    uuid: randomUUID(),
    lastMigration: 33,
    name: 'oracle',
    port: 0,
    hostname: '',
    endpointPrefix: chance(random, 0.2) ? 'a' : '',
    latency: 0,
    folders: [{ uuid: folder, name: 'folder', children: children(inFolder) }],
    routes,
    rootChildren: [...children(outside), { type: 'folder', uuid: folder }],
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    tlsOptions: { enabled: false, type: 'CERT', pfxPath: '', certPath: '', keyPath: '', caPath: '', passphrase: '' },
    cors: true,
    headers: chance(random, 0.5) ? [{ key: 'X-Marked', value: 'environment' }] : [],
    proxyReqHeaders: [],
    proxyResHeaders: [],
    data: [
      { uuid: randomUUID(), id: 'list', name: 'List', documentation: '', value: '[{"n":1},{"n":2}]' },
      { uuid: randomUUID(), id: 'kind', name: 'Kind', documentation: '', value: '{"type":"object","required":["a"]}' },
    ],
    callbacks: [],
  };
}

function route(random: Random, index: number, hasTemplates: boolean) {
  const responses = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, turn) =>
    response(random, `${index}.${turn}`, hasTemplates),
  );
  const defaultAt = Math.floor(random() * responses.length);
  return {
    uuid: randomUUID(),
    type: 'http',
    documentation: '',
    method: pick(random, ['get', 'post', 'all', 'put']),
    endpoint: pick(random, ENDPOINTS),
    responses: responses.map((each, turn) => ({ ...each, default: turn === defaultAt })),
    responseMode: pick(random, [null, null, null, 'SEQUENTIAL', 'DISABLE_RULES', 'FALLBACK']),
    streamingMode: null,
    streamingInterval: 0,
  };
}

function response(random: Random, mark: string, hasTemplates: boolean): object {
  const types = [
    [],
    [{ key: 'Content-Type', value: 'application/json' }],
    [{ key: 'content-type', value: 'text/plain' }],
  ];
  return {
    uuid: randomUUID(),
    body: pick(random, [
      `{"mark":"${mark}"}`,
      `${mark} {{urlParam 'id'}} {{queryParam 'q' 'none'}} {{method}}`,
      "{{#if (eq (queryParam 'q') '1')}}one{{else}}other{{/if}}",
      '[{{#repeat 2}}{"i":{{@index}} }{{/repeat}}]',
      "{{data 'list' '0.n'}} {{body 'b.0' 'none'}}",
      "{{#switch (header 'x-a')}}{{#case '1'}}a{{/case}}{{#default}}b{{/default}}{{/switch}}",
      '',
      ...(hasTemplates ? [pick(random, exactTemplates('mockoon'))] : []),
    ]),
    latency: 0,
    statusCode: pick(random, [200, 201, 404, 204]),
    label: '',
    headers: [...pick(random, types), ...(chance(random, 0.7) ? [{ key: 'x-marked', value: mark }] : [])],
    bodyType: chance(random, 0.1) ? 'DATABUCKET' : 'INLINE',
    filePath: '',
    databucketID: 'list',
    sendFileAsBody: false,
    rules: Array.from({ length: Math.floor(random() * 3) }, () => rule(random)),
    rulesOperator: pick(random, ['AND', 'OR']),
    disableTemplating: chance(random, 0.1),
    fallbackTo404: false,
    default: false,
    crudKey: 'id',
    callbacks: [],
  };
}

function rule(random: Random): object {
  const text = pick(random, TEXTS);
  const made = pick<[target: string, modifier: string, operator: string, value: string]>(random, [
    ['query', 'q', 'equals', text],
    ['query', 'q', 'null', ''],
    ['query', 'f.n', 'equals', '1'],
    ['query', 'q', 'regex', '^[0-9]'],
    ['header', 'X-A', 'equals', text],
    ['header', 'x-a', 'regex_i', '^x'],
    ['header', 'x-a', 'null', ''],
    ['cookie', 'c', 'equals', '1'],
    ['params', 'id', 'equals', 'b'],
    ['params', 'id', 'regex', '^[0-9]+$'],
    ['body', '', 'equals', pick(random, BODIES)],
    ['body', 'a', 'equals', '1'],
    ['body', 'a.b', 'regex', 'x'],
    ['body', 'a', 'null', ''],
    ['body', 'a\\.c', 'equals', '1'],
    ['body', 'b', 'array_includes', '2'],
    ['body', 'b', 'equals', '1'],
    ['body', 'b', 'regex', '^[0-9]'],
    ['query', 'l', 'equals', '1'],
    ['body', 'b', 'empty_array', ''],
    ['body', '$.b[0]', 'equals', '1'],
    ['body', '', 'valid_json_schema', 'kind'],
    ['method', '', 'equals', 'get'],
    ['request_number', '', 'equals', '2'],
  ]);
  const [target, modifier, operator, value] = made;
  return { target, modifier, operator, value, invert: chance(random, 0.2) };
}

function request(random: Random): Asked {
  const method = pick(random, ['GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE']);
  const hasBody = method === 'POST' || method === 'PUT';
  return {
    method,
    target:
      (chance(random, 0.2) ? '/a' : '') +
      pick(random, PATHS) +
      pick(random, ['', '?q=1', '?q=2', '?q=x', '?q=', '?f[n]=1', '?l[]=2&l[]=1']),
    headers: {
      ...(chance(random, 0.4) ? { 'x-a': pick(random, TEXTS) } : {}),
      ...(chance(random, 0.3) ? { cookie: 'c=1' } : {}),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
    },
    ...(hasBody ? { body: pick(random, BODIES) } : {}),
  };
}
