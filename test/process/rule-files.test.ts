/** `--rule-files`, `--rule-code` and imports on real servers: one with both options, and one with neither. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createClient, type Client, type RuleInput } from '../../src/client/index.ts';
import { exchangeSchema } from '../../src/model/gateway/exchange.ts';
import { warnedRuleSchema } from '../../src/model/rule.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { compileCheck } from '../../src/model/validate.ts';
import { runLine } from '../support/command-lines.ts';
import { run } from '../support/process.ts';
import { temporaryDirectory, type TestServer } from '../support/server.ts';
import { useOwnServer, useServer } from '../support/shared-server.ts';
import { gatewayPortOf, throughGateway } from '../support/through-gateway.ts';

const folder = realpathSync(temporaryDirectory());
writeFileSync(join(folder, 'app.js'), 'mine()');
const OPTIONS = ['--workers', '1', '--log-level', 'silent', '--gateway-port', '0', '--rule-code'];
const able = await useOwnServer([...OPTIONS, '--rule-files', folder]);
const unable = await useServer();

const clientOf = ({ server, key }: { server: TestServer; key: string }): Client =>
  createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const client = clientOf(able);
const other = clientOf(unable);
const live = (url: string) => throughGateway(gatewayPortOf(able.server), url, { key: able.key });
const upstream = createServer((_req, res) => void res.end('real'));
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => (upstream.closeAllConnections(), upstream.close()));
const real = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
const cli = (of: typeof able, ...args: string[]) => cliOf(of, 'rules', ...args);
const cliOf = ({ server, key }: typeof able, ...args: string[]) =>
  runLine(args, {
    cwd: temporaryDirectory(),
    env: { SWITCHYARD_API_KEY: key, SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}` },
  });

const SOURCE = { key: 'Url', operator: 'Wildcard_Matches', value: 'http://cdn.example/*' } as const;
const FILE: RuleInput = {
  name: 'Mine',
  ruleType: 'Redirect',
  pairs: [{ source: SOURCE, destinationType: 'map_local', destination: '$1' }],
};
const CODE: RuleInput = {
  name: 'Code',
  ruleType: 'Response',
  pairs: [{ source: SOURCE, response: { type: 'code', value: '(a) =>\n  a.response.x.y' } }],
};
const CANNOT = 'cannot act: start the server with --rule-files <folder>';

describe('a server with folders', () => {
  test('serves the file, live, dry, through a mock and on the command line', async () => {
    const made = await client.rules.create(FILE);
    expect(made).toMatchObject({ effectiveStatus: 'Active' });
    expect(made.warnings).toBeUndefined();
    expect(await client.gateway.status()).toMatchObject({ readsFiles: true });
    expect(await live('http://cdn.example/app.js')).toMatchObject({ status: 200, body: 'mine()' });
    const { records } = await client.gateway.requests();
    expect(records[0]).toMatchObject({ outcome: 'served', ruleIds: [made.id] });
    const dry = await client.rules.evaluate({ request: { url: 'http://cdn.example/app.js' } });
    expect(dry).toMatchObject({
      outcome: 'served',
      response: { status: 200, body: 'mine()' },
      steps: [{ ruleId: made.id, phase: 'url' }],
    });
    writeFileSync(join(folder, 'app.js'), 'edited()');
    expect(await live('http://cdn.example/app.js')).toMatchObject({ body: 'edited()' });
    expect(await client.rules.evaluate({ request: { url: 'http://cdn.example/app.js' } })).toMatchObject({
      response: { body: 'edited()' },
    });
    const mock = await client.mocks.create({
      name: 'cdn',
      settings: { proxy: { upstream: 'http://cdn.example', rules: true } },
      start: true,
    });
    expect(await (await client.mocks.fetch(mock, '/app.js')).text()).toBe('edited()');
    const shown = await cli(able, 'test', 'http://cdn.example/app.js');
    expect(shown.stdout).toContain('is answered by a rule, with status 200');
    expect(shown.stdout).toContain('+ content-type: text/javascript; charset=utf-8');
    const missing = await cli(able, 'test', 'http://cdn.example/none.js');
    expect(missing.stdout).toMatch(/Mine \(Redirect_\w+\) serves a file that cannot be read: none\.js does not exist/);
    await client.rules.delete(made.id);
  });

  test('says of a mock by its id where it is', async () => {
    const mock = await client.mocks.create({ name: 'other', start: true });
    const rule = await client.rules.create({
      ...FILE,
      pairs: [{ source: SOURCE, destinationType: 'mock_or_file_picker', destination: `${mock.id}/x/$1` }],
    });
    const dry = await client.rules.evaluate({ request: { url: 'http://cdn.example/a' } });
    expect(dry.location).toBe(`${mock.url}/x/a`);
    await client.rules.delete(rule.id);
  });

  test('shows how code fails, with its line, wherever one looks', async () => {
    const made = await client.rules.create(CODE);
    const actual = "TypeError: cannot read property 'y' of undefined (line 2)";
    const problem = { ruleId: made.id, reason: 'codeFailed', actual };
    const question = {
      request: { url: 'http://cdn.example/' },
      response: { status: 200, body: 'real' },
      runCode: true,
    } as const;
    expect((await client.rules.evaluate(question)).skipped).toContainEqual(expect.objectContaining(problem));
    const everywhere = await client.rules.create({
      ...CODE,
      pairs: [{ ...(CODE.pairs[0] as object), source: { key: 'Url', operator: 'Contains', value: '/fails' } }] as never,
    });
    expect(await live(`${real}/fails`)).toMatchObject({ status: 200, body: 'real' });
    const failed = { ...problem, ruleId: everywhere.id };
    const { records } = await client.gateway.requests();
    expect(records[0]).toMatchObject({ ruleProblems: [failed] });
    const exchange = await client.gateway.request(records[0]?.id ?? '');
    expect(exchange).toMatchObject({ ruleProblems: [failed], skipped: expect.arrayContaining([failed]) as unknown });
    expect(compileCheck(exchangeSchema)(exchange, '')).toBeUndefined();
    const listed = await cliOf(able, 'gateway', 'requests', '--json');
    expect(listed.stdout).toContain(actual);
    await client.rules.delete(everywhere.id);
    const shown = await cli(
      able,
      'test',
      'http://cdn.example/',
      '--run-code',
      '--response',
      'real',
      '--rules',
      drafts(),
    );
    expect(shown.stdout).toContain(`Code (/rules/0) has code that fails: ${actual}`);
    await client.rules.delete(made.id);
  });

  test('prints what code writes to its console', async () => {
    const file = drafts('(a) => { console.log("was", a.statusCode, a.responseType); return "new"; }');
    const response = ['--response-status', '404', '--response-header', 'content-type: text/plain'];
    const { stdout } = await cli(able, 'test', 'http://cdn.example/', '--rules', file, '--run-code', ...response);
    expect(stdout).toContain('Console:\n- log of /rules/0: was 404 text/plain\n');
    expect(stdout).toContain('+ new');
  });
});

function drafts(value = '(a) =>\n  a.response.x.y'): string {
  const file = join(folder, 'drafts.json');
  writeFileSync(file, JSON.stringify([{ ...CODE, pairs: [{ source: SOURCE, response: { type: 'code', value } }] }]));
  return file;
}

describe('a server without', () => {
  test('says at the save, in lists and in dry runs that the rule cannot act, and which option lets it', async () => {
    const made = await other.rules.create(FILE);
    expect(made).toMatchObject({
      effectiveStatus: 'Unsupported',
      warnings: [{ path: '/pairs/0/destination', warning: CANNOT, code: 'filesOff' }],
    });
    expect(compileCheck(warnedRuleSchema(DEFAULT_LIMITS))(made, '')).toBeUndefined();
    expect((await other.rules.list()).records[0]).toMatchObject({ effectiveStatus: 'Unsupported' });
    const dry = await other.rules.evaluate({ request: { url: 'http://cdn.example/app.js' } });
    expect(dry.skipped).toMatchObject([
      { reason: 'filesOff', expected: 'a server started with --rule-files <folder>' },
    ]);
    const { stdout } = await cli(unable, 'test', 'http://cdn.example/app.js');
    expect(stdout).toContain(`Mine (${made.id}) ${CANNOT}\n`);
    await other.rules.delete(made.id);
    const code = await other.rules.create(CODE);
    expect(code).toMatchObject({
      effectiveStatus: 'Unsupported',
      warnings: [
        {
          path: '/pairs/0/response/value',
          warning: 'cannot act: start the server with --rule-code',
          code: 'codeOff',
        },
      ],
    });
    await other.rules.delete(code.id);
  });

  test('says so in the report of an import, with the cure', async () => {
    const file = [FILE, CODE].map((rule, index) => ({ objectType: 'rule', id: `${rule.ruleType}_f${index}`, ...rule }));
    const { report } = await other.rules.import(file, { activate: true, dryRun: true });
    expect(report.entries).toMatchObject([
      { code: 'rules.files-off', name: 'Mine', source: { pointer: '/0' }, message: expect.stringContaining(CANNOT) },
      { code: 'rules.code-off', name: 'Code', source: { pointer: '/1' } },
    ]);
    expect(report.instead).toEqual({
      'rules.code-off': 'Start the server with --rule-code',
      'rules.files-off': 'Start the server with --rule-files <folder>',
    });
    expect((await client.rules.import(file, { activate: true, dryRun: true })).report.entries).toEqual([]);
  });
});

test('a folder that does not exist is a mistake of the command line', async () => {
  const { status, stderr } = await run(['serve', '--rule-files', join(folder, 'none')]);
  expect(status).toBe(2);
  expect(stderr).toContain("option '--rule-files <folder>' argument");
  expect(stderr).toContain('Expected a folder that exists.');
});
