/** mountebank beside us: stubs of random predicates, over few names and values, so that requests often meet them. */
import { join } from 'node:path';
import { freePort, listening } from '../../../bench/contenders/ports.ts';
import { missingPeer, peerFolder } from '../../../bench/installed.ts';
import { startProgram, temporaryDirectory } from '../../../bench/processes.ts';
import type { Random } from '../../../src/base/seeded-draw.ts';
import { chance, pick, type Asked, type Oracle } from './oracle.ts';

export const mountebank: Oracle = {
  name: 'mountebank',
  missing: () => missingPeer('mountebank'),
  async start() {
    const directory = temporaryDirectory();
    const port = await freePort();
    const own = await freePort();
    const quiet = ['--localOnly', '--nologfile', '--loglevel', 'error'];
    const args = ['--port', `${port}`, '--host', '127.0.0.1', '--allowInjection', ...quiet];
    const program = join(peerFolder('mountebank'), 'bin/mb');
    await listening(startProgram(process.execPath, [program, 'start', ...args], { cwd: directory }), port);
    const admin = `http://127.0.0.1:${port}`;
    return {
      admin,
      async serve(source) {
        const imposters = [{ ...(source as object), port: own, host: '127.0.0.1' }];
        const made = await fetch(`${admin}/imposters`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ imposters }),
        });
        if (made.status !== 200) throw new Error(`mountebank refuses ${JSON.stringify(source)}: ${await made.text()}`);
        return own;
      },
    };
  },
  source: (random) => ({
    protocol: 'http',
    ...(chance(random, 0.3)
      ? { defaultResponse: { statusCode: 400, body: 'default', headers: { 'x-marked': 'default' } } }
      : {}),
    stubs: Array.from({ length: 1 + Math.floor(random() * 8) }, (_, index) => stub(random, index)),
  }),
  request,
  areMisses: () => false,
};

const PATHS = ['/a', '/a/b', '/a/12', '/b', '/a%20b'];
const TEXTS = ['1', '2', 'x', 'Xy', 'a b', ''];
const BODIES = [
  '',
  'x',
  '{"a":1}',
  '{"a":1,"b":[1,2]}',
  '{"b":[2,1],"a":1}',
  '{"a":{"b":"x"}}',
  '{"a":{"b":"X"},"b":[1]}',
  'q=1&r=x',
  'r=X&&q=1',
  'q=1&q=1',
];

function stub(random: Random, index: number): object {
  const count = Math.floor(random() * 3);
  return {
    predicates: Array.from({ length: count }, () => predicate(random)),
    responses: Array.from({ length: chance(random, 0.3) ? 2 : 1 }, (_, turn) => response(random, `${index}.${turn}`)),
  };
}

function predicate(random: Random, depth = 0): object {
  if (depth === 0 && chance(random, 0.3)) {
    return pick(random, [
      { not: predicate(random, 1) },
      { or: [predicate(random, 1), predicate(random, 1)] },
      { and: [predicate(random, 1), predicate(random, 1)] },
    ]);
  }
  const parameters = chance(random, 0.3) ? { caseSensitive: true } : {};
  const text = pick(random, TEXTS);
  return pick<() => object>(random, [
    () => ({
      ...parameters,
      equals: { path: pick(random, PATHS), ...(chance(random, 0.4) ? { method: 'POST' } : {}) },
    }),
    () => ({ ...parameters, equals: { method: pick(random, ['GET', 'PUT']) } }),
    () => ({ ...parameters, equals: { query: { q: text } } }),
    () => ({ ...parameters, equals: { headers: { 'x-a': text } } }),
    () => ({ ...parameters, equals: { body: pick(random, BODIES) } }),
    () => ({ ...parameters, equals: { body: pick(random, [{ a: 1 }, { a: { b: 'x' } }, { b: [1] }, { b: 2 }]) } }),
    () => ({ ...parameters, deepEquals: { query: pick(random, [{}, { q: '1' }, { q: 1, r: 'x' }]) } }),
    () => ({ ...parameters, deepEquals: { path: '/a' } }),
    () => ({ ...parameters, deepEquals: { form: pick(random, [{}, { q: '1' }, { q: 1, r: 'x' }]) } }),
    () => ({ ...parameters, equals: { form: { q: text } } }),
    () => ({ ...parameters, exists: { form: { q: chance(random, 0.5) } } }),
    () => ({ ...parameters, contains: { path: pick(random, ['a', 'b', '/A']) } }),
    () => ({ ...parameters, contains: { body: pick(random, ['a', 'x', '1']) } }),
    () => ({ ...parameters, startsWith: { path: pick(random, ['/a', '/A/']) } }),
    () => ({ ...parameters, endsWith: { headers: { 'x-a': pick(random, ['y', '1']) } } }),
    () => ({ ...parameters, matches: { path: pick(random, ['^/a/\\d+$', 'B$', '^/a$']) } }),
    () => ({ ...parameters, matches: { query: { q: '^[0-9]' } } }),
    () => ({ ...parameters, exists: { query: { q: chance(random, 0.5) }, headers: { 'x-a': chance(random, 0.5) } } }),
    () => ({ ...parameters, exists: { body: chance(random, 0.5) } }),
    () => ({ ...parameters, jsonpath: { selector: '$.a.b' }, equals: { body: 'x' } }),
    () => ({ ...parameters, jsonpath: { selector: '$.b[0]' }, equals: { body: '1' } }),
  ])();
}

function response(random: Random, mark: string): object {
  const statusCode = pick(random, [200, '201', 404, 500]);
  const repeat = chance(random, 0.2) ? { repeat: 2 } : {};
  const copy = [
    { from: 'path', into: '${p}', using: { method: 'regex', selector: '[0-9]+' } },
    { from: { query: 'q' }, into: '${q}', using: { method: 'regex', selector: '^([0-9X])(.*)$' } },
  ];
  return pick<object>(random, [
    {
      is: { statusCode, headers: { 'x-marked': mark, 'Content-Type': 'text/plain' }, body: `stub ${mark}` },
      ...repeat,
    },
    { is: { statusCode, headers: { 'x-marked': mark }, body: { stub: mark, list: [1, null] } }, ...repeat },
    { is: { headers: { 'x-marked': mark }, body: 'AQID', _mode: 'binary' } },
    { is: { headers: { 'x-marked': mark } } },
    { is: {} },
    { fault: 'NONE' },
    { is: { headers: { 'x-marked': mark }, body: 'p ${p} q ${q} ${q}[1]' }, _behaviors: { copy, wait: 1 } },
  ]);
}

function request(random: Random): Asked {
  const method = pick(random, ['GET', 'GET', 'POST', 'POST', 'PUT']);
  const hasBody = method !== 'GET';
  return {
    method,
    target: pick(random, PATHS) + pick(random, ['', '?q=1', '?q=2', '?q=1&r=x', '?q=Xy', '?q=x', '?q=']),
    headers: {
      ...(chance(random, 0.4) ? { 'x-a': pick(random, TEXTS) } : {}),
      ...(hasBody ? { 'content-type': pick(random, ['text/plain', 'application/x-www-form-urlencoded; a=b']) } : {}),
    },
    ...(hasBody ? { body: pick(random, BODIES) } : {}),
  };
}
