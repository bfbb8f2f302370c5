/** Rules on requests of mocks to their upstreams: what a dry run in the mode `rewrite` says is what happens, with real connections. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { CodeLane } from '../../src/code-lane/code-lane.ts';
import { Upstreams } from '../../src/egress/forward/upstreams.ts';
import { RuledCall } from '../../src/egress/live-rules/ruled-calls.ts';
import { rulingOf } from '../../src/egress/process/ruling.ts';
import type { ReplyHeadSent, RulesActed } from '../../src/forward/envelope.ts';
import type { UpstreamCall } from '../../src/forward/upstream-call.ts';
import { CODE_BODY_BYTES_MAX, DEFAULT_LIMITS } from '../../src/limits.ts';
import { NONE_CHECKED } from '../../src/model/pairs/source-pattern.ts';
import { ruleParser, type RuleDraft } from '../../src/model/rule-payload.ts';
import { compileRule, type RuleToCompile } from '../../src/rules-table/compile-rule.ts';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import type { HeaderLines } from '../../src/rules-table/header-list.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import { questionOf, ONE_OF_EACH, type VectorQuestion } from '../support/gateway-vectors.ts';
import { pairsOf, silentApi } from '../support/live-gateway.ts';
import { ANY, source, stored } from '../support/rules-table.ts';
import { upstreamCall } from '../support/upstream-call.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

let seen: Seen[] = [];
let answerWith: (res: ServerResponse) => void = (res) => void res.end();
const service = createServer((req, res) => {
  let body = '';
  req.on('data', (chunk: Buffer) => (body += chunk.toString()));
  req.on('end', () => {
    seen.push({ method: req.method ?? '', url: req.url ?? '', headers: req.rawHeaders, body });
    res.sendDate = false;
    answerWith(res);
  });
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const real = new URL(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
const upstreams = new Upstreams({
  policy: { allow: [], deny: [], allowsLoopback: true, ownPorts: [] },
  instance: 'test',
  ca: [],
  insecure: [],
});
const code = new CodeLane();
afterAll(async () => {
  await code.close();
  await upstreams.close();
  service.closeAllConnections();
  service.close();
});

/** Where the last request was sent. */
let target = '';
const newRuling = (lane?: CodeLane, files: readonly string[] = []) =>
  rulingOf(
    {
      mocks: { host: '127.0.0.1', port: 1, isTls: false },
      mockDomains: [],
      tablesBytesMax: 50_000_000,
      bodiesBytesMax: 50_000_000,
      runsCode: lane !== undefined,
      files,
      mockUrl: 'http://<mock_id>.localhost:1',
    },
    {
      via: upstreams.via,
      send(sent, sink) {
        target = `${sent.target.origin}${sent.path}`;
        return upstreams.send({ ...sent, target: real }, sink);
      },
    },
    silentApi(),
    lane,
  );
const ruling = newRuling();
const withCode = newRuling(code);

let version = 0;
function publish(rules: readonly RuleToCompile[], inactiveGroups: readonly string[] = [], to = ruling): void {
  version++;
  to.rules.put({ ownerId: 'acme', rules, isFirst: true });
  to.rules.commit({ ownerId: 'acme', commit: { version, from: undefined, inactiveGroups } });
}

interface Came {
  head?: ReplyHeadSent;
  body: string;
  bytes: Buffer[];
  end: 'end' | 'cut' | 'failed';
  failed?: { kind: string; rules: RulesActed | undefined };
}

function send(call: UpstreamCall, body: string | Buffer = '', parts = ruling): Promise<Came> {
  return new Promise((resolve, reject) => {
    const came: Came = { body: '', bytes: [], end: 'end' };
    const ruled = new RuledCall(parts, { begin: () => undefined }, call, Buffer.from(body), {
      onHead: (head) => (came.head = head),
      onData: (chunk) => {
        came.body += chunk.toString();
        came.bytes.push(chunk);
      },
      onEnd: () => resolve(came),
      onCut: () => resolve({ ...came, end: 'cut' }),
      onFailure: (kind, _reason, rules) => resolve({ ...came, end: 'failed', failed: { kind, rules } }),
    });
    ruled.begin().catch(reject);
  });
}

/** Lines that connections have, and those that say where a message came along. */
const OF_THE_WAY =
  /^(?:via|connection|keep-alive|date|transfer-encoding|content-length|expect|te|trailer|upgrade|proxy-.*)$/i;
const shown = (lines: HeaderLines) =>
  lines.filter(({ name }) => !OF_THE_WAY.test(name)).map(({ name, value }) => `${name.toLowerCase()}: ${value}`);
const listed = (raw: readonly string[]) => pairsOf(raw).map(([name, value]) => ({ name, value }));

const parse = ruleParser(DEFAULT_LIMITS);

/** An upstream that the vector does not speak of answers this. */
const PLAIN = { status: 200, headers: [], body: '' };

function answerAs(response: NonNullable<VectorQuestion['response']>): void {
  answerWith = (res) => {
    if ('failed' in response) return void res.destroy();
    res.writeHead(
      response.status,
      response.headers.flatMap(({ name, value }) => [name, value]),
    );
    return void res.end(response.body);
  };
}

const LIVE = ONE_OF_EACH.filter(
  ([
    ,
    {
      expect: { delayMs = 0 },
    },
  ]) => delayMs < 1_000,
);

test.each(LIVE)('%s', async (_, vector) => {
  const rules = vector.rules.map((rule, index) => ({
    ...(parse(rule, NONE_CHECKED) as RuleDraft),
    id: rule.id,
    groupId: rule.groupId,
    createdVersion: index,
  }));
  const inactive = (vector.groups ?? []).filter(({ status }) => status === 'Inactive').map(({ id }) => id);
  publish(rules, inactive);
  const asked = questionOf(vector);
  const url = new URL(asked.request.url);
  const [, path = '', query = ''] = /^[^:]+:\/\/[^/?#]*([^?#]*)\??([^#]*)/.exec(asked.request.url) ?? [];
  const given = asked.request.headers
    .filter(({ name }) => !/^(?:host|content-length)$/i.test(name))
    .map(({ name, value }) => ({ name: name.toLowerCase(), value }));
  const call = upstreamCall(url.origin, {
    method: asked.request.method,
    path: path === '' ? '/' : path,
    query,
    headers: given.flatMap(({ name, value }) => [name, value]),
    rules: { session: '' },
  });
  const lines = [
    { name: 'host', value: url.host },
    ...given,
    { name: 'x-forwarded-for', value: '127.0.0.1' },
    { name: 'x-forwarded-proto', value: 'http' },
  ];
  const { response = PLAIN } = asked;
  answerAs(response);
  const body = asked.request.body === undefined ? undefined : Buffer.from(asked.request.body);
  const expected = evaluate(
    tableOf(rules.map(compileRule), new Set(inactive)),
    {
      request: {
        method: call.method,
        url: `${url.origin}${call.path}${query === '' ? '' : `?${query}`}`,
        headers: lines,
        body,
      },
      response: 'failed' in response ? response : { ...response, body: undefined },
    },
    { mode: 'rewrite' },
  );
  if (typeof expected === 'string') throw new Error(expected);
  seen = [];
  const came = await send(call, body?.toString());
  const ruleIds = [...new Set(expected.steps.map(({ ruleId }) => ruleId))];
  const isSent = expected.outcome === 'forward';
  expect(seen).toHaveLength(isSent ? seen.length : 0);
  if (isSent) {
    expect(target).toBe(expected.request.url.replace(/#.*/, ''));
    const [one] = seen as [Seen];
    expect(shown(listed(one.headers))).toEqual(shown(expected.request.headers));
    expect(one.body).toBe(expected.request.body?.toString() ?? '');
  }
  if (expected.response === null) return expect(came.failed).toMatchObject({ rules: { outcome: 'failed', ruleIds } });
  const isServed = !isSent || 'failed' in response;
  expect(came.head).toMatchObject({
    status: expected.response.status,
    rules: { outcome: isServed && isSent ? 'served' : expected.outcome, ruleIds },
  });
  expect(shown(listed(came.head?.headers ?? []))).toEqual(shown(expected.response.headers));
  const passed = 'failed' in response ? '' : response.body;
  return expect(came.body).toBe(call.method === 'HEAD' ? '' : (expected.response.body?.toString() ?? passed));
});

test('the settings of the mock edit before rules do, on both ways', async () => {
  publish([
    stored('Headers', [
      {
        ...source('/edited'),
        modifications: {
          Request: [{ type: 'Modify', header: 'x-by-mock', value: 'rule' }],
          Response: [
            { type: 'Modify', header: 'x-answered', value: 'rule' },
            { type: 'Add', header: 'x-added', value: 'é' },
          ],
        },
      },
    ]),
  ]);
  answerWith = (res) => void res.writeHead(302, { location: 'http://u.test/base/there' }).end('moved');
  seen = [];
  const came = await send(
    upstreamCall('http://u.test/base', {
      path: '/edited',
      requestHeaders: [{ name: 'x-by-mock', value: 'mock' }],
      responseHeaders: [{ name: 'x-answered', value: 'mock' }],
      rules: { session: '' },
    }),
  );
  expect(target).toBe('http://u.test/base/edited');
  expect(listed(seen[0]?.headers ?? [])).toContainEqual({ name: 'x-by-mock', value: 'rule' });
  expect(listed(came.head?.headers ?? [])).toEqual(
    expect.arrayContaining([
      { name: 'location', value: '/there' },
      { name: 'x-answered', value: 'rule' },
      { name: 'x-added', value: Buffer.from('é').toString('latin1') },
    ]),
  );
  expect([came.head?.status, came.body]).toEqual([302, 'moved']);
});

test('a path that leads out of the base of the upstream is refused before any rule', async () => {
  publish([stored('Cancel', [source('')])]);
  const came = await send(upstreamCall('http://u.test/base', { path: '/../x', rules: { session: '' } }));
  expect(came.failed).toMatchObject({ kind: 'outsideBase', rules: { ruleIds: [] } });
});

describe('code', () => {
  const response = (value: string, more = {}) => stored('Response', [{ ...ANY, type: 'code', value, ...more }]);
  const request = (value: string) => stored('Request', [{ ...ANY, type: 'code', value }]);
  const UPPER = '(a) => a.response.toUpperCase()';
  const LARGE = 3 * CODE_BODY_BYTES_MAX;

  async function ask(
    rules: readonly RuleToCompile[],
    given: (res: ServerResponse) => void,
    { headers = [], body = '' }: { headers?: readonly string[]; body?: string | Buffer } = {},
  ) {
    publish(rules, [], withCode);
    seen = [];
    answerWith = given;
    const method = body === '' ? 'GET' : 'POST';
    const came = await send(upstreamCall('http://u.test', { method, headers, rules: { session: '' } }), body, withCode);
    const lines = new Map(listed(came.head?.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value]));
    return { ...came, raw: Buffer.concat(came.bytes), lines, asked: seen[0] };
  }

  test('reads messages decoded, and what it makes goes on plain', async () => {
    const rules = [
      request('(a) => ({ ...a.bodyAsJson, by: a.method })'),
      response('(a) => a.requestData.by + a.response'),
    ];
    const { body, head, lines, asked } = await ask(
      rules,
      (res) => void res.writeHead(200, { 'content-encoding': 'br', etag: '"1"' }).end(brotliCompressSync('hello')),
      { headers: ['Content-Encoding', 'gzip', 'Accept-Encoding', 'zstd, br'], body: gzipSync('{"a":1}') },
    );
    expect(asked?.body).toBe('{"a":1,"by":"POST"}');
    const sent = new Map(listed(asked?.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value]));
    expect([sent.get('content-encoding'), sent.get('accept-encoding')]).toEqual([undefined, 'br']);
    expect([body, lines.get('content-encoding'), lines.get('etag')]).toEqual(['POSThello', undefined, undefined]);
    expect(head?.rules).toMatchObject({ outcome: 'forward', status: 200 });
    expect(head?.rules?.ruleIds).toHaveLength(2);
  });

  test('leaves an answer as it came, byte for byte and with its coding', async () => {
    const packed = gzipSync('hello');
    const kept = await ask(
      [response('() => undefined')],
      (res) => void res.writeHead(200, { 'content-encoding': 'gzip', etag: '"1"' }).end(packed),
    );
    expect([kept.raw.equals(packed), kept.lines.get('content-encoding'), kept.lines.get('etag')]).toEqual([
      true,
      'gzip',
      '"1"',
    ]);
    const same = await ask([response('(a) => a.response')], (res) => void res.end(Buffer.from([0xff, 0, 0xfe])));
    expect([...same.raw]).toEqual([0xff, 0, 0xfe]);
    const failed = await ask([response('() => { throw 1 }')], (res) => void res.end('real'));
    expect([failed.body, failed.head?.rules?.ruleIds]).toEqual(['real', []]);
  });

  test('what code wrote is reported without credentials, and rules that the exchange kept from acting with the reason', async () => {
    const failing = response('(a) => { console.log("saw", a.requestHeaders.authorization); throw 1 }');
    const came = await ask([failing], (res) => void res.end('real'), {
      headers: ['authorization', 'Bearer abcdefghijklmnop'],
    });
    expect(came.head?.rules).toMatchObject({
      ruleIds: [],
      skipped: [{ ruleId: failing.id, reason: 'codeFailed' }],
      console: [{ ruleId: failing.id, level: 'log', text: expect.stringContaining('saw') as string }],
    });
    expect(JSON.stringify(came.head?.rules)).not.toContain('abcdefghijklmnop');
    const bomb = gzipSync(Buffer.alloc(11_000_000, ' '));
    const payload = stored('Cancel', [source('', 'Contains', 'Url', { requestPayload: { key: 'a', value: 'b' } })]);
    const large = await ask([payload], (res) => void res.end(), { headers: ['Content-Encoding', 'gzip'], body: bomb });
    expect(large.head?.rules?.skipped).toEqual([{ ruleId: payload.id, reason: 'bodyTooLarge' }]);
    expect(large.head?.rules).not.toHaveProperty('console');
  });

  // reaches CODE_BODY_BYTES_MAX
  test('passes on what is too large, and bodies whose coding is not known', async () => {
    const large = await ask([response(UPPER)], (res) => void res.end(Buffer.alloc(LARGE, 'a')));
    expect([large.raw.equals(Buffer.alloc(LARGE, 'a')), large.end]).toEqual([true, 'end']);
    const replaced = await ask(
      [response(UPPER), stored('Response', [{ ...ANY, type: 'static', value: 'x' }])],
      (res) => void res.end(Buffer.alloc(LARGE, 'a')),
    );
    expect(replaced.body).toBe('x');
    const given = Buffer.alloc(CODE_BODY_BYTES_MAX + 1, 'a').toString();
    const sent = await ask([request('() => "never"')], (res) => void res.end(), { body: given });
    expect(sent.asked?.body === given).toBe(true);
    for (const coding of ['zstd', 'gzip']) {
      const encoded = await ask([request('() => "never"')], (res) => void res.end(), {
        headers: ['Content-Encoding', coding],
        body: 'given',
      });
      expect([encoded.asked?.body, listed(encoded.asked?.headers ?? [])]).toEqual([
        'given',
        expect.arrayContaining([expect.objectContaining({ value: coding })]),
      ]);
    }
  });

  test('a client that takes no more is not sent the rest of a large answer', async () => {
    publish([response(UPPER)], [], withCode);
    answerWith = (res) => void res.end(Buffer.alloc(8 * LARGE, 'a'));
    let bytes = 0;
    let mayGoOn = false;
    await new Promise<void>((resolve, reject) => {
      const call = upstreamCall('http://u.test', { rules: { session: '' } });
      const ruled = new RuledCall(withCode, { begin: () => undefined }, call, Buffer.alloc(0), {
        onHead: () => undefined,
        onData(chunk) {
          if (bytes === 0) setTimeout(() => ((mayGoOn = true), ruled.resume()), 300);
          bytes += chunk.length;
          if (bytes === chunk.length) ruled.pause();
          if (!mayGoOn && bytes > LARGE) reject(new Error(`${bytes} bytes came`));
        },
        onEnd: resolve,
        onCut: () => reject(new Error('cut')),
        onFailure: (kind) => reject(new Error(kind)),
      });
      ruled.begin().catch(reject);
    });
    expect(bytes).toBe(8 * LARGE);
  });

  test('an answer that is cut while it is collected is a failure, after which no bytes of it are held', async () => {
    const part = Buffer.alloc(CODE_BODY_BYTES_MAX - 1, 'a');
    for (let count = 0; count < 15; count++) {
      const cut = await ask([response(UPPER)], (res) => {
        res.writeHead(200, { 'content-length': `${2 * part.length}` });
        res.write(part, () => res.destroy());
      });
      expect(cut.failed).toMatchObject({ kind: 'lost', rules: { outcome: 'failed' } });
    }
    const whole = await ask([response('(a) => `${a.response.length}`')], (res) => void res.end(part));
    expect(whole.body).toBe(`${part.length}`);
  });

  test('answers without a body are left', async () => {
    const { head, body } = await ask([response('() => "x"')], (res) => void res.writeHead(204).end());
    expect([head?.status, body]).toEqual([204, '']);
  });
});
