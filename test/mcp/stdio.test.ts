/** `switchyard mcp` as a program: a server of its own, files by their path, and what it says when something is wrong. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { McpClient } from '../support/mcp.ts';
import { runLine } from '../support/command-lines.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const cwd = temporaryDirectory();
const outside = temporaryDirectory();
const FILE = JSON.stringify({ switchyard: 1, kind: 'mock', name: 'from a path', routes: [] });
const to = ['--server', `http://127.0.0.1:${server.port}`];

test('with --mock it has a server of its own, which ends with it', async () => {
  writeFileSync(join(cwd, 'shop.json'), FILE);
  const client = await McpClient.stdio(['--mock', 'shop.json'], { cwd });
  const { mocks } = await client.ok('mocks_list');
  expect(mocks).toMatchObject([{ id: 'shop', state: 'running', file: expect.stringContaining('shop.json') }]);
  expect((await fetch(new URL('/', mocks[0].url.replace('shop.localhost', '127.0.0.1')))).status).toBeGreaterThan(0);
  await client.close();
  await expect(fetch(mocks[0].url.replace('shop.localhost', '127.0.0.1'))).rejects.toThrow('fetch failed');
});

test('mocks_create reads a file by its path, below the folder that the client runs in alone', async () => {
  writeFileSync(join(cwd, 'mock.json'), FILE);
  writeFileSync(join(outside, 'mock.json'), FILE);
  symlinkSync(join(outside, 'mock.json'), join(cwd, 'link.json'));
  const client = await McpClient.stdio(to, { key, cwd });
  expect(await client.ok('mocks_create', { path: 'mock.json' })).toMatchObject({ mocks: [{ name: 'from a path' }] });
  for (const path of ['../mock.json', join(outside, 'mock.json'), 'link.json', 'nothing.json'])
    await expect(client.call('mocks_create', { path }), path).rejects.toThrow(`cannot read ${path}`);
  await client.close();
  const http = await McpClient.http(server.port, { 'x-api-key': key });
  expect(await http.call('mocks_create', { path: 'mock.json' })).toMatchObject({
    isError: true,
    data: { error: expect.stringContaining('only over stdio') },
  });
  expect(await http.ok('mocks_create', { recipe: 'graphql-ws', id: 'sub41' })).toMatchObject({
    mocks: [{ id: 'sub41', name: 'GraphQL over WebSocket', state: 'stopped' }],
  });
  for (const more of [{ into: 'sub41' }, { content: FILE }])
    expect(await http.call('mocks_create', { recipe: 'graphql-ws', ...more })).toMatchObject({ isError: true });
  await http.close();
});

/** Its answers to lines, by the id. */
async function answersTo(lines: readonly string[], args: readonly string[], apiKey: string): Promise<unknown[]> {
  const child = spawn(process.execPath, [CLI, 'mcp', ...args], {
    env: { ...process.env, SWITCHYARD_API_KEY: apiKey },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stdin.end(`${lines.join('\n')}\n`);
  await new Promise((ended) => child.on('close', ended));
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' });

test('everything is answered before it ends, what is no message too', async () => {
  const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(await answersTo(['no json', notification, PING], to, key)).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: null, error: { code: -32_700, message: expect.any(String) } },
      { jsonrpc: '2.0', id: 7, result: {} },
    ]),
  );
});

test.each([
  [
    'a key that is refused',
    to,
    'sy_000000000000_0000000000000000000000000000000000000000000',
    /answered 401: Unauthorized action: x-api-key/,
  ],
  [
    'a server that does not run',
    ['--server', 'http://127.0.0.1:9'],
    key,
    /no answer from http:\/\/127.0.0.1:9.*is the server running\?/,
  ],
])('an error says so: %s', async (_what, args, apiKey, message) => {
  expect(await answersTo([PING], args, apiKey)).toEqual([
    { jsonrpc: '2.0', id: 7, error: { code: -32_000, message: expect.stringMatching(message) } },
  ]);
});

test('without a key it says where it goes, with status 2', async () => {
  expect(await runLine(['mcp', '--mock', 'missing.yaml'])).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^error: Switchyard did not start: .*missing\.yaml: no such file or folder\n$/s),
  });
  expect(await runLine(['mcp'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('SWITCHYARD_API_KEY'),
  });
});
