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
