/**
 * The recipe `oidc` by those who know OpenID: every flow with `openid-client`, keys and tokens with `jose`, errors beside those of
 * `oidc-provider`. docs/guide-oidc.md.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Provider } from 'oidc-provider';
import * as oidc from 'openid-client';
import { createClient, oidcSession, type MockRecord } from '../../src/client/index.ts';
import { Agent, fetch as fetchOf } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const CALLBACK = 'http://127.0.0.1:9/callback';
let mock: MockRecord;

async function provider(): Promise<MockRecord> {
  const { mocks, report } = await client.mocks.importRecipe('oidc', { start: true });
  expect(report.entries).toEqual([]);
  return mocks[0] as MockRecord;
}

beforeAll(async () => {
  mock = await provider();
});

/** Names below localhost are this machine, also where the resolver does not know them. */
const dispatcher = new Agent({
  connect: { lookup: (_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }]) },
});
const fetch = ((url: string, init?: object) =>
  fetchOf(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch;

const secured = {
  [oidc.customFetch]: fetch as oidc.CustomFetch,
  execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
};

function discover(base: string, clientId = 'web', secret?: string): Promise<oidc.Configuration> {
  return oidc.discovery(new URL(base), clientId, secret, secret === undefined ? oidc.None() : undefined, secured);
}

/** @returns Where the browser is sent back to. */
async function signIn(url: URL, user = 'ann'): Promise<URL> {
  const shown = await fetch(url, { redirect: 'manual' });
  const page = await shown.text();
  if (shown.status !== 200) return new URL(shown.headers.get('location') ?? 'http://none.invalid');
  const [, request = ''] = /name="request" value="([^"]+)"/.exec(page) ?? [];
  const action = new URL('authorize', url);
  const sent = await fetch(action, {
    method: 'POST',
    body: new URLSearchParams({ request, user }),
    redirect: 'manual',
  });
  return new URL(sent.headers.get('location') ?? `http://none.invalid/${sent.status}`);
}

interface Flow {
  readonly parameters?: Record<string, string>;
  readonly user?: string;
}

async function codeFlow(config: oidc.Configuration, { parameters = {}, user }: Flow = {}) {
  const [verifier, nonce, state] = [oidc.randomPKCECodeVerifier(), oidc.randomNonce(), oidc.randomState()];
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid email offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    nonce,
    state,
    ...parameters,
  });
  const back = await signIn(url, user);
  return oidc.authorizationCodeGrant(config, back, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    expectedState: state,
    idTokenExpected: true,
  });
}

const urlOf = (): string => client.mocks.urlFor(mock);

/** As a client that checks `at_hash` computes it. */
function hashOf(token: string, alg: string): string {
  const hash = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
    .update(token)
    .digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}

describe.each(['RS256', 'ES256', 'EdDSA'] as const)('every flow with %s', (alg) => {
  let config: oidc.Configuration;

  beforeAll(async () => {
    const session = await oidcSession(client, mock, { signing: { alg } });
    config = await discover(session.url);
  });

  test('a code with PKCE, nonce and state; refresh; userinfo; introspection; revocation; logout', async () => {
    expect(config.serverMetadata().id_token_signing_alg_values_supported).toEqual([alg]);
    const tokens = await codeFlow(config);
    expect(tokens.claims()).toMatchObject({ sub: 'ann', aud: 'web', email: 'ann@example.com' });
    expect(tokens.claims()?.at_hash).toBe(hashOf(tokens.access_token, alg));
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3_600, scope: 'openid email offline_access' });
    const info = await oidc.fetchUserInfo(config, tokens.access_token, 'ann');
    expect(info).toEqual({ sub: 'ann', name: 'Ann Example', email: 'ann@example.com', email_verified: true });
    const next = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(next.claims()?.sub).toBe('ann');
    const introspected = await oidc.tokenIntrospection(config, next.access_token);
    expect(introspected).toMatchObject({ active: true, sub: 'ann', client_id: 'web' });
    expect(await oidc.tokenIntrospection(config, next.refresh_token ?? '')).toMatchObject({ active: true, sub: 'ann' });
    expect(await oidc.tokenIntrospection(config, 'unknown')).toEqual({ active: false });
    await oidc.tokenRevocation(config, next.refresh_token ?? '');
    expect(await oidc.tokenIntrospection(config, next.refresh_token ?? '')).toEqual({ active: false });
    const out = oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: 'http://127.0.0.1:9/bye', state: 'a b' });
    const left = await fetch(out, { redirect: 'manual' });
    expect([left.status, left.headers.get('location')]).toEqual([303, 'http://127.0.0.1:9/bye?state=a%20b']);
  });

  test('client credentials, password, and a device', async () => {
    const machine = await oidc.clientCredentialsGrant(config, { scope: 'orders', resource: 'https://api.test' });
    const { jwks_uri: uri = '', issuer } = config.serverMetadata();
    const keys = createRemoteJWKSet(new URL(uri));
    const verified = await jwtVerify(machine.access_token, keys, {
      issuer,
      audience: 'https://api.test',
      typ: 'at+jwt',
    });
    expect(verified.payload).toMatchObject({ sub: 'web', client_id: 'web', scope: 'orders' });
    const user = await oidc.genericGrantRequest(config, 'password', {
      username: 'bob@example.com',
      password: 'x',
      scope: 'openid',
    });
    expect(user.claims()?.sub).toBe('bob');
    const device = await oidc.initiateDeviceAuthorization(config, { scope: 'openid' });
    expect(device.user_code).toMatch(/^[A-Z]{8}$/);
    expect((await fetch(device.verification_uri_complete ?? '')).status).toBe(200);
    expect((await oidc.pollDeviceAuthorizationGrant(config, device)).claims()?.sub).toBe('ann');
  });
});

describe('its address', () => {
  test.each<[form: string, base: (session: { url: string; id: string }) => string]>([
    ['path', () => urlOf()],
    ['path of a session', ({ url }) => url],
    ['host', () => `http://${mock.id}.localhost:${server.mockPort}`],
    ['host of a session', ({ id }) => `http://${id}--${mock.id}.localhost:${server.mockPort}`],
  ])('by %s is the issuer of its tokens', async (_form, base) => {
    const session = await oidcSession(client, mock, { login: 'auto' });
    const at = base(session);
    const config = await discover(at);
    expect(config.serverMetadata().issuer).toBe(at);
    expect((await codeFlow(config)).claims()?.iss).toBe(at);
  });

  test('can be fixed, and another for browsers', async () => {
    const session = await oidcSession(client, mock, {
      issuer: 'https://idp.test',
      browserUrl: 'http://localhost:1/idp',
      login: 'auto',
    });
    const document = (await (await fetch(`${session.url}/.well-known/openid-configuration`)).json()) as Record<
      string,
      unknown
    >;
    expect(document).toMatchObject({
      issuer: 'https://idp.test',
      authorization_endpoint: 'http://localhost:1/idp/authorize',
      token_endpoint: `${session.url}/token`,
      authorization_response_iss_parameter_supported: true,
    });
    const url = `${session.url}/authorize?client_id=web&response_type=code&redirect_uri=http://a.test`;
    const back = await signIn(new URL(url));
    expect(back.searchParams.get('iss')).toBe('https://idp.test');
  });
});

test('two sessions have users and keys of their own, and no token of one is valid in the other', async () => {
  const [one, other] = await Promise.all(
    ['carl', 'dora'].map((sub) => oidcSession(client, mock, { users: [{ sub, roles: [sub] }], login: 'auto' })),
  );
  const [first, second] = await Promise.all([one, other].map((session) => discover(session?.url ?? '')));
  if (first === undefined || second === undefined) throw new Error('no provider');
  const tokens = await codeFlow(first);
  expect(tokens.claims()).toMatchObject({ sub: 'carl', roles: ['carl'] });
  expect((await codeFlow(second)).claims()).toMatchObject({ sub: 'dora', roles: ['dora'] });
  await expect(oidc.refreshTokenGrant(second, tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  await expect(oidc.fetchUserInfo(second, tokens.access_token, 'carl')).rejects.toMatchObject({ status: 401 });
  expect(await oidc.tokenIntrospection(second, tokens.access_token)).toEqual({ active: false });
});

describe('a broken provider is refused:', () => {
  /** The client itself refuses what it got. */
  const isOfToken = (error: unknown): boolean =>
    error instanceof Error &&
    'code' in error &&
    /^OAUTH_(?:JWT|INVALID_RESPONSE|KEY|UNSUPPORTED)/.test(String(error.code));

  test.each(['expired', 'audience', 'issuer', 'nonce', 'kid', 'signature', 'none'] as const)(
    'ID tokens with a wrong %s by openid-client',
    async (broken) => {
      const session = await oidcSession(client, mock, { break: broken, login: 'auto' });
      await expect(codeFlow(await discover(session.url))).rejects.toSatisfy(isOfToken);
    },
  );

  test.each(['expired', 'notBefore', 'audience', 'issuer', 'kid', 'signature', 'none'] as const)(
    'access tokens with a wrong %s by jose',
    async (broken) => {
      const session = await oidcSession(client, mock, { break: broken });
      const config = await discover(session.url);
      const { access_token: text } = await oidc.clientCredentialsGrant(config, { resource: 'api' });
      const { issuer, jwks_uri: uri = '' } = config.serverMetadata();
      await expect(
        jwtVerify(text, createRemoteJWKSet(new URL(uri)), { issuer, audience: 'api' }),
      ).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_J/) as string,
      });
    },
  );
});

test('keys rotate under a client that has them', async () => {
  const own = await provider();
  const base = client.mocks.urlFor(own);
  const config = await discover(base);
  const keys = createRemoteJWKSet(new URL(`${base}/jwks`), { cooldownDuration: 0 });
  const token = async (): Promise<string> => (await oidc.clientCredentialsGrant(config)).access_token;
  const rotate = async (signing: object): Promise<void> => {
    const { settings } = await client.mocks.staged.get(own.id);
    await client.mocks.staged.put(own.id, { settings: { ...settings, signing } });
    await client.mocks.save(own.id);
  };
  const before = await token();
  await jwtVerify(before, keys);
  await rotate({ generation: 2 });
  await jwtVerify(await token(), keys);
  await jwtVerify(before, createRemoteJWKSet(new URL(`${base}/jwks`)));
  await rotate({ generation: 3, overlap: false });
  await expect(jwtVerify(before, createRemoteJWKSet(new URL(`${base}/jwks`)))).rejects.toThrow(/no applicable key/);
});

test('keys that come late are waited for as long as a client does', async () => {
  const overlay = { responses: { jwks: { merge: { latency: 5_000 } } } };
  const { url } = await client.mocks.session(mock.id, { overlay });
  const { access_token: token } = await oidc.clientCredentialsGrant(await discover(url));
  const keys = createRemoteJWKSet(new URL(`${url}/jwks`), { timeoutDuration: 100 });
  await expect(jwtVerify(token, keys)).rejects.toMatchObject({ code: 'ERR_JWKS_TIMEOUT' });
});

describe('the login page', () => {
  test('goes back with what the user chose, or that they did not', async () => {
    const config = await discover(urlOf());
    expect((await codeFlow(config, { user: 'bob' })).claims()?.sub).toBe('bob');
    await expect(codeFlow(config, { user: '' })).rejects.toMatchObject({ error: 'access_denied' });
    expect((await codeFlow(config, { parameters: { login_hint: 'bob@example.com' } })).claims()?.sub).toBe('bob');
    await expect(codeFlow(config, { parameters: { prompt: 'none' } })).rejects.toMatchObject({
      error: 'login_required',
    });
  });

  test('takes a request by POST, and nothing that it has not made', async () => {
    const request = new URLSearchParams({ client_id: 'web', redirect_uri: 'http://a.test', response_type: 'code' });
    const post = (body: URLSearchParams) => fetch(`${urlOf()}/authorize`, { method: 'POST', body, redirect: 'manual' });
    expect((await post(request)).headers.get('location')).toBe(`${urlOf()}/authorize?${request.toString()}`);
    expect((await post(new URLSearchParams({ request: 'made-up', user: 'ann' }))).status).toBe(400);
  });
});

describe('with clients', () => {
  const CLIENTS = [
    {
      client_id: 'web',
      client_secret: 'p@ss word',
      redirect_uris: [CALLBACK],
      post_logout_redirect_uris: ['http://a.test/bye'],
    },
    { client_id: 'spa', redirect_uris: ['http://spa.test'] },
  ];

  test('only these are known, with their secrets and addresses', async () => {
    const session = await oidcSession(client, mock, { clients: CLIENTS, login: 'auto' });
    expect((await codeFlow(await discover(session.url, 'web', 'p@ss word'))).claims()?.sub).toBe('ann');
    for (const [id, secret] of [
      ['web', 'wrong'],
      ['other', 'x'],
    ] as const) {
      const wrong = await discover(session.url, id, secret);
      await expect(oidc.clientCredentialsGrant(wrong)).rejects.toMatchObject({ status: 401 });
    }
    const status = async (path: string): Promise<number> =>
      (await fetch(`${session.url}${path}`, { redirect: 'manual' })).status;
    const at = (id: string, uri: string) =>
      `/authorize?client_id=${id}&response_type=code&redirect_uri=${encodeURIComponent(uri)}`;
    expect(await status(at('web', CALLBACK))).toBe(303);
    expect(await status(at('web', 'http://evil.test'))).toBe(400);
    expect(await status(at('spa', CALLBACK))).toBe(400);
    expect(await status(at('none', CALLBACK))).toBe(400);
    const { status: injected } = await fetch(`${urlOf()}${at('any', 'http://a.test/\r\nx-y: z')}`);
    expect(injected).toBe(400);
    expect(await status('/logout?post_logout_redirect_uri=http://a.test/bye')).toBe(303);
    expect(await status('/logout?post_logout_redirect_uri=http://evil.test')).toBe(400);
  });
});

test('a device waits for its user', async () => {
  const session = await oidcSession(client, mock, { deviceSeconds: 2 });
  const config = await discover(session.url);
  const device = await oidc.initiateDeviceAuthorization(config, {});
  await expect(
    oidc.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:device_code', {
      device_code: device.device_code,
    }),
  ).rejects.toMatchObject({ error: 'authorization_pending' });
  await oidc.pollDeviceAuthorizationGrant(config, device);
});

describe('what ends', () => {
  const refused = { error: 'invalid_grant' };

  test('a code is used once, in each session; one that was refused can still be used', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => oidcSession(client, mock, { login: 'auto' })));
    for (const session of [one, other]) {
      const config = await discover(session?.url ?? '');
      const url = oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'openid', state: 's' });
      const back = await signIn(url);
      const exchange = (uri: string) =>
        oidc.genericGrantRequest(config, 'authorization_code', {
          code: back.searchParams.get('code') ?? '',
          redirect_uri: uri,
        });
      await expect(exchange('http://another.test')).rejects.toMatchObject(refused);
      expect((await exchange(CALLBACK)).claims()?.sub).toBe('ann');
      await expect(exchange(CALLBACK)).rejects.toMatchObject(refused);
    }
  });

  test('of exchanges at the same time, one has tokens', async () => {
    const config = await discover((await oidcSession(client, mock, { login: 'auto' })).url);
    const code = async (): Promise<string> => {
      const url = oidc.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, scope: 'openid', state: 's' });
      return (await signIn(url)).searchParams.get('code') ?? '';
    };
    for (let round = 0; round < 5; round++) {
      const given = { code: await code(), redirect_uri: CALLBACK };
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, () => oidc.genericGrantRequest(config, 'authorization_code', given)),
      );
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  test('spent codes are forgotten after they have ended, not before', async () => {
    const lifetimes = { code: 2 };
    const session = await oidcSession(client, mock, { login: 'auto', lifetimes });
    const config = await discover(session.url);
    const size = async (): Promise<number> => JSON.stringify((await session.stores.get('codes')).value).length;
    const counts: number[] = [];
    for (let second = 0; second < 7; second++) {
      for (let count = 0; count < 5; count++) await codeFlow(config);
      counts.push(await size());
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expect(counts[1]).toBeGreaterThan(counts[0] as number);
    // At most those of two lifetimes.
    expect(Math.max(...counts)).toBeLessThan(4 * (counts[0] as number));
  });

  test('a device code is used once, a refresh token until it is revoked, or once where that is wanted', async () => {
    const session = await oidcSession(client, mock, { login: 'auto' });
    const config = await discover(session.url);
    const device = await oidc.initiateDeviceAuthorization(config, { scope: 'openid' });
    await oidc.pollDeviceAuthorizationGrant(config, device);
    const again = oidc.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:device_code', {
      device_code: device.device_code,
    });
    await expect(again).rejects.toMatchObject(refused);

    const { refresh_token: token = '', access_token: access } = await codeFlow(config);
    for (let count = 0; count < 2; count++) await oidc.refreshTokenGrant(config, token);
    // Only its client ends it.
    await oidc.tokenRevocation(await discover(session.url, 'another'), token);
    await oidc.refreshTokenGrant(config, token);
    await oidc.tokenRevocation(config, token);
    await expect(oidc.refreshTokenGrant(config, token)).rejects.toMatchObject(refused);
    await oidc.fetchUserInfo(config, access, 'ann');
    await oidc.tokenRevocation(config, access);
    expect(await oidc.tokenIntrospection(config, access)).toEqual({ active: false });
    await expect(oidc.fetchUserInfo(config, access, 'ann')).rejects.toMatchObject({ status: 401 });

    const strict = await oidcSession(client, mock, { login: 'auto', refreshOnce: true });
    const rotating = await discover(strict.url);
    const first = await codeFlow(rotating);
    const second = await oidc.refreshTokenGrant(rotating, first.refresh_token ?? '');
    await expect(oidc.refreshTokenGrant(rotating, first.refresh_token ?? '')).rejects.toMatchObject(refused);
    await oidc.refreshTokenGrant(rotating, second.refresh_token ?? '');
  });
});

describe('beside oidc-provider', () => {
  const http = createServer();
  let real: string;

  beforeAll(async () => {
    await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
    real = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const other = new Provider(real, {
      clients: [
        {
          client_id: 'web',
          client_secret: 's',
          redirect_uris: ['http://a.test/cb'],
          grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
          response_types: ['code'],
        },
      ],
      features: {
        introspection: { enabled: true },
        revocation: { enabled: true },
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
      },
      pkce: { required: () => false },
    });
    http.on('request', other.callback());
  });
  afterAll(() => http.close());

  const basic = { authorization: `Basic ${btoa('web:s')}` };
  const form = (fields: Record<string, string>) => ({
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: basic,
  });
  test.each<[what: string, paths: readonly [own: string, real: string], init: RequestInit]>([
    ['no grant type', ['/token', '/token'], form({})],
    ['another grant type', ['/token', '/token'], form({ grant_type: 'x' })],
    [
      'an unknown code',
      ['/token', '/token'],
      form({ grant_type: 'authorization_code', code: 'x', redirect_uri: 'http://a.test/cb' }),
    ],
    ['no code', ['/token', '/token'], form({ grant_type: 'authorization_code' })],
    ['an unknown refresh token', ['/token', '/token'], form({ grant_type: 'refresh_token', refresh_token: 'x' })],
    ['no refresh token', ['/token', '/token'], form({ grant_type: 'refresh_token' })],
    [
      'a wrong secret',
      ['/token', '/token'],
      { ...form({ grant_type: 'client_credentials' }), headers: { authorization: `Basic ${btoa('web:x')}` } },
    ],
    ['introspection of an unknown token', ['/introspect', '/token/introspection'], form({ token: 'x' })],
    ['introspection of nothing', ['/introspect', '/token/introspection'], form({})],
    ['revocation of an unknown token', ['/revoke', '/token/revocation'], form({ token: 'x' })],
    ['userinfo without a token', ['/userinfo', '/me'], {}],
    ['userinfo with another token', ['/userinfo', '/me'], { headers: { authorization: 'Bearer x' } }],
  ])('%s has the same error', async (_what, [own, other], init) => {
    const session = await oidcSession(client, mock, { clients: [{ client_id: 'web', client_secret: 's' }] });
    const [mine, theirs] = await Promise.all([fetch(`${session.url}${own}`, init), fetch(`${real}${other}`, init)]);
    const errorOf = (text: string): unknown =>
      text === '' ? undefined : (JSON.parse(text) as { error?: string }).error;
    const [text, expected] = await Promise.all([mine.text(), theirs.text()]);
    expect([mine.status, errorOf(text)]).toEqual([theirs.status, errorOf(expected)]);
    const scheme = ({ headers }: Response): string | undefined => headers.get('www-authenticate')?.split(' ')[0];
    expect(scheme(mine)).toBe(scheme(theirs));
  });

  test('members of discovery that both have are of the same type', async () => {
    const path = '/.well-known/openid-configuration';
    const [mine, theirs] = (await Promise.all(
      [urlOf(), real].map(async (at) => (await fetch(`${at}${path}`)).json()),
    )) as [Record<string, unknown>, Record<string, unknown>];
    const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);
    const common = Object.keys(mine).filter((name) => name in theirs);
    expect(common.length).toBeGreaterThan(15);
    expect(common.map((name) => [name, typeOf(mine[name])])).toEqual(
      common.map((name) => [name, typeOf(theirs[name])]),
    );
  });
});
