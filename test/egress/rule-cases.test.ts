/** What users of rules met, each as it was reported: the rule, the request, and what the client and the upstream get. */
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { AUTHORIZATION, LiveGateway, type LiveAnswer } from '../support/live-gateway.ts';
import { ANY, source, stored } from '../support/rules-table.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let seen: Seen[];
let answer: (req: IncomingMessage, res: ServerResponse) => void;
const gateway = await LiveGateway.start((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const { method = '', url = '', headers } = req;
    seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    answer(req, res);
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  seen = [];
  answer = (_req, res) => res.end('real');
});

const send = (url: string, headers: Record<string, string> = {}, method = 'POST', body?: string) =>
  gateway.ask(url, { method, headers: Object.entries(headers).flat(), ...(body !== undefined && { body }) });
const newest = () => gateway.log.page('acme', { limit: 1 }).records[0];
const headersOf = ({ headers }: LiveAnswer) => Object.fromEntries(headers);

describe('preflights', () => {
  const preflight = (url: string) =>
    send(
      url,
      {
        origin: 'http://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
      'OPTIONS',
    );
  const allowed = {
    'access-control-allow-origin': 'http://app.example',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'content-type',
    vary: 'origin',
  };

  test('of a request that a rule serves, and the answer that follows', async () => {
    const served = { type: 'static', value: '{"id":1}', serveWithoutRequest: true };
    gateway.publish([stored('Response', [{ ...source('api.shop.example', 'Equals', 'Host'), response: served }])]);
    const before = await preflight('http://api.shop.example/orders');
    expect({ status: before.status, headers: headersOf(before) }).toMatchObject({ status: 204, headers: allowed });
    expect(newest()).toMatchObject({ outcome: 'served', status: 204, ruleIds: [expect.any(String)] });
    const headers = { origin: 'http://app.example', 'content-type': 'application/json' };
    const after = await send('http://api.shop.example/orders', headers, 'POST', '{}');
    expect(after.body.toString()).toBe('{"id":1}');
    expect(headersOf(after)).toMatchObject({ 'access-control-allow-origin': 'http://app.example' });
    expect(seen).toEqual([]);
  });

  test('of a request whose answer a rule replaces', async () => {
    answer = (_req, res) => res.writeHead(204, allowed).end();
    const down = { type: 'static', value: '{"error":"down"}', statusCode: '500' };
    gateway.publish([stored('Response', [{ ...ANY, response: down }])]);
    expect(await preflight('http://api.shop.example/orders')).toMatchObject({ status: 204 });
    expect(seen).toMatchObject([{ method: 'OPTIONS' }]);
    expect(await send('http://api.shop.example/orders')).toMatchObject({
      status: 500,
    });
  });

  test('of a request that a rule redirects', async () => {
    const to = { destinationType: 'url', destination: 'http://127.0.0.1:8081/__mock/m1/$1' };
    gateway.publish([stored('Redirect', [{ ...source('http://pay.shop.example/*', 'Wildcard_Matches'), ...to }])]);
    const before = await preflight('http://pay.shop.example/charges');
    expect({ status: before.status, headers: headersOf(before) }).toMatchObject({ status: 204, headers: allowed });
    expect(await send('http://pay.shop.example/charges')).toMatchObject({
      status: 307,
    });
    expect(seen).toEqual([]);
  });

  test('of requests whose body a rule replaces, or that a rule delays', async () => {
    gateway.publish([
      stored('Request', [{ ...source('/charges'), request: { type: 'static', value: '{"cents":100}' } }]),
      stored('Delay', [{ ...source('/charges'), delay: 1_000 }]),
    ]);
    const began = performance.now();
    await preflight('http://api.shop.example/charges');
    expect(performance.now() - began).toBeLessThan(900);
    expect(seen).toMatchObject([{ method: 'OPTIONS', body: '' }]);
    expect(seen[0]?.headers).not.toHaveProperty('content-length');
  });
});

test('a client that gives up is listed and counted, and the rule that acted is hit', async () => {
  const rule = stored('Delay', [{ ...source('/pay'), delay: 2_000 }]);
  gateway.publish([rule]);
  const before = gateway.log.counts('acme');
  const headers = { host: 'a.test', 'proxy-authorization': AUTHORIZATION };
  const leaving = request({ host: '127.0.0.1', port: gateway.port, path: 'http://a.test/pay', headers });
  leaving.on('error', () => undefined).end();
  await sleep(300);
  leaving.destroy();
  await expect.poll(() => gateway.log.counts('acme').total).toBe(before.total + 1);
  const left = {
    url: 'http://a.test/pay',
    status: 0,
    ended: 'client',
    outcome: 'forward',
    ruleIds: [rule.id],
    delayMs: 2_000,
  };
  expect(newest()).toMatchObject(left);
  expect(newest()).not.toHaveProperty('problem');
  expect(gateway.log.counts('acme').rules[rule.id]).toBe(1);
  expect(seen).toEqual([]);
  // Not even when no rule acts, and once alone.
  gateway.publish([]);
  answer = () => undefined;
  const waiting = request({ host: '127.0.0.1', port: gateway.port, path: 'http://a.test/slow', headers });
  waiting.on('error', () => undefined).end();
  await expect.poll(() => seen.length).toBe(1);
  waiting.destroy();
  await expect.poll(() => gateway.log.counts('acme').total).toBe(before.total + 2);
  expect(newest()).toMatchObject({ url: 'http://a.test/slow', status: 0, ended: 'client', ruleIds: [] });
});

describe('the type of what a rule serves', () => {
  const served = (value: string, url: string, headers: Record<string, string> = {}) => {
    gateway.publish([stored('Response', [{ ...ANY, response: { type: 'static', value, serveWithoutRequest: true } }])]);
    return send(url, headers, 'GET').then((reply) => headersOf(reply)['content-type']);
  };

  test.each([
    ['<!doctype html><h1>Größe</h1>', 'http://shop.example/', {}, 'text/html; charset=utf-8'],
    ['\n <HTML lang="de">', 'http://shop.example/', {}, 'text/html; charset=utf-8'],
    ['a { color: red }', 'http://shop.example/a.css?v=1', {}, 'text/css; charset=utf-8'],
    ['42', 'http://shop.example/a.js', {}, 'text/javascript; charset=utf-8'],
    ['42', 'http://shop.example/a?file=b.js', {}, 'application/json'],
    ['42', 'http://shop.example/a.constructor', {}, 'application/json'],
    ['run()', 'http://shop.example/run', { 'sec-fetch-dest': 'script' }, 'text/javascript; charset=utf-8'],
    ['{"id":1}', 'http://shop.example/', {}, 'application/json'],
    ['Größe', 'http://shop.example/', {}, 'text/plain; charset=utf-8'],
  ])('%j at %s', async (value, url, headers, type) => {
    expect(await served(value, url, headers as Record<string, string>)).toBe(type);
  });
});

describe('a body that a rule replaces', () => {
  const replaced = { ...ANY, response: { type: 'static', value: '<p>Größe</p>' } };

  test('is UTF-8, and says so', async () => {
    gateway.publish([stored('Response', [replaced])]);
    for (const [type, expected] of [
      ['text/html; charset=iso-8859-1', 'text/html; charset=utf-8'],
      ['text/html', 'text/html; charset=utf-8'],
      ['application/xml; charset="windows-1252"; x=1', 'application/xml; charset=utf-8; x=1'],
      ['application/json', 'application/json'],
    ] as const) {
      answer = (_req, res) => res.writeHead(200, { 'content-type': type }).end(Buffer.from('4772fc6e', 'hex'));
      const reply = await send('http://a.example/page', {}, 'GET');
      expect([headersOf(reply)['content-type'], reply.body.toString()]).toEqual([expected, '<p>Größe</p>']);
    }
  });

  test('is whole, and has nothing that says otherwise', async () => {
    gateway.publish([stored('Response', [replaced])]);
    answer = (_req, res) =>
      res
        .writeHead(206, {
          'content-range': 'bytes 0-3/10',
          'accept-ranges': 'bytes',
          'last-modified': 'x',
          etag: '"1"',
        })
        .end('0123');
    const reply = await send('http://a.example/file', { range: 'bytes=0-3' }, 'GET');
    expect(reply.status).toBe(200);
    for (const name of ['content-range', 'accept-ranges', 'last-modified', 'etag'])
      expect(headersOf(reply)).not.toHaveProperty(name);
  });

  test('is asked for whole, though the client has it or wants a part', async () => {
    gateway.publish([stored('Response', [{ ...source('/config'), response: { type: 'static', value: '{"new":1}' } }])]);
    answer = (req, res) => (req.headers['if-none-match'] === undefined ? res.end('{}') : res.writeHead(304).end());
    const conditions = {
      'if-none-match': '"v1"',
      'if-modified-since': 'Sun, 01 Nov 2026 00:00:00 GMT',
      range: 'bytes=0-1',
    };
    const reply = await send('http://a.example/config', conditions, 'GET');
    expect([reply.status, reply.body.toString()]).toEqual([200, '{"new":1}']);
    for (const name of Object.keys(conditions)) expect(seen[0]?.headers).not.toHaveProperty(name);
    expect(await send('http://a.example/other', conditions, 'GET')).toMatchObject({ status: 304 });
    expect(seen[1]?.headers).toMatchObject(conditions);
    // Code that is not run replaces nothing.
    gateway.publish([stored('Response', [{ ...source('/config'), response: { type: 'code', value: '() => 1' } }])]);
    expect(await send('http://a.example/config', conditions, 'GET')).toMatchObject({ status: 304 });
    await send('http://a.example/config', { 'if-match': '"v1"' }, 'PUT', '{}');
    expect(seen[3]?.headers).toMatchObject({ 'if-match': '"v1"' });
  });

  test('of a request has no digest of the other', async () => {
    gateway.publish([stored('Request', [{ ...ANY, request: { type: 'static', value: 'new' } }])]);
    await send('http://a.example/', { 'content-digest': 'sha-256=:x:', 'content-md5': 'x' }, 'POST', 'old');
    expect(seen[0]).toMatchObject({ body: 'new' });
    for (const name of ['content-digest', 'content-md5']) expect(seen[0]?.headers).not.toHaveProperty(name);
  });
});

test('a cookie that a rule adds joins the line that is there', async () => {
  const modifications = { Request: [{ header: 'Cookie', type: 'Add', value: 'b=2' }] };
  gateway.publish([stored('Headers', [{ ...source('/x'), modifications }])]);
  await send('http://a.example/x', { cookie: 'a=1' }, 'GET');
  await send('http://a.example/x', {}, 'GET');
  expect(seen.map(({ headers }) => headers.cookie)).toEqual(['a=1; b=2', 'b=2']);
});

describe('headers of an answer', () => {
  const changed = async (modifications: readonly object[], url = 'http://a.example/api/1') => {
    gateway.publish([
      stored('Headers', [
        { ...source('http://a.example/*', 'Wildcard_Matches'), modifications: { Response: modifications } },
      ]),
    ]);
    return (await send(url, {}, 'GET')).headers.filter(([name]) => /^(?:set-cookie|x-|access)/i.test(name));
  };

  test('let every page read it, by an Add: a Modify adds none', async () => {
    const header = 'access-control-allow-origin';
    expect(await changed([{ header, type: 'Add', value: '*' }])).toEqual([[header, '*']]);
    expect(await changed([{ header, type: 'Modify', value: '*' }])).toEqual([]);
    answer = (_req, res) => res.writeHead(200, { [header]: 'http://other.example' }).end();
    expect(await changed([{ header, type: 'Add', value: '*' }])).toEqual([[header, '*']]);
  });

  test('of several lines are one after a Modify, and the exchange shows what is gone', async () => {
    answer = (_req, res) => res.writeHead(200, { 'set-cookie': ['a=1; Path=/', 'b=2; HttpOnly', 'c=3'] }).end();
    expect(await changed([{ header: 'Set-Cookie', type: 'Modify', value: 'a=9' }])).toEqual([['set-cookie', 'a=9']]);
    expect(newest()?.steps[0]?.changed.map(({ after }) => after)).toEqual([
      expect.stringMatching(/^set-cookie: a=/),
      null,
      null,
    ]);
  });

  test('have what the source captures', async () => {
    expect(await changed([{ header: 'x-path', type: 'Add', value: '/$1' }])).toEqual([['x-path', '/api/1']]);
  });
});

test('a function of the file format is called in a destination', async () => {
  const pair = { destinationType: 'url', destination: 'https://b.example/?to=rq_encode($1)' };
  gateway.publish([stored('Redirect', [{ ...source('http://a.example/*', 'Wildcard_Matches'), ...pair }])]);
  const { headers } = await send('http://a.example/x?y=1&z=2', {}, 'GET');
  expect(Object.fromEntries(headers)).toMatchObject({ location: 'https://b.example/?to=x%3Fy%3D1%26z%3D2' });
});
