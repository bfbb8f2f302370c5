/** `switchyard browser` without a browser: what it refuses, and where it looks. With one: test/browser/browser-command.test.ts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { browserFiles } from '../../src/cli/find-browser.ts';
import { endAll, run } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
afterAll(endAll);

const PATH = temporaryDirectory();
const env = { SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}`, SWITCHYARD_API_KEY: key };
/** Stands for a browser that would start. */
const NODE = ['--browser', process.execPath];

describe('is refused in one line', () => {
  test.each([
    [['--browser', '/nowhere/chrome'], env, '--browser: there is no /nowhere/chrome'],
    [['--browser', 'no-such-browser'], env, '--browser: there is no no-such-browser in PATH'],
    [[], { ...env, PATH }, 'looked for google-chrome-stable, google-chrome, chromium,'],
    [NODE, env, 'has no gateway: start it with --gateway-port'],
    [NODE, { ...env, SWITCHYARD_API_KEY: '' }, 'set SWITCHYARD_API_KEY'],
    [[...NODE, '--server', 'http://127.0.0.1:1'], env, 'is the server running?'],
    [['ftp://example.com'], env, 'expected a URL such as https://example.com, not "ftp://example.com"'],
    [['a b'], env, 'expected a URL'],
  ])('browser %j', async (args, variables, line) => {
    const outcome = await run(['browser', ...args], { env: variables });
    expect(outcome).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
    expect(outcome.stderr).toContain(line);
  });

  test.each([
    [['--frobnicate'], "unknown option '--frobnicate'"],
    [['--session', 'https://example.com'], 'put --session after the URL'],
  ])('browser %j, with the usage', async (args, line) => {
    const { status, stderr } = await run(['browser', ...args], { env });
    expect(status).toBe(2);
    expect(stderr).toContain(line);
    expect(stderr).toContain('[options] [url] [-- <arguments of the browser...>]');
  });
});

test('a gateway that only its own machine reaches is told before the browser opens, and one of another server', async () => {
  let gateway = 'http://127.0.0.1:1';
  const data = () => ({ running: true, server: gateway, ca: null });
  const other = createServer((_req, res) => res.end(JSON.stringify({ success: true, data: data() })));
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void other.close());
  const SWITCHYARD_SERVER = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const open = () => run(['browser', ...NODE], { env: { ...env, SWITCHYARD_SERVER } });
  expect(await open()).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^error: cannot use the gateway at http:\/\/127\.0\.0\.1:1: connect ECONNREFUSED .*--gateway-port/,
    ),
  });
  gateway = SWITCHYARD_SERVER;
  expect(await open()).toMatchObject({ status: 2, stderr: expect.stringContaining('it answered 200') });
});

test('the places of each system, Chrome first', () => {
  expect(browserFiles('linux', { PATH: '/a:/b' }, '/home/ann').slice(0, 3)).toEqual([
    '/a/google-chrome-stable',
    '/b/google-chrome-stable',
    '/a/google-chrome',
  ]);
  expect(browserFiles('darwin', {}, '/Users/ann').slice(0, 3)).toEqual([
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Users/ann/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ]);
  expect(browserFiles('win32', { ProgramFiles: 'C:\\Programs' }, '')).toEqual([
    'C:\\Programs\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Programs\\Chromium\\Application\\chrome.exe',
    'C:\\Programs\\Microsoft\\Edge\\Application\\msedge.exe',
  ]);
});
