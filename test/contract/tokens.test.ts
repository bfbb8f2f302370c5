/**
 * Tokens that mocks sign and texts that they seal, over HTTP with two threads, verified by Node.js itself: docs/templates.md, "Tokens", and
 * conditions on templates.
 */
import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useOwnServer } from '../support/shared-server.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const rendered = (body: string, more: Fields = {}): Fields => ({ templated: true, body, ...more });
const ROUTES = [
  route('GET /jwks', [rendered('{{jwks}}')]),
  route('GET /token', [rendered("{{jwtSign (object iss=(mockUrl) sub='u7' nonce='n') seconds=60 typ='at+jwt'}}")]),
  route('GET /claims', [rendered("{{json (jwtVerify (header 'authorization'))}}")]),
  route('GET /seal', [rendered("{{seal (object id=7 list=(array 'a')) purpose='code' seconds=60}}")]),
  route('GET /unseal', [rendered("{{unseal (queryParam 'code') 'id' purpose='code'}}")]),
  route('GET /other', [rendered("{{json (unseal (queryParam 'code') purpose='refresh')}}")]),
];

interface Token {
  readonly text: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

async function token(mock: string, headers: Record<string, string> = {}): Promise<Token> {
  const { text } = await two.ask(mock, '/token', { headers });
  const [header, claims] = text
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Token['claims']);
  return { text, header: header ?? {}, claims: claims ?? {} };
}

/** By the library of Node.js, with the key that the mock publishes. */
async function isVerified(
  mock: string,
  { text, header }: Token,
  headers: Record<string, string> = {},
): Promise<boolean> {
  const { keys } = JSON.parse((await two.ask(mock, '/jwks', { headers })).text) as { keys: JsonWebKey[] };
  const jwk = keys.find(({ kid }) => kid === header['kid']);
  if (jwk === undefined) return false;
  const key = createPublicKey({ format: 'jwk', key: jwk });
  const [head, body, signature = ''] = text.split('.');
  const hash = header['alg'] === 'EdDSA' ? null : 'sha256';
  const signed = Buffer.from(`${head}.${body}`);
  return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
}

const sessionOf = async (mock: string, settings?: Fields): Promise<Record<string, string>> => {
  const { id } = await two.data('POST', `/${mock}/sessions`, settings === undefined ? {} : { overlay: { settings } });
  return { 'x-mock-session': id };
};

describe.each(['RS256', 'ES256', 'EdDSA'])('by %s', (alg) => {
  test('both threads sign with the published key, and each session has a kid of its own', async () => {
    const mock = await two.mock(ROUTES, { signing: { alg } });
    const [one, other] = [await token(mock), await token(mock)];
    expect(one).toMatchObject({ header: { alg, typ: 'at+jwt' }, claims: { sub: 'u7', nonce: 'n' } });
    expect(Number(one.claims['exp']) - Number(one.claims['iat'])).toBe(60);
    expect([await isVerified(mock, one), await isVerified(mock, other)]).toEqual([true, true]);
    expect(other.header['kid']).toBe(one.header['kid']);
    const session = await sessionOf(mock);
    const own = await token(mock, session);
    expect(own.header['kid']).not.toBe(one.header['kid']);
    expect([await isVerified(mock, own, session), await isVerified(mock, own)]).toEqual([true, false]);
    const claims = async (text: string, headers = {}): Promise<unknown> =>
      JSON.parse((await two.ask(mock, '/claims', { headers: { ...headers, authorization: `Bearer ${text}` } })).text);
    expect(await claims(one.text)).toMatchObject({ sub: 'u7' });
    expect(await claims(own.text, session)).toMatchObject({ sub: 'u7' });
    expect(await claims(own.text)).toBeNull();
    expect(await claims(`${one.text.slice(0, -4)}AAAA`)).toBeNull();
  });

  test('another generation is another key; the one before stays valid with `overlap` alone', async () => {
    const mock = await two.mock(ROUTES, { signing: { alg } });
    const first = await token(mock);
    await two.save(mock, ROUTES, { signing: { alg, generation: 2 } });
    const second = await token(mock);
    expect(second.header['kid']).not.toBe(first.header['kid']);
    expect([await isVerified(mock, first), await isVerified(mock, second)]).toEqual([true, true]);
    await two.save(mock, ROUTES, { signing: { alg, generation: 2, overlap: false } });
    expect([await isVerified(mock, first), await isVerified(mock, second)]).toEqual([false, true]);
  });

  test('`try` signs with the same key', async () => {
    const mock = await two.mock(ROUTES, { signing: { alg } });
    const tried = await two.data('POST', `/${mock}/try`, { method: 'GET', path: '/token' });
    expect((await two.ask(mock, '/claims', { headers: { authorization: tried.response.body } })).text).toContain(
      '"u7"',
    );
  });
});

test.each<[breaks: string, header: Fields, claims: Fields]>([
  ['audience', {}, { aud: 'another-audience' }],
  ['issuer', {}, { iss: expect.stringMatching(/\/another$/) }],
  ['nonce', {}, { nonce: 'another-n' }],
  ['kid', { kid: 'unknown' }, { sub: 'u7' }],
  ['none', { alg: 'none' }, { sub: 'u7' }],
])('a session breaks %s for its own client alone', async (breaks, header, claims) => {
  const mock = await two.mock(ROUTES, { signing: { alg: 'ES256' } });
  const session = await sessionOf(mock, { signing: { alg: 'ES256', break: breaks } });
  expect(await token(mock, session)).toMatchObject({ header, claims });
  const whole = await token(mock);
  expect(await isVerified(mock, whole)).toBe(true);
});

test.each(['signature', 'expired', 'notBefore', 'none', 'kid'])(
  'a mock takes its own tokens with a wrong %s no more',
  async (breaks) => {
    const mock = await two.mock(ROUTES, { signing: { alg: 'EdDSA', break: breaks } });
    const { text } = await token(mock);
    expect((await two.ask(mock, '/claims', { headers: { authorization: text } })).text).toBe('null');
  },
);

test('times follow the clock of a session', async () => {
  const mock = await two.mock(ROUTES, { signing: { alg: 'ES256' } });
  const session = await sessionOf(mock, { clock: '2020-01-01T00:00:00Z' });
  const old = await token(mock, session);
  expect(old.claims['exp']).toBe(Date.UTC(2020, 0) / 1_000 + 60);
});

test('a sealed text opens in its session, for its purpose and its time alone', async () => {
  const mock = await two.mock(ROUTES, { signing: { alg: 'EdDSA' }, clock: '2026-01-01T00:00:00Z' });
  const { text } = await two.ask(mock, '/seal');
  expect(await two.text(mock, `/unseal?code=${text}`)).toBe('7');
  expect(await two.text(mock, `/other?code=${text}`)).toBe('null');
  expect((await two.ask(mock, `/unseal?code=${text}`, { headers: await sessionOf(mock) })).text).toBe('');
  await two.save(mock, ROUTES, { signing: { alg: 'EdDSA' }, clock: '2026-01-01T00:00:59Z' });
  expect(await two.text(mock, `/unseal?code=${text}`)).toBe('7');
  await two.save(mock, ROUTES, { signing: { alg: 'EdDSA' }, clock: '2026-01-01T00:01:00Z' });
  expect(await two.text(mock, `/unseal?code=${text}`)).toBe('');
});

test('`mockUrl` has the host and the prefix that the client used', async () => {
  const mock = await two.mock([route('ANY /*', [rendered('{{mockUrl}}')]), route('GET /', [rendered('{{mockUrl}}')])]);
  const url = `http://127.0.0.1:${two.server.mockPort}/__mock/${mock}`;
  const at = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
  expect([await at('/a/b?c'), await at('/'), await at('')]).toEqual([url, url, url]);
  const { id } = await two.data('POST', `/${mock}/sessions`, {});
  expect(await at(`/__session/${id}/a`)).toBe(`${url}/__session/${id}`);
  const { text } = await two.ask(mock, '/a');
  expect(text).toMatch(new RegExp(`^http://${mock}\\.localhost`));
});

test('an answer has four signatures by RS256 at most', async () => {
  const sign = "{{jwtSign (object sub='u')}}";
  const routes = [4, 5].map((count) => route(`GET /${count}`, [rendered(sign.repeat(count))]));
  const mock = await two.mock(routes, { signing: {} });
  expect((await two.ask(mock, '/4')).status).toBe(200);
  const { status, text } = await two.both(mock, '/5');
  expect([status, text]).toEqual([500, expect.stringContaining('the template signs more than 4 tokens by RS256')]);
});

describe('an edit refuses', () => {
  test.each<[routes: readonly Fields[], settings: Fields, path: string, message: RegExp]>([
    [
      [route('GET /', [rendered('{{jwtSign (object)}}')])],
      {},
      '/routes/0/responses/0/body',
      /jwtSign needs the setting `signing`/,
    ],
    [
      [route('GET /', [rendered("{{jwtSign 'u7'}}")])],
      { signing: {} },
      '/routes/0/responses/0/body',
      /argument 1 of jwtSign must be an object/,
    ],
    [
      [route('GET /', [rendered("{{jwtSign (object) seconds='-1'}}")])],
      { signing: {} },
      '/routes/0/responses/0/body',
      /must be above 0/,
    ],
    [
      [route('GET /', [rendered("{{seal 1 purpose='a'}}")])],
      { signing: {} },
      '/routes/0/responses/0/body',
      /seal needs seconds=/,
    ],
    [
      [route('GET /', [rendered('{{unseal path}}')])],
      { signing: {} },
      '/routes/0/responses/0/body',
      /unseal needs purpose=/,
    ],
    [[], { headers: [{ name: 'x', value: '{{jwks}}' }] }, '/settings/headers/0/value', /jwks needs the setting/],
    [[], { signing: { generation: 1_001 } }, '/settings/signing/generation', /1000 or less/],
    [[], { signing: { alg: 'HS256' } }, '/settings/signing/alg', /RS256/],
    [
      [route('GET /', [{ rules: [{ target: 'template', property: '{{jwks}}', operator: 'exists' }] }])],
      {},
      '/routes/0/responses/0/rules',
      /jwks needs the setting/,
    ],
    [
      [
        route('GET /', [
          { rules: [{ target: 'template', property: "{{storeSet 'set' 'a' '' 1}}", operator: 'exists' }] },
        ]),
      ],
      {},
      '/routes/0/responses/0/rules/0',
      /storeSet is not for conditions/,
    ],
    [
      [route('GET /', [{ rules: [{ target: 'template', property: '{{urlParam}}', operator: 'exists' }] }])],
      {},
      '/routes/0/responses/0/rules/0',
      /the template: /,
    ],
  ])('%j with %j', async (routes, settings, path, message) => {
    const { status, json } = await two.api('POST', '', { name: 'refused', routes, settings });
    expect({ status, details: json.details }).toMatchObject({
      status: 400,
      details: [{ path, message: expect.stringMatching(message) }],
    });
  });

  test('an overlay that uses keys of a mock which has none', async () => {
    const mock = await two.mock([{ id: 'only', ...route('GET /', [rendered('x')]) }]);
    const headers = [{ name: 'x', value: '{{jwks}}' }];
    for (const [overlay, path] of [
      [{ settings: { headers } }, '/overlay/settings/headers/0/value'],
      [{ responses: { only: { merge: { headers } } } }, '/overlay/responses/only/merge/headers'],
    ] as const) {
      const refused = await two.api('POST', `/${mock}/sessions`, { overlay });
      const [detail] = refused.json.details ?? [];
      expect([refused.status, detail]).toEqual([400, { path, message: 'jwks needs the setting `signing`' }]);
      const settings = { ...(overlay as { settings?: object }).settings, signing: {} };
      const { status } = await two.api('POST', `/${mock}/sessions`, { overlay: { ...overlay, settings } });
      expect(status).toBe(200);
    }
  });

  test('settings without the keys that routes use', async () => {
    const mock = await two.mock(ROUTES, { signing: {} });
    const { status, json } = await two.api('PUT', `/${mock}/staged`, { settings: {} });
    expect({ status, details: json.details }).toMatchObject({
      status: 400,
      details: [
        {
          path: '/settings/signing',
          message: expect.stringMatching(/^routes use keys that the settings lack \(GET \/jwks/),
        },
      ],
    });
  });
});

test('a break of all clients is warned of', async () => {
  const data = await two.data('POST', '', { name: 'broken', settings: { signing: { break: 'none' } } });
  expect((await two.data('GET', `/${data.id}/staged/diff`)).warnings).toMatchObject([
    { warning: expect.stringMatching(/break every token for all clients/) },
  ]);
  await two.data('DELETE', `/${data.id}`);
});

describe('a condition on a template', () => {
  const when = (property: string, operator: string, value = ''): Fields => ({
    target: 'template',
    property,
    operator,
    value,
  });

  test('compares what it renders, which may be of variables, the body, the address and stores', async () => {
    const rules = (rule: Fields, body: string): Fields => ({ rules: [rule], body });
    const mock = await two.mock(
      [
        route('POST /', [
          rules(
            when(
              "{{hash (body 'secret') 'sha256' encoding='base64url'}}",
              'equals',
              'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0',
            ),
            'abc',
          ),
          rules(when("{{matches clientIp '^[0-9a-f.:]+$'}}{{variable 'on'}}", 'equals', 'trueyes'), 'on'),
          { body: 'none' },
        ]),
        route('GET /kept', [rules(when("{{store 'users' '0'}}", 'exists'), 'someone'), { body: 'nobody' }]),
      ],
      { variables: { on: 'yes' }, stores: [{ name: 'users', value: [] }] },
    );
    const post = (body: string) =>
      two.text(mock, '/', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect([await post('{"secret": "abc"}'), await post('{}')]).toEqual(['abc', 'on']);
    expect(await two.text(mock, '/kept')).toBe('nobody');
    await two.data('PUT', `/${mock}/stores/users`, { value: ['ann'] });
    expect(await two.text(mock, '/kept')).toBe('someone');
    const tried = await two.data('POST', `/${mock}/try`, { method: 'POST', path: '/', body: '{"secret": "abc"}' });
    expect(tried.response.body).toBe('abc');
    const off = await sessionOf(mock, { variables: {} });
    expect((await two.ask(mock, '/', { method: 'POST', body: '{}', headers: off })).text).toBe('none');
  });

  test('that cannot be rendered is answered 500, with the reason', async () => {
    const mock = await two.mock([
      route('GET /', [{ rules: [when('{{#repeat 1000}}{{#repeat 1000}}a{{/repeat}}{{/repeat}}', 'exists')] }, {}]),
    ]);
    const { status, text } = await two.both(mock, '/');
    expect({ status, text }).toMatchObject({
      status: 500,
      text: expect.stringMatching(/the template of a condition: the template takes more/),
    });
  });

  test('is explained where a route passes a request on, without what it renders', async () => {
    const mock = await two.mock(
      [route('GET /', [{ rules: [when("{{variable 'secret'}}", 'equals', 'other')] }], { otherwise: 'next' })],
      { variables: { secret: 'hidden' } },
    );
    const { status, text } = await two.both(mock, '/');
    expect(status).toBe(404);
    expect(text).toContain('template');
    expect(text).not.toMatch(/hidden|other"/);
  });
});

test('keys survive a restart, in a file for its user alone, and no export has them', async () => {
  const { server, key } = await useOwnServer(['--workers', '2']);
  const own = TwoThreads.of({ server, key });
  const mock = await own.mock(ROUTES, { signing: { alg: 'RS256' } });
  const jwks = (await own.ask(mock, '/jwks')).text;
  const sealed = (await own.ask(mock, '/seal')).text;
  expect(statSync(join(server.data, 'signing.json')).mode & 0o777).toBe(0o600);
  const exported = await server.request('GET', `/v1/mocks/${mock}/export`, { key });
  expect(JSON.stringify(exported.json)).not.toMatch(/PRIVATE|secret/);
  await server.restart();
  expect((await own.ask(mock, '/jwks')).text).toBe(jwks);
  expect((await own.ask(mock, `/unseal?code=${sealed}`)).text).toBe('7');
});
