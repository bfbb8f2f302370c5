/** How the console and the documents are served: docs/operations.md, "The console". */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installation } from '../support/installation.ts';
import { endAll, Running } from '../support/process.ts';
import { rawRequest, untilClosed } from '../support/raw-http.ts';
import { temporaryDirectory } from '../support/server.ts';

const BUILD_DOCS = resolve(import.meta.dirname, '../../src/console/build-docs.mjs');
const PAGE = '<!doctype html><html lang="en"><title>Console</title><script src="console/assets/main-1a2b.js"></script>';
/** It is listed when the server starts, but not there. */
const LATE = 'p { margin: 0; }';
const SCRIPT = `console.log('${'x'.repeat(5_000)}');\n`;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

let cli: string;
let consoleFolder: string;
let server: Running;
let port: number;

async function start(args: readonly string[] = [], env: Record<string, string> = {}, program = cli) {
  const all = [
    program,
    'serve',
    '--port',
    '0',
    '--mock-port',
    '0',
    '--no-gateway',
    '--workers',
    '1',
    '--data',
    temporaryDirectory(),
  ];
  const running = new Running(process.execPath, [...all, ...args], { env });
  return { running, port: (await running.ready()) as number };
}

beforeAll(async () => {
  const installed = installation();
  cli = installed.cli;
  consoleFolder = installed.console;
  mkdirSync(join(installed.console, 'assets'));
  for (const [path, content] of [
    ['index.html', PAGE],
    ['assets/main-1a2b.js', SCRIPT],
  ] as const) {
    const file = join(installed.console, path);
    writeFileSync(file, content);
    writeFileSync(`${file}.br`, brotliCompressSync(content));
    writeFileSync(`${file}.gz`, gzipSync(content));
  }
  writeFileSync(join(installed.console, 'assets/plain-3c4d.css'), 'body { margin: 0; }');
  writeFileSync(join(installed.console, 'assets/main-1a2b.js.map'), '{}');
  const late = join(installed.console, 'assets/late-5e6f.css');
  writeFileSync(late, LATE);
  execFileSync(process.execPath, [BUILD_DOCS, installed.console]);
  rmSync(late);
  ({ running: server, port } = await start());
});
afterAll(endAll);

/** Without what `fetch` sends and decodes by itself. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET', at = port): Promise<Response> {
  return fetch(`http://127.0.0.1:${at}${path}`, {
    method,
    headers: { 'accept-encoding': 'identity', ...headers },
    redirect: 'manual',
  });
}

describe('the page', () => {
  test('is served without a key, under its policy, and revalidated each time', async () => {
    const answer = await ask('/console');
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(PAGE);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'accept-encoding',
      etag: `"${createHash('sha256').update(PAGE).digest('base64url')}"`,
    });
    expect(answer.headers.has('content-encoding')).toBe(false);
  });

  test('is at /console: a slash at the end leads there', async () => {
    for (const path of ['/console', '/console/docs']) {
      const answer = await ask(`${path}/`);
      expect(answer.status).toBe(308);
      expect(new URL(answer.headers.get('location') as string, answer.url).pathname).toBe(path);
    }
    for (const path of ['/console//', '/console/index.html', '/console/assets', '/console/assets/', '/console/nothing'])
      expect((await ask(path)).status, path).toBe(404);
  });

  test('an address below it leads to the screen in the fragment, behind a prefix too', async () => {
    for (const [path, place] of [
      ['/console/mocks', '/mocks'],
      ['/console/mocks/m1', '/mocks/m1'],
      ['/console/mocks/m1/traffic?status=404', '/mocks/m1/traffic?status=404'],
      ['/console/rules/', '/rules/'],
      ['/console/mocks/a%2Fb%0d%0a', '/mocks/a%2Fb%0d%0a'],
    ] as const) {
      const answer = await ask(path);
      expect(answer.status, path).toBe(302);
      const location = answer.headers.get('location') as string;
      expect(new URL(location, `http://host/prefix${path}`).href).toBe(`http://host/prefix/console#${place}`);
    }
  });

  test('is read with GET and HEAD alone', async () => {
    const head = await ask('/console', {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String(PAGE.length));
    expect(head.headers.get('content-security-policy')).toBe(POLICY);
    expect((await ask('/console', {}, 'POST')).status).toBe(405);
  });

  test('is refused under a foreign name of a loopback address', async () => {
    const lines = ['Host: evil.example', 'Connection: close'];
    expect(await untilClosed(port, rawRequest('GET /console HTTP/1.1', lines))).toMatch(/^HTTP\/1.1 403 /);
  });
});

describe('an asset', () => {
  test('is kept for good by whoever has it, since its name changes with its content', async () => {
    for (const [name, type] of [
      ['main-1a2b.js', 'text/javascript; charset=utf-8'],
      ['plain-3c4d.css', 'text/css; charset=utf-8'],
    ] as const) {
      const answer = await ask(`/console/assets/${name}`);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-type')).toBe(type);
    }
  });

  test('is served in the form that the client accepts', async () => {
    const encodings = [
      ['gzip, deflate, br, zstd', 'br'],
      ['BR', 'br'],
      ['br;q=0.5, gzip;q=1.0', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, *', 'gzip'],
      ['*', 'br'],
      ['br; q=0.000 ,gzip;q=0', null],
      ['*;q=0', null],
      ['identity', null],
      ['', null],
      ['broken, xgzip', null],
    ] as const;
    for (const [accepted, encoding] of encodings) {
      const answer = await ask('/console/assets/main-1a2b.js', { 'accept-encoding': accepted });
      expect(answer.headers.get('content-encoding'), accepted).toBe(encoding);
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      // `fetch` decodes it.
      expect(await answer.text()).toBe(SCRIPT);
      if (encoding !== null) expect(Number(answer.headers.get('content-length'))).toBeLessThan(SCRIPT.length / 2);
    }
    const plain = await ask('/console/assets/plain-3c4d.css', { 'accept-encoding': 'br, gzip' });
    expect(plain.headers.get('content-encoding')).toBe(null);
  });

  test('is read when it is first asked for, and again when it could not be read', async () => {
    const file = join(consoleFolder, 'assets/late-5e6f.css');
    expect((await ask('/console/assets/late-5e6f.css')).status).toBe(500);
    await expect.poll(() => server.stdout).toContain(file);
    writeFileSync(file, LATE);
    expect(await (await ask('/console/assets/late-5e6f.css')).text()).toBe(LATE);
    rmSync(file);
    expect(await (await ask('/console/assets/late-5e6f.css')).text()).toBe(LATE);
  });

  test('is nothing beside: neither compressed forms nor maps have an address', async () => {
    for (const name of ['main-1a2b.js.br', 'main-1a2b.js.gz', 'main-1a2b.js.map', '..%2findex.html'])
      expect((await ask(`/console/assets/${name}`)).status, name).toBe(404);
  });
});

describe('a client that has it', () => {
  const JS = '/console/assets/main-1a2b.js';
  const etagOf = async (path: string, encoding: string): Promise<string> =>
    (await ask(path, { 'accept-encoding': encoding })).headers.get('etag') as string;

  test('is told so by 304, without a body', async () => {
    for (const path of ['/console', JS, '/console/docs/api']) {
      const etag = await etagOf(path, 'br');
      for (const [method, listed] of [
        ['GET', etag],
        ['GET', `W/${etag}`],
        ['GET', `"other", ${etag}`],
        ['GET', '*'],
        ['HEAD', etag],
      ] as const) {
        const answer = await ask(path, { 'accept-encoding': 'br', 'if-none-match': listed }, method);
        expect(answer.status, `${method} ${path} ${listed}`).toBe(304);
        expect(await answer.text()).toBe('');
        expect(answer.headers.get('etag')).toBe(etag);
        expect(answer.headers.get('cache-control')).toMatch(path === JS ? /immutable/ : /no-cache/);
        expect(answer.headers.get('vary')).toBe('accept-encoding');
        expect(answer.headers.has('content-type')).toBe(false);
      }
    }
  });

  test('in another form, or in an older state, gets it', async () => {
    const [br, gzip, plain] = await Promise.all(['br', 'gzip', 'identity'].map((form) => etagOf(JS, form)));
    expect(new Set([br, gzip, plain]).size).toBe(3);
    for (const listed of [gzip as string, '"other"', 'W/"other"', '']) {
      const answer = await ask(JS, { 'accept-encoding': 'br', 'if-none-match': listed });
      expect(answer.status, listed).toBe(200);
      expect(await answer.text()).toBe(SCRIPT);
    }
  });

  test('gets the next answer on the same connection', async () => {
    const etag = await etagOf(JS, 'identity');
    const one = rawRequest(`GET ${JS} HTTP/1.1`, ['Host: 127.0.0.1', `If-None-Match: ${etag}`]);
    const last = rawRequest('GET /healthz HTTP/1.1', ['Host: 127.0.0.1', 'Connection: close']);
    const [first, second] = (await untilClosed(port, one + last)).split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n[^]*\r\n\r\n$/);
    // RFC 9110, 8.6: it may only be the length of the whole file.
    expect(first).not.toMatch(/^content-length:/im);
    expect(second).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const closing = rawRequest(`GET ${JS} HTTP/1.1`, [
      'Host: 127.0.0.1',
      `If-None-Match: ${etag}`,
      'Connection: close',
    ]);
    expect(await untilClosed(port, closing)).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n[^]*\r\n\r\n$/);
  });
});

describe('the documents', () => {
  const NAMES = readdirSync(resolve(import.meta.dirname, '../../docs')).flatMap(
    (file) => /^(?!README)(.*)\.md$/.exec(file)?.[1] ?? [],
  );
  const textOf = async (path: string): Promise<string> => (await ask(path)).text();

  test('are pages under the policy of the console', async () => {
    for (const path of ['/console/docs', ...NAMES.map((name) => `/console/docs/${name}`)]) {
      const answer = await ask(path);
      expect(answer.status, path).toBe(200);
      expect(answer.headers.get('content-security-policy')).toBe(POLICY);
      const html = await answer.text();
      expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
      expect(html.match(/<h1[ >]/g)).toHaveLength(1);
      expect(html).toMatch(/<title>.+ - Switchyard<\/title>/);
      // What the policy would refuse, and what Markdown must not bring in.
      expect(html.match(/<script/gi)).toHaveLength(1);
      expect(html).toMatch(/<script defer src="(?:docs\/)?assets\/script-\w+\.js" [^>]*><\/script>\n<\/head>/);
      expect(html).not.toMatch(/<style|<img| style=| on[a-z]+=|javascript:/i);
    }
  });

  test('lead from one to another, to the console and to their stylesheet', async () => {
    const known = new Map<string, Promise<string>>();
    const found = async (path: string, from: string): Promise<string> => {
      const target = await ask(path);
      expect(target.status, `${from} links ${path}`).toBe(200);
      return target.text();
    };
    for (const path of ['/console/docs', ...NAMES.map((name) => `/console/docs/${name}`)]) {
      const html = await textOf(path);
      const targets = [...html.matchAll(/ (?:href|src|data-index)="([^"]+)"/g)]
        .map(([, href = '']) => href.replaceAll('&amp;', '&'))
        .filter((href) => !/^(?:https?|data):/.test(href))
        .map((href) => new URL(href, `http://127.0.0.1:${port}${path}`));
      const linked = new Set(targets.map(({ pathname }) => pathname));
      for (const name of ['/console', '/docs', ...NAMES.map((each) => `/console/docs/${each}`)])
        expect(linked, path).toContain(name);
      for (const { pathname, hash } of targets) {
        const text = known.get(pathname) ?? found(pathname, path);
        known.set(pathname, text);
        if (hash !== '') expect(await text, `${path} links ${pathname}${hash}`).toContain(` id="${hash.slice(1)}"`);
        else await text;
      }
      const style = [...linked].find((each) => each.endsWith('.css')) as string;
      expect((await ask(style)).headers.get('cache-control')).toContain('immutable');
    }
  });

  test('name files of the repository without a link', async () => {
    const html = (await Promise.all(NAMES.map((name) => textOf(`/console/docs/${name}`)))).join('');
    expect(html).toContain('deploy/compose.postgres.yaml');
    expect(html).not.toMatch(/href="(?!https:)[^"]*\.md/);
    expect(html).toContain('&lt;mock_id&gt;');
    // Comments mark the generated parts.
    expect(html).not.toContain('generated:');
  });

  test('are the same bytes whenever they are built', () => {
    const directory = temporaryDirectory();
    execFileSync(process.execPath, [BUILD_DOCS, directory]);
    const docs = (folder: string) => filesOf(join(folder, 'docs'));
    expect(docs(directory).size).toBeGreaterThan(20);
    expect(docs(directory)).toEqual(docs(consoleFolder));
  });
});

test('behind a proxy with a prefix every address leads below it', async () => {
  const proxy = await prefixProxy('/tools/switchyard');
  const at = async (path: string, accept = '*/*') => {
    const answer = await ask(`/tools/switchyard${path}`, { accept }, 'GET', proxy.port);
    const location = answer.headers.get('location');
    return { answer, leadsTo: location === null ? undefined : new URL(location, answer.url).pathname };
  };
  expect((await at('/', BROWSER)).leadsTo).toBe('/tools/switchyard/console');
  expect((await at('/console/')).leadsTo).toBe('/tools/switchyard/console');
  expect((await at('/console/docs/')).leadsTo).toBe('/tools/switchyard/console/docs');
  for (const path of ['/console', '/console/docs', '/console/docs/mocks-fields']) {
    const { answer } = await at(path);
    const html = await answer.text();
    const [, file = ''] = /<(?:script src|link rel="stylesheet" href)="([^"]+)"/.exec(html) ?? [];
    const { pathname } = new URL(file, answer.url);
    expect((await ask(pathname, {}, 'GET', proxy.port)).status, pathname).toBe(200);
  }
  proxy.close();
});

describe('the root and the announcement', () => {
  const leadsTo = async (at: number): Promise<string | null> =>
    (await ask('/', { accept: BROWSER }, 'GET', at)).headers.get('location');
  const linksOf = async (at: number): Promise<object> =>
    ((await (await ask('/', {}, 'GET', at)).json()) as { data: { links: object } }).data.links;

  test('lead to the console', async () => {
    expect(await leadsTo(port)).toBe('console');
    expect(await linksOf(port)).toMatchObject({ console: '/console', documentation: '/docs' });
    expect(server.stdout).toContain(
      `console at http://127.0.0.1:${port}/console, docs at http://127.0.0.1:${port}/docs`,
    );
    expect(server.stdout).not.toContain('is not built');
  });

  test.each([
    ['--no-console', ['--no-console'], {}],
    ['SWITCHYARD_NO_CONSOLE', [], { SWITCHYARD_NO_CONSOLE: '1' }],
  ])('lead to /docs with %s, and nothing is at /console', async (_what, args, env) => {
    const without = await start(args, env);
    expect(await leadsTo(without.port)).toBe('docs');
    expect(await linksOf(without.port)).not.toHaveProperty('console');
    for (const path of ['/console', '/console/', '/console/docs', '/console/assets/main-1a2b.js'])
      expect((await ask(path, {}, 'GET', without.port)).status, path).toBe(404);
    expect(without.running.stdout).not.toContain('/console');
  });

  test('lead to /docs when the program was built without its console, which the log says once', async () => {
    const { running, port: at } = await start([], {}, installation().cli);
    expect(await leadsTo(at)).toBe('docs');
    expect((await ask('/console', {}, 'GET', at)).status).toBe(404);
    // The log is written a moment later.
    await expect.poll(() => running.stdout.match(/the console is not built/g)).toHaveLength(1);
    expect(running.stdout).not.toContain('console at');
  });
});

test('/docs may stand in no frame, and its files are what they say', async () => {
  const page = await ask('/docs');
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  for (const path of ['/docs', '/docs/start.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'])
    expect((await ask(path)).headers.get('x-content-type-options'), path).toBe('nosniff');
});

function filesOf(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'latin1')]));
}

/** A reverse proxy that passes on what is below a prefix, without it. */
async function prefixProxy(prefix: string): Promise<{ port: number; close: () => void }> {
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url?.startsWith(`${prefix}/`) ? incoming.url.slice(prefix.length) : '/nothing';
    const { method, headers } = incoming;
    request({ port, host: '127.0.0.1', path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(outgoing);
    }).end();
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  return { port: (proxy.address() as AddressInfo).port, close: () => void proxy.close() };
}
