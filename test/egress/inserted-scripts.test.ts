/** Script rules of Requestly's file, imported and run: what a page has of them, through a real gateway, and what a dry run says. */
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { CodeLane } from '../../src/code-lane/code-lane.ts';
import { isRefusal } from '../../src/errors.ts';
import { importRules } from '../../src/interchange/import-rules.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { compileRule, type RuleToCompile } from '../../src/rules-table/compile-rule.ts';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import { LiveGateway } from '../support/live-gateway.ts';

let answer: (res: ServerResponse) => void;
const code = new CodeLane();
const gateway = await LiveGateway.start((_req, res) => answer(res), { codeOf: (ownerId) => code.runOf(ownerId, true) });
afterAll(async () => {
  await gateway.close();
  await code.close();
});

/** The rules that a Script rule becomes. */
function imported(scripts: readonly object[], members: object = {}): RuleToCompile[] {
  const source = { key: 'Url', operator: 'Contains', value: 'site.example' };
  const file = [
    { objectType: 'rule', id: 'Script_1', name: 's', ruleType: 'Script', pairs: [{ source, scripts }], ...members },
  ];
  const found = importRules(Buffer.from(JSON.stringify(file)), DEFAULT_LIMITS);
  if (isRefusal(found) || 'details' in found) throw new Error('not imported');
  return found.records.map((record, index) => {
    if (!('draft' in record) || record.kind !== 'rule') throw new Error(JSON.stringify(record));
    return { ...record.draft, id: record.fileId ?? '', status: 'Active', groupId: '', createdVersion: index };
  });
}

const js = (value: string, more: object = {}) => ({ codeType: 'js', type: 'code', value, ...more });
const css = (value: string, more: object = {}) => ({ codeType: 'css', type: 'code', value, ...more });
const late = { loadTime: 'afterPageLoad' };

async function pageOf(rules: readonly RuleToCompile[], body: string | Buffer, headers: Record<string, string> = {}) {
  gateway.publish(rules);
  answer = (res) => res.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body);
  const reply = await gateway.ask('http://site.example/');
  return { body: reply.body.toString(), headers: Object.fromEntries(reply.headers) };
}

const PAGE = '<!DOCTYPE html>\n<html><HEAD lang="x"><title>t</title></HEAD><body><p>hi</p></body></html>';

describe('scripts and styles are inserted', () => {
  test('after <head>, at its end, and at the end of the body', async () => {
    const rules = imported([
      js('first()'),
      js('', { type: 'url', value: 'https://x.example/a.js?b="1"&c', attributes: [{ name: 'async', value: '' }] }),
      css('p { color: red }'),
      css('', { type: 'url', value: 'https://x.example/a.css' }),
      js('last()', { ...late, attributes: [{ name: 'type', value: 'module' }] }),
    ]);
    const { body } = await pageOf(rules, PAGE);
    expect(body).toBe(
      '<!DOCTYPE html>\n<html><HEAD lang="x"><script>first()</script>' +
        '<script src="https://x.example/a.js?b=&quot;1&quot;&amp;c" async></script><title>t</title>' +
        '<style>p { color: red }</style><link href="https://x.example/a.css" rel="stylesheet"></HEAD>' +
        '<body><p>hi</p><script type="module">last()</script></body></html>',
    );
    const dry = await evaluate(
      tableOf(rules.map(compileRule)),
      {
        request: { method: 'GET', url: 'http://site.example/', headers: [], body: undefined },
        response: { status: 200, headers: [{ name: 'content-type', value: 'text/html' }], body: Buffer.from(PAGE) },
      },
      { runCode: code.runOf('dry', false) },
    );
    expect(typeof dry === 'object' && dry.response?.body?.toString()).toBe(body);
  });

  test.each([
    ['<html><p>a', '<html><script>1</script><p>a<script>2</script>'],
    ['<p>a</p>', '<script>1</script><p>a</p><script>2</script>'],
    ['<header>a</header>', '<script>1</script><header>a</header><script>2</script>'],
    ['<!doctype html><p>$& $1', '<!doctype html><script>1</script><p>$& $1<script>2</script>'],
    ['<head></head><body>"</body>"</body>', '<head><script>1</script></head><body>"</body>"<script>2</script></body>'],
  ])('into a page without all elements: %s', async (page, expected) => {
    expect((await pageOf(imported([js('1'), js('2', late)]), page)).body).toBe(expected);
  });

  test('whatever their text has', async () => {
    const value = 'const a = "</script><b>$&`\\n";\n// é';
    const { body } = await pageOf(imported([js(value)]), '<head></head>');
    expect(body).toBe(`<head><script>${value.replace('</script', '<\\/script')}</script></head>`);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('into a page that is encoded with %s', async (coding, encode) => {
    const { body, headers } = await pageOf(imported([js('1')]), encode(PAGE), { 'content-encoding': coding });
    expect(body).toContain('<script>1</script><title>t');
    expect(headers).not.toHaveProperty('content-encoding');
  });

  test('into a page of another charset, which is UTF-8 then', async () => {
    const { body, headers } = await pageOf(imported([js('"é"')]), Buffer.from('<head>\xe9', 'latin1'), {
      'content-type': 'text/html; charset=iso-8859-1',
    });
    expect([body, headers['content-type']]).toEqual(['<head><script>"é"</script>é', 'text/html; charset=utf-8']);
  });

  test('into pages alone', async () => {
    const text = '{"html":"<head>"}';
    expect((await pageOf(imported([js('1')]), text, { 'content-type': 'application/json' })).body).toBe(text);
  });
});

test('the policy of a page stays unless the rule removes it', async () => {
  const policy = { 'content-security-policy': "default-src 'self'", 'content-security-policy-report-only': 'x' };
  expect((await pageOf(imported([js('1')]), PAGE, policy)).headers).toMatchObject(policy);
  const without = await pageOf(imported([js('1')], { removeCSPHeader: true }), PAGE, policy);
  for (const name of Object.keys(policy)) expect(without.headers).not.toHaveProperty(name);
  expect(without.body).toContain('<script>1</script>');
});

test('a script of no known type is refused, not left out', () => {
  expect(() => imported([{ codeType: 'wasm', type: 'code', value: '' }])).toThrow('one of an unknown type');
});
