/**
 * Cookies set by a mock: allowed for its own host, refused for domains shared with other mocks. docs/mocks-behaviour.md,
 * "Cookies".
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryDirectory, TestServer } from '../support/server.ts';
import { askMock } from '../support/ask-mock.ts';
import { route, TwoThreads } from '../support/two-threads.ts';

let two: TwoThreads;
beforeAll(async () => {
  two = await TwoThreads.start(['--mock-url-template', 'https://<mock_id>.mocks.example.com']);
});
afterAll(() => two.end());

const withCookies = (values: readonly string[], more: object = {}) => ({
  headers: values.map((value) => ({ name: 'Set-Cookie', value })),
  ...more,
});
const SHARED = ['localhost', 'mocks.example.com', 'example.com'];

test('cookies for the host itself, and for unrelated domains, are sent unchanged', async () => {
  const cookies = ['a=b', 'c=d; Path=/; HttpOnly', 'e=f; Domain=api.payments.test'];
  const id = await two.mock([route('GET /', [withCookies(cookies)])]);
  expect((await two.both(id, '/')).headers['set-cookie']).toEqual(cookies);
});

describe.each(SHARED)('a cookie for %s is refused', (domain) => {
  const refused = (path: string) => ({
    success: false,
    message: 'Mock Payload is invalid',
    details: [{ path, message: expect.stringContaining(`a cookie for ${domain} would be sent to other mocks`) }],
  });
  const bad = withCookies(['a=b', `a=b; Domain=${domain}`]);

  test('by every endpoint that accepts it', async () => {
    const id = await two.mock([route('GET /', [{}])]);
    const { routes } = await two.data('GET', `/${id}/staged`);
    const at = `/${id}/staged/routes/${routes[0].id}`;
    const expected = refused('/responses/0/headers/1');
    const whole = refused('/routes/0/responses/0/headers/1');
    expect((await two.api('POST', '', { name: 'm', routes: [route('GET /', [bad])] })).json).toEqual(whole);
    expect((await two.api('PUT', `/${id}/staged`, { routes: [route('GET /', [bad])] })).json).toEqual(whole);
    expect((await two.api('POST', `/${id}/staged/routes`, route('GET /', [bad]))).json).toEqual(expected);
    expect((await two.api('PUT', at, route('GET /', [bad]))).json).toEqual(expected);
    expect((await two.api('POST', `${at}/responses`, bad)).json).toEqual(refused('/headers/1'));
    const template = withCookies([`a={{uuid}}; Domain=${domain}`], { templated: true });
    expect((await two.api('POST', `${at}/responses`, template)).json).toEqual(refused('/headers/0'));
    expect(await two.data('GET', `/${id}/staged`)).toMatchObject({ routes });
  });

  test('also in a large definition, which is checked in a sandbox thread', async () => {
    const routes = [route('GET /', [bad]), ...[1, 2].map((n) => route(`GET /${n}`, [{ body: 'x'.repeat(900_000) }]))];
    expect((await two.api('POST', '', { name: 'm', routes })).json).toEqual(refused('/routes/0/responses/0/headers/1'));
  });
});

describe('a template that renders one', () => {
  const VALUES = ["a=b; Domain={{queryParam 'd'}}", "{{queryParam 'd'}}", "a={{queryParam 'd'}}"];

  test.each(VALUES)('%s is answered 500, and the traffic says why', async (value) => {
    const id = await two.mock([route('GET /', [withCookies(['x=y', value], { templated: true })])]);
    const asked = '/?d=' + encodeURIComponent(value.includes('Domain') ? '.LOCALHOST' : 'b; domain=localhost');
    const reply = await two.both(id, asked);
    expect(reply.status).toBe(500);
    expect(reply.headers['set-cookie']).toBe(undefined);
    const [recorded] = await two.data('GET', `/${id}/requests`);
    expect(recorded.problem).toContain('header Set-Cookie: a cookie for localhost would be sent to other mocks');
    const tried = await two.data('POST', `/${id}/try`, { method: 'GET', path: asked, against: 'saved' });
    expect(tried).toMatchObject({ response: null, explanation: { problem: recorded.problem } });

    expect((await two.both(id, '/?d=own')).headers['set-cookie']).toHaveLength(2);
  });
});

test('a mock that was saved before its domain became one of the shared ones answers 500', async () => {
  const data = temporaryDirectory();
  const start = (domain: string) => TestServer.start(['--workers', '1', '--mock-domain', domain], data);
  let server = await start('one.test');
  const key = await server.key('acme');
  const routes = [route('GET /', [withCookies(['a=b; Domain=two.test'])]), route('GET /other', [{ body: 'fine' }])];
  const made = await server.request('POST', '/v1/mocks', { key, body: { name: 'm', start: true, routes } });
  expect(made.status).toBe(200);
  const ask = (path: string) => askMock(server.mockPort, `/__mock/${made.json.data.id}${path}`);
  expect((await ask('/')).headers['set-cookie']).toEqual(['a=b; Domain=two.test']);
  await server.end();

  server = await start('mocks.two.test');
  const reply = await ask('/');
  expect(reply.status).toBe(500);
  expect(reply.headers['set-cookie']).toBe(undefined);
  expect((await ask('/other')).text).toBe('fine');
  await server.end();
});
