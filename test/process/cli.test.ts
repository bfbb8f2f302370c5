/** The command line: output, commands refused without side effects, and two processes on one directory. */
import { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ownBuild } from '../../src/base/own-build.ts';
import { announcement } from '../../src/cli/announcement.ts';
import { createKey } from '../../src/cli/keys.ts';
import { addServeOptions, serveConfig } from '../../src/cli/options.ts';
import { STORE_FORMAT } from '../../src/store/store-format.ts';
import { CLI, temporaryDirectory, TestServer } from '../support/server.ts';
import { runLine } from '../support/command-lines.ts';
import { isFullEffort } from '../support/effort.ts';
import { endAll, eventually, run, Running, serve, type Outcome } from '../support/process.ts';

const KEY = /sy_[0-9a-z]{12}_[A-Za-z0-9_-]{43}/;
const RULE = {
  name: 'a',
  ruleType: 'Cancel',
  pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'a' } }],
};

/** Printed by a first start, and by no other. */
const HINT = 'To create an API key: ';

/** Exit status 2, one line on stderr, nothing on stdout. */
function expectRefused({ status, stdout, stderr }: Outcome, ...names: string[]): void {
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^error: .+\n$/) });
  for (const name of names) expect(stderr).toContain(name);
}

/** An error of the arguments is followed by the usage of the command. */
function withoutUsage(outcome: Outcome): Outcome {
  return { ...outcome, stderr: outcome.stderr.replace(/^usage: switchyard .*\n$/m, '') };
}

/** Everything below a directory, with the facts that reveal a changed file. */
function listing(directory: string): string[] {
  return readdirSync(directory, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const { size, mtimeMs, ino } = statSync(join(directory, name));
      return `${name} ${size} ${mtimeMs} ${ino}`;
    });
}

/** Runs a command in a new directory, and checks that nothing in it has changed. */
async function withoutTrace(command: (cwd: string) => Promise<Outcome>): Promise<Outcome> {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'file'), 'text');
  mkdirSync(join(cwd, 'empty'));
  const before = listing(cwd);
  const outcome = await command(cwd);
  expect(listing(cwd)).toEqual(before);
  return outcome;
}

describe('keys', () => {
  let server: TestServer;
  afterEach(endAll);
  beforeAll(async () => {
    server = await TestServer.start(['--no-bootstrap']);
  });
  afterAll(() => server.end('SIGKILL'));

  async function create(args: readonly string[], runIt = runLine): Promise<string> {
    const outcome = await runIt(['keys', 'create', '--data', server.data, ...args]);
    expect(outcome).toEqual({
      status: 0,
      stdout: expect.stringMatching(new RegExp(`^${KEY.source}\n$`)),
      stderr: '',
    });
    return outcome.stdout.trimEnd();
  }

  test('create prints the key and nothing else, and a running server accepts it at once', async () => {
    const key = await create(['--owner', 'acme', '--user', 'ann@acme.example'], run);
    const { status, json } = await server.request('POST', '/v1/rules', { key, body: RULE });
    expect(status).toBe(200);
    expect(json.data).toMatchObject({ createdBy: 'ann@acme.example', currentOwner: 'acme' });
  });

  test('create makes a data directory of mode 700 with --new alone, and a first start on it hands out no other key', async () => {
    const data = join(temporaryDirectory(), 'not', 'there');
    const keysCreate = ['keys', 'create', '--owner', 'a', '--user', 'u', '--data', data];
    expectRefused(await runLine(keysCreate), data, '--new');
    expect(existsSync(data)).toBe(false);
    const { stdout } = await run([...keysCreate, '--new']);
    expect((await runLine(keysCreate)).status).toBe(0);
    expect((await runLine([...keysCreate, '--new'])).status).toBe(0);
    expect(statSync(data).mode & 0o777).toBe(0o700);
    const first = serve(data);
    const port = await first.ready();
    expect(first.stdout).not.toMatch(KEY);
    const answer = await fetch(`http://127.0.0.1:${port}/v1/rules`, { headers: { 'x-api-key': stdout.trimEnd() } });
    expect(answer.status).toBe(200);
  });

  test('the key of a viewer reads and does not write', async () => {
    const key = await create(['--owner', 'acme', '--user', 'vic', '--role', 'viewer']);
    expect((await server.request('GET', '/v1/rules', { key })).status).toBe(200);
    const { status, json } = await server.request('POST', '/v1/rules', { key, body: RULE });
    expect(status).toBe(401);
    expect(json).toEqual({
      success: false,
      message: 'Unauthorized action',
      details: [{ path: '', message: 'a viewer key may only read' }],
    });
  });

  test('revoke ends a key within a second, only that key, and may be repeated', async () => {
    const key = await create(['--owner', 'acme', '--user', 'rob']);
    const other = await create(['--owner', 'acme', '--user', 'rob']);
    const use = async (text: string) => (await server.request('GET', '/v1/groups', { key: text })).status;
    expect([await use(key), await use(other)]).toEqual([200, 200]);
    const revoke = ['keys', 'revoke', key.split('_')[1] as string, '--data', server.data];
    expect(await run(revoke)).toEqual({ status: 0, stdout: `Revoked the key ${key.split('_')[1]}\n`, stderr: '' });
    expect(await eventually(async () => (await use(key)) === 401, 1_000)).toBe(true);
    expect(await use(other)).toBe(200);
    expect((await runLine(revoke)).status).toBe(0);
  });

  test('a key with an end works until then, in a running server too, and its holder is told', async () => {
    const lasting = await create(['--owner', 'ending', '--user', 'eve', '--expires', '2d']);
    const end = Date.now() + 1_500;
    const short = await create(['--owner', 'ending', '--user', 'eve', '--expires', new Date(end).toISOString()]);
    const use = (key: string) => server.request('GET', '/v1/groups', { key });
    expect([(await use(lasting)).status, (await use(short)).status]).toEqual([200, 200]);
    expect(await eventually(async () => (await use(short)).status === 401, 3_000)).toBe(true);
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    expect((await use(short)).json).toEqual({
      success: false,
      message: 'Unauthorized action',
      details: [{ path: 'x-api-key', message: 'has expired' }],
    });
    const guessed = `${short.slice(0, -1)}${short.endsWith('A') ? 'B' : 'A'}`;
    expect((await use(guessed)).json.details).toEqual([{ path: 'x-api-key', message: 'is not a key of this server' }]);
    expect((await use(lasting)).status).toBe(200);
    const { stdout } = await runLine(['keys', 'list', '--data', server.data]);
    const rows = stdout.split('\n').map((line) => line.split('\t'));
    const stateOf = (key: string) => rows.find(([keyId]) => keyId === key.split('_')[1])?.slice(5);
    expect(stateOf(short)).toEqual(['-', new Date(end).toISOString(), 'command', 'expired']);
    expect(stateOf(lasting)?.at(-1)).toBe('valid');
    const inTwoDays = Date.parse(stateOf(lasting)?.[1] as string) - Date.now();
    expect(Math.abs(inTwoDays - 2 * 86_400_000)).toBeLessThan(60_000);
  });

  test('list shows every key with its owner, user, role and revocation, and no secret', async () => {
    const key = await create(['--owner', 'listed', '--user', 'lea', '--role', 'viewer']);
    const revoked = await create(['--owner', 'listed', '--user', 'leo']);
    const [id, revokedId] = [key, revoked].map((text) => text.split('_')[1] as string) as [string, string];
    await runLine(['keys', 'revoke', revokedId, '--data', server.data]);
    const { status, stdout, stderr } = await run(['keys', 'list', '--data', server.data]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(rows.find(([keyId]) => keyId === id)).toEqual([
      id,
      'listed',
      'lea',
      'viewer',
      date,
      '-',
      '-',
      'command',
      'valid',
    ]);
    expect(rows.find(([keyId]) => keyId === revokedId)).toEqual([
      revokedId,
      'listed',
      'leo',
      'editor',
      date,
      date,
      '-',
      'command',
      'revoked',
    ]);
    expect(stdout).not.toMatch(KEY);
    for (const text of [key, revoked]) expect(stdout).not.toContain(text.slice('sy_'.length + id.length + 1));
  });
});

describe('options', () => {
  afterEach(endAll);

  test('--version prints the version of the package, its commit, and the format of its store', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const { commit } = await ownBuild();
    const stdout = `${version} (${commit === null ? '' : `commit ${commit}, `}store format ${STORE_FORMAT})\n`;
    expect(await run(['--version'])).toEqual({ status: 0, stdout, stderr: '' });
  });

  /** `--port` and its help, for each option of `serve`. */
  async function documented(): Promise<Map<string, string>> {
    const { status, stdout } = await runLine(['serve', '--help']);
    expect(status).toBe(0);
    const options = new Map<string, string>();
    for (const part of stdout.split(/^ {2}(?=-)/m).slice(1)) {
      const name = /^(--[a-z-]+)/.exec(part)?.[1];
      if (name !== undefined) options.set(name, part.replaceAll(/\s+/g, ' '));
    }
    return options;
  }

  const variableOf = (option: string) => `SWITCHYARD_${option.slice(2).toUpperCase().replaceAll('-', '_')}`;

  test('the help of serve names an environment variable for every option', async () => {
    const options = await documented();
    expect([...options.keys()]).toEqual(expect.arrayContaining(['--host', '--port', '--data', '--no-bootstrap']));
    for (const [option, text] of options) expect(text).toContain(`env: ${variableOf(option)}`);
  });

  test('every environment variable is read: one with a bad value is refused by its name', async () => {
    const options = await documented();
    // No text is a list too; they and a switch are shown to work below, the others in file-mocks.test.ts, console.test.ts and mcp/admission.test.ts.
    const others = [
      '--cors-origin',
      '--allow-host',
      '--https',
      '--https-name',
      '--no-bootstrap',
      '--no-gateway',
      '--no-console',
      '--no-mcp',
      '--strict',
      '--rule-code',
      '--compat-lenient',
      '--compat-open',
    ];
    for (const option of others) expect(options.delete(option)).toBe(true);
    for (const option of options.keys()) {
      const outcome = await withoutTrace((cwd) => runLine(['serve'], { cwd, env: { [variableOf(option)]: '' } }));
      expectRefused(withoutUsage(outcome), option, variableOf(option));
    }
  });

  test('a server is configured by environment variables alone', async () => {
    const data = join(temporaryDirectory(), 'data');
    const started = new Running(process.execPath, [CLI, 'serve'], {
      env: {
        SWITCHYARD_HOST: '127.0.0.1',
        SWITCHYARD_PORT: '0',
        SWITCHYARD_MOCK_PORT: '0',
        SWITCHYARD_MOCK_DOMAIN: 'mocks.example',
        SWITCHYARD_DATA: data,
        SWITCHYARD_WORKERS: '1',
        SWITCHYARD_NO_BOOTSTRAP: '1',
        SWITCHYARD_NO_GATEWAY: '1',
        SWITCHYARD_LOG_LEVEL: 'silent',
        SWITCHYARD_CORS_ORIGIN: 'https://a.example,https://b.example',
        SWITCHYARD_ALLOW_HOST: 'api.example',
        SWITCHYARD_METRICS_TOKEN: 'metrics-token',
        SWITCHYARD_BODY_MAX: '2000',
        SWITCHYARD_RULES_MAX: '1',
        SWITCHYARD_GROUPS_MAX: '1',
        SWITCHYARD_PAIRS_MAX: '2',
        SWITCHYARD_NAME_MAX: '8',
        SWITCHYARD_TEXT_MAX: '20',
        SWITCHYARD_RATE_LIMIT: '1000',
        SWITCHYARD_HISTORY_DAYS: '1',
        SWITCHYARD_RESIDENT_OWNERS: '2',
        SWITCHYARD_OWNER_IDLE: '100',
      },
    });
    const port = await started.ready();
    expect(started.stdout).toMatch(/^Switchyard .* is ready: .*mocks\.example/);
    expect(started.stdout).not.toContain('gateway');
    expect(started.stdout).not.toMatch(KEY);
    const key = await createKey(data, { ownerId: 'o', userId: 'u', role: 'editor' });

    const send = async (path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const pairs = (count: number) => Array.from({ length: count }, () => RULE.pairs[0]);
    expect((await send('/v1/rules', { ...RULE, x: 'y'.repeat(2_000) })).status).toBe(413);
    expect((await send('/v1/rules', { ...RULE, name: 'nine char' })).ok).toBe(false);
    expect((await send('/v1/rules', { ...RULE, description: 'y'.repeat(21) })).ok).toBe(false);
    expect((await send('/v1/rules', { ...RULE, pairs: pairs(3) })).ok).toBe(false);
    expect((await send('/v1/rules', { ...RULE, pairs: pairs(2) })).status).toBe(200);
    expect((await send('/v1/rules', RULE)).status).toBe(403);
    expect((await send('/v1/groups', { name: 'g' })).status).toBe(200);
    expect((await send('/v1/groups', { name: 'g' })).status).toBe(403);
    expect((await send('/metrics')).status).toBe(401);
    expect((await send('/metrics', undefined, { authorization: 'Bearer metrics-token' })).status).toBe(200);
    const allowedOrigin = async (origin: string) =>
      (await send('/v1/rules', undefined, { origin })).headers.get('access-control-allow-origin');
    expect(await allowedOrigin('https://b.example')).toBe('https://b.example');
    expect(await allowedOrigin('https://c.example')).toBeNull();
    const statusFor = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        httpRequest({ port, host: '127.0.0.1', path: '/healthz', headers: { host } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
    expect([await statusFor('api.example'), await statusFor('other.example')]).toEqual([200, 403]);
    // Nothing was logged.
    expect(started.stdout.trimEnd().split('\n')).toHaveLength(1);
    // The first start made no key: there is that of this test.
    expect((await runLine(['keys', 'list', '--data', data])).stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test.each([
    ['by default', [], (port: number) => `http://<mock_id>.localhost:${port}`],
    [
      'with --mock-domain',
      ['--mock-domain', 'mocks.example'],
      (port: number) => `http://<mock_id>.mocks.example:${port}`,
    ],
    [
      'with a template that names the port',
      ['--mock-url-template', 'http://<mock_id>.mocks.example:<port>'],
      (port: number) => `http://<mock_id>.mocks.example:${port}`,
    ],
    [
      'with a template of a proxy',
      ['--mock-url-template', 'https://<mock_id>.mocks.example.com'],
      (port: number) => `https://<mock_id>.mocks.example.com at 127.0.0.1:${port}`,
    ],
    [
      'with a template that has a path',
      ['--mock-url-template', 'http://localhost:<port>/__mock/<mock_id>'],
      (port: number) => `http://localhost:${port}/__mock/<mock_id> at 127.0.0.1:${port}`,
    ],
  ])('the ready line prints the addresses of mocks as they are made, %s', (_what, args, addresses) => {
    const command = addServeOptions(new Command()).parse(args, { from: 'user' });
    const line = announcement(serveConfig(command.opts()), {
      gatewayPort: undefined,
      wireMockPort: undefined,
      httpsPort: undefined,
      mtlsPort: undefined,
      apiPort: 1,
      mockPort: 39_217,
      firstKey: undefined,
      isFirstStart: false,
      build: { version: '1.2.3', commit: 'abc' },
      fileMocks: [],
      hasConsole: false,
    });
    expect(line).toMatch(/^Switchyard 1\.2\.3 \(commit abc, store format \d+\) is ready: .*$/);
    expect(line.split(', mocks ')[1]).toBe(addresses(39_217));
  });

  test('the ready line is printed with the ports that are listened on', async () => {
    const template = ['--mock-url-template', 'https://<mock_id>.mocks.example.com'];
    const started = await TestServer.start(['--no-bootstrap', ...template]);
    expect(started.stdout).toContain(`, mocks https://<mock_id>.mocks.example.com at 127.0.0.1:${started.mockPort}\n`);
    // The port that was read from the line is the one of mocks.
    expect(await (await fetch(`http://127.0.0.1:${started.mockPort}/`)).json()).toMatchObject({
      message: 'Mock not found',
    });
    expect(await started.end()).toBe(0);
  });

  test('an option beats its environment variable', async () => {
    const outcome = await runLine(['serve', '--port', 'nonsense'], { env: { SWITCHYARD_PORT: '0' } });
    expectRefused(withoutUsage(outcome), '--port', 'nonsense');
  });
});

describe('a command line that is none is refused in one line, and another with the usage, with 2, and changes nothing', () => {
  test.each([
    ['an unknown command', ['frobnicate'], 'frobnicate'],
    ['a misspelt command', ['sreve'], "unknown command 'sreve': did you mean 'serve'?"],
    ['a command with a dash', ['snap-shot'], "unknown command 'snap-shot': did you mean 'snapshot'?"],
    ['a command of a group', ['mocks', 'tyr'], "unknown command 'tyr': did you mean 'try'?"],
    ['a misspelt option', ['serve', '--prot', '1'], "unknown option '--prot': did you mean '--port'?"],
    ['a request that is none', ['mocks', 'try', 'shop', 'GET'], 'expected a method and a path'],
    ['a rule that is tested with a path', ['rules', 'test', 'GET', '/users'], 'expected a URL'],
    ['a bad end', ['keys', 'create', '--owner', 'o', '--user', 'u', '--expires', 'soon', '--data', 'new'], 'soon'],
    ['an unknown command of keys', ['keys', 'frobnicate'], 'frobnicate'],
    ['an unknown option', ['serve', '--frobnicate'], '--frobnicate'],
    ['an argument too many', ['serve', 'now'], 'serve'],
    ['an option without its value', ['serve', '--port'], '--port'],
    ['a port that is not a number', ['serve', '--port', '80a'], '80a'],
    ['a port that is too large', ['serve', '--port', '65536'], '65536'],
    ['a negative number', ['serve', '--workers', '-1'], '--workers'],
    ['a number out of range', ['serve', '--body-max', '1'], '--body-max'],
    ['an unknown log level', ['serve', '--log-level', 'loud'], 'loud'],
    ['an invalid mock domain', ['serve', '--mock-domain', 'a b'], 'a b'],
    ['an origin with a star in it', ['serve', '--cors-origin', 'https://*.app.example'], 'https://*.app.example'],
    ['an origin with a path', ['serve', '--cors-origin', '*,https://app.example/'], 'https://app.example/'],
    ['an origin in capitals', ['serve', '--cors-origin', 'https://App.example'], 'App.example'],
    ['an origin without a scheme', ['serve', '--cors-origin', 'app.example'], 'app.example'],
    ['an origin with its default port', ['serve', '--cors-origin', 'https://app.example:443'], ':443'],
    ['an empty data path', ['serve', '--data', ''], '--data'],
    [
      'an address of another machine',
      ['serve', '--host', '192.0.2.1', '--no-gateway', '--data', 'new'],
      'EADDRNOTAVAIL',
    ],
    [
      'one port for both',
      ['serve', '--port', '39217', '--mock-port', '39217', '--no-gateway', '--data', 'new'],
      'are both 39217',
    ],
    [
      'a port of WireMock that is another one',
      ['serve', '--port', '39217', '--wiremock', '39217', '--no-gateway', '--data', 'new'],
      '--wiremock is 39217, as another port',
    ],
    [
      'a mock of WireMock that has no id',
      ['serve', '--wiremock', '0:No', '--no-gateway', '--data', 'new'],
      'Expected after the ":"',
    ],
    [
      'calls without a key from elsewhere',
      [
        'serve',
        '--host',
        '0.0.0.0',
        '--port',
        '0',
        '--mock-port',
        '0',
        '--compat-open',
        '--no-gateway',
        '--data',
        'new',
      ],
      '--compat-open requires a loopback address',
    ],
    [
      'a data path that is a file',
      ['serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--data', 'file'],
      '/file is a file, not a directory',
    ],
    [
      'a data path below a file',
      ['serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--data', 'file/data'],
      '/file is a file, not a directory',
    ],
    ['a key without an owner', ['keys', 'create', '--user', 'u', '--data', 'new'], '--owner'],
    ['a key without a user', ['keys', 'create', '--owner', 'o', '--data', 'new'], '--user'],
    ['a bad owner id', ['keys', 'create', '--owner', 'a/b', '--user', 'u', '--data', 'new'], 'a/b'],
    [
      'an owner id that is too long',
      ['keys', 'create', '--owner', 'o'.repeat(65), '--user', 'u', '--data', 'new'],
      '64',
    ],
    ['a bad user id', ['keys', 'create', '--owner', 'o', '--user', '', '--data', 'new'], '--user'],
    ['a bad role', ['keys', 'create', '--owner', 'o', '--user', 'u', '--role', 'root', '--data', 'new'], 'root'],
    ['revoking without an id', ['keys', 'revoke', '--data', 'empty'], 'keyid'],
  ])('%s', async (_, args, named) => {
    const refused = await withoutTrace((cwd) => runLine(args, { cwd }));
    expectRefused(withoutUsage(refused), named);
  });
});

describe('a command that cannot be carried out says so in one line, exits with 2 and changes nothing', () => {
  test('an unknown option, in a process of its own', async () => {
    const args = ['serve', '--frobnicate'];
    expectRefused(withoutUsage(await withoutTrace((cwd) => run(args, { cwd }))), '--frobnicate');
  });

  test.each([
    [
      'a key in a path that is a file',
      ['keys', 'create', '--owner', 'o', '--user', 'u', '--data', 'file', '--new'],
      'file',
    ],
    [
      'a key in a directory without a store',
      ['keys', 'create', '--owner', 'o', '--user', 'u', '--data', 'empty'],
      '--new',
    ],
    [
      'a key in a directory that is not there',
      ['keys', 'create', '--owner', 'o', '--user', 'u', '--data', 'new'],
      '--data',
    ],
    [
      'a list of a directory without a store',
      ['keys', 'list', '--data', 'empty'],
      '/empty: name its directory with --data',
    ],
    ['snapshots of a directory without a store', ['snapshot', 'list', '--data', 'empty'], 'there is no store in'],
    ['snapshots of a path below a file', ['snapshot', 'list', '--data', 'file/data'], 'there is no store in'],
    ['snapshots of a missing directory', ['snapshot', 'list', '--data', 'new'], 'there is no store in'],
    ['a list of a directory that is not there', ['keys', 'list', '--data', 'new'], 'new'],
    ['a list of a file', ['keys', 'list', '--data', 'file'], 'file'],
    ['revoking in a directory without a store', ['keys', 'revoke', 'abc', '--data', 'empty'], 'empty'],
  ])('%s', async (_, args, named) => {
    expectRefused(await withoutTrace((cwd) => runLine(args, { cwd })), named);
  });

  test('revoking a key that is not there', async () => {
    const data = temporaryDirectory();
    const key = await createKey(data, { ownerId: 'o', userId: 'u', role: 'editor' });
    expectRefused(await run(['keys', 'revoke', '000000000000', '--data', data]), '000000000000');
    const list = await runLine(['keys', 'list', '--data', data]);
    expect(list.stdout).toContain(key.split('_')[1]);
    expect(list.stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test.skipIf(process.getuid?.() !== 0)('a directory that may not be written', async () => {
    const parent = temporaryDirectory();
    chmodSync(parent, 0o755);
    const data = join(parent, 'data');
    mkdirSync(data, { mode: 0o755 });
    for (const path of [data, join(data, 'new')]) {
      const nobody = { uid: 65_534 };
      expectRefused(
        await run(['serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--data', path], nobody),
        path,
      );
      const keysCreate = ['keys', 'create', '--new', '--owner', 'o', '--user', 'u', '--data', path];
      expectRefused(await run(keysCreate, nobody), path);
    }
    expect(readdirSync(parent, { recursive: true })).toEqual(['data']);
  });

  test.each([
    ['of noise', randomBytes(65_536)],
    ['of a few letters', Buffer.from('hello\n')],
  ])('a store file %s', async (_, bytes) => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'switchyard.mdb'), bytes);
    expectRefused(await runLine(['serve', '--port', '0', '--mock-port', '0', '--data', data]), data);
    expectRefused(await runLine(['keys', 'list', '--data', data]), data);
    expect(statSync(join(data, 'switchyard.mdb')).size).toBe(bytes.length);
  });
});

describe('a port in use', () => {
  afterEach(endAll);
  let occupant: Server | undefined;
  afterEach(() => occupant?.close());

  async function occupy(host: string): Promise<number> {
    occupant = createServer();
    await new Promise<void>((resolve) => occupant?.listen(0, host, resolve));
    return (occupant.address() as AddressInfo).port;
  }

  /** The start fails, and the next one without the conflict is still the first: at full effort of all of them. */
  async function expectPortRefused(
    options: readonly string[],
    port: number,
    again = isFullEffort,
    runIt = runLine,
  ): Promise<void> {
    const data = join(temporaryDirectory(), 'data');
    const start = () => runIt(['serve', '--data', data, ...options]);
    expectRefused(await start(), String(port), 'EADDRINUSE', 'or 0 for a free one');
    expect(() => statSync(data)).toThrow('ENOENT');
    mkdirSync(data);
    expectRefused(await start(), String(port));
    expect(readdirSync(data)).toEqual([]);
    if (!again) return;
    const next = serve(data);
    await next.ready();
    expect(next.stdout).toContain(HINT);
  }

  test('by a listener on 127.0.0.1: the API, in a process of its own', async () => {
    const port = await occupy('127.0.0.1');
    await expectPortRefused(['--port', String(port), '--mock-port', '0'], port, true, run);
  });

  test('by a listener on 0.0.0.0: the API', async () => {
    const port = await occupy('0.0.0.0');
    await expectPortRefused(['--port', String(port), '--mock-port', '0'], port);
  });

  test.each([
    ['127.0.0.1', '1'],
    ['0.0.0.0', '1'],
    ['127.0.0.1', '2'],
    ['0.0.0.0', '2'],
  ])('by a listener on %s: the mocks of %s workers', async (host, workers) => {
    const port = await occupy(host);
    await expectPortRefused(['--port', '0', '--mock-port', String(port), '--workers', workers], port);
  });

  test('by a listener on 127.0.0.1: --wiremock', async () => {
    const port = await occupy('127.0.0.1');
    await expectPortRefused(['--port', '0', '--mock-port', '0', '--wiremock', String(port)], port);
  });

  test('ends the data plane, which is started before the port is tried', async () => {
    const port = await occupy('127.0.0.1');
    const args = ['serve', '--data', temporaryDirectory(), '--port', String(port), '--mock-port', '0'];
    const script = `
      process.argv.push(...${JSON.stringify(args)});
      process.exit = () => {
        throw new Error('exit');
      };
      await import(${JSON.stringify(CLI)}).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 500));
      console.log(process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length);
      process.kill(process.pid, 'SIGKILL');`;
    const { stdout, stderr } = await new Running(process.execPath, ['--input-type=module', '-e', script]).ended;
    expect(stderr).toContain('EADDRINUSE');
    expect(stdout).toBe('0\n');
  });

  test('by another Switchyard: each of its ports, for each of ours', async () => {
    const other = await TestServer.start(['--no-bootstrap']);
    try {
      for (const port of [other.port, other.mockPort]) {
        await expectPortRefused(['--port', String(port), '--mock-port', '0'], port);
        await expectPortRefused(['--port', '0', '--mock-port', String(port)], port);
      }
      expect((await other.request('GET', '/readyz')).status).toBe(200);
    } finally {
      await other.end();
    }
  });
});

describe('one server per data directory', () => {
  afterEach(endAll);

  test('a second one is refused by the name of the directory, and does not disturb the first', async () => {
    const parent = temporaryDirectory();
    const data = join(parent, 'data');
    symlinkSync(data, join(parent, 'link'));
    const first = await TestServer.start([], data);
    try {
      const key = await first.key('o');
      for (const path of [data, join(parent, 'link'), `${parent}/./data/`]) {
        expectRefused(await runLine(['serve', '--port', '0', '--mock-port', '0', '--data', path]), path);
        expect((await first.request('POST', '/v1/rules', { key, body: RULE })).status).toBe(200);
      }
      expect(readdirSync(data).toSorted()).toEqual(['server.sock', 'switchyard.mdb', 'switchyard.mdb-lock']);
    } finally {
      expect(await first.end()).toBe(0);
    }
    expect(readdirSync(data).toSorted()).toEqual(['switchyard.mdb', 'switchyard.mdb-lock']);
  });

  test('a server that is stopped, or too busy to answer, holds its directory, also when its queue of connections is full', async () => {
    const server = await TestServer.start(['--no-bootstrap']);
    process.kill(server.pid, 'SIGSTOP');
    const failures = new Set<string | undefined>();
    const crowd: Socket[] = [];
    try {
      const expectHeld = async (): Promise<void> => {
        const second = serve(server.data);
        expect(await second.ready()).toBeUndefined();
        expectRefused(await second.ended, server.data);
      };
      await expectHeld();
      for (let count = 0; count < 700; count++) {
        const socket = connect(join(server.data, 'server.sock'));
        crowd.push(socket.on('error', ({ code }: NodeJS.ErrnoException) => failures.add(code)));
      }
      expect(await eventually(() => failures.has('EAGAIN'))).toBe(true);
      await expectHeld();
    } finally {
      for (const socket of crowd) socket.destroy();
      process.kill(server.pid, 'SIGCONT');
    }
    expect((await server.request('GET', '/readyz')).status).toBe(200);
    expect(await server.end()).toBe(0);
  });

  test('of several that start at once, on an empty directory or after kill -9, one serves and the others are refused', async () => {
    const data = temporaryDirectory();
    const rounds = isFullEffort ? 5 : 2;
    for (let round = 1; round <= rounds; round++) {
      const racers = Array.from({ length: isFullEffort ? 6 : 2 }, () => serve(data));
      const ports = await Promise.all(racers.map((racer) => racer.ready()));
      const winners = racers.filter((_, index) => ports[index] !== undefined);
      expect(winners).toHaveLength(1);
      for (const racer of racers) if (racer !== winners[0]) expectRefused(await racer.ended, data);
      // On the directory that was empty, one was the first; then none.
      expect(racers.filter(({ stdout }) => stdout.includes(HINT))).toHaveLength(round === 1 ? 1 : 0);
      const url = `http://127.0.0.1:${ports.find((each) => each !== undefined)}`;
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      const headers = {
        'x-api-key': await createKey(data, { ownerId: 'o', userId: 'u', role: 'editor' }),
        'content-type': 'application/json',
      };
      expect((await fetch(`${url}/v1/rules`, { method: 'POST', headers, body: JSON.stringify(RULE) })).status).toBe(
        200,
      );
      expect(readdirSync(data).toSorted()).toEqual(['server.sock', 'switchyard.mdb', 'switchyard.mdb-lock']);
      const isLast = round === rounds;
      winners[0]?.child.kill(isLast ? 'SIGTERM' : 'SIGKILL');
      expect((await winners[0]?.ended)?.status).toBe(isLast ? 0 : 'SIGKILL');
      expect(readdirSync(data).includes('server.sock')).toBe(!isLast);
    }
  });

  test('all of it holds for a path that is too long for a socket address', async () => {
    const data = join(temporaryDirectory(), 'a'.repeat(120), 'b'.repeat(120));
    const server = await TestServer.start(['--no-bootstrap'], data);
    const key = await server.key('o');
    expectRefused(await runLine(['serve', '--port', '0', '--mock-port', '0', '--data', data]), data);
    await server.restart('SIGKILL');
    expectRefused(await runLine(['serve', '--port', '0', '--mock-port', '0', '--data', data]), data);
    expect((await server.request('POST', '/v1/rules', { key, body: RULE })).status).toBe(200);
    expect(await server.end()).toBe(0);
    expect(readdirSync(data).toSorted()).toEqual(['switchyard.mdb', 'switchyard.mdb-lock']);
  });
});

describe('the first start', () => {
  afterEach(endAll);

  test('prints no key into a log, but the command that creates one; the second start does not', async () => {
    const data = temporaryDirectory();
    writeFileSync(join(data, 'README.md'), 'what this folder is for');
    const first = serve(data);
    const port = await first.ready();
    expect(first.stdout).not.toMatch(KEY);
    const command = /^To create an API key: (.*)\n/.exec(first.stdout)?.[1] as string;
    const { stdout } = await new Running('sh', ['-c', command]).ended;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/rules`, { headers: { 'x-api-key': stdout.trim() } });
    expect(answer.status).toBe(200);
    first.child.kill('SIGTERM');
    expect((await first.ended).status).toBe(0);

    const second = serve(data);
    await second.ready();
    expect(second.stdout).not.toContain(HINT);
    const list = await runLine(['keys', 'list', '--data', data]);
    expect(list.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(readdirSync(data)).toContain('README.md');
  });

  // SWITCHYARD_NO_BOOTSTRAP is among the options of "a server is configured by environment variables alone".
  test('with --no-bootstrap names no key, and neither does the next start without it', async () => {
    const data = temporaryDirectory();
    const first = serve(data, ['--no-bootstrap']);
    await first.ready();
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ status: 0, stdout: expect.not.stringContaining(HINT) });
    const second = serve(data);
    await second.ready();
    expect(second.stdout).not.toContain(HINT);
    const list = await runLine(['keys', 'list', '--data', data]);
    expect(list.stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});
