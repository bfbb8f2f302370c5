/** Recorded exchanges of mocks with a real service, over HTTP with two threads: what is kept, of whom, and what never is; docs/mocks-upstream.md. */
import { get, type IncomingMessage } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { RECORDED_BODY_BYTES_MAX, REDACTED_NAMES_MAX } from '../../src/limits.ts';
import { newOwner } from '../support/shared-server.ts';
import { realService } from '../support/real-service.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();
const stranger = await two.server.key(newOwner());
const { json: me } = await two.server.request('GET', '/v1/me', { key: two.key });
const viewer = await two.server.key(me.data.ownerId, 'vic', 'viewer');

const SECRET = 'hunter2-very-secret';
const json = `{"user":{"password":"${SECRET}","name":"ann"}}`;
const bomb = gzipSync(Buffer.alloc(200_000_000));
const binary = Buffer.from([...Array(256).keys()]);
const large = 'x'.repeat(RECORDED_BODY_BYTES_MAX + 1);

/** What it answers, by path. */
const ANSWERS: Readonly<Record<string, readonly [headers: Record<string, string | string[]>, body: Buffer | string]>> =
  {
    '/plain': [{ 'content-type': 'application/json', 'x-latin': Buffer.from('é').toString('latin1') }, '{"a": 1}\n'],
    '/gzip': [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, gzipSync(json)],
    '/br': [{ 'content-type': 'application/json', 'content-encoding': 'br' }, brotliCompressSync(json)],
    '/deflate': [{ 'content-type': 'application/json', 'content-encoding': 'deflate' }, deflateSync(json)],
    '/raw': [{ 'content-type': 'application/json', 'content-encoding': 'deflate' }, deflateRawSync(json)],
    '/twice': [{ 'content-encoding': 'gzip, br' }, brotliCompressSync(gzipSync(json))],
    '/unknown': [{ 'content-encoding': 'zip' }, json],
    '/broken': [{ 'content-encoding': 'gzip' }, json],
    '/bomb': [{ 'content-encoding': 'gzip' }, bomb],
    '/binary': [{ 'content-type': 'image/png' }, binary],
    '/large': [{ 'content-type': 'text/plain' }, large],
    '/login': [
      { 'content-type': 'application/json', 'set-cookie': [`sid=${SECRET}; Path=/`, 'lang=en'] },
      `{"token":"${SECRET}"}`,
    ],
  };

const site = await realService(({ url = '' }, response) => {
  const path = url.replace(/^\/v1/, '').replace(/\?.*/s, '');
  if (path === '/none' || path === '/same') return response.writeHead(path === '/none' ? 204 : 304).end();
  if (path === '/chunked') {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (const each of json) response.write(each);
    return response.end();
  }
  if (path === '/cut') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('part');
    return setTimeout(() => response.destroy(), 20);
  }
  if (path === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.write(`data: {"token":"${SECRET}"}\n\n`);
  }
  if (path === '/never') return undefined;
  const [headers, body] = ANSWERS[path] ?? [{}, 'other'];
  return response.writeHead(200, 'Fine', headers).end(body);
});

const recorded = (settings: Fields = {}, routes: readonly Fields[] = [route('GET /own')]) =>
  two.mock(routes, { proxy: { upstream: `${site.url}/v1`, record: true, ...settings } });
const page = async (mock: string, query = '') => (await two.api('GET', `/${mock}/recording?${query}`)).json;
// oxlint-disable-next-line typescript/no-explicit-any -- tests read any answer
const entries = async (mock: string, query = ''): Promise<any[]> => (await page(mock, query)).data.toReversed();

test('exchanges are listed, newest first, page by page, and as HAR; they are cleared', async () => {
  const mock = await recorded();
  await two.both(mock, '/own');
  expect(await page(mock)).toMatchObject({ data: [], total: 0, epoch: expect.any(String) });
  await two.ask(mock, '/plain?x=1', { method: 'POST', body: 'hello', headers: { 'x-of': 'one' } });
  await two.ask(mock, '/b');
  const { data, ...rest } = await page(mock);
  expect(rest).toMatchObject({ success: true, total: 2, truncated: false, dropped: 0, nextBefore: null });
  expect(rest.bytes).toBeGreaterThan(0);
  expect(data.map(({ id, path }: Fields) => [id, path])).toEqual([
    ['2', '/b'],
    ['1', '/plain'],
  ]);
  expect(data[1]).toMatchObject({
    method: 'POST',
    query: 'x=1',
    url: `${site.url}/v1/plain?x=1`,
    request: { body: 'hello' },
    response: { status: 200, reason: 'Fine', body: '{"a": 1}\n' },
  });
  expect(data[1].headMs).toBeLessThanOrEqual(data[1].durationMs);
  expect(data[1].request.headers).toContainEqual({ name: 'x-of', value: 'one' });
  expect(data[1].response.headers).toContainEqual({ name: 'x-latin', value: 'é' });
  expect(JSON.stringify(data[1].response.headers)).not.toContain('switchyard');
  expect(await page(mock, 'limit=1')).toMatchObject({ data: [{ id: '2' }], total: 2, nextBefore: 2 });
  expect(await page(mock, 'limit=1&before=2')).toMatchObject({ data: [{ id: '1' }], nextBefore: null });
  expect(await page(mock, `since=${data[0].time + 60_000}`)).toMatchObject({ data: [], total: 0 });
  expect(await page(mock, 'status=404')).toMatchObject({ data: [], total: 0 });

  const { log } = await page(mock, 'format=har');
  expect(log).toMatchObject({ version: '1.2', _switchyard: { total: 2, truncated: false, epoch: rest.epoch } });
  expect(log.entries).toHaveLength(2);
  expect(log.entries[0]).toMatchObject({
    request: { method: 'POST', url: expect.stringMatching(/^http:\/\/\w+\.localhost:\d+\/plain\?x=1$/) },
    response: { status: 200, content: { size: 9, mimeType: 'application/json', text: '{"a": 1}\n' } },
    _switchyard: { id: '1', url: `${site.url}/v1/plain?x=1` },
  });
  expect(await page(mock, 'format=har&limit=1')).toMatchObject({ details: [{ path: 'limit' }] });
  expect(await page(mock, 'status=x&page=2')).toMatchObject({ details: [{ path: 'page' }, { path: 'status' }] });

  expect(await two.api('DELETE', `/${mock}/recording`)).toMatchObject({ status: 200 });
  expect(await page(mock)).toMatchObject({ data: [], total: 0, bytes: 0 });
  await two.ask(mock, '/b');
  expect(await page(mock)).toMatchObject({ data: [{ id: '3' }] });
});

test('no secret is kept, wherever it stands; equal ones stay equal, and all else byte for byte', async () => {
  const mock = await recorded({ redact: { headers: ['x-account'], members: ['iban'] } });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const parts = `--b\r\ncontent-disposition: form-data; name="password"\r\n\r\n${SECRET}\r\n--b--\r\n`;
  const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  await two.ask(mock, `/login?api_key=${SECRET}&iban=${SECRET}`, {
    method: 'POST',
    body: json,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${SECRET}`,
      cookie: `sid=${SECRET}`,
      'x-api-key': SECRET,
      'x-account': SECRET,
      referer: `https://a.test/?token=${SECRET}`,
    },
  });
  await two.ask(mock, '/form', { method: 'POST', body: `a=1&password=${SECRET}`, headers: form });
  await two.ask(mock, '/parts', {
    method: 'POST',
    body: parts,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  await two.ask(mock, '/zipped', { method: 'POST', body: gzipSync(json), headers: zipped });
  for (const path of ['/gzip', '/br', '/deflate', '/raw', '/twice', '/chunked', '/unknown', '/broken'])
    await two.ask(mock, path);
  const list = await entries(mock);
  const har = JSON.stringify(await page(mock, 'format=har'));
  expect(list).toHaveLength(12);
  for (const text of [JSON.stringify(list), har]) {
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('hunter2');
  }
  const [mark] = /redacted-[0-9a-f]{8}/.exec(list[0].query) as RegExpExecArray;
  expect(new Set(JSON.stringify(list).match(/redacted-[0-9a-f]{8}/g))).toEqual(new Set([mark, expect.any(String)]));
  expect(list[0]).toMatchObject({
    query: `api_key=${mark}&iban=${mark}`,
    url: `${site.url}/v1/login?api_key=${mark}&iban=${mark}`,
  });
  const lines = (part: { headers: readonly { name: string; value: string }[] }) =>
    part.headers.map(({ name, value }) => `${name}: ${value}`);
  expect(lines(list[0].request)).toEqual(
    expect.arrayContaining([
      `authorization: Bearer ${mark}`,
      `cookie: sid=${mark}`,
      `x-api-key: ${mark}`,
      `x-account: ${mark}`,
      `referer: https://a.test/?token=${mark}`,
    ]),
  );
  expect(lines(list[0].response)).toEqual(expect.arrayContaining([`set-cookie: sid=${mark}; Path=/`]));
  expect(list[0].response.body).toBe(`{"token":"${mark}"}`);
  expect(list[1].request.body).toBe(`a=1&password=${mark}`);
  expect(list[2].request.body).toBe(parts.replace(SECRET, mark));
  expect(list[3].request.body).toBe(json.replace(SECRET, mark));
  for (const { path, response, partial } of list.slice(4, 10)) {
    expect({ path, body: response.body, partial }).toEqual({
      path,
      body: json.replace(SECRET, mark),
      partial: undefined,
    });
    expect(lines(response).join()).not.toMatch(/content-(?:encoding|length)/);
  }
  for (const { partial, response } of list.slice(10))
    expect({ partial, response }).toMatchObject({ partial: true, response: { body: '', bodyOmitted: 'undecodable' } });
});

test('bodies of every kind: binary, none, large, bombs, cut', async () => {
  const mock = await recorded();
  const send = (path: string, method = 'GET', body?: string) =>
    two.ask(mock, path, { method, ...(body === undefined ? {} : { body }) }).catch(() => undefined);
  await send('/binary');
  await send('/plain', 'HEAD');
  await send('/none');
  await send('/same');
  await send('/large');
  // reaches RECORDED_BODY_BYTES_MAX
  await send('/large-request', 'POST', large);
  await send('/bomb');
  await send('/cut');
  const list = await entries(mock);
  const part = ({ body, bodyEncoding, bodyOmitted }: Fields) => ({ body, bodyEncoding, bodyOmitted });
  const nothing = { body: '', bodyEncoding: undefined, bodyOmitted: undefined };
  expect(list.map(({ path }) => path)).toEqual([
    '/binary',
    '/plain',
    '/none',
    '/same',
    '/large',
    '/large-request',
    '/bomb',
    '/cut',
  ]);
  expect(part(list[0].response)).toEqual({ ...nothing, body: binary.toString('base64'), bodyEncoding: 'base64' });
  for (const at of [1, 2, 3]) expect(part(list[at].response)).toEqual(nothing);
  expect(list.slice(0, 4).some((each) => 'partial' in each)).toBe(false);
  expect(part(list[4].response)).toEqual({ ...nothing, bodyOmitted: 'tooLarge' });
  expect(part(list[5].request)).toEqual({ ...nothing, bodyOmitted: 'tooLarge' });
  expect(part(list[6].response)).toEqual({ ...nothing, bodyOmitted: 'tooLarge' });
  expect(part(list[7].response)).toEqual({ ...nothing, bodyOmitted: 'cut' });
  for (const each of list.slice(4)) expect(each).toMatchObject({ partial: true });
  const { log } = await page(mock, 'format=har');
  expect(log.entries[0].response.content).toEqual({
    size: 256,
    mimeType: 'image/png',
    text: binary.toString('base64'),
    encoding: 'base64',
  });
  expect(log.entries[4].response.content).toEqual({ size: -1, mimeType: 'text/plain' });
});

test('an answer without end is listed while it goes on and after it; a client that goes away, and failures, too', async () => {
  const mock = await recorded({ timeoutMs: 300 });
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { host: `${mock}.localhost` };
    get({ host: '127.0.0.1', port: two.server.mockPort, path: '/events', agent: false, headers }, resolve).on(
      'error',
      reject,
    );
  });
  await new Promise((resolve) => reply.once('data', resolve));
  const event = { open: true, response: { body: expect.stringMatching(/^data: \{"token":"redacted-\w{8}"\}\n\n$/) } };
  expect(await entries(mock)).toMatchObject([event]);
  reply.destroy();
  await two.ask(mock, '/never');
  await expect.poll(() => entries(mock)).toMatchObject([event, { failed: { kind: 'timeout' } }]);
  const [, failed] = await entries(mock, 'status=0');
  expect(failed).toBeUndefined();
  const { log } = await page(mock, 'format=har');
  expect(log.entries.map(({ comment, _switchyard }: Fields) => [comment, (_switchyard as Fields).open])).toEqual([
    [undefined, true],
    [expect.stringContaining('timeout: '), undefined],
  ]);
});

test('a session records on its own, and what it has recorded outlives it', async () => {
  const mock = await two.mock([route('GET /own')], { proxy: { upstream: site.url } });
  const session = async (proxy: Fields) =>
    (await two.data('POST', `/${mock}/sessions`, { overlay: { settings: { proxy } } })).id as string;
  const [one, other] = [
    await session({ upstream: site.url, record: true }),
    await session({ upstream: site.url, record: false }),
  ];
  const inSession = (id: string) => two.ask(mock, '/plain', { headers: { 'x-mock-session': id } });
  await two.ask(mock, '/plain');
  for (const id of [one, other, one]) await inSession(id);
  expect(await entries(mock)).toMatchObject([{ session: one }, { session: one }]);
  expect(await entries(mock, `session=${other}`)).toEqual([]);
  expect(await entries(mock, 'session=')).toEqual([]);
  await two.data('DELETE', `/${mock}/sessions/${one}`);
  expect(await entries(mock, `session=${one}`)).toHaveLength(2);
  await two.api('DELETE', `/${mock}/recording?session=${other}`);
  expect(await entries(mock)).toHaveLength(2);
  await two.api('DELETE', `/${mock}/recording?session=${one}`);
  expect(await entries(mock)).toEqual([]);
});

test('nobody else sees a recording, and a mock that is made again has nothing of it', async () => {
  const id = `rec${process.pid}`;
  const settings = { proxy: { upstream: site.url, record: true } };
  const made = { id, name: 'recorded', start: true, routes: [route('GET /own')], settings };
  await two.data('POST', '', made);
  await two.ask(id, '/plain');
  expect(await entries(id)).toHaveLength(1);
  const ask = async (method: string, key: string) =>
    (await two.server.request(method, `/v1/mocks/${id}/recording`, { key })).status;
  expect([await ask('GET', stranger), await ask('DELETE', stranger)]).toEqual([401, 401]);
  expect(await ask('GET', viewer)).toBe(200);
  expect(await ask('DELETE', viewer)).toBe(401);
  expect(await entries(id)).toHaveLength(1);
  await two.api('DELETE', `/${id}`);
  expect(await two.api('GET', `/${id}/recording`)).toMatchObject({ status: 404 });
  await two.data('POST', '', made);
  expect(await page(id)).toMatchObject({ data: [], total: 0 });
  await two.ask(id, '/plain');
  expect(await entries(id)).toMatchObject([{ id: '1' }]);
  await two.api('DELETE', `/${id}`);
});

test('nothing is kept of mocks that do not record', async () => {
  const mock = await two.mock([], { proxy: { upstream: site.url } });
  await two.both(mock, '/plain');
  expect(await page(mock)).toMatchObject({ data: [], total: 0, bytes: 0 });
});

test('bad settings are named by their place, and odd ones warned of', async () => {
  const refused = async (proxy: Fields) => {
    const answer = await two.api('POST', '', { name: 'x', settings: { proxy: { upstream: site.url, ...proxy } } });
    return [answer.status, answer.json.details?.[0]?.path];
  };
  expect(await refused({ record: 'yes' })).toEqual([400, '/settings/proxy/record']);
  expect(await refused({ redact: { headers: ['a b'] } })).toEqual([400, '/settings/proxy/redact/headers/0']);
  expect(await refused({ redact: { members: ['a', ''] } })).toEqual([400, '/settings/proxy/redact/members/1']);
  expect(await refused({ redact: { values: [] } })).toEqual([400, '/settings/proxy/redact/values']);
  // reaches REDACTED_NAMES_MAX
  const names = Array.from({ length: REDACTED_NAMES_MAX + 1 }, (_, index) => `n${index}`);
  expect(await refused({ redact: { members: names } })).toEqual([400, '/settings/proxy/redact/members']);
  const { json: odd } = await two.api('POST', '', {
    name: 'odd',
    routes: [route('GET /own')],
    settings: { proxy: { upstream: site.url, when: 'never', record: true } },
  });
  expect(odd.warnings).toMatchObject([{ warning: expect.stringContaining('record nothing') }]);
  await two.api('DELETE', `/${odd.data.id}`);
});
