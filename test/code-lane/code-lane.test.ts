/** The code of rules: what it gets and makes, and what it must not reach, hold or break. Longer ones: the proof `rule-code`. */
import { createContext, runInContext } from 'node:vm';
import { afterAll, describe, expect, test } from 'vitest';
import { CodeLane } from '../../src/code-lane/code-lane.ts';
import { CODE_LINE_CHARS_MAX, CODE_LINES_MAX, CODE_STATE_CHARS_MAX, DEFAULT_LIMITS } from '../../src/limits.ts';
import { NONE_CHECKED } from '../../src/model/pairs/source-pattern.ts';
import { ruleParser, type RuleDraft } from '../../src/model/rule-payload.ts';
import type { CodeResult } from '../../src/rules-table/code-call.ts';
import { compileRule } from '../../src/rules-table/compile-rule.ts';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import { ESCAPES, QUICK, SLOW, type HostileCode } from '../support/code-corpus.ts';
import { expectVector, isCode, NAMED, questionOf } from '../support/gateway-vectors.ts';

const lane = new CodeLane();
afterAll(() => lane.close());

const ARGS = { method: 'POST', url: 'http://a.test/', requestHeaders: { accept: 'x' }, body: '{"a":1}' };

function run(source: string, { owner = 'acme', keepsState = true, args = ARGS } = {}): Promise<CodeResult> {
  const call = { ruleId: 'r', source, args, aliases: { request: 'body' }, parsed: { bodyAsJson: 'body' } };
  return lane.runOf(owner, keepsState)(call);
}

const parse = ruleParser(DEFAULT_LIMITS);

describe('vectors with code, through the function:', () => {
  test.each(NAMED.filter(([, vector]) => isCode(vector)))('%s', async (_, vector) => {
    const rules = vector.rules.map((rule, index) =>
      compileRule({ ...(parse(rule, NONE_CHECKED) as RuleDraft), id: rule.id, groupId: '', createdVersion: index }),
    );
    const { request, response } = questionOf(vector);
    const bytes = (body: string | undefined) => (body === undefined ? undefined : Buffer.from(body));
    const found = await evaluate(
      tableOf(rules),
      {
        request: { ...request, body: bytes(request.body) },
        response:
          response === undefined || 'failed' in response ? response : { ...response, body: bytes(response.body) },
      },
      { details: 'applied', runCode: lane.runOf('acme', true) },
    );
    if (typeof found === 'string') throw new Error(found);
    const text = <Message extends { readonly body: Buffer | undefined }>(message: Message) => ({
      ...message,
      body: message.body?.toString(),
    });
    expectVector(
      vector,
      { ...found, request: text(found.request), response: found.response && text(found.response) },
      true,
    );
  });
});

test('arguments are those of both clients, and JSON is parsed when it is asked for', async () => {
  const shown = await run('(a) => [Object.keys(a), a.request, a.bodyAsJson, a.requestHeaders.accept]');
  expect(JSON.parse(shown.body ?? '')).toEqual([
    ['method', 'url', 'requestHeaders', 'body', 'request', 'bodyAsJson'],
    '{"a":1}',
    { a: 1 },
    'x',
  ]);
  const other = await run('(a) => { a.bodyAsJson = 1; return [a.bodyAsJson, a.body] }', {
    args: { ...ARGS, body: 'x' },
  });
  expect(other.body).toBe('[1,"x"]');
  expect((await run('(a) => a.bodyAsJson', { args: { ...ARGS, body: 'x' } })).body).toBe('{}');
});

test.each([
  ['() => "a\\0b\\ud800é"', 'a\0b\ud800é'],
  ['() => null', 'null'],
  ['() => 1n', '1'],
  ['() => true', 'true'],
  ['() => ""', ''],
  ['async () => ({ a: await Promise.resolve(1) })', '{"a":1}'],
  ['() => undefined', undefined],
  ['// a comment\nfunction named(a) { return a.method } // another', 'POST'],
])('%s makes %j', async (source, body) => {
  const result = await run(source);
  expect(result.failure).toBeUndefined();
  expect(result.body).toBe(body);
});

// reaches CODE_LINES_MAX, CODE_LINE_CHARS_MAX
test('what it writes to the console is kept, within bounds', async () => {
  const { console: lines } = await run(
    '() => { console.warn("a", 1, { b: 2 }, Symbol("c"), undefined); console.log("x".repeat(600)); for (let i = 0; i < 50; i++) console.log(i); }',
  );
  expect(lines).toHaveLength(CODE_LINES_MAX);
  expect(lines[0]).toEqual({ level: 'warn', text: 'a 1 {"b":2} Symbol(c) undefined' });
  expect(lines[1]?.text).toHaveLength(CODE_LINE_CHARS_MAX);
  expect((await run('() => { console.log("before"); throw new Error("no"); }')).console).toMatchObject([
    { text: 'before' },
  ]);
});

// reaches CODE_STATE_CHARS_MAX
test('what it shares is of one owner, and lasts as long as the lane', async () => {
  const count = '() => { $sharedState.n = ($sharedState.n ?? 0) + 1; return $sharedState.n; }';
  expect((await run(count, { owner: 'one' })).body).toBe('1');
  expect((await run(count, { owner: 'one' })).body).toBe('2');
  expect((await run(count, { owner: 'two' })).body).toBe('1');
  // Another rule of the owner sees it; a dry run does not, and changes nothing.
  expect((await run('() => $sharedState', { owner: 'one' })).body).toBe('{"n":2}');
  expect((await run(count, { owner: 'one', keepsState: false })).body).toBe('1');
  // What fails, or is too large, shares nothing.
  const large = `() => { $sharedState.x = 'x'.repeat(${CODE_STATE_CHARS_MAX}); return 1; }`;
  expect((await run(large, { owner: 'one' })).failure?.message).toContain('$sharedState is larger than 65536');
  await run('() => { for (;;); }', { owner: 'one' });
  expect((await run(count, { owner: 'one' })).body).toBe('3');
});

test('what an owner with little shares stays when the memory of all is full', async () => {
  await run('() => { $sharedState.n = 1; return 1; }', { owner: 'little' });
  const much = `() => { $sharedState.x = 'x'.repeat(${CODE_STATE_CHARS_MAX - 100}); return 1; }`;
  const owners = Array.from({ length: 260 }, (_, index) => `much ${index}`);
  for (const owner of owners) await run(much, { owner });
  const shared = (owner: string) => run('() => Object.keys($sharedState)', { owner }).then(({ body }) => body);
  expect(await shared('little')).toBe('["n"]');
  expect(await shared('much 0')).toBe('[]');
  expect(await shared('much 259')).toBe('["x"]');
});

test('globals of one owner are not those of another, nor is what is built in', async () => {
  await run('() => { globalThis.secret = "s"; Array.prototype.leak = () => "s"; Math.max = null; return 1; }', {
    owner: 'one',
  });
  const seen = await run('() => [typeof globalThis.secret, typeof [].leak, typeof Math.max].join()', { owner: 'two' });
  expect(seen.body).toBe('undefined,undefined,function');
});

test('there is nothing of the host in it', async () => {
  const names = ['process', 'require', 'module', 'fetch', 'URL', 'setTimeout', 'setInterval', 'queueMicrotask'];
  const more = [
    'WebAssembly',
    'SharedArrayBuffer',
    'Buffer',
    'std',
    'os',
    'print',
    'Worker',
    'performance',
    'structuredClone',
  ];
  const { body } = await run(
    `() => [${[...names, ...more].map((name) => `typeof ${name}`).join()}].filter((t) => t !== 'undefined')`,
  );
  // SharedArrayBuffer is an object of the guest's own memory: nobody else has it.
  expect(JSON.parse(body ?? '')).toEqual(['function']);
  expect((await run('() => import("node:fs")')).failure?.reason).toBe('codeFailed');
});

describe('does not reach the host by', () => {
  test.each(ESCAPES)('%s', async (_what, source) => {
    const result = await run(source);
    expect(result.body).toBe('none');
  });

  test('what reaches it through node:vm', () => {
    const reached = ESCAPES.filter(([, source]) => {
      const call = runInContext(`(${source})`, createContext({}), { timeout: 1_000 }) as (args: object) => unknown;
      return call({ ...ARGS, requestHeaders: { accept: 'x' } }) === 'host';
    });
    expect(reached.map(([what]) => what)).toEqual(
      expect.arrayContaining(['the constructor of its arguments', 'the constructor of a value in its arguments']),
    );
  });
});

function expectOutcome({ outcome }: HostileCode, { body, failure }: CodeResult): void {
  const got = failure?.reason ?? { body };
  expect(Array.isArray(outcome) ? outcome : [outcome]).toContainEqual(got);
}

describe('is held:', () => {
  test.each(QUICK.map((each) => [each.what, each] as const))('%s', async (_what, each) => {
    expectOutcome(each, await run(each.source, { owner: 'evil' }));
    expect((await run('(a) => a.method', { owner: 'good' })).body).toBe('POST');
  });

  // reaches CODE_MS, CODE_MEMORY_BYTES_MAX
  test.each(SLOW.filter((_, index) => [0, 2, 6, 9].includes(index)).map((each) => [each.what, each] as const))(
    '%s',
    async (_what, each) => {
      expectOutcome(each, await run(each.source, { owner: 'evil' }));
      expect((await run('(a) => a.method', { owner: 'good' })).body).toBe('POST');
    },
  );
});

test('more contexts than are kept: all still answer', async () => {
  for (let index = 0; index < 70; index++) expect((await run(`() => ${index}`)).body).toBe(`${index}`);
  expect((await run('() => 0')).body).toBe('0');
});

test('owners take turns', async () => {
  const order: string[] = [];
  const note = (owner: string) => run('() => 1', { owner }).then(() => order.push(owner));
  await Promise.all([...Array.from({ length: 5 }, () => note('busy')), note('other')]);
  expect(order.indexOf('other')).toBeLessThanOrEqual(2);
});

test('a check reads code, and runs nothing of it', async () => {
  const endless = '(() => { for (;;); })()';
  const ofAFunction = `1)}, ${endless}, function () { return (1`;
  const ofAClass = `class { static { for (;;); } }`;
  const sources = ['() => 1', endless, `() => 1), (${endless}`, ofAClass, '() => {', 'function (', 'a b', ofAFunction];
  const found = await lane.check('acme', [...sources, '() => "\\u2028"', '// a comment\n() => 1 // another']);
  const problems = found?.map((problem) => problem?.split(':')[0]);
  expect(problems?.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
  expect(problems?.slice(4, 8)).toEqual(['SyntaxError', 'SyntaxError', 'SyntaxError', 'SyntaxError']);
  expect(problems?.slice(8)).toEqual([undefined, undefined]);
});

describe('code is read as files have it:', () => {
  test.each([
    ['a semicolon behind it', 'function modifyResponse(args) {\n  return args.body + "!";\n};'],
    ['an export', 'export default (args) => args.body + "!";'],
    [
      'a helper before the main function',
      'const mark = "!";\nfunction modifyRequestBody(args) { return args.body + mark; }',
    ],
    ['a helper before an export', 'const mark = "!";\n\n  export default function (args) { return args.body + mark; }'],
  ])('%s', async (_what, source) => {
    expect(await lane.check('acme', [source])).toEqual([undefined]);
    expect(await run(source)).toMatchObject({ body: '{"a":1}!' });
  });

  test('statements without a main function are no code', async () => {
    const source = 'const a = 1;\nconst b = () => a;';
    expect((await lane.check('acme', [source]))?.[0]).toMatch(/^SyntaxError/);
    expect((await run(source)).failure).toMatchObject({ reason: 'codeFailed' });
  });
});

test.each([
  ['function f() {\n  const a = 1;\n  throw new Error("no");\n}', 'Error: no (line 3)'],
  ['\n\nexport default () => {\n throw new Error("no");\n};', 'Error: no (line 4)'],
  ['const h = () => {\n throw 1;\n};\nfunction modifyResponse() {\n h().x;\n}', '1'],
  ['async () => {\n await 1;\n null.x;\n}', "TypeError: cannot read property 'x' of null (line 3)"],
  ['() => null.x', "TypeError: cannot read property 'x' of null"],
  ['() =>\n {', "SyntaxError: unexpected token in expression: ')' (line 3)"],
  ['() => { const e = new Error("no"); e.stack = "at <input>:77"; throw e; }', 'Error: no (line 77)'],
  ['() => { RegExp.prototype.exec = () => { throw 1; }; null.x; }', "TypeError: cannot read property 'x' of null"],
])('an error names the line of the code: %j', async (source, message) => {
  expect((await run(source)).failure).toEqual({ reason: 'codeFailed', message });
});

test('a save names the line of what cannot be parsed', async () => {
  expect(await lane.check('acme', ['(a) =>\n {\n  let 1;\n}'])).toEqual([expect.stringMatching(/\(line 3\)$/)]);
});
