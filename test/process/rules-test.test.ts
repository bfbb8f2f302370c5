/** `switchyard rules test`: what it prints, its exit status, and what is said of each mistake. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RULE_TYPES } from '../../src/model/record-id.ts';
import { runLine } from '../support/command-lines.ts';
import { run, type Outcome } from '../support/process.ts';
import { rulePayload } from '../support/samples.ts';
import { temporaryDirectory } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const cwd = temporaryDirectory();
const source = (value: string, operator = 'Contains') => ({ source: { key: 'Url', operator, value } });
const REDIRECT = {
  name: 'Payments to staging',
  ruleType: 'Redirect',
  pairs: [{ ...source('pay.example.com'), destinationType: 'url', destination: 'https://staging.pay.example.com/' }],
};

const { server, key } = await useServer();
let env: Record<string, string>;
let groupId: string;

beforeAll(async () => {
  env = { SWITCHYARD_API_KEY: key, SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}` };
  const made = async (path: string, body: object): Promise<{ id: string }> => {
    const { status, json } = await server.request('POST', `/v1/${path}`, { key, body });
    expect(status).toBe(200);
    return json.data;
  };
  groupId = (await made('groups', { name: 'off', status: 'Inactive' })).id;
  await made('rules', REDIRECT);
  await made('rules', rulePayload('Cancel', { name: 'Grouped', groupId }));
  await made('rules', rulePayload('Cancel', { name: 'Odd \u001b[31m', pairs: [source('(?=a)', 'Matches')] }));
  await made('rules', rulePayload('Headers', { name: 'Tag', pairs: [tag('/search')] }));
  writeFileSync(join(cwd, 'key'), `${key}\n`);
});

const tag = (value: string) => ({
  ...source(value),
  modifications: [
    { header: 'x-tag', type: 'Add', value: '1' },
    { header: 'accept', type: 'Remove' },
  ],
});
const tested = (...args: string[]): Promise<Outcome> => runLine(['rules', 'test', ...args], { env, cwd });
/** In a process of its own. */
const program = (...args: string[]): Promise<Outcome> => run(['rules', 'test', ...args], { env, cwd });
/** Without ids, which are others each time. */
const named = (text: string): string => text.replaceAll(/ \((?!\/)\w+\)/g, '');

test('the result is told in lines: the outcome, each change, and why the others did not act; the status is 0', async () => {
  const { status, stdout, stderr } = await program('https://pay.example.com/cart', '--method', 'put');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(named(stdout)).toBe(`put https://pay.example.com/cart is redirected to https://staging.pay.example.com/

1. Payments to staging
   url    - https://pay.example.com/cart
          + https://staging.pay.example.com/

Did not act:
- Odd \\u001b[31m is off because of its pattern (?=a): uses look-around, which is not supported
- Grouped is in an inactive group
- Tag is for other URLs: expected "contains /search", got "https://pay.example.com/cart"
`);
});

test('nothing applies: status 1', async () => {
  const { status, stdout, stderr } = await program('https://elsewhere.test/');
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  expect(stdout).toMatch(/^GET https:\/\/elsewhere.test\/ would go on unchanged: no rule applies\n\nDid not act:\n/);
  expect(named(stdout)).toContain('- Payments to staging is for other URLs: expected "contains pay.example.com"');
});

test('--json prints the answer of the API; headers and body are part of the request; the key comes from a file', async () => {
  writeFileSync(join(cwd, 'bytes'), Buffer.from([0xff, 0x00]));
  const { SWITCHYARD_API_KEY: _key, ...without } = env;
  const args = ['https://a.test/search', '--header', 'Accept: text/html', '--header', 'X-A:1', '--data-file', 'bytes'];
  const outcome = await runLine(['rules', 'test', ...args, '--json', '--key-file', 'key'], { env: without, cwd });
  expect({ ...outcome, stdout: '' }).toEqual({ status: 0, stdout: '', stderr: '' });
  const evaluation = JSON.parse(outcome.stdout);
  expect(evaluation).toMatchObject({
    outcome: 'forward',
    request: { method: 'POST', url: 'https://a.test/search', body: '/wA=', bodyEncoding: 'base64' },
    steps: [{ name: 'Tag', phase: 'requestHeaders' }],
    skippedCount: 3,
  });
  expect(evaluation.request.headers).toEqual([
    { name: 'X-A', value: '1' },
    { name: 'x-tag', value: '1' },
  ]);
});

describe('--rules', () => {
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(cwd, name), JSON.stringify(content));
    return name;
  };

  test("takes an array of rules in the place of the server's", async () => {
    const rules = [rulePayload('Cancel', { name: 'Draft', pairs: [source('https://a.test', 'Equals')] }), REDIRECT];
    const { status, stdout } = await tested('https://a.test/', '--rules', file('rules.json', rules), '--data', 'x');
    expect(status).toBe(0);
    expect(stdout).toBe(`POST https://a.test/ is blocked, with status 418

1. Draft (/rules/0)
   status - (none)
          + 418

Did not act:
- Payments to staging (/rules/1) is for other URLs: expected "contains pay.example.com", got "https://a.test/"
`);
  });

  test('takes rules with their groups, as the API answers them', async () => {
    const { data: groups } = (await server.request('GET', '/v1/groups', { key: env.SWITCHYARD_API_KEY as string }))
      .json;
    const rules = [{ ...REDIRECT, id: 'Redirect_mine', groupId }];
    const { status, stdout } = await tested(
      'https://pay.example.com/',
      '--rules',
      file('both.json', { rules, groups }),
    );
    expect(status).toBe(1);
    expect(stdout).toContain('- Payments to staging (Redirect_mine) is in an inactive group\n');
  });
});

describe('a mistake is told in one line that says what to do, with status 2:', () => {
  let elsewhere: Server;
  beforeAll(async () => {
    elsewhere = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((listening) => elsewhere.listen(0, '127.0.0.1', listening));
    writeFileSync(join(cwd, 'text'), '{x');
    writeFileSync(join(cwd, 'number'), '7');
    writeFileSync(join(cwd, 'list-of-numbers'), '[7]');
    writeFileSync(join(cwd, 'wrong'), JSON.stringify([{ name: 'r', ruleType: 'Cancel', pairs: [{}] }]));
    writeFileSync(join(cwd, 'empty'), '');
  });
  afterAll(() => {
    elsewhere.close();
  });

  const URL_OF_ANY = 'https://a.test/';
  const foreign = () => `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;

  test.each<[string, () => readonly string[], Record<string, string>, readonly string[]]>([
    ['no URL', () => [], {}, ['url']],
    ['a URL without a scheme', () => ['a.test'], {}, ['a.test', 'http://']],
    ['a URL that is none', () => ['http://a b/'], {}, ['400', '/request/url']],
    ['a header without a colon', () => [URL_OF_ANY, '--header', 'accept'], {}, ['--header', 'accept: text/html']],
    ['a header that cannot be sent', () => [URL_OF_ANY, '--header', 'a: \u0001'], {}, ['400', '/request/headers/0']],
    ['two bodies', () => [URL_OF_ANY, '--data', 'a', '--data-file', 'b'], {}, ['--data-file']],
    ['a body file that is not there', () => [URL_OF_ANY, '--data-file', 'none'], {}, ['cannot read none']],
    ['a rules file that is not there', () => [URL_OF_ANY, '--rules', 'none'], {}, ['cannot read none']],
    ['a rules file that is not JSON', () => [URL_OF_ANY, '--rules', 'text'], {}, ['text is not JSON']],
    ['a rules file that is a number', () => [URL_OF_ANY, '--rules', 'number'], {}, ['number must hold an array']],
    ['numbers for rules', () => [URL_OF_ANY, '--rules', 'list-of-numbers'], {}, ['must hold an array of rules']],
    ['a wrong rule', () => [URL_OF_ANY, '--rules', 'wrong'], {}, ['Rule pairs are invalid', '/rules/0/pairs/0']],
    [
      'no key',
      () => [URL_OF_ANY],
      { SWITCHYARD_API_KEY: '' },
      ['error: this command has no API key: set SWITCHYARD_API_KEY', '--key-file'],
    ],
    ['a key that is none', () => [URL_OF_ANY], { SWITCHYARD_API_KEY: 'hunter2' }, ['sy_', '--key-file']],
    ['a key file that is not there', () => [URL_OF_ANY, '--key-file', 'none'], {}, ['cannot read none']],
    ['an empty key file', () => [URL_OF_ANY, '--key-file', 'empty'], {}, ['empty has no API key', '--key-file']],
    [
      'a key that the server does not know',
      () => [URL_OF_ANY],
      { SWITCHYARD_API_KEY: `sy_${'0'.repeat(12)}_${'0'.repeat(43)}` },
      ['refused the key', '--key-file'],
    ],
    ['a key as an option', () => [URL_OF_ANY, '--key', 'x'], {}, ['unknown option', '--key']],
    ['a server without a scheme', () => [URL_OF_ANY, '--server', 'localhost:8080'], {}, ['http://127.0.0.1:8080']],
    ['a server with a password', () => [URL_OF_ANY, '--server', 'http://a:b@c'], {}, ['http://127.0.0.1:8080']],
    ['no server there', () => [URL_OF_ANY, '--server', 'http://127.0.0.1:2'], {}, ['running', '--server']],
    ['another server there', () => [URL_OF_ANY, '--server', foreign()], {}, ['200', 'Switchyard']],
  ])('%s', async (_what, args, more, words) => {
    const { status, stdout, stderr } = await runLine(['rules', 'test', ...args()], { cwd, env: { ...env, ...more } });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: .+\n(?:usage: switchyard rules test .+\n)?$/),
    });
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toMatch(/hunter2|sy_\w{12}_/);
  });
});

describe('docs/rules.md', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/rules.md'), 'utf8');
  const examples = [...page.matchAll(/```json\n(\{"name".*?)```\n\n```\n\$ rules test (.*?)\n(.*?)```/gs)].map(
    ([, rule = '', line = '', printed = '']) => ({ rule: JSON.parse(rule), line, printed }),
  );

  test('has an example of each type', () => {
    expect(new Set(examples.map(({ rule }) => rule.ruleType))).toEqual(new Set(RULE_TYPES));
  });

  test.each(examples)('$rule.ruleType: $line', async ({ rule, line, printed }) => {
    const own = await server.key(newOwner(), 'ann');
    expect((await server.request('POST', '/v1/rules', { key: own, body: rule })).status).toBe(200);
    const args = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => (quoted ?? plain) as string);
    const { stdout, stderr } = await runLine(['rules', 'test', ...args], { env: { ...env, SWITCHYARD_API_KEY: own } });
    expect(stderr).toBe('');
    expect(stdout.replaceAll(/(?<=\([A-Za-z]+_)\w+/g, '...')).toBe(printed);
  });

  test('its source with filters takes what it says', async () => {
    const filtered = JSON.parse(/```json\n(\{"key"[^`]*?"filters".*?)```/s.exec(page)?.[1] ?? '');
    const rules = [{ name: 'Filtered', ruleType: 'Cancel', pairs: [{ source: filtered }] }];
    writeFileSync(join(cwd, 'filtered'), JSON.stringify(rules));
    const paid = (currency: string): Promise<Outcome> =>
      tested('https://pay.example.com/', '--rules', 'filtered', '--data', JSON.stringify({ cart: { currency } }));
    expect((await paid('EUR')).stdout).toContain('is blocked');
    expect((await paid('USD')).stdout).toContain('expected "cart.currency EUR", got "USD"');
  });
});
