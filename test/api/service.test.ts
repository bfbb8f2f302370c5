/** What every answer has in common, and the routes around the API: docs/api.md, "Requests and answers". */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isFullEffort } from '../support/effort.ts';
import { revokeKey } from '../../src/cli/keys.ts';
import { rulePayload } from '../support/samples.ts';
import { TestServer, type Answer } from '../support/server.ts';

let server: TestServer;
/** With the options that a test here is about. */
let limited: TestServer;
const WITH_TOKEN = { authorization: 'Bearer m3trics' };
let key: string;

beforeAll(async () => {
  [server, limited] = await Promise.all([
    TestServer.start(),
    TestServer.start([
      '--cors-origin',
      'https://app.example',
      '--metrics-token',
      'm3trics',
      '--resident-owners',
      '3',
      '--owner-idle',
      '200',
    ]),
  ]);
  key = await server.key('acme');
});
afterAll(() => Promise.all([server.end(), limited.end()]));

test.each([
  ['GET', '/v1', 404],
  ['GET', '/v1/', 404],
  ['GET', '/v1/rules/', 404],
  ['GET', '/v1/rules//', 404],
  ['GET', '/v2/rules', 404],
  ['PATCH', '/v1/rules', 405],
  ['POST', '/v1/rules/Cancel_x', 405],
  ['DELETE', '/v1/groups', 405],
  ['PUT', '/healthz', 405],
])('%s %s is %i in the envelope', async (method, path, status) => {
  const answer = await server.request(method, path, { key });
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ success: false, message: status === 404 ? 'Not found' : 'Method not allowed' });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-request-id')).toMatch(/^\S+$/);
  if (status === 405) expect(answer.headers.get('allow')).toMatch(/\bGET\b.*\bOPTIONS\b/);
});

describe('the root', () => {
  const root = (accept: string, path = '/') =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { accept }, redirect: 'manual' });

  // Where to: test/http/console.test.ts.
  test('sends a browser on, without a key', async () => {
    const answer = await root('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
    expect(answer.status).toBe(302);
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept');
    expect((await root('text/html', `/${answer.headers.get('location')}`)).status).toBe(200);
  });

  test('names the version and the ways on to everyone else, without a key', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const answer = await root('*/*');
    expect(answer.status).toBe(200);
    const { success, data } = (await answer.json()) as { success: boolean; data: { links: Record<string, string> } };
    expect(success).toBe(true);
    expect(data).toMatchObject({
      name: 'Switchyard',
      version,
      links: { documentation: '/docs', openapi: '/v1/openapi.json' },
    });
    for (const path of Object.values(data.links)) expect((await root('*/*', path)).status, path).toBe(200);
    expect((await root('application/json')).status).toBe(200);
  });

  test('/docs/ leads to /docs', async () => {
    const answer = await root('text/html', '/docs/');
    expect(answer.status).toBe(308);
    expect(new URL(answer.headers.get('location') as string, answer.url).pathname).toBe('/docs');
  });

  test('no other path with a slash at its end or two at its start is the root', async () => {
    for (const path of ['//', '///', '/docs//', '/docs/start.js/', '/v1/'])
      expect((await root('*/*', path)).status).toBe(404);
  });
});

describe('a refused key says why', () => {
  const MISSING = { path: 'x-api-key', message: 'is missing' };
  const OTHER = { path: 'x-api-key', message: 'is not a key of this server' };
  const details = async (headers: Record<string, string>) => {
    const answer = await server.request('GET', '/v1/rules/Cancel_x', { headers });
    expect([answer.status, answer.json.message]).toEqual([401, 'Unauthorized action']);
    return answer.json.details;
  };

  test('when there is none', async () => {
    expect(await details({})).toEqual([MISSING]);
  });

  test('in the same words for one that is malformed, unknown, wrong or revoked', async () => {
    const revoked = await server.key('acme');
    await revokeKey(server.data, revoked.split('_')[1] as string);
    for (const text of ['x', 'sy_unknown_key', `${key}x`])
      expect(await details({ 'x-api-key': text })).toEqual([OTHER]);
    await expect
      .poll(() => details({ 'x-api-key': revoked }).catch(() => undefined), { timeout: 5_000 })
      .toEqual([OTHER]);
  });

  test('and where a key that came as a bearer token belongs', async () => {
    expect(await details({ authorization: `Bearer ${key}` })).toEqual([
      MISSING,
      { path: 'Authorization', message: 'is not supported here: send the key in the header x-api-key' },
    ]);
    expect(await details({ authorization: `Bearer ${key}`, 'x-api-key': 'x' })).toEqual([OTHER]);
  });
});

test('a sane x-request-id is echoed, another is replaced', async () => {
  const id = async (sent: string) =>
    (await server.request('GET', '/healthz', { headers: { 'x-request-id': sent } })).headers.get('x-request-id');
  expect(await id('abc-123_x.y/z')).toBe('abc-123_x.y/z');
  expect(await id('has blanks')).not.toBe('has blanks');
  expect(await id('x'.repeat(129))).not.toBe('x'.repeat(129));
});

test('healthz and readyz answer without a key', async () => {
  expect((await server.request('GET', '/healthz')).json).toEqual({ success: true, message: 'alive' });
  expect((await server.request('GET', '/readyz')).json).toEqual({ success: true, message: 'ready' });
});

describe('CORS', () => {
  const preflight = (port: TestServer) =>
    port.request('OPTIONS', '/v1/rules', {
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      },
    });

  test('a preflight is answered without a key, by default for any origin', async () => {
    const answer = await preflight(server);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    for (const name of ['x-api-key', 'content-type', 'if-match', 'if-none-match', 'idempotency-key', 'last-event-id']) {
      expect(answer.headers.get('access-control-allow-headers')).toContain(name);
    }
  });

  test('answers, refusals too, can be read by a page', async () => {
    const answer = await server.request('GET', '/v1/rules', { headers: { origin: 'https://app.example' } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    for (const name of ['etag', 'retry-after', 'x-request-id']) {
      expect(answer.headers.get('access-control-expose-headers')).toContain(name);
    }
  });

  test('--cors-origin limits the origins', async () => {
    expect((await preflight(limited)).headers.get('access-control-allow-origin')).toBe('https://app.example');
    const other = await limited.request('GET', '/healthz', { headers: { origin: 'https://evil.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    expect(other.headers.get('vary')).toBe('origin');
  });
});

describe('metrics', () => {
  test('count requests by route and status', async () => {
    await server.request('GET', '/v1/rules', { key });
    const text = (await server.request('GET', '/metrics')).json as string;
    expect(text).toMatch(
      /switchyard_http_request_duration_seconds_count\{method="GET",route="\/v1\/rules",status="200"\} [1-9]/,
    );
    expect(text).toMatch(/switchyard_http_request_duration_seconds_bucket\{.*le="\+Inf"\}/);
    expect(text).toMatch(/^switchyard_owners_resident 1$/m);
    expect(text).toContain('process_cpu_seconds_total');
  });

  test('--metrics-token asks for a bearer token', async () => {
    expect((await limited.request('GET', '/metrics')).status).toBe(401);
    expect((await limited.request('GET', '/metrics', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await limited.request('GET', '/metrics', { headers: WITH_TOKEN })).status).toBe(200);
  });
});

test('the mock port answers 404 to every host: there are no mocks yet', async () => {
  for (const method of ['GET', 'POST', 'HEAD']) {
    const response = await fetch(`http://127.0.0.1:${server.mockPort}/any`, {
      method,
      ...(method === 'POST' ? { body: 'x' } : {}),
    });
    expect(response.status).toBe(404);
  }
});

// reaches RESIDENT_OWNERS_MAX, OWNER_IDLE_MS
test('owners that are over the resident cap or idle leave the memory and come back unchanged', async () => {
  const keys: string[] = [];
  for (let owner = 0; owner < 8; owner++) keys.push(await limited.key(`owner${owner}`));
  const made: unknown[] = [];
  for (const each of keys)
    made.push(asListed(await limited.request('POST', '/v1/rules', { key: each, body: rulePayload() })));
  for (const [owner, each] of keys.entries()) {
    expect((await limited.request('GET', '/v1/rules', { key: each })).json.data).toEqual([made[owner]]);
  }
  const resident = async () =>
    Number(/owners_resident (\d+)/.exec((await limited.request('GET', '/metrics', { headers: WITH_TOKEN })).json)?.[1]);
  // On a busy machine some of them may be idle for long enough already.
  expect(await resident()).toBeLessThanOrEqual(3);
  await expect.poll(resident, { timeout: 5000 }).toBe(0);
  expect((await limited.request('GET', '/v1/rules', { key: keys[0] })).json.data).toEqual([made[0]]);
});

function asListed({ json, headers }: Answer): unknown {
  return { ...json.data, etag: headers.get('etag') };
}

/** At full effort after each request, else after every third one. */
test('a restart between any two requests changes no answer', async () => {
  const own = await server.key('restarted', 'ann');
  const group = (await server.request('POST', '/v1/groups', { key: own, body: { name: 'g', isFavourite: true } })).json
    .data.id;
  const rules: string[] = [];
  const everything = async () => {
    const paths = [
      '/v1/rules',
      '/v1/groups',
      `/v1/rules?groupId=${group}`,
      `/v1/groups/${group}`,
      ...rules.map((id) => `/v1/rules/${id}`),
    ];
    return Promise.all(
      paths.map(async (path) => {
        const { status, headers, json } = await server.request('GET', path, { key: own });
        // A list has another tag after each start.
        return { path, status, etag: Array.isArray(json.data) || headers.get('etag'), json };
      }),
    );
  };
  const steps: [string, string, unknown][] = [
    ['POST', '/v1/rules', rulePayload('Headers', { groupId: group, description: '\u0000\u2028 \u{1f600}' })],
    [
      'POST',
      '/v1/rules',
      rulePayload('Delay', {
        pairs: [
          {
            source: { key: 'Url', operator: 'Equals', value: '' },
            delay: 0.1,
            big: 9007199254740991,
            minus: -0,
            e: 1e-7,
          },
        ],
      }),
    ],
    ['PUT', '/v1/rules/0', rulePayload('Headers', { groupId: group, name: 'renamed' })],
    ['DELETE', '/v1/rules/1', undefined],
    ['POST', '/v1/rules', rulePayload('Cancel', { groupId: group })],
    ['DELETE', `/v1/groups/${group}`, undefined],
  ];
  for (const [at, [method, path, body]] of steps.entries()) {
    const answer = await server.request(
      method,
      path.replace(/rules\/(\d)/, (_all, index: string) => `rules/${rules[Number(index)]}`),
      { key: own, body },
    );
    expect(answer.status).toBe(200);
    if (method === 'POST') rules.push(answer.json.data.id);
    if (!isFullEffort && at % 3 !== 2) continue;
    const before = await everything();
    await server.restart();
    expect(await everything()).toEqual(before);
  }
});
