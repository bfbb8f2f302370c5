/** WireMock beside us: stubs of random URLs and matchers, over few names and values, so that requests often meet them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, listening } from '../../../bench/contenders/ports.ts';
import { findProgram, missingPeer, peerFolder } from '../../../bench/installed.ts';
import { startProgram, temporaryDirectory } from '../../../bench/processes.ts';
import type { Random } from '../../../src/base/seeded-draw.ts';
import { chance, exactTemplates, pick, type Asked, type Oracle } from './oracle.ts';

export const wiremock: Oracle = {
  name: 'wiremock',
  missing: () => missingPeer('wiremock') ?? (findProgram('java') === undefined ? 'it needs java' : undefined),
  async start() {
    const folder = join(peerFolder('wiremock'), 'build');
    const jar = join(folder, readdirSync(folder).find((file) => file.endsWith('.jar')) as string);
    const directory = temporaryDirectory();
    const port = await freePort();
    const args = [
      '--bind-address',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--root-dir',
      directory,
      '--disable-banner',
      '--disable-gzip',
    ];
    await listening(startProgram(findProgram('java') as string, ['-jar', jar, ...args], { cwd: directory }), port);
    const root = `http://127.0.0.1:${port}/__admin`;
    const admin = (path: string, body: unknown = {}): Promise<Response> =>
      fetch(`${root}/${path}`, { method: 'POST', body: JSON.stringify(body) });
    return {
      admin: root,
      async serve(source) {
        await admin('mappings/reset');
        await admin('scenarios/reset');
        for (const each of (source as Source).mappings) {
          const made = await admin('mappings', each);
          if (made.status !== 201) throw new Error(`WireMock refuses ${JSON.stringify(each)}: ${await made.text()}`);
        }
        return port;
      },
    };
  },
  source: (random, hasTemplates = false) => ({
    mappings: Array.from({ length: 1 + Math.floor(random() * 10) }, (_, index) => mapping(random, index, hasTemplates)),
  }),
  request,
  areMisses: (ours, theirs) => ours.status === 404 && theirs.status === 404,
};

interface Source {
  readonly mappings: readonly object[];
}

const METHODS = ['GET', 'POST', 'ANY', 'PUT'];
const PATHS = ['/a', '/a/b', '/a/12', '/b', '/b.json', '/a%20b'];
/** None twice: of a parameter that is repeated, a negation holds here for all values, and there for any. */
const QUERIES = ['', '?q=1', '?q=2', '?q=1&r=x', '?r=x', '?q='];
const TEXTS = ['1', '2', 'x', 'Xy', 'a b', ''];
const BODIES = [
  '',
  'x',
  '{"a":1}',
  '{"a":1,"b":[1,2]}',
  '{"b":[2,1],"a":1}',
  '{"a":{"b":"x"}}',
  '[1,2]',
  'q=1&r=x',
  '{"a":"1"}',
  '{"a":[{"b":"x"}]}',
  '{"a":{"c":{"b":"x"}}}',
  'x\ny',
  '{"id":12345678901234567890}',
  '{"id":12345678901234567891}',
];

function mapping(random: Random, index: number, hasTemplates: boolean): object {
  return {
    ...(chance(random, 0.2) ? { priority: 1 + Math.floor(random() * 9) } : {}),
    ...(chance(random, 0.2) ? scenario(random) : {}),
    request: {
      method: pick(random, METHODS),
      ...url(random),
      ...named(random, 'queryParameters', ['q', 'r']),
      ...named(random, 'headers', ['x-a', 'X-B']),
      ...named(random, 'cookies', ['c']),
      ...(chance(random, 0.3) ? { bodyPatterns: [bodyMatcher(random)] } : {}),
      ...(chance(random, 0.05)
        ? { [pick(random, ['basicAuthCredentials', 'basicAuth'])]: { username: 'u', password: 'p' } }
        : {}),
      ...(chance(random, 0.05) ? { queryParameters: { q: several(random) } } : {}),
    },
    response: {
      status: pick(random, [200, 201, 404, 500]),
      headers: { 'x-marked': `${index}`, 'Content-Type': pick(random, ['text/plain', 'application/json']) },
      ...pick(random, [
        { body: `stub ${index} {{request.path}}` },
        { jsonBody: { stub: index, list: [1, { a: null }] } },
        { base64Body: 'AQID' },
        {},
        ...(hasTemplates ? [template(random), template(random)] : []),
      ]),
    },
    ...(hasTemplates && chance(random, 0.02) ? { serveEventListeners: [WEBHOOK] } : {}),
  };
}

const WEBHOOK = { name: 'webhook', parameters: { method: 'POST', url: 'http://127.0.0.1:9/' } };

function template(random: Random): object {
  return { body: pick(random, exactTemplates('wiremock')), transformers: ['response-template'] };
}

function scenario(random: Random): object {
  return {
    scenarioName: pick(random, ['s', 't']),
    ...(chance(random, 0.8) ? { requiredScenarioState: pick(random, ['Started', 'two']) } : {}),
    ...(chance(random, 0.7) ? { newScenarioState: pick(random, ['Started', 'two', 'three']) } : {}),
  };
}

/** Whose "?" may be in several places. */
const OPEN_URLS = ['/a/.+', '/[^/]+', '.*1.*', '/(.*?)b.*', '/a.\\?q=.+', '/a(.+)'];

function url(random: Random): object {
  const path = pick(random, PATHS);
  return pick(random, [
    { url: path + pick(random, QUERIES) },
    { urlPath: path },
    { urlPath: path },
    { urlPathPattern: pick(random, ['/a/.*', '/a', '/a/[0-9]+', '/(a|b)', '/b\\.json', '/a/?.*', '.*']) },
    { urlPattern: pick(random, ['/a/.*', '/a\\?q=.*', '/a/[0-9]+', '.*', '/b', ...OPEN_URLS]) },
    { urlPathTemplate: pick(random, ['/a/{id}', '/{x}', '/a/b']) },
    {},
  ]);
}

function named(random: Random, member: string, names: readonly string[]): object {
  const own = names.filter(() => chance(random, 0.15));
  return own.length === 0 ? {} : { [member]: Object.fromEntries(own.map((name) => [name, textMatcher(random)])) };
}

function several(random: Random): object {
  const matchers = [{ equalTo: pick(random, ['1', '2']) }, ...(chance(random, 0.5) ? [{ contains: '1' }] : [])];
  return { [pick(random, ['hasExactly', 'includes'])]: matchers };
}

function textMatcher(random: Random, depth = 0): object {
  const value = pick(random, TEXTS);
  return pick(random, [
    { equalTo: value },
    { equalTo: value, caseInsensitive: true },
    { contains: value },
    { doesNotContain: pick(random, ['1', 'x']) },
    { matches: pick(random, ['[0-9]+', 'x.*', '(?i)xy', '.*']) },
    { doesNotMatch: pick(random, ['[0-9]+', 'x.*']) },
    { absent: true },
    ...(depth > 0
      ? []
      : [
          { or: [textMatcher(random, 1), textMatcher(random, 1)] },
          { and: [textMatcher(random, 1), textMatcher(random, 1)] },
          { not: textMatcher(random, 1) },
        ]),
  ]);
}

function bodyMatcher(random: Random): object {
  return pick(random, [
    { equalTo: pick(random, BODIES) },
    { contains: pick(random, ['a', '1']) },
    { matches: '.*"a".*' },
    {
      equalToJson: pick(random, ['{"a":1}', '{"a":1,"b":[1,2]}', '[1,2]']),
      ignoreArrayOrder: chance(random, 0.5),
      ignoreExtraElements: chance(random, 0.5),
    },
    { equalToJson: { a: 1 } },
    { matchesJsonPath: pick(random, ['$.a', '$.b[0]', '$.a.b', "$[?(@.a == '1' && @.b)]", '$[?(@.a == 1)]']) },
    { matchesJsonPath: pick(random, ["$.a[?(@.b == 'x')]", "$..a[?(@.b == 'x' || @.c)]", "$.a[?(@.b != 'y')]"]) },
    { matchesJsonPath: { expression: '$.a.b', doesNotContain: 'y' } },
    { absent: true },
    { matches: 'x.*y' },
    { matchesJsonPath: { expression: '$.a', equalTo: '1' } },
    { matchesJsonPath: { expression: '$.b', equalToJson: '[1,2]' } },
    { matchesJsonPath: { expression: '$.a.b', contains: 'x' } },
    { matchesJsonSchema: '{"type":"object","required":["a"]}' },
    {
      equalToJson: pick(random, [
        '{"a":"${json-unit.any-string}"}',
        '{"a":"${json-unit.any-number}"}',
        '{"a":"${json-unit.ignore}"}',
      ]),
    },
    { equalToJson: '{"id":12345678901234567890}', ignoreExtraElements: chance(random, 0.5) },
    { binaryEqualTo: btoa(pick(random, BODIES)) },
    { matchesJsonPath: pick(random, JAYWAY) },
    { matchesJsonPath: pick(random, JAYWAY) },
    { matchesJsonPath: { expression: pick(random, JAYWAY), ...pathMatcher(random) } },
    { matchesJsonPath: { expression: pick(random, JAYWAY), ...pathMatcher(random) } },
  ]);
}

/** Paths whose filters, functions and missing members are followed as the library does. */
const JAYWAY = [
  '$.a',
  '$.[*]',
  "$.['b'].[0]",
  '$..b',
  '$[?(!@.a)]',
  '$.a[?(@.b)]',
  '$.a[?(@.b =~ /X/i)].b',
  '$.b.length()',
  '$[?(@.b.size() == 2)]',
  '$[?(@.b contains 1)]',
  '$[?(@.a in [1, "1"])]',
  '$[?(@.a nin [1])]',
  '$[?(@.b empty false)]',
  '$.b.max()',
  '$..[?(@.b == "x")]',
  '$.b[-1:]',
  '$[?(@.id == 12345678901234567890)]',
  '$.id',
];

function pathMatcher(random: Random): object {
  return pick(random, [
    { equalTo: pick(random, ['1', 'x', '2', '2.0', '12345678901234567890']) },
    { contains: '1' },
    { doesNotContain: '1' },
    { absent: true },
    { equalToJson: pick(random, ['1', '[1,2]', '["x"]', '{"b":"x"}']) },
    { not: { equalTo: 'x' } },
    { or: [{ equalTo: '1' }, { equalTo: 'x' }] },
  ]);
}

function request(random: Random): Asked {
  const method = pick(random, ['GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE']);
  const hasBody = method === 'POST' || method === 'PUT';
  return {
    method,
    target: pick(random, PATHS) + pick(random, QUERIES),
    headers: {
      ...(chance(random, 0.3) ? { 'x-a': pick(random, TEXTS) } : {}),
      ...(chance(random, 0.3) ? { 'x-b': pick(random, TEXTS) } : {}),
      ...(chance(random, 0.3) ? { cookie: `c=${pick(random, ['1', 'x'])}` } : {}),
      ...(chance(random, 0.1) ? { authorization: `Basic ${btoa('u:p')}` } : {}),
      ...(hasBody ? { 'content-type': pick(random, ['application/json', 'text/plain']) } : {}),
    },
    ...(hasBody ? { body: pick(random, BODIES) } : {}),
  };
}
