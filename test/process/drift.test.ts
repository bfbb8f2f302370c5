/** `switchyard drift`: what it prints and writes, and its exit statuses, against a real service that changes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { runLine } from '../support/command-lines.ts';
import type { Outcome } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const { mocks } = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const cwd = temporaryDirectory();

let answer: RequestListener;
const service = await new Promise<Server>((resolve) => {
  const made = createServer((request, response) => answer(request, response));
  made.listen(0, '127.0.0.1', () => resolve(made));
});
afterAll(() => (service.closeAllConnections(), void service.close()));
const UPSTREAM = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const json =
  (value: unknown): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const responses = (value: unknown, label = '') => [
  { label, headers: [{ name: 'content-type', value: 'application/json' }], body: JSON.stringify(value) },
];
const ROUTES = [
  { method: 'GET', path: '/orders', responses: responses({ id: 1, state: 'new' }, 'all <&"> \u0001') },
  { method: 'GET', path: '/orders/:id', responses: responses({ id: 1 }) },
];

async function line(...args: readonly string[]): Promise<Outcome> {
  const env = { SWITCHYARD_API_KEY: key, SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}` };
  const outcome = await runLine(['drift', ...args], { cwd, env });
  // A busy machine brings lines on progress about.
  return { ...outcome, stderr: outcome.stderr.replaceAll(/^comparing .*: \d+ s\n/gm, '') };
}

const { id } = await mocks.create({
  name: 'orders',
  routes: ROUTES,
  settings: { proxy: { upstream: UPSTREAM, when: 'never' } },
});

test('0 when nothing breaks, 3 with --strict when something was added or skipped', async () => {
  answer = json({ id: 2, state: 'paid' });
  const SKIPPED = [
    'GET /orders/:id, 200: skipped',
    '  noSample: no request is known that this response answers: record one as its sample',
    '',
  ];
  expect(await line(id)).toEqual({
    status: 0,
    stdout: [
      ...SKIPPED,
      `${id} and ${UPSTREAM}: 1 the same, 0 changed (0 breaking), 0 not answered, 1 skipped; 2 requests were sent.`,
      '',
    ].join('\n'),
    stderr: '',
  });
  expect(await line(id, '--strict')).toMatchObject({ status: 3 });
  answer = json({ id: 2, state: 'paid', more: [] });
  const added = await line(id, '--upstream', UPSTREAM);
  expect(added).toMatchObject({ status: 0 });
  expect(added.stdout).toContain(
    'GET /orders, all <&"> \\u0001 200: added\n  GET /orders\n  added $.more: the mock has nothing, the service array\n',
  );
  answer = (_request, response) => void response.writeHead(404).end();
  expect((await line(id, '--upstream', UPSTREAM)).stdout).toContain('\n  status: the mock has 200, the service 404\n');
});

test('1 when something breaks, with the report as JSON and as JUnit XML, which has no secret', async () => {
  const seen: (string | undefined)[] = [];
  let count = 0;
  answer = (request, response) => {
    seen.push(request.headers.authorization, request.headers['x-team'] as string);
    json({ id: 'x', 'a "b"': ++count })(request, response);
  };
  writeFileSync(join(cwd, 'headers.txt'), '# for the service\nAuthorization: Bearer top-secret\n\n');
  const args = [
    '--header-file',
    'headers.txt',
    '--header',
    'X-Team: one',
    '--ignore',
    '$.ignored',
    '--junit',
    'out.xml',
  ];
  const { status, stdout } = await line(id, ...args, '--json');
  expect(status).toBe(1);
  expect(new Set(seen)).toEqual(new Set(['Bearer top-secret', 'one']));
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'breaking', mockId: id, counts: { breaking: 1, skipped: 1 } });
  const xml = readFileSync(join(cwd, 'out.xml'), 'utf8');
  expect(`${stdout}${xml}`).not.toContain('top-secret');
  const elements = elementsOf(xml);
  expect(elements.map(({ name }) => name)).toEqual([
    'testsuites',
    'testsuite',
    'properties',
    'property',
    'testcase',
    'failure',
    'system-out',
    'testcase',
    'skipped',
  ]);
  expect(elements[1]?.attributes).toMatchObject({ name: id, tests: '2', failures: '1', errors: '0', skipped: '1' });
  expect(elements[4]?.attributes).toEqual({ classname: 'GET /orders', name: 'all <&"> \ufffd 200' });
  expect(elements[5]).toMatchObject({ attributes: { type: 'type', message: '3 changes' } });
  expect(elements[5]?.text.split('\n')).toEqual([
    'type $.id: the mock has number, the service string',
    'missing $.state: the mock has string, the service nothing',
    `added $['a "b"']: the mock has nothing, the service number`,
  ]);
  expect(elements[6]?.text).toBe(`differs each time: $['a "b"']`);
});

test('2 when nothing could be compared, or the command fails', async () => {
  answer = (_request, response) => void response.destroy();
  const lost = await line(id, '--junit', 'lost.xml');
  expect(lost).toMatchObject({ status: 2, stderr: '' });
  expect(lost.stdout).toMatch(
    /GET \/orders, .*: not answered\n {2}GET \/orders\n {2}lost: .*Nothing could be compared\.\n$/s,
  );
  expect(elementsOf(readFileSync(join(cwd, 'lost.xml'), 'utf8')).find(({ name }) => name === 'error')).toMatchObject({
    attributes: { type: 'lost' },
  });
  const failures: [string[], RegExp][] = [
    [['nobodys'], /answered 404: Mock not found/],
    [['orders.yml'], /^error: orders\.yml: no such file or folder, and not an id of a mock$/m],
    [[id, '--upstream', 'ftp://x'], /\/upstream expected a URL/],
    [
      [id, '--header', 'Bearer top-secret'],
      /^error: --header, the 1\.: expected a header such as "authorization: Bearer …"$/m,
    ],
    [[id, '--header-file', 'missing.txt'], /cannot read missing.txt/],
    [[id, '--upstream', UPSTREAM, '--junit', 'no/out.xml'], /cannot write no\/out.xml/],
  ];
  for (const [args, message] of failures) {
    const { status, stderr } = await line(...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) });
    expect(stderr).not.toContain('top-secret');
  }
});

test('a file is served by a server of its own, and --stage edits a mock alone', async () => {
  answer = json({ id: 2 });
  writeFileSync(
    join(cwd, 'orders.json'),
    JSON.stringify({ switchyard: 1, kind: 'mock', name: 'Orders', routes: ROUTES }),
  );
  const own = await line('orders.json', '--upstream', UPSTREAM);
  expect(own).toMatchObject({ status: 1, stderr: '' });
  expect(own.stdout).toContain('missing $.state: the mock has string, the service nothing');
  expect(own.stdout).toContain(`orders.json and ${UPSTREAM}: `);
  expect(await line('orders.json', '--stage')).toMatchObject({
    status: 2,
    stderr: 'error: --stage needs a mock of a server: a file stays as it is\n',
  });
  const staged = await line(id, '--stage');
  expect(staged).toMatchObject({ status: 1 });
  expect(staged.stdout).toContain('1 response is staged.');
  expect(await line(id, '--against', 'staged')).toMatchObject({ status: 0 });
  expect(await mocks.drift(id, { against: 'staged', headers: [] })).toMatchObject({ verdict: 'same', version: null });
  expect((await mocks.drifts.list(id))[0]).toMatchObject({ state: 'finished', verdict: 'same' });
});

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** The elements of an XML document in their order. Fails for what is not well-formed. */
function elementsOf(xml: string): Element[] {
  const declared = '<?xml version="1.0" encoding="UTF-8"?>\n';
  expect(xml.startsWith(declared)).toBe(true);
  expect(xml).not.toMatch(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/);
  const elements: Element[] = [];
  const open: Element[] = [];
  const token = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)>|([^<]+)/gy;
  token.lastIndex = declared.length;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const found = token.exec(xml);
    expect(found, `at ${at}: ${xml.slice(at, at + 50)}`).not.toBeNull();
    const [, slash, name = '', attributes = '', text] = found as RegExpExecArray;
    if (text !== undefined) {
      const holder = open.at(-1);
      if (holder === undefined) expect(text.trim()).toBe('');
      else holder.text += unescaped(text);
    } else if (slash === '/') expect(open.pop()?.name).toBe(name);
    else {
      const pairs = [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, attribute = '', value = '']) => [
        attribute,
        unescaped(value),
      ]);
      const element = { name, attributes: Object.fromEntries(pairs) as Record<string, string>, text: '' };
      elements.push(element);
      open.push(element);
    }
  }
  expect(open).toEqual([]);
  return elements;
}

function unescaped(text: string): string {
  expect(text).not.toMatch(/&(?!(?:amp|lt|gt|quot);)/);
  const of: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text.replaceAll(/&(\w+);/g, (_all, name: string) => of[name] ?? '');
}
