/** `switchyard browser` with a real browser: rules act on its pages, nobody is asked for a password, and nothing of it is left. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createClient, type RuleInput } from '../../src/client/index.ts';
import { freePort } from '../support/free-port.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';
import { fixture } from '../support/tls.ts';
import { findChromium } from './support/find-chromium.ts';

const START_MS = 20_000;

describe.skipIf(findChromium() === undefined)('switchyard browser', async () => {
  afterAll(endAll);
  /** A page, and an API that pages of other origins may use. */
  const answer: RequestListener = (req, res) => {
    res.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
    if (req.url === '/') return void res.setHeader('content-type', 'text/html').end('<title>page</title>');
    return void res.end(JSON.stringify({ plan: req.headers['x-plan'] ?? 'none' }));
  };
  const plain = createServer(answer);
  const secure = createSecureServer(
    { cert: readFileSync(fixture('first-cert.pem')), key: readFileSync(fixture('first-key.pem')) },
    answer,
  );
  const [plainPort, securePort] = await Promise.all(
    [plain, secure].map(async (each) => {
      await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
      afterAll(() => (each.closeAllConnections(), each.close()));
      return (each.address() as AddressInfo).port;
    }),
  );
  const files = temporaryDirectory();
  const options = ['--gateway-port', '0', '--egress-ca', fixture('root.pem'), '--rule-files', files];
  const { server, key } = await useOwnServer(options);
  const SERVER = `http://127.0.0.1:${server.port}`;
  const client = createClient({ apiUrl: `${SERVER}/v1`, key });
  const page = `http://localhost:${plainPort}/`;
  /** Another origin than the page's, and a name that only the gateway resolves. */
  const api = `http://api.localhost:${plainPort}`;

  /** @param args After `switchyard browser`. */
  async function open(...args: string[]) {
    const TMPDIR = temporaryDirectory();
    const debugging = await freePort();
    const ours = ['browser', '--browser', findChromium() as string, ...args];
    const its = ['--', '--headless=new', '--no-sandbox', `--remote-debugging-port=${debugging}`];
    const env = { SWITCHYARD_SERVER: SERVER, SWITCHYARD_API_KEY: key, TMPDIR };
    const command = new Running(process.execPath, [CLI, ...ours, ...its], { env });
    const answers = () =>
      fetch(`http://127.0.0.1:${debugging}/json/version`).then(
        () => true,
        () => false,
      );
    expect(await eventually(answers, START_MS), command.stderr).toBe(true);
    const profiles = () => readdirSync(TMPDIR).filter((name) => name.startsWith('switchyard-browser-'));
    const browser = await chromium.connectOverCDP(`http://127.0.0.1:${debugging}`);
    onTestFinished(() => browser.close());
    return { command, browser, answers, profiles };
  }

  async function pageOf({ browser }: Awaited<ReturnType<typeof open>>): Promise<Page> {
    const [context] = browser.contexts();
    const [found] = context?.pages() ?? [];
    await found?.waitForLoadState();
    return found as Page;
  }

  const rule = (value: string, ruleType: RuleInput['ruleType'], pair: object) =>
    client.rules.create({
      ruleType,
      name: value,
      pairs: [{ source: { key: 'Url', operator: 'Contains', value }, ...pair }],
    });

  test('rules act on a page that calls another origin: header, delay, body, status, a local script, a POST that a mock answers', async () => {
    const mock = await client.mocks.create({
      name: 'orders',
      start: true,
      settings: { cors: true },
      routes: [
        { method: 'POST', path: '/orders', responses: [{ status: 201, templated: true, body: "{{body 'item'}}" }] },
      ],
    });
    const header = { modifications: { Request: [{ type: 'Add', header: 'x-plan', value: 'gold' }] } };
    await rule('/plan', 'Headers', header);
    await rule('/slow', 'Delay', { delay: 700 });
    await rule('/body', 'Response', { response: { type: 'static', value: '{"plan":"silver"}' } });
    await rule('/status', 'Response', { response: { type: 'static', value: '{}', statusCode: 503 } });
    await rule('/order', 'Redirect', { destinationType: 'url', destination: `${client.mocks.urlFor(mock)}/orders` });

    await rule('/app.js', 'Redirect', { destinationType: 'map_local', destination: 'app.js' });
    writeFileSync(join(files, 'app.js'), "document.title = 'local'");

    const opened = await open(page);
    const shown = await pageOf(opened);
    expect(await shown.title()).toBe('page');
    const ask = (path: string, body?: object) =>
      shown.evaluate(
        async ([url, text]) => {
          const begun = performance.now();
          const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: text as string };
          const reply = await fetch(url as string, text === undefined ? {} : post);
          return { status: reply.status, text: await reply.text(), ms: performance.now() - begun };
        },
        [`${api}${path}`, body && JSON.stringify(body)],
      );
    expect(await ask('/plan')).toMatchObject({ status: 200, text: '{"plan":"gold"}' });
    expect((await ask('/slow')).ms).toBeGreaterThanOrEqual(700);
    expect(await ask('/body')).toMatchObject({ status: 200, text: '{"plan":"silver"}' });
    expect(await ask('/status')).toMatchObject({ status: 503 });
    expect(await ask('/order', { item: 'book' })).toMatchObject({ status: 201, text: 'book' });

    await shown.addScriptTag({ url: `${api}/app.js` });
    expect(await shown.title()).toBe('local');

    await shown.goto(`https://localhost:${securePort}/`);
    expect(await shown.title()).toBe('page');
    expect((await client.gateway.requests({ host: `localhost:${securePort}` })).records[0]).toMatchObject({
      url: `https://localhost:${securePort}/`,
      outcome: 'forward',
    });

    expect(opened.profiles()).toHaveLength(1);
    await (await opened.browser.newBrowserCDPSession()).send('Browser.close');
    expect(await opened.command.ended).toMatchObject({ status: 0, stderr: '' });
    expect(opened.profiles()).toEqual([]);
  });

  test('a signal ends the browser, its session and its profile', async () => {
    const opened = await open(page, '--session');
    const [, id] = /^Session (\S+): http:\S+\/console#\/gateway\/sessions\/\1$/m.exec(opened.command.stdout) ?? [];
    await pageOf(opened);
    const session = await client.gateway.openSession(id as string);
    expect((await session.requests({ host: `localhost:${plainPort}` })).records).not.toEqual([]);
    opened.command.child.kill('SIGTERM');
    expect(await opened.command.ended).toMatchObject({ status: 0, stderr: '' });
    expect(await opened.answers()).toBe(false);
    expect(opened.profiles()).toEqual([]);
    expect((await client.gateway.sessions()).records).toEqual([]);
  });

  test('a browser that fails says why', async () => {
    const env = { SWITCHYARD_SERVER: SERVER, SWITCHYARD_API_KEY: key };
    const command = new Running(process.execPath, [CLI, 'browser', '--browser', process.execPath], { env });
    expect(await command.ended).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: \S+ ended with 9: /),
    });
  });
});
