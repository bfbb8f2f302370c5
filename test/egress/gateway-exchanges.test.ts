/** What the gateway does with messages: which it refuses, what passes byte for byte, how bodies stream, and what it keeps. */
import { connect, type Socket } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { COLLECTED_BYTES_MAX } from '../../src/egress/live-rules/collected-body.ts';
import { ExchangeLog } from '../../src/egress/live-rules/exchange-log.ts';
import { AUTHORIZATION, authorizationOf, LiveGateway, pairsOf, type LiveAnswer } from '../support/live-gateway.ts';
import { ANY, source, stored } from '../support/rules-table.ts';

let answer: (req: IncomingMessage, res: ServerResponse) => void;
const gateway = await LiveGateway.start((req, res) => answer(req, res));
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.publish([]);
  answer = (req, res) => {
    req.resume();
    req.on('end', () => res.end('real'));
  };
});

/** What comes back for exactly these bytes, until the gateway closes. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.end(Buffer.from(text, 'latin1')));
    let got = '';
    socket.on('data', (chunk: Buffer) => (got += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got));
  });
}

const PROXY = `Proxy-Authorization: ${AUTHORIZATION}\r\n`;
const head = (lines: string, line = 'GET http://a.test/ HTTP/1.1'): string => `${line}\r\n${PROXY}${lines}\r\n`;
const newest = () => gateway.log.page('acme', { limit: 1 }).records[0];
const errorOf = ({ headers }: LiveAnswer) => headers.find(([name]) => name === 'x-switchyard-error')?.[1];

test.each([
  ['two hosts', head('Host: a.test\r\nHost: a.test\r\n')],
  ['no host', head('')],
  ['another host than the target', head('Host: b.test\r\n')],
  [
    'a coding that is not chunked',
    head('Host: a.test\r\nTransfer-Encoding: gzip, chunked\r\n', 'POST http://a.test/ HTTP/1.1'),
  ],
  [
    'two codings',
    head(
      'Host: a.test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
      'POST http://a.test/ HTTP/1.1',
    ),
  ],
  [
    'a length beside a coding',
    head('Host: a.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n', 'POST http://a.test/ HTTP/1.1'),
  ],
  ['two lengths', head('Host: a.test\r\nContent-Length: 1\r\nContent-Length: 2\r\n', 'POST http://a.test/ HTTP/1.1')],
  ['chunks of HTTP/1.0', head('Host: a.test\r\nTransfer-Encoding: chunked\r\n', 'POST http://a.test/ HTTP/1.0')],
  ['a fragment', head('Host: a.test\r\n', 'GET http://a.test/#x HTTP/1.1')],
  ['a user name', head('Host: a.test\r\n', 'GET http://u:p@a.test/ HTTP/1.1')],
  ['a path', head('Host: a.test\r\n', 'GET / HTTP/1.1')],
  ['a folded line', head('Host: a.test\r\nX: 1\r\n 2\r\n')],
  ['too many lines', head(`Host: a.test\r\n${'X: 1\r\n'.repeat(201)}`)],
  ['too many bytes', head(`Host: a.test\r\nX: ${'x'.repeat(40_000)}\r\n`)],
  ['another version', head('Host: a.test\r\n', 'GET http://a.test/ HTTP/2.0')],
  ['another scheme', head('Host: a.test\r\n', 'GET ftp://a.test/ HTTP/1.1')],
])('a head with %s is refused', async (_, text) => {
  let asked = 0;
  answer = (_req, res) => (asked++, void res.end());
  const got = await raw(text);
  expect(got.slice(0, 12)).toBe('HTTP/1.1 400');
  expect(got.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
  expect(asked).toBe(0);
});

test('without a key everything is refused with 407, tunnels included', async () => {
  for (const [line, credentials] of [
    ['GET http://a.test/ HTTP/1.1', ''],
    ['GET / HTTP/1.1', ''],
    ['GET http://a.test/ HTTP/1.1', 'Expect: other\r\n'],
    ['CONNECT a.test:443 HTTP/1.1', ''],
    ['GET http://a.test/ HTTP/1.1', `Proxy-Authorization: Basic ${btoa('key:other')}\r\n`],
    ['GET http://a.test/ HTTP/1.1', 'Proxy-Authorization: Bearer x\r\n'],
  ]) {
    const got = await raw(`${line}\r\nHost: a.test\r\n${credentials}\r\n`);
    expect(got).toMatch(/^HTTP\/1\.1 407 [^]*proxy-authenticate: Basic realm="switchyard"/);
  }
  expect(await raw(head('Host: a.test:443\r\n', 'CONNECT a.test:443 HTTP/1.1'))).toMatch(/^HTTP\/1\.1 501 /);
});

test('a tunnel behind a request that is not answered yet gets no answer, which would be taken for that of the request', async () => {
  answer = (_req, res) => void setTimeout(() => res.end('late'), 200);
  expect(await raw(head('Host: a.test\r\n') + head('Host: a.test:443\r\n', 'CONNECT a.test:443 HTTP/1.1'))).toBe('');
});

test('what no rule touches passes byte for byte: target, lines, status, reason, body', async () => {
  let asked: IncomingMessage | undefined;
  const body = Buffer.from([0, 255, 10, 13, 200]);
  answer = (req, res) => {
    asked = req;
    res.sendDate = false;
    res.writeHead(299, 'Very \u00c3\u00a9', [
      'X-B',
      '1',
      'x-a',
      'caf\u00e9',
      'X-B',
      '2',
      'Date',
      'today',
      'Content-Length',
      '5',
      'Proxy-X',
      'gone',
    ]);
    res.end(body);
  };
  const target = 'http://a.test/%7e/../b%2F?q=a+b&&=';
  const got = await gateway.ask(target, {
    headers: [
      'X-Z',
      '1',
      'x-y',
      'caf\u00e9',
      'X-Z',
      '2',
      'Connection',
      'x-y2',
      'X-Y2',
      'gone',
      'X-Switchyard-Call',
      'gone',
      'TE',
      'trailers',
    ],
  });
  expect(asked?.url).toBe('/%7e/../b%2F?q=a+b&&=');
  expect(pairsOf(asked?.rawHeaders ?? []).filter(([name]) => name !== 'connection')).toEqual([
    ['host', 'a.test'],
    ['X-Z', '1'],
    ['x-y', 'caf\u00e9'],
    ['X-Z', '2'],
    ['via', '1.1 switchyard-test'],
  ]);
  expect([got.status, got.statusText, got.body.equals(body)]).toEqual([299, 'Very \u00c3\u00a9', true]);
  expect(got.headers.filter(([name]) => !/^(?:Connection|Keep-Alive)$/.test(name))).toEqual([
    ['X-B', '1'],
    ['x-a', 'caf\u00e9'],
    ['X-B', '2'],
    ['Date', 'today'],
    ['Content-Length', '5'],
    ['via', '1.1 switchyard-test'],
  ]);
});

test('answers without a body end at their head, and keep their length', async () => {
  for (const [method, status] of [
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ] as const) {
    answer = (_req, res) => void res.writeHead(status, status === 204 ? [] : ['content-length', '7']).end();
    const got = await gateway.ask('http://a.test/', { method });
    expect([got.status, got.body.length]).toEqual([status, 0]);
    expect(got.headers.some(([name, value]) => name === 'content-length' && value === '7')).toBe(status !== 204);
  }
});

test('bodies stream both ways: each part is passed on before the next is sent', async () => {
  answer = (req, res) => void req.pipe(res);
  const socket = connect(gateway.port, '127.0.0.1');
  const got = reader(socket);
  socket.write(head('Host: a.test\r\nTransfer-Encoding: chunked\r\n', 'POST http://a.test/ HTTP/1.1'));
  socket.write('3\r\none\r\n');
  await got.until('one');
  socket.write('3\r\ntwo\r\n');
  await got.until('two');
  socket.write('0\r\n\r\n');
  expect(await got.until('0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

function reader(socket: Socket) {
  let text = '';
  let wake = (): void => undefined;
  socket.on('data', (chunk: Buffer) => ((text += chunk.toString('latin1')), wake()));
  socket.on('close', () => wake());
  socket.on('error', () => undefined);
  return {
    async until(part: string): Promise<string> {
      while (!text.includes(part)) {
        if (socket.destroyed) throw new Error(`closed after ${text}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return text;
    },
  };
}

test('a request that is answered before its body has come leaves the connection for the next one', async () => {
  gateway.publish([stored('Cancel', [source('/blocked')])]);
  const socket = connect(gateway.port, '127.0.0.1');
  const got = reader(socket);
  socket.write(head('Host: a.test\r\nContent-Length: 10\r\n', 'POST http://a.test/blocked HTTP/1.1'));
  await got.until('Blocked by the rule');
  socket.write(`0123456789${head('Host: a.test\r\n', 'GET http://a.test/next HTTP/1.1')}`);
  expect(await got.until('real')).toMatch(/^HTTP\/1\.1 418 [^]*HTTP\/1\.1 200 /);
  socket.destroy();
});

test('a client that does not read stops the upstream, and one that leaves ends it', async () => {
  let sent = 0;
  let isClosed = false;
  answer = (_req, res) => {
    const chunk = Buffer.alloc(65_536);
    const more = (): void => {
      while (!res.destroyed && res.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    res.on('drain', more);
    res.on('close', () => (isClosed = true));
    more();
  };
  const socket = connect(gateway.port, '127.0.0.1', () => socket.write(head('Host: a.test\r\n')));
  socket.once('data', () => socket.pause());
  let before = 0;
  const isStill = (): boolean => {
    const same = sent > 0 && sent === before;
    before = sent;
    return same;
  };
  await expect.poll(isStill, { interval: 100 }).toBe(true);
  expect(sent).toBeLessThan(40_000_000);
  socket.destroy();
  await expect.poll(() => isClosed).toBe(true);
});

test('a client that takes nothing of its answer for long loses its connection, and its exchange ends', async () => {
  let isClosed = false;
  const impatient = await LiveGateway.start(
    (_req, res) => {
      const more = (): void => {
        while (!res.destroyed && res.write(Buffer.alloc(65_536)));
      };
      res.on('drain', more);
      res.on('close', () => (isClosed = true));
      more();
    },
    { unreadMs: 500 },
  );
  impatient.publish([]);
  const socket = connect(impatient.port, '127.0.0.1', () => socket.write(head('Host: a.test\r\n')));
  socket.on('error', () => undefined);
  socket.once('data', () => socket.pause());
  await expect.poll(() => isClosed && impatient.inFlight === 0, { timeout: 20_000 }).toBe(true);
  socket.destroy();
  await impatient.close();
});

test('where all connections are taken, one of those that have most idle ones ends, and none that is in use', async () => {
  const full = await LiveGateway.start((req, res) => req.url === '/slow' || res.end('real'), { connectionsMax: 4 });
  full.publish([]);
  const ended: string[] = [];
  const open = async (name: string, asked?: string): Promise<Socket> => {
    const socket = connect(full.port, '127.0.0.1');
    socket.on('error', () => undefined).on('close', () => ended.push(name));
    const before = full.connections;
    if (asked === undefined) await expect.poll(() => full.connections > before || ended.length > 0).toBe(true);
    else {
      socket.write(head('Host: a.test\r\n', `GET http://a.test${asked} HTTP/1.1`));
      if (asked === '/slow') await expect.poll(() => full.inFlight).toBe(1);
      else await new Promise((resolve) => socket.once('data', resolve));
    }
    return socket;
  };
  const sockets = [
    await open('in use', '/slow'),
    await open('silent'),
    await open('answered', '/'),
    await open('late'),
  ];
  sockets.push(await open('fifth'));
  await expect.poll(() => ended).toEqual(['silent']);
  sockets.push(await open('sixth', '/'));
  await expect.poll(() => ended).toEqual(['silent', 'late']);
  expect(full.connections).toBe(4);
  for (const socket of sockets) socket.destroy();
  await full.close();
});

test('an answer that is cut is cut for the client, never complete', async () => {
  answer = (_req, res) => {
    res.write('a part');
    setTimeout(() => res.destroy(), 20);
  };
  await expect(gateway.ask('http://a.test/')).rejects.toThrow('aborted');
});

test('a static answer acts also where the upstream fails; without it the failure is told', async () => {
  answer = (_req, res) => void res.destroy();
  const failed = await gateway.ask('http://a.test/x', { method: 'POST', body: 'x' });
  expect([failed.status, errorOf(failed)]).toEqual([502, 'lost']);
  expect(JSON.parse(failed.body.toString())).toMatchObject({ success: false, upstream: 'a.test' });
  expect(newest()).toMatchObject({ outcome: 'failed', problem: 'lost', status: 502, ruleIds: [] });
  gateway.publish([stored('Response', [{ ...ANY, type: 'static', value: 'own', statusCode: '202' }], { id: 'R' })]);
  const served = await gateway.ask('http://a.test/x');
  expect([served.status, served.body.toString()]).toEqual([202, 'own']);
  expect(newest()).toMatchObject({ outcome: 'served', problem: 'lost', ruleIds: ['R'] });
});

test('a request that has come round twice goes no further', async () => {
  const got = await gateway.ask('http://a.test/', {
    headers: ['Via', '1.1 switchyard-test, 1.1 other, 1.1 switchyard-test'],
  });
  expect([got.status, errorOf(got)]).toEqual([508, 'loop']);
});

test('a client may follow a redirect once, though its rule matches the new place, too', async () => {
  gateway.publish([
    stored('Redirect', [{ ...source('a.test'), destinationType: 'url', destination: 'http://b.test/?from=a.test' }]),
  ]);
  for (let round = 0; round < 2; round++) {
    const sent = await gateway.ask('http://a.test/');
    expect(sent.status).toBe(307);
    const location = sent.headers.find(([name]) => name === 'location')?.[1] as string;
    expect((await gateway.ask(location)).body.toString()).toBe('real');
  }
});

const PAYLOAD = stored(
  'Response',
  [
    {
      ...source('/orders', 'Contains', 'Url', { requestPayload: { key: 'op', value: 'pay' } }),
      type: 'static',
      value: 'paid',
    },
  ],
  { id: 'Payload' },
);

test('a rule that reads the body gets it whole, decoded, and it is sent on as it came', async () => {
  gateway.publish([PAYLOAD]);
  let got = Buffer.alloc(0);
  answer = (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => ((got = Buffer.concat(chunks)), res.end('real')));
  };
  const ask = async (body: Buffer | string, headers: readonly string[] = [], path = '/orders') =>
    (await gateway.ask(`http://a.test${path}`, { method: 'POST', body, headers })).body.toString();
  expect(await ask('{"op":"pay"}')).toBe('paid');
  expect(got.toString()).toBe('{"op":"pay"}');
  expect(await ask('{"op":"ask"}')).toBe('real');
  const packed = gzipSync('{"op":"pay"}');
  expect(await ask(packed, ['Content-Encoding', 'gzip'])).toBe('paid');
  expect(got.equals(packed)).toBe(true);
  // A bomb, and what nobody can read.
  expect(await ask(gzipSync(Buffer.alloc(2 * COLLECTED_BYTES_MAX, ' ')), ['Content-Encoding', 'gzip'])).toBe('real');
  expect(await ask('{"op":"pay"}', ['Content-Encoding', 'zzz'])).toBe('paid');
  expect(await ask('{"op":"pay"}', [], '/others')).toBe('real');
});

test('a body beyond the bound is not held: the rule is skipped, and all of it passes', async () => {
  await gateway.log.reset('acme');
  gateway.publish([PAYLOAD]);
  let bytes = 0;
  answer = (req, res) => {
    req.on('data', (chunk: Buffer) => (bytes += chunk.length));
    req.on('end', () => res.end('real'));
  };
  const body = Buffer.alloc(COLLECTED_BYTES_MAX + 100_000, 'x');
  expect((await gateway.ask('http://a.test/orders', { method: 'POST', body })).body.toString()).toBe('real');
  expect(bytes).toBe(body.length);
  expect(newest()?.skipped).toEqual([{ ruleId: 'Payload', reason: 'bodyTooLarge' }]);
  expect(gateway.log.counts('acme').skipped).toEqual({ bodyTooLarge: 1 });
});

test('many rules are found by an index, and answer as the few', async () => {
  const many = Array.from({ length: 200 }, (_, index) =>
    stored('Response', [
      { ...source(`/only-${index}-`), type: 'static', value: `${index}`, serveWithoutRequest: true },
    ]),
  );
  gateway.publish(many);
  for (const index of [0, 77, 199])
    expect((await gateway.ask(`http://a.test/only-${index}-`)).body.toString()).toBe(`${index}`);
  expect((await gateway.ask('http://a.test/none')).body.toString()).toBe('real');
});

test('an owner with too many sources is refused with the reason, until it has fewer', async () => {
  const pairs = Array.from({ length: 1_000 }, () => source('/x'));
  const many = Array.from({ length: 21 }, () => stored('Cancel', pairs));
  gateway.publish(many);
  const refused = await gateway.ask('http://a.test/');
  expect([refused.status, errorOf(refused)]).toEqual([503, 'rules']);
  expect(refused.body.toString()).toContain('more than 20000 sources');
  gateway.publish(many.slice(1));
  expect((await gateway.ask('http://a.test/')).status).toBe(200);
  expect((await gateway.ask('http://a.test/x')).status).toBe(418);
});

test('kept exchanges have no credentials, are filtered, and leave when the memory is used up', async () => {
  gateway.publish([
    stored('Headers', [{ ...ANY, modifications: [{ header: 'Authorization', type: 'Add', value: 'top-secret-1' }] }]),
  ]);
  answer = (_req, res) =>
    void res.writeHead(200, ['Set-Cookie', 'sid=top-secret-2', 'Location', 'http://ann:top-secret-5@mask.test/']).end();
  await gateway.ask('http://mask.test/?access_token=top-secret-4', {
    headers: ['Cookie', 'sid=top-secret-3', 'Referer', 'http://top-secret-6@mask.test/'],
  });
  const page = gateway.log.page('acme', { selection: { host: 'MASK.test', outcome: 'forward' }, limit: 10 });
  expect(page.records).toHaveLength(1);
  const text = JSON.stringify(page);
  expect(text).not.toMatch(/top-secret|the-key/);
  expect(text).toMatch(/Authorization: redacted-[\da-f]{8}/);
  expect(text).toMatch(/access_token=redacted-[\da-f]{8}/);

  gateway.publish([
    stored('Redirect', [{ ...ANY, destinationType: 'url', destination: 'http://ann:top-secret-7@b.test/' }]),
  ]);
  expect((await gateway.ask('http://mask.test/')).status).toBe(307);
  expect(newest()).toMatchObject({ location: expect.stringMatching(/^http:\/\/redacted-\w+:redacted-\w+@b\.test\/$/) });
  expect(JSON.stringify(newest())).not.toContain('top-secret');

  const log = new ExchangeLog(40_000);
  const record = {
    ...(page.records[0] as NonNullable<(typeof page.records)[0]>),
    responseHeaders: [{ name: 'x', value: 'x'.repeat(1_000) }],
  };
  for (let index = 0; index < 30; index++) log.add('one', record);
  for (let index = 0; index < 60; index++) log.add(`other-${index}`, record);
  const one = log.page('one', { limit: 100 });
  expect(one).toMatchObject({ truncated: true });
  expect(one.records.length).toBeLessThan(5);
  expect(log.counts('one').total).toBe(30);
  const newestOther = log.page('other-59', { limit: 1 });
  expect(newestOther.records).toHaveLength(1);
  await log.reset('other-59');
  expect(log.page('other-59', { limit: 1 }).records).toEqual([]);
});

test('a request of a session that there is none of is kept and counted, with the name where that is one of a session', async () => {
  const before = gateway.log.counts('acme');
  const text = `x-${AUTHORIZATION}`;
  const refused = await gateway.ask('http://a.test/x?token=secret1', { user: 'ended' });
  const tunnel = await raw(`CONNECT a.test:443 HTTP/1.1\r\nProxy-Authorization: ${authorizationOf('ended')}\r\n\r\n`);
  const unnamed = await gateway.ask('http://a.test/x', { headers: ['X-Mock-Session', text] });
  for (const each of [refused, unnamed]) expect([each.status, errorOf(each)]).toEqual([404, 'session']);
  expect(tunnel).toContain('x-switchyard-error: session');
  const { records } = gateway.log.page('acme', { limit: 3 });
  const [last, connected, first] = records;
  const kept = { status: 404, outcome: 'failed', problem: 'session', user: 'ann' };
  expect(first).toMatchObject({ ...kept, method: 'GET', session: 'ended', reason: expect.stringContaining('"ended"') });
  expect(connected).toMatchObject({ ...kept, method: 'CONNECT', session: 'ended', url: 'https://a.test/' });
  expect(last).toMatchObject(kept);
  expect(last?.session).toBeUndefined();
  expect(JSON.stringify(records)).not.toMatch(/secret1|x-Basic/);
  const after = gateway.log.counts('acme');
  expect([after.total - before.total, after.problems['session']]).toEqual([3, 3]);
});

test('after a reset numbers go on, and what a live session keeps is found by them', async () => {
  const kept = new ExchangeLog(1_000_000);
  const record = { ...(newest() as NonNullable<ReturnType<typeof newest>>), recording: undefined };
  for (let number = 1; number <= 9; number++) {
    kept.add('acme', { ...record, session: number % 3 === 0 ? 's' : 't', sessionMadeAt: 1 });
  }
  await kept.reset('acme', ({ session }) => session === 's');
  kept.add('acme', { ...record, session: undefined });
  const numbers = (filter: object) => kept.page('acme', { limit: 9, ...filter }).records.map(({ number }) => number);
  expect(numbers({})).toEqual([10, 9, 6, 3]);
  expect(numbers({ afterNumber: 3, upToNumber: 9 })).toEqual([9, 6]);
  expect(numbers({ afterNumber: 4, isOldestFirst: true })).toEqual([6, 9, 10]);
  expect(numbers({ beforeNumber: 6 })).toEqual([3]);
  expect((await kept.find('acme', 6))?.number).toBe(6);
  expect([await kept.find('acme', 5), kept.counts('acme').total]).toEqual([undefined, 1]);
});
