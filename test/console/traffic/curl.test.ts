/** Commands that are copied: a shell gives curl exactly the recorded request, whatever its text. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { RequestRecord } from '../../../src/client/shapes.ts';
import { curlOf } from '../../../src/console/traffic/curl.ts';
import { isPlain, shellWord } from '../../../src/languages/shell-word.ts';
import { testLineOf, verifyCommandOf } from '../../../src/console/verify/expectation.ts';
import { HOSTILE_TEXTS } from '../../browser/hostile.ts';
import { runs } from '../../support/effort.ts';

/** In place of curl: prints its arguments and what it reads, as JSON. */
const BIN = mkdtempSync(join(tmpdir(), 'switchyard-curl-'));
afterAll(() => rmSync(BIN, { recursive: true }));
writeFileSync(
  join(BIN, 'curl'),
  `#!${process.execPath}
const args = process.argv.slice(2);
const input = args.includes('@-') ? require('fs').readFileSync(0).toString('base64') : '';
process.stdout.write(JSON.stringify({ args, input }));`,
);
chmodSync(join(BIN, 'curl'), 0o755);

function run(command: string): { args: string[]; input: string } {
  const env = { ...process.env, PATH: `${BIN}:${process.env['PATH']}`, SWITCHYARD_API_KEY: 'sy_key' };
  return JSON.parse(execFileSync('sh', ['-c', command], { env, encoding: 'utf8' })) as {
    args: string[];
    input: string;
  };
}

const echoed = (text: string): string =>
  execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });

const request = (given: Partial<RequestRecord>): RequestRecord => ({
  id: '1',
  time: 0,
  method: 'POST',
  path: '/pay',
  query: '',
  headers: [],
  body: '',
  bodyTruncated: false,
  bodyReadAs: 'none',
  routeId: null,
  responseId: null,
  version: 1,
  status: 404,
  durationMs: 0,
  ...given,
});

test.each(HOSTILE_TEXTS.filter(({ text }) => !text.includes('\u0000')))(
  'a shell reads $name as one word',
  ({ text }) => {
    expect(echoed(text)).toBe(text.toWellFormed());
  },
);

test('any text without NUL is one word, and what is copied hides nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (given) => {
      const text = `-${given.replaceAll('\u0000', '')}.`;
      expect(isPlain(shellWord(text))).toBe(true);
      expect(echoed(text)).toBe(text.toWellFormed());
    }),
    { numRuns: runs(60) },
  );
});

test('curl gets method, address, headers and body of the request', () => {
  const command = curlOf(
    request({
      path: "/it's/{a,b}/../[1-9]",
      query: 'q=$(harm)&x=`harm`',
      headers: [
        { name: 'host', value: 'm1.localhost:8081' },
        { name: 'content-length', value: '9' },
        { name: 'x-note', value: `'; harm #"` },
        { name: 'x-empty', value: '' },
      ],
      body: "@file\n'quoted'\t!",
    }),
    'http://127.0.0.1:8081/__mock/m1',
  );
  expect(run(command).args).toEqual([
    '--globoff',
    '--path-as-is',
    '-X',
    'POST',
    "http://127.0.0.1:8081/__mock/m1/it's/{a,b}/../[1-9]?q=$(harm)&x=`harm`",
    '-H',
    `x-note: '; harm #"`,
    '-H',
    'x-empty;',
    '--data-raw',
    "@file\n'quoted'\t!",
    '-H',
    'content-type:',
  ]);
});

test('a body that a command line cannot hold is decoded', () => {
  const bytes = Buffer.from([0, 255, 10, 13, 0]);
  const binary = run(curlOf(request({ body: bytes.toString('base64'), bodyEncoding: 'base64' }), 'http://h'));
  expect(Buffer.from(binary.input, 'base64')).toEqual(bytes);
  const text = 'turned \u202E round \u0000';
  const turned = curlOf(request({ body: text }), 'http://h');
  expect(isPlain(turned)).toBe(true);
  expect(Buffer.from(run(turned).input, 'base64').toString()).toBe(text);
});

test('a GET and a HEAD need no word for their method', () => {
  expect(curlOf(request({ method: 'GET' }), 'http://h')).toBe('curl --globoff --path-as-is http://h/pay');
  expect(curlOf(request({ method: 'HEAD' }), 'http://h')).toContain(' -I ');
});

test.each(HOSTILE_TEXTS)('an expectation with $name is the same in a test and in a script', ({ text }) => {
  const expectation = { match: { path: '/x', query: { [text]: text }, bodyContains: text }, exactly: 2 };
  const line = testLineOf('m1', expectation);
  expect(isPlain(line)).toBe(true);
  const read = runInThisContext(`(async (mocks) => { ${line} })`) as (mocks: object) => Promise<void>;
  let got: unknown;
  void read({ assertVerified: (...given: unknown[]) => (got = given) });
  expect(got).toEqual(['m1', expectation]);

  const command = verifyCommandOf('http://127.0.0.1:8080/v1', 'm1', expectation);
  const { args } = run(command);
  expect(args).toContain('x-api-key: sy_key');
  expect(JSON.parse(args.at(-1) as string)).toEqual(expectation);
});
