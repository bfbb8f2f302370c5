/** Files that Redirect rules with `map_local` serve, through a real gateway, and what a dry run says of the same request. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { RULE_FILE_BYTES_MAX } from '../../src/limits.ts';
import { readBelow } from '../../src/base/open-file.ts';
import { compileRule, type RuleToCompile } from '../../src/rules-table/compile-rule.ts';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import { LiveGateway } from '../support/live-gateway.ts';
import { source, stored } from '../support/rules-table.ts';
import { temporaryDirectory } from '../support/server.ts';

const top = realpathSync(temporaryDirectory());
const [first, second, outside] = ['first', 'second', 'outside'].map((name) => {
  mkdirSync(join(top, name));
  return join(top, name);
}) as [string, string, string];
const folders = [first, second];
mkdirSync(join(first, 'js'));
const write = (file: string, text: string | Buffer): void => writeFileSync(join(top, file), text);
write('first/js/app.js', 'one()');
write('first/a b.json', '{"a":1}');
write('first/pixel.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]));
write('first/both.txt', 'first');
write('second/both.txt', 'second');
write('second/only.txt', 'Größe');
write('outside/secret.txt', 'secret');
write('first/large.bin', '');
write('first/full.bin', '');
truncateSync(join(first, 'large.bin'), RULE_FILE_BYTES_MAX + 1);
truncateSync(join(first, 'full.bin'), RULE_FILE_BYTES_MAX);
symlinkSync(join(outside, 'secret.txt'), join(first, 'link.txt'));
symlinkSync(outside, join(first, 'out'));
symlinkSync(join(second, 'only.txt'), join(second, 'inner.txt'));
execFileSync('mkfifo', [join(first, 'pipe')]);

let asked = 0;
const gateway = await LiveGateway.start(
  (_req, res) => {
    asked++;
    res.end('real');
  },
  { files: folders },
);
afterAll(() => gateway.close());
beforeEach(() => (asked = 0));

const local = (destination: string, from = source('http://a.example/*', 'Wildcard_Matches')): RuleToCompile =>
  stored('Redirect', [{ ...from, destinationType: 'map_local', destination }]);
const newest = () => gateway.log.page('acme', { limit: 1 }).records[0];
const dryRun = async (rules: readonly RuleToCompile[], url: string, method = 'GET', reads = true) => {
  const found = await evaluate(
    tableOf(rules.map(compileRule)),
    { request: { method, url, headers: [], body: undefined } },
    { details: 'applied', ...(reads && { readFile: (path: string) => readBelow(folders, path, RULE_FILE_BYTES_MAX) }) },
  );
  if (typeof found === 'string') throw new Error(found);
  return found;
};

/** Live and dry, which must agree. */
async function served(rules: readonly RuleToCompile[], url: string) {
  gateway.publish(rules);
  const live = await gateway.ask(url);
  const dry = await dryRun(rules, url);
  if (dry.outcome === 'served') {
    // Not compared element by element: one has 10 MB.
    expect(dry.response?.body?.equals(live.body)).toBe(true);
    expect(Object.fromEntries(live.headers)).toMatchObject(
      Object.fromEntries(dry.response?.headers.map(({ name, value }) => [name, value]) ?? []),
    );
  }
  expect(newest()?.outcome).toBe(dry.outcome);
  return { status: live.status, type: Object.fromEntries(live.headers)['content-type'], body: live.body, dry };
}

describe('a file is served', () => {
  test.each([
    [`file://${first}/js/$1`, 'app.js?v=3', 'text/javascript; charset=utf-8', 'one()'],
    [`file://localhost${first}/js/app.js#x`, '', 'text/javascript; charset=utf-8', 'one()'],
    [`${first}/js/app.js`, '', 'text/javascript; charset=utf-8', 'one()'],
    ['js/$1', 'app.js', 'text/javascript; charset=utf-8', 'one()'],
    ['a%20b.json', '', 'application/json', '{"a":1}'],
    ['both.txt', '', 'text/plain; charset=utf-8', 'first'],
    ['only.txt', '', 'text/plain; charset=utf-8', 'Größe'],
    ['inner.txt', '', 'text/plain; charset=utf-8', 'Größe'],
    [`file://${second}/both.txt`, '', 'text/plain; charset=utf-8', 'second'],
  ])('%s for %s', async (destination, path, type, body) => {
    const found = await served([local(destination)], `http://a.example/${path}`);
    expect({ ...found, body: found.body.toString() }).toMatchObject({ status: 200, type, body });
    expect(asked).toBe(0);
  });

  test('byte by byte, and up to the bound', async () => {
    expect((await served([local('pixel.png')], 'http://a.example/')).body).toEqual(
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]),
    );
    const full = await served([local('full.bin')], 'http://a.example/');
    expect([full.type, full.body.length]).toEqual(['application/octet-stream', RULE_FILE_BYTES_MAX]);
  });

  test('as it is at each request', async () => {
    write('first/edited.txt', 'before');
    gateway.publish([local('edited.txt')]);
    expect((await gateway.ask('http://a.example/')).body.toString()).toBe('before');
    write('first/edited.txt', 'after, and longer');
    const answer = await gateway.ask('http://a.example/');
    expect(answer.body.toString()).toBe('after, and longer');
    expect(Object.fromEntries(answer.headers)).toMatchObject({ 'cache-control': 'no-cache' });
  });

  test('to HEAD without its body, and to a preflight', async () => {
    gateway.publish([local('only.txt')]);
    const head = await gateway.ask('http://a.example/', { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const preflight = await gateway.ask('http://a.example/', {
      method: 'OPTIONS',
      headers: ['origin', 'http://page.example', 'access-control-request-method', 'PUT'],
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({ 'access-control-allow-methods': 'PUT' });
    expect(asked).toBe(0);
  });

  test('with what other rules do to an answer, and behind what changes the URL', async () => {
    const rules = [
      stored('Redirect', [{ ...source('http://b.example'), destinationType: 'url', destination: 'http://a.example/' }]),
      local('only.txt'),
      stored('Redirect', [{ ...source('a.example'), destinationType: 'url', destination: 'http://c.example/' }]),
      stored('Response', [{ ...source('b.example'), response: { type: 'static', value: '', statusCode: '503' } }]),
      stored('Headers', [
        { ...source('b.example'), modifications: { Response: [{ header: 'x-a', type: 'Add', value: '1' }] } },
      ]),
    ];
    const { status, body, dry } = await served(rules, 'http://b.example/');
    expect([status, body.toString()]).toEqual([503, 'Größe']);
    expect(dry.steps.map(({ ruleId }) => ruleId)).toEqual(
      [rules[0], rules[1], rules[3], rules[4]].map((rule) => rule?.id),
    );
  });

  test('in a session that adds the rule', async () => {
    gateway.publish([]);
    const rule = local('only.txt');
    gateway.putSession('s1', { rules: [rule], disabledRules: [], enabledRules: [], attach: {} });
    expect((await gateway.ask('http://a.example/', { user: 's1' })).body.toString()).toBe('Größe');
    expect((await gateway.ask('http://a.example/')).body.toString()).toBe('real');
  });
});

describe('a file that cannot be read', () => {
  // reaches RULE_FILE_BYTES_MAX
  test.each([
    ['none.txt', 'does not exist'],
    ['js', 'is not a file'],
    ['pipe', 'is not a file'],
    ['large.bin', `has ${RULE_FILE_BYTES_MAX + 1} bytes, more than ${RULE_FILE_BYTES_MAX}`],
    ['link.txt', 'is a link that leads out of the folder'],
    ['out/secret.txt', 'is a link that leads out of the folder'],
    ['../outside/secret.txt', 'is outside of the folders'],
    ['js/%2e%2e/%2e%2e/outside/secret.txt', 'is outside of the folders'],
    [`file://${outside}/secret.txt`, 'is outside of the folders'],
    ['/etc/passwd', 'is outside of the folders'],
    [`file://server/${first}/both.txt`, 'is not the path of a file'],
    ['https://a.example/', 'is not the path of a file'],
    ['%00', 'is not the path of a file'],
    ['%', 'is not the path of a file'],
    ['', 'is not the path of a file'],
  ])('is skipped with its reason, and the next rule acts: %j', async (destination, problem) => {
    const rule = local(destination);
    const { status, body, dry } = await served([rule], 'http://a.example/');
    expect([status, body.toString()]).toEqual([200, 'real']);
    const actual = `${destination} ${problem}`;
    expect(dry.skipped).toMatchObject([{ ruleId: rule.id, reason: 'fileUnreadable', actual }]);
    expect(newest()?.skipped).toEqual([{ ruleId: rule.id, reason: 'fileUnreadable', actual }]);
    const next = await served([rule, local('only.txt')], 'http://a.example/');
    expect(next.body.toString()).toBe('Größe');
  });

  test('is asked for by 20 rules of an exchange at most', async () => {
    const rules = [...Array.from({ length: 20 }, (_, index) => local(`none${index}.txt`)), local('only.txt')];
    const { skipped } = await dryRun(rules, 'http://a.example/');
    expect(skipped.at(-1)?.actual).toContain('at most 20 files');
    expect((await dryRun(rules.slice(1), 'http://a.example/')).outcome).toBe('served');
  });

  test('without folders stays off', async () => {
    expect((await dryRun([local('only.txt')], 'http://a.example/', 'GET', false)).skipped).toMatchObject([
      { reason: 'filesOff', expected: 'a server started with --rule-files <folder>' },
    ]);
  });
});

test('files that are sent are no longer counted as held', async () => {
  gateway.publish([local('full.bin')]);
  // Three times what one owner may have at once.
  for (let time = 0; time < 9; time++) {
    expect((await gateway.ask('http://a.example/')).body.length).toBe(RULE_FILE_BYTES_MAX);
  }
});

test('a mock is named by its id', async () => {
  const rule = stored('Redirect', [
    {
      ...source('http://a.example/*', 'Wildcard_Matches'),
      destinationType: 'mock_or_file_picker',
      destination: 'shop/v1/$1',
    },
  ]);
  gateway.publish([rule]);
  const { headers } = await gateway.ask('http://a.example/cart');
  expect(Object.fromEntries(headers)['location']).toBe('http://shop.localhost:8081/v1/cart');
});
