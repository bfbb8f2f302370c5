/** A definition with every optional member of settings and responses, and every form of a latency: what is stored, exported and compared. */

const SCENARIO = { name: 'login', states: ['out', 'in'], initial: 'out' };

export const BEHAVIOUR_SETTINGS = {
  latency: { median: 3, sigma: 0.5, max: 20 },
  seed: 42,
  faults: [{ kind: 'status', probability: 0, status: 503, body: 'busy', retryAfter: 2 }],
  rateLimit: {
    requests: 1_000,
    perMs: 1_000,
    burst: 2_000,
    by: 'header:x-client',
    status: 420,
    body: '{"slow":"down"}',
  },
  scenarios: [SCENARIO, { name: 'stock', states: ['full'] }],
  stores: [
    { name: 'users', value: [{ id: 1 }], idMember: 'id', relations: { orders: 'userId' } },
    { name: 'orders', value: '[{"id": 1, "userId": {{randomInt 1 1}}}]', templated: 'json' },
  ],
  sessions: 'auto',
  headers: [{ name: 'x-mock', value: '{{path}}' }],
  clock: '2026-01-02T03:04:05Z',
  variables: { base: 'https://api.test', list: [1, { a: null }] },
  debugHeaders: true,
  cors: { origins: ['https://*.example.test'], credentials: false, expose: ['x-total'], maxAgeSeconds: 5 },
  signing: { alg: 'ES256', generation: 2, overlap: false, break: 'kid' },
  clientCert: { required: false, refuse: 401 },
  faker: { locale: 'de' },
  proxy: {
    upstream: 'https://api.test/v1',
    when: 'never',
    timeoutMs: 5_000,
    host: 'keep',
    requestHeaders: [{ name: 'authorization', value: 'Bearer of-a-test' }],
    responseHeaders: [{ name: 'server', value: null }],
    rewrite: false,
    mark: false,
    rules: true,
    onFailure: 'mock',
    record: true,
    redact: { headers: ['x-account'], members: ['iban'] },
  },
} as const;

export const BEHAVIOUR_ROUTES = [
  {
    id: 'account',
    method: 'GET',
    path: '/account',
    responses: [
      { id: 'in', body: 'welcome', scenario: { name: 'login', requires: 'in' }, latency: { min: 0, max: 2 } },
      {
        id: 'out',
        status: 401,
        scenario: [{ name: 'login', requires: ['out'], moveTo: 'in' }, { name: 'stock' }],
        latency: { mean: 1, deviation: 2, max: 6 },
      },
    ],
  },
  {
    id: 'faults',
    method: 'GET',
    path: '/faults',
    selection: 'sequential',
    responses: [
      { id: 'cut', body: 'truncated', fault: { kind: 'truncated', probability: 0.5, first: 2, bytes: 3 } },
      { id: 'hung', fault: { kind: 'hang', after: 1, ms: 10 }, latency: { mean: 3, deviation: 1, min: 0, max: 9 } },
    ],
  },
  {
    id: 'slow',
    method: 'GET',
    path: '/slow',
    selection: 'default',
    responses: [
      {
        id: 'pieces',
        body: 'in pieces',
        delivery: { chunks: 3, overMs: 30 },
        sample: {
          path: '/slow',
          query: 'a=1&b=%20',
          headers: [{ name: 'accept', value: '*/*' }],
          body: 'AP8=',
          bodyEncoding: 'base64',
        },
      },
      {
        id: 'called',
        body: 'called back',
        callbacks: [
          {
            name: 'paid',
            url: 'https://hooks.test/paid',
            method: 'PUT',
            headers: [{ name: 'content-type', value: 'application/json' }],
            body: '{"id": "{{uuid}}"}',
            templated: 'json',
            delay: { min: 1, max: 5 },
            timeoutMs: 1_000,
            repeat: 2,
            when: [{ target: 'query', property: 'paid', operator: 'equals', value: 'yes' }],
            retry: { max: 1, backoffMs: [10, 20] },
            sign: { scheme: 'hmac', secret: { variable: 'base' }, header: 'x-signature', algorithm: 'sha512' },
          },
        ],
      },
      { id: 'rate', body: 'at a rate', delivery: { bytesPerSecond: 1_000 } },
      { id: 'late', body: 'late', delivery: { firstByteMs: 10 } },
      {
        id: 'streamed',
        templated: 'json',
        stream: {
          format: 'sse',
          events: [
            {
              event: 'tick',
              id: 'a',
              retry: 10,
              comment: 'first',
              delay: { min: 1, max: 5 },
              data: '{"n": {{@index}}}',
            },
            { forEach: "{{tokens (body 'text') 8}}", delay: 1, data: '{{item}}' },
          ],
          repeat: 2,
          end: 'open',
          keepAliveMs: 100,
          ids: 'auto',
          resume: false,
          channel: 'ticks',
        },
        fault: { kind: 'events', probability: 0.5, afterEvents: 1, events: [{ delay: 1, data: '{"error": true}' }] },
      },
    ],
  },
  {
    id: 'next',
    method: 'ANY',
    path: '^/(?P<kind>books|films)/[0-9]+$',
    pathKind: 'regex',
    otherwise: 'next',
    responses: [
      {
        id: 'grouped',
        templated: 'json',
        body: '{"kind":{{urlParam \'kind\'}}}',
        rules: [
          {
            any: [
              { target: 'query', property: 'a', operator: 'equals', value: 'X', ignoreCase: true },
              { not: { target: 'method', operator: 'equals', value: 'GET' } },
            ],
          },
          { all: [{ target: 'body', operator: 'jsonIncludes', value: '{"a":[1,2]}', ignoreOrder: true }] },
          { target: 'body', operator: 'jsonIncludes', value: '[12345678901234567890]', extraItems: true },
          { target: 'body', operator: 'jsonEquals', value: '["${json-unit.ignore}"]', placeholders: true },
          { target: 'queryString', operator: 'only', value: 'a,b' },
          { target: 'template', property: '{{method}}', operator: 'equals', value: 'GET' },
          { target: 'clientCert', property: 'san.dns', operator: 'exists' },
          {
            anyPart: [
              { target: 'header', property: 'x', operator: 'exists' },
              { not: { target: 'body', operator: 'empty' } },
            ],
          },
        ],
      },
    ],
  },
  {
    id: 'form',
    method: 'GET',
    path: '/files/:name.:ending/*/v:major([0-9]+)',
    responses: [{ id: 'form', body: 'form' }],
  },
  {
    id: 'proxied',
    method: 'GET',
    path: '/proxied',
    responses: [{ id: 'real', templated: true, proxy: { upstream: 'http://127.0.0.1:9', path: '/at{{path}}' } }],
  },
  {
    id: 'socket',
    kind: 'ws',
    method: 'GET',
    path: '/socket',
    protocols: ['v2', 'v1'],
    compress: true,
    tickMs: 600_000,
    tickTo: 'all',
    responses: [
      { id: 'hello', when: 'open', to: 'others', body: 'hello' },
      {
        id: 'reply',
        rules: [{ target: 'message', property: 'kind', operator: 'equals', value: 'a' }],
        stream: { events: [{ data: 'AP8=', encoding: 'base64' }] },
        fault: { kind: 'ended', code: 4_000, probability: 0 },
        close: { code: 1_000, reason: 'over' },
      },
      { id: 'nothing', silent: true },
      { id: 'again', when: 'tick', body: 'tick' },
    ],
  },
  { id: 'users', kind: 'crud', path: '/users', store: 'users', dialect: 'rest', responses: [{ id: 'stored' }] },
  {
    id: 'order',
    method: 'POST',
    path: '/orders/:user',
    responses: [
      {
        id: 'ordered',
        store: {
          op: 'create',
          name: 'orders',
          id: "{{urlParam 'user'}}",
          value: '{"userId": {{urlParam \'user\'}}}',
          missing: 410,
          taken: 423,
          invalid: 418,
          full: 503,
        },
      },
    ],
  },
] as const;

/** The same with the members of each object in the opposite order. */
export function turnedRound<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(turnedRound) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, each]) => [name, turnedRound(each)]),
  ) as Value;
}
