/** Code in live exchanges: what it reads of bodies and what then goes on, and what the exchange keeps of it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { CodeLane } from '../../src/code-lane/code-lane.ts';
import { CODE_BODY_BYTES_MAX, CODE_CALLS_MAX } from '../../src/limits.ts';
import { LiveGateway } from '../support/live-gateway.ts';
import { ANY, stored } from '../support/rules-table.ts';

let asked: { headers: IncomingMessage['headers']; body: Buffer } | undefined;
let answer: (res: ServerResponse) => void = (res) => void res.end('hello');
const code = new CodeLane();
const gateway = await LiveGateway.start(
  (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      asked = { headers: req.headers, body: Buffer.concat(chunks) };
      answer(res);
    });
  },
  { codeOf: (ownerId) => code.runOf(ownerId, true) },
);
afterAll(async () => {
  await gateway.close();
  await code.close();
});

const response = (value: string, more = {}) => stored('Response', [{ ...ANY, type: 'code', value, ...more }]);
const request = (value: string) => stored('Request', [{ ...ANY, type: 'code', value }]);
const fixed = (value: string) => stored('Response', [{ ...ANY, type: 'static', value }]);
const newest = () => gateway.log.page('acme', { limit: 1 }).records[0];
const UPPER = '(a) => a.response.toUpperCase()';

async function ask(options: Parameters<LiveGateway['ask']>[1] = {}) {
  const { status, headers, body } = await gateway.ask('http://a.test/', options);
  return { status, headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])), body };
}

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
  ['br', brotliCompressSync],
])('an answer in %s is read decoded, and goes on plain', async (coding, encode) => {
  gateway.publish([response(UPPER)]);
  answer = (res) => void res.writeHead(200, { 'content-encoding': coding, etag: '"1"' }).end(encode('hello'));
  const { headers, body } = await ask();
  expect([body.toString(), headers.get('content-encoding'), headers.get('etag')]).toEqual([
    'HELLO',
    undefined,
    undefined,
  ]);
});

test('an answer that code leaves goes on as it came, with its coding', async () => {
  gateway.publish([response('() => undefined')]);
  answer = (res) => void res.writeHead(200, { 'content-encoding': 'gzip', etag: '"1"' }).end(gzipSync('hello'));
  const { headers, body } = await ask();
  expect([body.equals(gzipSync('hello')), headers.get('content-encoding'), headers.get('etag')]).toEqual([
    true,
    'gzip',
    '"1"',
  ]);
  // The same text leaves bytes that are no text.
  gateway.publish([response('(a) => a.response')]);
  answer = (res) => void res.end(Buffer.from([0xff, 0, 0xfe]));
  expect([...(await ask()).body]).toEqual([0xff, 0, 0xfe]);
});

test('no coding is asked for that code cannot read', async () => {
  gateway.publish([response(UPPER)]);
  answer = (res) => void res.end('hello');
  await ask({ headers: ['Accept-Encoding', 'gzip, zstd, br;q=0.5'] });
  expect(asked?.headers['accept-encoding']).toBe('gzip, br;q=0.5');
  await ask({ headers: ['Accept-Encoding', 'zstd'] });
  expect(asked?.headers['accept-encoding']).toBe('identity');
  gateway.publish([fixed('x')]);
  await ask({ headers: ['Accept-Encoding', 'zstd'] });
  expect(asked?.headers['accept-encoding']).toBe('zstd');
});

// reaches CODE_BODY_BYTES_MAX
test.each([
  [
    'a coding that is not known',
    'bodyEncoded',
    (res: ServerResponse) => res.writeHead(200, { 'content-encoding': 'zstd' }).end('hello'),
    5,
  ],
  [
    'what is not of its coding',
    'bodyEncoded',
    (res: ServerResponse) => res.writeHead(200, { 'content-encoding': 'gzip' }).end('hello'),
    5,
  ],
  [
    'a large answer',
    'bodyTooLarge',
    (res: ServerResponse) => res.end(Buffer.alloc(3 * CODE_BODY_BYTES_MAX, 'a')),
    3 * CODE_BODY_BYTES_MAX,
  ],
  [
    'a small answer that becomes large',
    'bodyTooLarge',
    (res: ServerResponse) =>
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(2 * CODE_BODY_BYTES_MAX))),
    undefined,
  ],
  [
    'events',
    'bodyTooLarge',
    (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: 1\n\n'),
    9,
  ],
])('%s goes on as it came, and is recorded as %s', async (_what, reason, given, bytes) => {
  gateway.publish([response(UPPER)]);
  answer = (res) => void given(res);
  const { status, body } = await ask();
  expect([status, newest()?.skipped.map((each) => each.reason), newest()?.ruleIds]).toEqual([200, [reason], []]);
  if (bytes !== undefined) expect(body.length).toBe(bytes);
});

test('events go on while they come', async () => {
  gateway.publish([response(UPPER)]);
  let more: (() => void) | undefined;
  answer = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    more = () => void res.end('data: 2\n\n');
  };
  const all = gateway.ask('http://a.test/events');
  await expect.poll(() => more).toBeDefined();
  await expect.poll(() => newest()?.url).toBe('http://a.test/events');
  expect(newest()?.skipped).toMatchObject([{ reason: 'bodyTooLarge' }]);
  more?.();
  expect((await all).body.toString()).toBe('data: 1\n\ndata: 2\n\n');
});

test('an answer that is cut while it is collected is a failure', async () => {
  gateway.publish([response(UPPER)]);
  answer = (res) => {
    res.writeHead(200, { 'content-length': '10' }).write('hello');
    setTimeout(() => res.destroy(), 20);
  };
  const { status, headers } = await ask();
  expect([status, headers.get('x-switchyard-error')]).toEqual([502, 'lost']);
});

test('answers without a body, and failures, are left', async () => {
  gateway.publish([response(UPPER)]);
  answer = (res) => void res.writeHead(204).end();
  expect((await ask()).status).toBe(204);
  answer = (res) => void res.writeHead(200, { 'content-length': '5' }).end();
  expect((await ask({ method: 'HEAD' })).headers.get('content-length')).toBe('5');
  expect(newest()?.skipped).toEqual([]);
  answer = (res) => void res.destroy();
  expect((await ask()).status).toBe(502);
});

test('each rule gets the answer of the one before', async () => {
  gateway.publish([
    fixed('one'),
    response(UPPER),
    response('(a) => ({ was: a.response, status: a.statusCode })', { statusCode: '201' }),
  ]);
  answer = (res) => void res.end('real');
  const { status, body } = await ask();
  expect([status, body.toString()]).toEqual([201, '{"was":"ONE","status":200}']);
  // One that replaces what code could not read makes it readable; where the upstream fails it answers in its place.
  answer = (res) => void res.end(Buffer.alloc(2 * CODE_BODY_BYTES_MAX));
  expect((await ask()).body.toString()).toBe('{"was":"ONE","status":200}');
  answer = (res) => void res.destroy();
  expect((await ask()).body.toString()).toBe('{"was":"ONE","status":200}');
});

test('a request is read decoded and goes on plain, and code of the answer sees it as it was sent', async () => {
  gateway.publish([
    request('(a) => ({ ...a.bodyAsJson, by: a.method })'),
    response('(a) => a.requestData.by + a.requestHeaders["x-a"]'),
  ]);
  answer = (res) => void res.end('real');
  const body = gzipSync('{"a":1}');
  const answered = await ask({ method: 'POST', body, headers: ['Content-Encoding', 'gzip', 'X-A', '1'] });
  expect(asked?.body.toString()).toBe('{"a":1,"by":"POST"}');
  expect(asked?.headers).toMatchObject({ 'content-length': '19' });
  expect(asked?.headers['content-encoding']).toBeUndefined();
  expect(answered.body.toString()).toBe('POST1');
});

test('a request that is too large for code, or encoded, passes as it came', async () => {
  gateway.publish([request('() => "never"'), response('(a) => typeof a.requestData')]);
  const large = Buffer.alloc(CODE_BODY_BYTES_MAX + 1, 'a');
  expect((await ask({ method: 'POST', body: large })).body.toString()).toBe('undefined');
  expect([asked?.body.equals(large), newest()?.skipped.map(({ reason }) => reason)]).toEqual([true, ['bodyTooLarge']]);
  await ask({ method: 'POST', body: 'x', headers: ['Content-Encoding', 'zstd'] });
  expect([asked?.body.toString(), newest()?.skipped.map(({ reason }) => reason)]).toEqual(['x', ['bodyEncoded']]);
});

test('what fails leaves the message, and is kept with what it wrote', async () => {
  gateway.publish([
    request('() => { throw new Error("no") }'),
    response('(a) => { console.log("secret", a.requestHeaders.authorization, a.requestHeaders); throw 1 }'),
  ]);
  answer = (res) => void res.end('real');
  expect(
    (
      await ask({ method: 'POST', body: 'given', headers: ['Authorization', 'Bearer abcdefghijklmnop'] })
    ).body.toString(),
  ).toBe('real');
  expect(asked?.body.toString()).toBe('given');
  expect(newest()?.skipped.map(({ reason }) => reason)).toEqual(['codeFailed', 'codeFailed']);
  expect(newest()?.console).toMatchObject([{ level: 'log', text: expect.stringContaining('secret') as string }]);
  expect(JSON.stringify(newest()?.console)).not.toContain('abcdefghijklmnop');
});

// reaches CODE_CALLS_MAX
test('one exchange has so many calls, and no more', async () => {
  const append = response('(a) => a.response + "x"');
  gateway.publish(
    Array.from({ length: CODE_CALLS_MAX + 2 }, (_, index) => ({
      ...append,
      id: `Response_${index}`,
      createdVersion: index,
    })),
  );
  answer = (res) => void res.end('');
  expect((await ask()).body.toString()).toBe('x'.repeat(CODE_CALLS_MAX));
  expect(newest()?.skipped.map(({ reason }) => reason)).toEqual(['codeTooLong', 'codeTooLong']);
});

test('a client that leaves while code runs leaves nothing', async () => {
  gateway.publish([response('() => { for (;;); }')]);
  answer = (res) => void res.end('real');
  const before = gateway.inFlight;
  const all = ask();
  await expect.poll(() => gateway.inFlight).toBe(before + 1);
  expect((await all).body.toString()).toBe('real');
  expect(newest()?.skipped).toMatchObject([{ reason: 'codeTooLong' }]);
  expect(gateway.inFlight).toBe(before);
});

test('code gets the text of an answer by its charset, without a byte order mark; other bytes go on as they came', async () => {
  gateway.publish([response('({ responseJSON }) => ({ ...responseJSON, flag: true })')]);
  const json = { 'content-type': 'application/json' };
  answer = (res) => void res.writeHead(200, json).end(Buffer.from('efbbbf7b226974656d73223a5b312c325d7d', 'hex'));
  expect((await ask()).body.toString()).toBe('{"items":[1,2],"flag":true}');
  gateway.publish([response(UPPER)]);
  const latin = { 'content-type': 'text/plain; charset=iso-8859-1' };
  answer = (res) => void res.writeHead(200, latin).end(Buffer.from('4772fc6e', 'hex'));
  const { headers, body } = await ask();
  expect([body.toString(), headers.get('content-type')]).toEqual(['GRÜN', 'text/plain; charset=utf-8']);
  const bytes = Buffer.from('4772fc6e', 'hex');
  answer = (res) => void res.writeHead(200, json).end(bytes);
  expect((await ask()).body).toEqual(bytes);
  expect(newest()?.skipped).toMatchObject([{ reason: 'bodyEncoded' }]);
});
