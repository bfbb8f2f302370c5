/** The first minute: what a start prints at a terminal, a mock of `init`, and the version of a build. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from 'switchyard-server';
import { announcement, welcome } from '../../src/cli/announcement.ts';
import { CONSOLE_START_CODE_MS } from '../../src/limits.ts';
import { digestCode } from '../../src/model/console-code.ts';
import { issueConsoleCode } from '../../src/store/issue-console-code.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { runLine } from '../support/command-lines.ts';
import { endAll, eventually, Running, serve, serveInTerminal } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';

const KEY = /sy_[0-9a-z]{12}_[A-Za-z0-9_-]{43}/g;

afterEach(endAll);

/** @returns The lines of a start, when they are complete. */
async function linesOf(running: Running): Promise<string[]> {
  await running.ready();
  expect(await eventually(() => /^ {2}Try .*\r\n/m.test(running.stdout))).toBe(true);
  return running.stdout.trimEnd().split(/\r?\n/);
}

const rowOf = (lines: readonly string[], label: string): string =>
  lines.find((line) => line.startsWith(`  ${label} `))?.slice(12) ?? '';

async function shell(command: string): Promise<string> {
  const { stdout, status } = await new Running('sh', ['-c', command.replace(/^curl/, 'curl -sS')]).ended;
  expect(status).toBe(0);
  return stdout;
}

describe.skipIf(!existsSync('/usr/bin/script'))('at a terminal', () => {
  test('a first start prints eight lines at most: a sign-in, the key once, and commands that work; the second no key', async () => {
    const data = temporaryDirectory();
    const first = serveInTerminal(['--data', data, '--gateway-port', '0', '--wiremock', '0']);
    const lines = await linesOf(first);
    expect(lines.length).toBeLessThanOrEqual(8);
    expect(lines[0]).toMatch(/^Switchyard \d+\.\d+\.\d+ \(.*store format \d+\) is ready: API http:\S+\/v1$/);
    expect(rowOf(lines, 'Mocks')).toMatch(/^http:\/\/<mock_id>\.localhost:\d+$/);
    expect(rowOf(lines, 'Gateway')).toMatch(/^http:\/\/127\.0\.0\.1:\d+/);
    const key = rowOf(lines, 'API key').split(' ')[0] as string;
    expect(new Set(lines.join('\n').match(KEY))).toEqual(new Set([key]));

    const origin = /API (\S+)\/v1/.exec(lines[0] as string)?.[1] as string;
    const [page = '', code] = rowOf(lines, 'Console').split(' ')[0]?.split('#code=') ?? [];
    expect(page).toBe(`${origin}/console`);
    const exchange = () =>
      fetch(`${origin}/v1/console/key`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
    const { data: given } = (await (await exchange()).json()) as { data: { key: string } };
    const me = await createClient({ apiUrl: `${origin}/v1`, key: given.key }).me();
    expect(me).toMatchObject({ ownerId: 'local', userId: 'local', role: 'admin' });
    expect((await exchange()).status).toBe(401);

    const made = JSON.parse(await shell(rowOf(lines, 'Try'))) as { data: { id: string; state: string } };
    expect(made.data).toMatchObject({ id: 'hello', state: 'running' });
    const mockPort = rowOf(lines, 'Mocks').split(':').at(-1);
    expect(await (await fetch(`http://127.0.0.1:${mockPort}/__mock/hello/`)).text()).toBe('Hello!');
    const another = await shell(/another key: (.*)\)/.exec(rowOf(lines, 'Data'))?.[1] as string);
    const client = createClient({ apiUrl: `${origin}/v1`, key: another.trim() });
    expect((await client.me()).ownerId).toBe('local');
    // Ends with its terminal.
    first.child.kill('SIGKILL');
    await first.ended;

    const second = serveInTerminal(['--data', data]);
    const again = await linesOf(second);
    expect(again.join('\n')).not.toMatch(KEY);
    expect(rowOf(again, 'Console')).toContain('#code=');
    expect(JSON.parse(await shell(rowOf(again, 'Try')))).toMatchObject({ data: { storeFormat: expect.any(Number) } });
  });

  test('a file of `init` is served as its output says, and an edit is live a moment later', async () => {
    const cwd = temporaryDirectory();
    const { status, stdout } = await runLine(['init', 'my-shop.yaml'], { cwd });
    expect(status).toBe(0);
    const file = join(cwd, 'my-shop.yaml');
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeGreaterThanOrEqual(6);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(10);
    expect(await runLine(['init', 'my-shop.yaml'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('my-shop.yaml already exists'),
    });
    expect(stdout).toMatch(/^Serve it: {2}.* serve --mock my-shop\.yaml$/m);

    const running = serveInTerminal(['--mock', 'my-shop.yaml'], { cwd, env: { TMPDIR: cwd } });
    const lines = await linesOf(running);
    expect(lines.length).toBeLessThanOrEqual(8);
    expect(rowOf(lines, 'Mock')).toMatch(
      /^http:\/\/myshop\.localhost:\d+ {3}\(my-shop\.yaml: 2 routes; --mock ID=PATH sets another id than "myshop"\)$/,
    );
    expect(rowOf(lines, 'Data')).toMatch(/^temporary /);
    expect(await shell(rowOf(lines, 'Try'))).toBe('{"message":"Hello"}');
    const port = /:(\d+)\/__mock/.exec(rowOf(lines, 'Try'))?.[1];
    const [, printed = ''] = /^Call it: +(.*)$/m.exec(stdout) ?? [];
    const call = printed.replace(':8081', `:${port}`);
    expect(await shell(call)).toBe('{"id":"7","name":"Ann"}');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Ann', 'Ben'));
    expect(await eventually(async () => (await shell(call)).includes('Ben'), 2_000)).toBe(true);
  });
});

test.each([
  [['init', 'mock.json'], 'must end with .yaml'],
  [['init', '12.yaml'], 'use letters in'],
  [['init', 'no/folder/mock.yaml'], 'cannot write no/folder/mock.yaml'],
])('%j is refused', async (args, said) => {
  const { status, stderr } = await runLine(args, { cwd: temporaryDirectory() });
  expect([status, stderr.split('\n').length]).toEqual([2, 2]);
  expect(stderr).toContain(said);
});

test('many files are counted beyond eight lines', () => {
  const config = { host: '127.0.0.1', mockUrlTemplate: 'http://<mock_id>.localhost:<port>', data: 'data' };
  const fileMocks = Array.from({ length: 12 }, (_, index) => ({
    mockId: `m${index}`,
    summary: `m${index}.yaml: 1 route`,
    isRenamed: false,
    path: '/',
  }));
  const build = { version: '1.2.3', commit: null };
  const ports = { apiPort: 1, mockPort: 2, gatewayPort: 3, wireMockPort: 4, httpsPort: undefined, mtlsPort: undefined };
  const service = { ...ports, firstKey: 'sy_x', isFirstStart: true, fileMocks, hasConsole: true, build };
  const lines = welcome(config as Parameters<typeof welcome>[0], service, '/console#code=x').split('\n');
  expect(lines.slice(2, 4)).toEqual([
    '  Mock      http://m0.localhost:2   (m0.yaml: 1 route)',
    '            and 11 more',
  ]);
  expect(
    announcement(config as Parameters<typeof announcement>[0], service).match(/\.yaml: 1 route, at /g),
  ).toHaveLength(12);
});

// reaches CONSOLE_START_CODE_MS
test('the code of a start works for ten minutes', async () => {
  const store = LmdbStore.open(temporaryDirectory());
  const holder = { ownerId: 'local', userId: 'local', role: 'admin' } as const;
  const codeOf = async (): Promise<string> =>
    (await issueConsoleCode(store.codes, holder, () => 0, CONSOLE_START_CODE_MS)).split('=')[1] as string;
  const [first, second] = [await codeOf(), await codeOf()];
  expect(await store.codes.take(digestCode(first), CONSOLE_START_CODE_MS - 1)).toEqual(holder);
  expect(await store.codes.take(digestCode(second), CONSOLE_START_CODE_MS)).toBe(undefined);
  await store.close();
});

test('a build says its version, its commit and the format of its store, without a key and in its snapshots', async () => {
  const data = temporaryDirectory();
  const server = serve(data);
  const port = await server.ready();
  const answer = await fetch(`http://127.0.0.1:${port}/v1/version`);
  const { data: version } = (await answer.json()) as { data: { version: string; commit: string; storeFormat: number } };
  const kind = execFileSync('git', ['cat-file', '-t', version.commit.replace(/-dirty$/, '')], { encoding: 'utf8' });
  expect(kind).toBe('commit\n');
  expect((await runLine(['--version'])).stdout).toBe(
    `${version.version} (commit ${version.commit}, store format ${version.storeFormat})\n`,
  );
  const client = createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key: 'sy_any' });
  expect(await client.version()).toEqual(version);
  await runLine(['snapshot', 'create', '--data', data]);
  const [names = '', row = ''] = (await runLine(['snapshot', 'list', '--data', data])).stdout.split('\n');
  expect(names.split('\t').slice(2, 5)).toEqual(['VERSION', 'COMMIT', 'FORMAT']);
  expect(row.split('\t').slice(2, 5)).toEqual([version.version, version.commit, String(version.storeFormat)]);
});
