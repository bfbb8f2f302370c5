/** `serve --key-file`, and what a container's health check asks. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runLine } from '../support/command-lines.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';

afterEach(endAll);

async function serve(data: string, file: string) {
  const args = [
    'serve',
    '--port',
    '0',
    '--mock-port',
    '0',
    '--no-gateway',
    '--workers',
    '1',
    '--data',
    data,
    '--key-file',
    file,
  ];
  const running = new Running(process.execPath, [CLI, ...args]);
  const port = await running.ready();
  const me = (key: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/v1/me`, { headers: { 'x-api-key': key } });
  const end = () => {
    running.child.kill('SIGTERM');
    return running.ended;
  };
  return { running, port: String(port), me, end };
}

test('a key file is made valid at each start, is written where it is missing, and stays revoked', async () => {
  const folder = temporaryDirectory();
  const [data, file] = [join(folder, 'data'), join(folder, 'key')];
  const first = await serve(data, file);
  const key = readFileSync(file, 'utf8').trim();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const me = await first.me(key);
  expect([me.status, ((await me.json()) as { data: object }).data]).toMatchObject([
    200,
    { ownerId: 'local', userId: 'local', role: 'admin' },
  ]);
  expect(first.running.stdout).not.toMatch(/sy_/);
  const health = await runLine(['health', '--port', first.port]);
  expect(health).toMatchObject({ status: 0, stdout: `http://127.0.0.1:${first.port}/readyz: ready\n` });
  await first.end();
  const gone = await runLine(['health'], { env: { SWITCHYARD_HOST: '0.0.0.0', SWITCHYARD_PORT: first.port } });
  expect(gone).toMatchObject({ status: 1, stdout: expect.stringContaining('ECONNREFUSED') });

  const { stdout: generated } = await runLine(['keys', 'generate']);
  const other = join(folder, 'other');
  writeFileSync(other, generated);
  const second = await serve(data, other);
  expect((await second.me(generated.trim())).status).toBe(200);
  expect((await second.me(key)).status).toBe(200);
  await second.end();

  await runLine(['keys', 'revoke', key, '--data', data]);
  const third = await serve(data, file);
  expect((await third.me(key)).status).toBe(401);
  const warning = /"level":40,[^\n]*"msg":"the key [0-9a-z]{12} in \S+ was revoked and stays revoked"/;
  expect(await eventually(() => warning.test(third.running.stdout))).toBe(true);
  await third.end();
  // The same id with another secret, and what is no key.
  for (const [text, why] of [
    [`${key.slice(0, 20)}${'x'.repeat(39)}`, 'has the id of another key'],
    ['secret', 'does not contain one API key'],
  ] as const) {
    writeFileSync(file, text);
    const refused = await (await serve(data, file)).running.ended;
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(new RegExp(`^error: [^\n]*${why}[^\n]*\n$`)),
    });
    expect(refused.stderr).not.toContain(text);
  }
});
