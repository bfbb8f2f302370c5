/** Rules on requests of mocks to their upstreams: what a dry run in the mode `rewrite` says is what happens, with real connections. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { Upstreams } from '../../src/egress/forward/upstreams.ts';
import { RuledCall } from '../../src/egress/live-rules/ruled-calls.ts';
import { rulingOf } from '../../src/egress/process/ruling.ts';
import type { ReplyHeadSent, RulesActed } from '../../src/forward/envelope.ts';
import type { UpstreamCall } from '../../src/forward/upstream-call.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { NONE_CHECKED } from '../../src/model/pairs/source-pattern.ts';
import { ruleParser, type RuleDraft } from '../../src/model/rule-payload.ts';
import { compileRule, type RuleToCompile } from '../../src/rules-table/compile-rule.ts';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import type { HeaderLines } from '../../src/rules-table/header-list.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import { questionOf, VECTORS, type Vector, type VectorQuestion } from '../support/gateway-vectors.ts';
import { pairsOf } from '../support/live-gateway.ts';
import { source, stored } from '../support/rules-table.ts';
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
afterAll(async () => {
  await upstreams.close();
  service.closeAllConnections();
  service.close();
});

/** Where the last request was sent. */
let target = '';
const ruling = rulingOf(
  {
    mocks: { host: '127.0.0.1', port: 1, isTls: false },
    mockDomains: [],
    tablesBytesMax: 50_000_000,
    bodiesBytesMax: 50_000_000,
    runsCode: false,
  },
  {
    via: upstreams.via,
    send(sent, sink) {
      target = `${sent.target.origin}${sent.path}`;
      return upstreams.send({ ...sent, target: real }, sink);
    },
  },
  () => undefined,
);

let version = 0;
function publish(rules: readonly RuleToCompile[], inactiveGroups: readonly string[] = []): void {
  version++;
  ruling.rules.take({ kind: 'put', id: 1, ownerId: 'acme', rules, isFirst: true });
  ruling.rules.take({ kind: 'commit', id: 2, ownerId: 'acme', commit: { version, from: undefined, inactiveGroups } });
}

interface Came {
  head?: ReplyHeadSent;
  body: string;
  end: 'end' | 'cut' | 'failed';
  failed?: { kind: string; rules: RulesActed | undefined };
}

function send(call: UpstreamCall, body = ''): Promise<Came> {
  return new Promise((resolve, reject) => {
    const came: Came = { body: '', end: 'end' };
    const ruled = new RuledCall(ruling, { begin: () => undefined }, call, Buffer.from(body), {
      onHead: (head) => (came.head = head),
      onData: (chunk) => (came.body += chunk.toString()),
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

const LIVE = VECTORS.filter((vector) => (vector.expect.delayMs ?? 0) < 1_000);
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

test.each(LIVE.map((vector) => [`${vector.id} ${vector.title}`, vector] as const))('%s', async (_, vector: Vector) => {
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
