/**
 * The limits of mocks at their default values, over HTTP with two threads: requests just within a limit are accepted
 * and served, requests just beyond are refused and change nothing; docs/api.md, "Limits". Those that take long:
 * test/real-sizes.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { ask as rawAsk, RawConnection, rawRequest } from '../support/raw-http.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const RULE = { target: 'query', property: 'q', operator: 'exists' };
const create = (routes: readonly Fields[]) => two.api('POST', '', { name: 'm', start: true, routes });
const listOf = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_each, index) => item(index));

const LIMITS: [what: string, routes: (count: number) => Fields[], count: number, last: (count: number) => string][] = [
  [
    'responses per route',
    (count) => [
      route(
        'GET /',
        listOf(count, (index) => ({ body: `${index}` })),
      ),
    ],
    100,
    () => '/',
  ],
  ['rules per response', (count) => [route('GET /', [{ rules: listOf(count, () => RULE) }])], 50, () => '/?q'],
  ['bytes of a response body', (count) => [route('GET /', [{ body: 'x'.repeat(count) }])], 1_000_000, () => '/'],
  [
    'bytes of a body in UTF-8',
    (count) => [route('GET /', [{ body: `${'é'.repeat(499_999)}${'x'.repeat(count - 999_998)}` }])],
    1_000_000,
    () => '/',
  ],
  [
    'bytes of a body, decoded',
    (count) => [route('GET /', [{ body: Buffer.alloc(count).toString('base64'), bodyEncoding: 'base64' }])],
    1_000_000,
    () => '/',
  ],
];

describe.each(LIMITS)('%s:', (_what, routes, most, last) => {
  test(`${most.toLocaleString('en')} are accepted and served`, async () => {
    const { status, json } = await create(routes(most));
    expect(status).toBe(200);
    expect((await two.both(json.data.id, last(most))).status).toBe(200);
  });

  // reaches mocks.responsesPerRouteMax, mocks.rulesPerResponseMax
  test('one more is refused, on create and on an edit', async () => {
    const refused = await create(routes(most + 1));
    expect([400, 403]).toContain(refused.status);
    const id = await two.mock([route('GET /old')]);
    const { status } = await two.api('PUT', `/${id}/staged`, { routes: routes(most + 1) });
    expect([400, 403]).toContain(status);
    expect((await two.data('GET', `/${id}`)).hasStagedChanges).toBe(false);
    expect(await two.text(id, '/old')).toBe('GET /old');
  });
});

describe('a request body on the mock port:', () => {
  let id: string;
  beforeAll(async () => {
    const rules = [{ target: 'body', property: '', operator: 'endsWith', value: 'end' }];
    id = await two.mock([route('POST /', [{ body: 'whole', rules }, { body: 'cut' }])]);
  });

  test('10 MB are accepted and read whole', async () => {
    const body = Buffer.alloc(10_000_000, 'x');
    body.write('end', body.length - 3);
    expect(await two.text(id, '/', { method: 'POST', body })).toBe('whole');
  });

  test('more is refused, by its declared length or while it is received, and others are served', async () => {
    const head = (framing: string) => rawRequest('POST / HTTP/1.1', [`Host: ${id}.localhost`, framing]);
    for (let thread = 0; thread < 2; thread++) {
      // Sends only the head: unread body bytes could reset the connection and lose the reply.
      const declared = await rawAsk(two.server.mockPort, head('Content-Length: 10600000'));
      expect(declared.status).toBe(413);
      const connection = await RawConnection.open(two.server.mockPort);
      void connection.write(head('Transfer-Encoding: chunked'));
      for (let count = 0; count < 10; count++) void connection.write(`100000\r\n${'x'.repeat(1_048_576)}\r\n`);
      void connection.write('1\r\nx\r\n');
      expect((await connection.answer()).status).toBe(413);
      connection.drop();
    }
    expect(await two.text(id, '/', { method: 'POST', body: 'the end' })).toBe('whole');
  });
});

// reaches PIECES_MAX
test.each(['a mock that reads it', 'a mock that does not', 'the API'])(
  'a flood of small parts of a body closes its connection: %s',
  async (to) => {
    const rules = [{ target: 'body', property: '', operator: 'equals', value: 'x' }];
    const id = await two.mock([route('POST /', [{ body: 'x', ...(to === 'a mock that reads it' ? { rules } : {}) }])], {
      traffic: false,
    });
    const [port, path, who] =
      to === 'the API'
        ? ([two.server.port, '/v1/groups', [`x-api-key: ${two.key}`, 'Content-Type: application/json']] as const)
        : ([two.server.mockPort, '/', []] as const);
    const head = rawRequest(`POST ${path} HTTP/1.1`, [`Host: ${id}.localhost`, 'Transfer-Encoding: chunked', ...who]);
    const connection = await RawConnection.open(port);
    void connection.write(head + '1\r\nx\r\n'.repeat(900_000));
    await expect.poll(() => connection.closed, { timeout: 5_000 }).toBe(true);
    expect(connection.rest.toString()).toBe('');
  },
);

test('a request of 9 MB gets its reply when neither rules nor traffic read its body', async () => {
  const id = await two.mock([route('POST /', [{ body: 'fine' }])], { traffic: false });
  for (let request = 0; request < 10; request++) {
    const reply = await two.ask(id, '/', { method: 'POST', body: Buffer.alloc(9_000_000) });
    expect(reply.text).toBe('fine');
  }
});

// reaches mocks.responseBodyBytesMax
test('--mock-body-max raises the limit of a response body', async () => {
  const own = await TwoThreads.start(['--mock-body-max', '3000000']);
  const id = await own.mock([route('GET /', [{ body: 'x'.repeat(3_000_000) }])]);
  expect((await own.both(id, '/')).bytes).toHaveLength(3_000_000);
  const { status } = await own.api('POST', '', {
    name: 'm',
    routes: [route('GET /', [{ body: 'x'.repeat(3_000_001) }])],
  });
  expect(status).toBe(403);
  await own.end();
});
