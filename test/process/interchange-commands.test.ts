/** `switchyard import`, `export` and `detect`: what they print, their exit statuses, and what is said of each mistake. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { RECIPE_NAMES } from '../../src/interchange/recipes.ts';
import { CODES } from '../../src/interchange/report/codes.ts';
import { runLine } from '../support/command-lines.ts';
import { run, type Outcome } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const cwd = temporaryDirectory();
const FILES = {
  'exact.json': '{"switchyard": 1, "kind": "mock", "name": "Exact", "routes": []}',
  'dropped.json':
    '{"switchyard": 1, "kind": "mock", "bdoy": 1, "routes": [\n{"method": "GET", "path": "a", "responses": [{}]}]}',
  'approximated.json': JSON.stringify({
    info: { name: 'Collection', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: [{ name: 'bare \u001b[31m', request: { method: 'GET', url: 'http://localhost/a' } }],
  }),
  'scripted.json': JSON.stringify({
    info: { name: 'Scripts', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    event: [{ listen: 'test', script: { exec: ['pm.test()'] } }],
    item: [],
  }),
  'imposters.json': '{"imposters": [{"protocol": "http", "stubs": []}, {"protocol": "http", "stubs": []}]}',
  'unknown.json': '{"a": 1}',
  'broken.yaml': 'a: [1',
};

const { server, key } = await useServer();
let env: Record<string, string>;
/** Without the lines on progress, which a busy machine brings about. */
async function line(...args: readonly string[]): Promise<Outcome> {
  const outcome = await runLine(args, { cwd, env });
  return { ...outcome, stderr: outcome.stderr.replaceAll(/^importing .*: \d+ s\n/gm, '') };
}

const mocks = async (): Promise<readonly { id: string; name: string; state: string }[]> =>
  (await server.request('GET', '/v1/mocks', { key: env.SWITCHYARD_API_KEY })).json.data;

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  mkdirSync(join(cwd, 'folder/parts'), { recursive: true });
  writeFileSync(join(cwd, 'folder/index.json'), FILES['dropped.json']);
  writeFileSync(join(cwd, 'folder/parts/logo.png'), Buffer.from([0x89, 0x50, 0xff]));
  mkdirSync(join(cwd, 'stubs'));
  writeFileSync(join(cwd, 'stubs/hello.json'), '{"request": {"urlPath": "/hello"}, "response": {"body": "hi"}}');
  writeFileSync(join(cwd, 'stubs/other.json'), '{"hello": 1}');
  writeFileSync(join(cwd, 'stubs/README.md'), '# Stubs: of a team');
  writeFileSync(join(cwd, 'stubs/a.png'), Buffer.from([0x89, 0x50, 0xff]));
  env = {
    SWITCHYARD_API_KEY: key,
    SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}`,
  };
});

describe('import', () => {
  test('of a folder without an entry says which files it skips, and why', async () => {
    const skipped =
      'File that the import skips: README.md (not a known format), a.png (not text), other.json (not a known format)';
    const { stdout } = await line('import', 'stubs', '--dry-run');
    expect(stdout).toContain(`\n0 items approximated, 0 dropped\n\n3 × ${skipped}\n`);
    const { report } = JSON.parse((await line('import', 'stubs', '--dry-run', '--json')).stdout);
    expect(report.skipped).toEqual({ count: 3, message: skipped });
    expect(report.notExact).toBeUndefined();
  });

  test('shows what was read, and what is lost where', async () => {
    // The first import starts a thread, which may take long enough for a line of progress.
    const { stdout, ...outcome } = await line('import', 'dropped.json', '--dry-run');
    expect(outcome).toEqual({ status: 0, stderr: expect.stringMatching(/^(?:importing dropped.json: \d+ s\n)*$/) });
    expect(stdout.split('\n')).toEqual([
      'switchyard 1, by `switchyard: 1` with `kind: "mock"`',
      '',
      'items      exact  approximated  dropped',
      'mocks          0             1        0',
      'routes         0             0        1',
      'responses      0             0        1',
      '',
      '1 item approximated, 2 dropped',
      '',
      expect.stringMatching(/^dropped {7}dropped\.json:2 {2}GET a: A mock does not support this: \/path: /),
      expect.stringMatching(/^ {2}Instead: Fix the problem in the message, and import again; .*\.$/),
      'approximated  dropped.json:1  Unknown field, ignored: `bdoy`',
      expect.stringMatching(/^ {2}Instead: Check the spelling, .*\.$/),
      '',
      'Nothing is stored.',
      '',
    ]);
    expect(await mocks()).toEqual([]);
  });

  test('stores a mock, and starts it', async () => {
    const stored = await line('import', 'exact.json', '--name', 'Mine');
    const started = await line('import', 'exact.json', '--start');
    const [mine, exact] = await mocks();
    expect([mine, exact]).toMatchObject([
      { name: 'Mine', state: 'stopped' },
      { name: 'Exact', state: 'running' },
    ]);
    expect(stored.stdout).toContain(`\nThe mock ${mine?.id} is stored, and not started.\n`);
    expect(started.stdout).toContain(`\nThe mock ${exact?.id} is served at http://${exact?.id}.localhost:`);
  });

  test('prints a line for each of several mocks', async () => {
    const { stdout } = await line('import', 'imposters.json', '--start');
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      expect.stringMatching(/^The mock \w+ is served at http:\S+$/),
      expect.stringMatching(/^The mock \w+ is served at http:\S+$/),
    ]);
  });

  test('replaces a working copy with --into, and reads a folder as a bundle', async () => {
    const [mine] = await mocks();
    const { status, stdout } = await line('import', 'folder', '--into', mine?.id ?? '');
    expect(status).toBe(0);
    expect(stdout).toContain('\ndropped       folder/index.json:2  ');
    expect(stdout).toContain(`\nThe working copy of ${mine?.id} is replaced; it is served when it is saved.\n`);
  });

  test.each([
    ['exact.json', 0],
    ['approximated.json', 3],
    ['dropped.json', 4],
  ])('--json --strict of %s exits with %i', async (file, expected) => {
    const { status, stdout, stderr } = await line('import', file, '--dry-run', '--json', '--strict');
    expect({ status, stderr }).toEqual({ status: expected, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ definitions: [{}], report: { items: { mocks: {} } } });
  });

  test('names what is only counted', async () => {
    const { status, stdout } = await line('import', 'scripted.json', '--dry-run', '--strict');
    expect(status).toBe(4);
    expect(stdout).toContain('\nothers      0             0        1\n');
    expect(stdout).toMatch(
      /\ndropped  1 item, scripted\.json:\d+  Scripts and tests are not run\n  Instead: Keep them in Postman, /,
    );
  });

  test('prints texts of others without what a terminal obeys', async () => {
    const { stdout } = await line('import', 'approximated.json', '--dry-run');
    expect(stdout).toContain('approximated  approximated.json:1  ');
    expect(stdout).not.toContain('\u001b');
  });

  test.each<[string[], string]>([
    [['absent.json'], 'cannot read absent.json: no such file or folder'],
    [['unknown.json'], 'answered 400: Import is invalid'],
    [['broken.yaml'], 'line 1, column'],
    [['exact.json', '--format', 'har'], 'answered 400: Import is invalid'],
    [['exact.json', '--into', 'absent'], 'answered 404: Mock not found'],
    [['exact.json', '--into', 'a', '--start'], "'--into <id>' cannot be used with option '--start'"],
    [['exact.json', '--format', 'nonsense'], 'nonsense'],
  ])('%j is refused in one line', async (args, why) => {
    const { status, stdout, stderr } = await line('import', ...args);
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .+\n(?:usage: .+\n)?$/),
    });
    expect(stderr).toContain(why);
  });

  test('says how long it takes when that is long', async () => {
    const slow: Server = createServer((_, response) => {
      setTimeout(() => {
        response.statusCode = 503;
        response.end('{"success": false, "message": "too late"}');
      }, 1_200);
    });
    await new Promise<void>((listening) => slow.listen(0, '127.0.0.1', listening));
    const { port } = slow.address() as AddressInfo;
    const args = ['import', 'exact.json', '--server', `http://127.0.0.1:${port}`];
    // In a process of its own: the line overtakes what others print.
    const { stderr } = await run(args, { cwd, env });
    expect(stderr).toMatch(/^importing exact\.json: 1 s\n(?:importing .*\n)*error: /);
    slow.close();
  });
});

describe('recipe', () => {
  test('lists the recipes, without a server', async () => {
    const { status, stdout } = await runLine(['recipe'], { cwd });
    expect(status).toBe(0);
    const names = stdout
      .trimEnd()
      .split('\n')
      .map((each) => /^(\S+)  +\S.*\.$/.exec(each)?.[1]);
    expect(names).toEqual(RECIPE_NAMES);
  });

  test('stores one, and starts it', async () => {
    const stored = await line('recipe', 'openai-chat', '--id', 'stored');
    expect(stored).toEqual({ status: 0, stdout: 'The mock stored is stored, and not started.\n', stderr: '' });
    const started = await line('recipe', 'anthropic-messages', '--start', '--name', 'Mine');
    expect(started.stdout).toMatch(/^The mock \w+ is served at http:\S+\n$/);
    const made = await mocks();
    expect(made.map(({ name, state }) => [name, state])).toEqual(
      expect.arrayContaining([
        ['OpenAI chat', 'stopped'],
        ['Mine', 'running'],
      ]),
    );
  });

  test('says which there are', async () => {
    const { status, stderr } = await line('recipe', 'gemini');
    expect(status).toBe(2);
    expect(stderr).toContain(RECIPE_NAMES.join(', '));
  });
});

describe('export', () => {
  test('writes a file, or prints it; what is lost goes to stderr', async () => {
    const [mine] = await mocks();
    const id = mine?.id ?? '';
    const printed = await line('export', id);
    expect(printed).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(printed.stdout)).toMatchObject({ switchyard: 2, kind: 'mock', name: 'Mine' });
    expect(await line('export', id, '--from', 'staged', '-o', 'out.json')).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
    expect(JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8'))).toMatchObject({ switchyard: 2 });
    expect(JSON.parse((await line('export', id, '--format', 'openapi')).stdout)).toMatchObject({ openapi: '3.1.0' });
  });

  test.each<[string[], string]>([
    [['absent'], 'answered 404: Mock not found'],
    [['absent', '--format', 'har'], 'har'],
  ])('%j is refused', async (args, why) => {
    const { status, stderr } = await line('export', ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(why);
  });

  test('says when the file cannot be written', async () => {
    const [mine] = await mocks();
    const { status, stderr } = await line('export', mine?.id ?? '', '-o', 'absent/out.json');
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(/^error: cannot write absent\/out/),
    });
  });
});

describe('codes', () => {
  test('prints each code of the catalogue with its level and what to do instead', async () => {
    const { status, stdout, stderr } = await runLine(['codes'], { cwd });
    expect([status, stderr]).toEqual([0, '']);
    const codes = Object.entries(CODES);
    expect(stdout.trimEnd().split('\n')).toHaveLength(codes.length);
    for (const [code, { level, text, instead }] of codes)
      expect(stdout).toContain(`${code}  ${level}  ${text}. ${instead}.\n`);
  });

  test('of one beginning alone; without any it fails', async () => {
    const { stdout } = await runLine(['codes', 'har.st'], { cwd });
    expect(stdout).toMatch(/^har\.status  dropped  The entry has no final status\. Record again/);
    expect(stdout.split('\n').filter((each) => each !== '' && !each.startsWith('har.st'))).toEqual([]);
    expect(await runLine(['codes', 'nothing'], { cwd })).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('no code of a report begins with nothing') as string,
    });
  });
});

describe('detect', () => {
  test.each<[path: string, status: number, stdout: string]>([
    ['exact.json', 0, 'switchyard 1, by `switchyard: 1` with `kind: "mock"`\n'],
    ['folder', 0, 'switchyard 1, by `switchyard: 1` with `kind: "mock"`\n'],
    [
      'unknown.json',
      1,
      'unknown.json: unknown format; supported are switchyard, openapi, har, postman, mockoon, wiremock, mountebank, mockserver, json-server, requestly\n',
    ],
    ['broken.yaml', 1, 'broken.yaml: not valid YAML: '],
  ])('%s', async (path, status, stdout) => {
    const outcome = await runLine(['detect', path], { cwd });
    expect(outcome).toEqual({ status, stderr: '', stdout: expect.stringContaining(stdout) });
  });

  test('a file that is not there is refused', async () => {
    expect(await runLine(['detect', 'absent'], { cwd })).toMatchObject({ status: 2, stdout: '' });
  });
});
