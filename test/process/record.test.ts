/** `switchyard record`: what it prints and writes, its exit statuses, and that nothing of its server is left. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import { freePort } from '../support/free-port.ts';
import { definitionOf, imported } from '../support/imports.ts';
import { endAll, eventually, Running, type Outcome } from '../support/process.ts';
import { realService } from '../support/real-service.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';

afterAll(endAll);

let asked = 0;
const service = await realService(({ url, headers }, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ url, tenant: headers['x-tenant']?.[0], ...(url === '/changes?x=1' ? { n: asked++ } : {}) }),
  );
});
const cwd = temporaryDirectory();

/** Records until a signal. @param paths What is asked. */
async function recorded(
  file: string,
  signal: NodeJS.Signals,
  paths: readonly string[],
  more: readonly string[] = [],
  upstream = service.url,
) {
  const command = new Running(process.execPath, [CLI, 'record', upstream, '-o', file, ...more], { cwd });
  let address: string | undefined;
  const isUp = () => (address = / (http:\/\/127\.0\.0\.1:\S+)$/m.exec(command.stdout)?.[1]) !== undefined;
  expect(await eventually(isUp, 30_000), command.stderr).toBe(true);
  const { port, pathname } = new URL(address as string);
  for (const path of paths) await askMock(Number(port), `${pathname}${path}`, { headers: { 'x-tenant': 'secret' } });
  command.child.kill(signal);
  const outcome: Outcome = await command.ended;
  await expect(askMock(Number(port), pathname)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  return outcome;
}

test('a signal ends it: the file answers as the service did, the status says whether all does, and nothing that can be written fails', async () => {
  const [same, different, none] = await Promise.all([
    recorded('same.json', 'SIGINT', ['/users/1', '/users/2'], ['--redact', 'x-tenant, tenant', '--latency']),
    recorded('different.yaml', 'SIGTERM', ['/changes?x=1', '/changes?x=1', '/changes?x=2'], ['--format', 'openapi']),
    recorded('none.json', 'SIGINT', ['/a'], [], `http://127.0.0.1:${await freePort()}`),
  ]);
  expect(same).toMatchObject({ status: 0, stderr: '' });
  expect(same.stdout).toContain('Check: all 2 exchanges are answered the same\n');
  expect(same.stdout).toContain('Written to same.json. To serve it: switchyard same.json\n');
  const definition = definitionOf(imported(readFileSync(join(cwd, 'same.json'), 'utf8')));
  expect(definition.settings.proxy).toMatchObject({ upstream: service.url, when: 'never' });
  expect(definition.routes.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /users/:id']);
  expect(definition.routes[0]?.responses.map(({ sample }) => sample?.path)).toEqual(['/users/1', '/users/2']);
  expect(JSON.stringify(definition)).not.toContain('secret');

  expect(different.status).toBe(1);
  expect(different.stdout).toContain('Check: 2 of 3 exchanges are answered the same; 1 differs\n');
  expect(different.stdout).toContain('  2 GET /changes?x=1: body at /n: recorded 1, answered 0\n');
  expect(readFileSync(join(cwd, 'different.yaml'), 'utf8')).toContain('openapi');

  expect(none.status).toBe(2);
  expect(none.stderr).toMatch(/^error: Nothing recorded: no exchange was recorded completely.*\n$/);
  expect(existsSync(join(cwd, 'none.json'))).toBe(false);
});

test('a mistake is one line, and that of the usage, before anything starts', async () => {
  for (const args of [
    ['ftp://a.test', '-o', 'a.json'],
    ['http://a.test'],
    ['http://a.test', '-o', 'a.json', '--duration', '1'],
    ['http://a.test', '-o', 'missing/a.json'],
  ]) {
    const { status, stdout, stderr } = await new Running(process.execPath, [CLI, 'record', ...args], { cwd }).ended;
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^error: .+\n(?:usage: .+\n)?$/)]);
  }
  const taken = ['http://a.test', '-o', 'a.json', '--mock-port', new URL(service.url).port];
  expect(await new Running(process.execPath, [CLI, 'record', ...taken], { cwd }).ended).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^error: Switchyard did not start: .+: the port is in use [^\n]+\n$/s),
  });
});
