/** The recipes of docs/baggage.md that run here, as they are printed: servers under test that pass the session on. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { exampleFolder } from '../support/example.ts';
import { freePort } from '../support/free-port.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { useOwnServer } from '../support/shared-server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Debian's comes last: `python3` may be another one, without the packages. */
const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import fastapi, httpx, uvicorn']).status === 0,
);
/** Express is no dependency of ours: that of a suite which has it. */
const express = ['test/conformance', 'bench/peers']
  .map((each) => join(ROOT, each, 'node_modules/express'))
  .find(existsSync);

const { server, key } = await useOwnServer(['--gateway-port', '0', '--workers', '1']);
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
afterAll(endAll);

/** The code of a section. */
function recipe(title: string, language: string): string {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/baggage.md'), 'utf8').split(`\n## ${title}\n`);
  return new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(section)?.[1] ?? expect.fail(`no recipe ${title}`);
}

interface Server {
  readonly available: boolean;
  readonly missing: string;
  readonly start: (folder: string, port: string) => readonly [command: string, ...args: string[]];
}

/** Before Node.js 22.21 `fetch` needs this for the proxy of its environment. */
const PROXY = `import { EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';\nsetGlobalDispatcher(new EnvHttpProxyAgent());\n`;

const SERVERS: Readonly<Record<string, Server>> = {
  Express: {
    available: express !== undefined,
    missing: 'express is not installed (npm ci --prefix test/conformance)',
    start(folder) {
      writeFileSync(join(folder, 'proxy.js'), PROXY);
      writeFileSync(join(folder, 'server.js'), recipe('Express', 'js'));
      return [process.execPath, '--import', './proxy.js', 'server.js'];
    },
  },
  FastAPI: {
    available: python !== undefined,
    missing: 'FastAPI is not installed (Debian: apt-get install python3-fastapi python3-uvicorn python3-httpx)',
    start(folder, port) {
      writeFileSync(join(folder, 'main.py'), recipe('FastAPI', 'python'));
      return [python as string, '-m', 'uvicorn', 'main:app', '--port', port, '--log-level', 'warning'];
    },
  },
};

describe.each(Object.entries(SERVERS))('%s', (_name, { available, missing, start }) => {
  test.skipIf(available)('is there', ({ skip }) => {
    expect(available, missing).toBe(false);
    skip(missing);
  });

  test.skipIf(!available)('answers many requests at once, each in its session', async () => {
    const routes = [{ id: 'plan', method: 'GET', path: '/plan', responses: [{ body: 'none' }] }] as const;
    const mock = await client.mocks.create({ name: 'API', start: true, routes });
    await client.gateway.settings.put({ attach: [{ host: 'api.test', mockId: mock.id }] });
    const port = String(await freePort());
    const folder = exampleFolder('node-test', ['undici', ...(express === undefined ? [] : [express])]);
    const [command, ...args] = start(folder, port);
    const env = { ...(await client.gateway.env()), API: 'http://api.test', PORT: port };
    const app = new Running(command, args, { cwd: folder, env });
    const page = async (headers = {}) => (await fetch(`http://127.0.0.1:${port}/`, { headers })).text();
    expect(
      await eventually(
        () =>
          page().then(
            () => true,
            () => false,
          ),
        30_000,
      ),
      app.stderr,
    ).toBe(true);
    const plans = Array.from({ length: 20 }, (_, index) => `plan${index}`);
    const sessions = await Promise.all(
      plans.map((plan) =>
        client.gateway.session({ overlay: { mocks: { [mock.id]: { responses: { plan: { body: plan } } } } } }),
      ),
    );
    const pages = await Promise.all(sessions.map((session) => page({ baggage: `a=b, ${session.baggage}` })));
    expect(pages.map((text) => /plan\d+/.exec(text)?.[0])).toEqual(plans);
    expect(await page()).toContain('none');
  });
});
