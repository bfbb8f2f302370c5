/** WebSocket routes over real sockets with two threads; docs/mocks-streams.md, "WebSockets". */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { RawConnection, rawRequest } from '../support/raw-http.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();
const POLL = { timeout: 10_000, interval: 20 };

const ws = (responses: readonly Fields[], more: Fields = {}, path = '/ws'): Fields =>
  route(`GET ${path}`, responses, { kind: 'ws', ...more });
const address = (mock: string, path = '/ws'): string => `ws://127.0.0.1:${two.server.mockPort}${two.root(mock)}${path}`;
const recorded = async (mock: string, query = ''): Promise<Fields[]> =>
  (await two.api('GET', `/${mock}/requests${query}`)).json.data;

/** A client with all that it got. */
class Client {
  readonly socket: WebSocket;
  readonly messages: (string | Buffer)[] = [];
  readonly closed: Promise<string>;
  error: string | undefined;

  constructor(url: string, protocols: readonly string[] = [], options: ClientOptions = {}) {
    this.socket = new WebSocket(url, [...protocols], options);
    this.socket.on('message', (data: Buffer, isBinary) => this.messages.push(isBinary ? data : data.toString()));
    this.socket.on('error', ({ message }) => (this.error = message));
    this.closed = new Promise((resolve) =>
      this.socket.on('close', (code, reason) => resolve(`${code} ${reason.toString()}`.trim())),
    );
    onTestFinished(() => this.socket.terminate());
  }

  static async open(url: string, protocols: readonly string[] = [], options: ClientOptions = {}): Promise<Client> {
    const client = new Client(url, protocols, options);
    await once(client.socket, 'open');
    return client;
  }

  async got(count: number): Promise<readonly (string | Buffer)[]> {
    await expect.poll(() => this.messages.length, POLL).toBeGreaterThanOrEqual(count);
    return this.messages;
  }

  async ask(message: string | Buffer): Promise<string | Buffer | undefined> {
    const before = this.messages.length;
    this.socket.send(message);
    return (await this.got(before + 1))[before];
  }
}

/** What a handshake is answered that is refused: its status, headers and body. */
async function refusal(mock: string, path = '/ws', options: ClientOptions = {}) {
  const client = new WebSocket(address(mock, path), options);
  client.on('error', () => undefined);
  const [, response] = await once(client, 'unexpected-response');
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, headers: response.headers, body };
}

test('a message is answered by conditions on it, with templates, as text and as JSON', async () => {
  const mock = await two.mock([
    ws(
      [
        {
          id: 'sum',
          rules: [{ target: 'message', property: 'op', operator: 'equals', value: 'sum' }],
          templated: 'json',
          body: "{\"sum\": {{add (body 'a') (body 'b')}}, \"by\": {{urlParam 'room'}}}",
        },
        {
          id: 'bytes',
          rules: [{ target: 'message', operator: 'equals', value: 'bytes' }],
          body: '/wA=',
          bodyEncoding: 'base64',
        },
        {
          id: 'several',
          rules: [{ target: 'body', operator: 'startsWith', value: 'count ' }],
          templated: true,
          stream: { repeat: 3, events: [{ data: '{{@index}}', delay: 5 }] },
        },
        { id: 'silent', rules: [{ target: 'message', operator: 'equals', value: 'hush' }], silent: true },
        {
          id: 'bye',
          rules: [{ target: 'message', operator: 'equals', value: 'bye' }],
          body: 'bye',
          close: { code: 4001, reason: 'over' },
        },
      ],
      {},
      '/rooms/:room',
    ),
  ]);
  const client = await Client.open(address(mock, '/rooms/a%20b'));
  expect(JSON.parse(String(await client.ask('{"op": "sum", "a": 1, "b": 2}')))).toEqual({ sum: 3, by: 'a b' });
  expect(await client.ask('bytes')).toEqual(Buffer.from([0xff, 0]));
  client.socket.send('count now');
  await client.got(5);
  client.socket.send('hush');
  client.socket.send('nothing for this');
  expect(await client.ask('bye')).toBe('bye');
  expect(client.messages.slice(2)).toEqual(['0', '1', '2', 'bye']);
  expect(await client.closed).toBe('4001 over');
  const messages = (await recorded(mock, '?message=any')).toReversed();
  const [handshake] = await recorded(mock);
  expect(handshake).toMatchObject({
    method: 'GET',
    path: '/rooms/a%20b',
    status: 101,
    stream: { events: 6, ended: 'script' },
  });
  expect(messages.every(({ message }) => (message as Fields)['requestId'] === handshake?.['id'])).toBe(true);
  expect(
    messages.map(({ message, responseId, body, problem }) => {
      const { direction, type } = message as Fields;
      const texts = [direction, type, responseId, body, problem] as (string | undefined)[];
      return texts.filter((each) => each !== undefined).join(' ');
    }),
  ).toEqual([
    'in text sum {"op": "sum", "a": 1, "b": 2}',
    'out text sum {"sum": 3, "by": "a b"}',
    'in text bytes bytes',
    'out binary bytes /wA=',
    'in text several count now',
    'out text several 0',
    'out text several 1',
    'out text several 2',
    'in text silent hush',
    'in text  nothing for this no response matches this message: requires message op equals sum; got nothing (the closest of 5 responses)',
    'in text bye bye',
    'out text bye bye',
    'out close  4001 over',
  ]);
  expect(await two.data('GET', `/${mock}/counts`)).toMatchObject({
    total: 1,
    unmatched: 0,
    messages: { in: 6, out: 7 },
    statuses: [{ status: 101, count: 1 }],
  });
});

test('a response to the handshake greets, sets headers, or refuses', async () => {
  const mock = await two.mock([
    ws([
      {
        when: 'open',
        rules: [{ target: 'header', property: 'authorization', operator: 'empty' }],
        status: 401,
        headers: [{ name: 'www-authenticate', value: 'Bearer' }],
        body: 'who?',
      },
      { when: 'open', headers: [{ name: 'x-room', value: 'a' }], templated: true, body: 'hello {{header "x-name"}}' },
      { body: 'pong' },
    ]),
  ]);
  const refused = await refusal(mock);
  expect([refused.status, refused.headers['www-authenticate'], refused.body]).toEqual([401, 'Bearer', 'who?']);
  const client = new Client(address(mock), [], { headers: { authorization: 'Bearer x', 'x-name': 'ann' } });
  const upgraded = once(client.socket, 'upgrade');
  await once(client.socket, 'open');
  expect((await upgraded)[0].headers['x-room']).toBe('a');
  expect(await client.ask('ping')).toBe('pong');
  expect(client.messages).toEqual(['hello ann', 'pong']);
  expect((await two.data('GET', `/${mock}/counts`)).statuses).toEqual([
    { status: 101, count: 1 },
    { status: 401, count: 1 },
  ]);
});

test('what is not a handshake, or malformed, is told 426; where no such route matches a request is an ordinary one', async () => {
  const mock = await two.mock([
    ws([{ body: 'x' }]),
    route('GET /both', [{ body: 'page' }]),
    ws([{ body: 'socket' }], {}, '/both'),
    route('ANY /http', [{ body: 'http' }]),
  ]);
  const plain = await two.both(mock, '/ws');
  expect([plain.status, plain.headers['sec-websocket-version'], plain.headers['upgrade']]).toEqual([
    426,
    '13',
    'websocket',
  ]);
  expect((await two.both(mock, '/ws', { method: 'POST' })).status).toBe(404);
  expect(await two.text(mock, '/both')).toBe('page');
  expect(await (await Client.open(address(mock, '/both'))).ask('x')).toBe('socket');
  expect(await refusal(mock, '/http')).toMatchObject({ status: 200, body: 'http' });
  expect(await refusal(mock, '/none')).toMatchObject({ status: 404 });
  const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const lines = [
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: keep-alive, Upgrade',
    KEY,
    'Sec-WebSocket-Version: 13',
  ];
  const status = async (sent: readonly string[]) => {
    const connection = await RawConnection.open(two.server.mockPort);
    await connection.write(rawRequest(`GET ${two.root(mock)}/ws HTTP/1.1`, sent));
    const answer = await connection.answer();
    await connection.close();
    return answer.status;
  };
  for (const left of [1, 2, 3, 4])
    expect(await status(lines.filter((_, index) => index !== left)), lines[left]).toBe(426);
  expect(await status(lines.map((line) => line.replace(': 13', ': 8')))).toBe(426);
  expect(await status(lines.map((line) => line.replace('==', 'A=')))).toBe(426);
  const statuses = (await recorded(mock, '?status=426')).map(({ problem }) => problem);
  expect(statuses).toContain('the header sec-websocket-version must be 13');
});

test('protocols, compression, fragments and pings are as the standard has them', async () => {
  const mock = await two.mock([
    ws([{ templated: true, body: '{{body}}' }], { protocols: ['v2', 'v1'] }),
    ws([{ templated: true, body: '{{body}}' }], { compress: true }, '/small'),
  ]);
  const client = await Client.open(address(mock), ['v0', 'v1', 'v2']);
  expect(client.socket.protocol).toBe('v1');
  expect(client.socket.extensions).toBe('');
  client.socket.send('one ', { fin: false });
  client.socket.send('two ', { fin: false });
  client.socket.ping('p');
  const pong = once(client.socket, 'pong');
  client.socket.send('three', { fin: true });
  expect(String((await pong)[0])).toBe('p');
  await client.got(1);
  expect(client.messages).toEqual(['one two three']);
  const small = await Client.open(address(mock, '/small'), ['own'], { perMessageDeflate: { threshold: 0 } });
  expect(small.socket.protocol).toBe('own');
  expect(small.socket.extensions).toContain('permessage-deflate');
  const text = 'long '.repeat(10_000);
  expect(await small.ask(text)).toBe(text);
});

test('a save goes on by the new version, and closes sockets whose route is gone with 1012', async () => {
  const mock = await two.mock([ws([{ body: 'one' }]), ws([{ body: 'x' }], {}, '/gone')]);
  const [stays, gone] = [await Client.open(address(mock)), await Client.open(address(mock, '/gone'))];
  expect(await stays.ask('?')).toBe('one');
  await two.save(mock, [ws([{ body: 'two' }])]);
  expect(await gone.closed).toBe('1012');
  expect(await stays.ask('?')).toBe('two');
  await two.data('POST', `/${mock}/stop`);
  expect(await stays.closed).toBe('1001');
  expect((await refusal(mock)).status).toBe(503);
  expect((await recorded(mock, '?ended=stop')).length).toBe(2);
});

test('a save reaches sockets of sessions, whose messages go on being counted', async () => {
  const mock = await two.mock([ws([{ body: 'one' }]), ws([{ body: 'x' }], {}, '/gone')]);
  const { id } = await two.data('POST', `/${mock}/sessions`, {});
  const inSession = (path: string) => address(mock, `/__session/${id}${path}`);
  const [stays, gone] = [await Client.open(inSession('/ws')), await Client.open(inSession('/gone'))];
  expect(await stays.ask('?')).toBe('one');
  await two.save(mock, [ws([{ body: 'two' }])]);
  expect(await stays.ask('?')).toBe('two');
  expect(await gone.closed).toBe('1012');
  await two.save(mock, [ws([{ body: 'three' }], { path: '/elsewhere' })]);
  expect(await stays.closed).toBe('1012');
  const { messages } = await two.data('GET', `/${mock}/sessions/${id}/counts`);
  // Two answers and two closes.
  expect(messages).toEqual({ in: 2, out: 4 });
});

test('messages that a test sends, open sockets, and closes of theirs', async () => {
  const mock = await two.mock([ws([{ body: 'x' }]), ws([{ body: 'x' }], {}, '/other')]);
  const push = (body: Fields) => two.data('POST', `/${mock}/ws/send`, body);
  const waiting = push({
    path: '/ws',
    atLeast: 2,
    withinMs: 20_000,
    messages: [{ data: 'hi' }, { data: '/wA=', encoding: 'base64' }],
  });
  const clients = [
    await Client.open(address(mock), ['p']),
    await Client.open(address(mock)),
    await Client.open(address(mock, '/other')),
  ];
  expect(await waiting).toEqual({ delivered: 2, sockets: 2 });
  for (const client of clients.slice(0, 2)) expect(await client.got(2)).toEqual(['hi', Buffer.from([0xff, 0])]);
  const listed = (await two.api('GET', `/${mock}/ws`)).json;
  expect(listed.total).toBe(3);
  const handshakes = (await recorded(mock)).map(({ id }) => id);
  expect(listed.data.map(({ requestId }: Fields) => requestId)).toEqual(handshakes);
  expect(listed.data[2]).toMatchObject({ path: '/ws', protocol: 'p', received: 0, sent: 2, waitingBytes: 0 });
  expect(listed.data[0]).not.toHaveProperty('channel');
  expect(await push({ socketId: listed.data[0].id, messages: [{ data: 'you' }] })).toEqual({
    delivered: 1,
    sockets: 1,
  });
  expect(await clients[2]?.got(1)).toEqual(['you']);
  await two.api('DELETE', `/${mock}/ws/${listed.data[0].id}?code=4002`);
  expect(await clients[2]?.closed).toBe('4002');
  expect(await push({ close: { code: 1012, reason: 'later' }, messages: [{ data: 'bye' }] })).toEqual({
    delivered: 2,
    sockets: 2,
  });
  expect(await clients[0]?.closed).toBe('1012 later');
  expect(clients[0]?.messages.at(-1)).toBe('bye');
  expect(await push({ messages: [{ data: 'none' }] })).toEqual({ delivered: 0, sockets: 0 });
  expect((await two.api('DELETE', `/${mock}/ws/none`)).status).toBe(404);
  expect((await two.api('DELETE', `/${mock}/ws/none?code=1005`)).json.details[0].path).toBe('code');
  const bad = await two.api('POST', `/${mock}/ws/send`, { messages: [{ data: '!', encoding: 'base64' }] });
  expect(bad.json.details).toEqual([{ path: '/messages/0/data', message: 'is not base64' }]);
  expect((await recorded(mock, '?message=out')).filter(({ body }) => body === 'hi').length).toBe(2);
});

test('a broadcast reaches the sockets of both threads in one order, and those of the session alone', async () => {
  const mock = await two.mock([
    ws([
      { when: 'open', to: 'others', templated: true, body: 'joined {{queryParam "as"}}' },
      {
        rules: [{ target: 'message', operator: 'startsWith', value: 'all ' }],
        to: 'all',
        templated: true,
        body: '{{body}}',
      },
      { to: 'others', templated: true, body: '{{body}}' },
    ]),
  ]);
  const clients: Client[] = [];
  for (const name of ['a', 'b', 'c', 'd']) clients.push(await Client.open(address(mock, `/ws?as=${name}`)));
  const [first, second, third, last] = clients as [Client, Client, Client, Client];
  await first.got(3);
  expect(first.messages).toEqual(['joined b', 'joined c', 'joined d']);
  await two.data('POST', `/${mock}/sessions`, { id: 'own' });
  const apart = await Client.open(`ws://127.0.0.1:${two.server.mockPort}/__mock/${mock}/__session/own/ws?as=s`);
  for (const client of clients) client.messages.length = 0;
  for (let index = 0; index < 20; index++) for (const client of clients) client.socket.send(`all ${index}`);
  for (const client of clients) await client.got(80);
  expect(second.messages).toEqual(first.messages);
  expect(third.messages).toEqual(first.messages);
  expect(last.messages).toEqual(first.messages);
  second.socket.send('not me');
  await Promise.all([first, third, last].map((client) => client.got(81)));
  expect(second.messages.length).toBe(80);
  expect(apart.messages).toEqual([]);
  const pushed = await two.data('POST', `/${mock}/sessions/own/ws/send`, { messages: [{ data: 'session' }] });
  expect(pushed).toEqual({ delivered: 1, sockets: 1 });
  expect(await apart.got(1)).toEqual(['session']);
  expect((await two.api('GET', `/${mock}/sessions/own/ws`)).json.data[0]).toMatchObject({ session: 'own', sent: 1 });
  await two.data('DELETE', `/${mock}/sessions/own`);
  expect(await apart.closed).toBe('1001');
  expect(first.socket.readyState).toBe(WebSocket.OPEN);
});

test('a session changes what is answered, and has sequences, seed and traffic of its own', async () => {
  const mock = await two.mock(
    [
      ws(
        [
          { id: 'a', body: 'a' },
          { id: 'b', body: 'b' },
        ],
        { id: 'seq', selection: 'sequential' },
      ),
      ws([{ templated: true, latency: { min: 0, max: 5 }, body: '{{randomInt 1 1000000}}' }], {}, '/draw'),
      ws(
        [
          { id: 'hello', when: 'open', body: 'hello' },
          { id: 'x', body: 'x' },
          { id: 'y', body: 'y' },
        ],
        { id: 'picked' },
        '/picked',
      ),
    ],
    { seed: 7 },
  );
  const overlay = {
    responses: { picked: { responseId: 'y' }, seq: { merge: { latency: 1 } } },
    routes: [ws([{ body: 'own' }], {}, '/own')],
  };
  await two.data('POST', `/${mock}/sessions`, { id: 'one', seed: 7, overlay });
  const of = (session: string, path: string) =>
    Client.open(`ws://127.0.0.1:${two.server.mockPort}/__mock/${mock}${session}${path}`);
  const plain = await of('', '/ws');
  const inSession = await of('/__session/one', '/ws');
  expect([await plain.ask('1'), await plain.ask('2'), await inSession.ask('1'), await plain.ask('3')]).toEqual([
    'a',
    'b',
    'a',
    'a',
  ]);
  const draws = async (session: string) => {
    const client = await of(session, '/draw');
    return [await client.ask('1'), await client.ask('2'), await client.ask('3')];
  };
  const drawn = await draws('');
  expect(new Set(drawn).size).toBe(3);
  expect(await draws('/__session/one')).toEqual(drawn);
  const picked = await of('/__session/one', '/picked');
  picked.socket.send('1');
  expect(await picked.got(2)).toEqual(['hello', 'y']);
  expect(await (await of('/__session/one', '/own')).ask('1')).toBe('own');
  expect((await refusal(mock, '/own')).status).toBe(404);
  expect(await two.data('GET', `/${mock}/sessions/one/counts`)).toMatchObject({
    total: 4,
    messages: { in: 6, out: 7 },
  });
  const verified = await two.data('POST', `/${mock}/sessions/one/verify`, {
    match: { message: 'in', path: '/ws', rules: [{ target: 'message', operator: 'equals', value: '1' }] },
    exactly: 1,
  });
  expect(verified).toMatchObject({ verified: true, count: 1 });
  await two.data('PUT', `/${mock}/sessions/one/overlay`, { disabled: ['seq'] });
  expect(await inSession.closed).toBe('1012');
  expect(plain.socket.readyState).toBe(WebSocket.OPEN);
});

test('a handshake makes its session where the mock says so, and one that names an unknown one is refused', async () => {
  const mock = await two.mock([ws([{ body: 'x' }])], { sessions: 'auto' });
  const root = `ws://127.0.0.1:${two.server.mockPort}/__mock/${mock}/__session`;
  const made = await Promise.all([1, 2].map(() => Client.open(`${root}/made/ws`)));
  for (const client of made) expect(await client.ask('?')).toBe('x');
  expect(await two.data('GET', `/${mock}/sessions/made/counts`)).toMatchObject({
    total: 2,
    messages: { in: 2, out: 2 },
  });
  const strict = await two.mock([ws([{ body: 'x' }])]);
  expect(await refusal(strict, '/ws', { headers: { 'x-mock-session': 'none' } })).toMatchObject({ status: 404 });
});

test('scenarios move with messages, and rate limits count handshakes', async () => {
  const mock = await two.mock(
    [
      ws([
        { body: 'locked', scenario: { name: 'door', requires: 'shut' } },
        {
          body: 'opened',
          scenario: { name: 'door', requires: 'shut', moveTo: 'open' },
          rules: [{ target: 'message', operator: 'equals', value: 'open' }],
        },
        { body: 'come in', scenario: { name: 'door', requires: 'open' } },
      ]),
    ],
    { scenarios: [{ name: 'door', states: ['shut', 'open'] }], rateLimit: { requests: 1, perMs: 60_000 } },
  );
  const client = await Client.open(address(mock));
  expect([await client.ask('knock'), await client.ask('open'), await client.ask('knock')]).toEqual([
    'locked',
    'opened',
    'come in',
  ]);
  expect((await refusal(mock)).status).toBe(429);
});

test('ticks are sent on each socket, each numbered for itself', async () => {
  const mock = await two.mock([
    ws([{ when: 'tick', templated: true, body: '{{requestNumber}}' }, { body: 'pong' }], { tickMs: 10 }),
    ws([{ when: 'tick', templated: true, body: '{{requestNumber}}', close: {} }], { tickMs: 10 }, '/once'),
  ]);
  const one = await Client.open(address(mock));
  const other = await Client.open(address(mock));
  await Promise.all([one.got(3), other.got(3)]);
  expect(one.messages.slice(0, 3)).toEqual(['1', '2', '3']);
  expect(other.messages.slice(0, 3)).toEqual(['1', '2', '3']);
  const ticked = await Client.open(address(mock, '/once'));
  expect(await ticked.closed).toBe('1000');
  expect(ticked.messages).toEqual(['1']);
});

test('ticks to all are the same message for the sockets of both threads, in one order with broadcasts', async () => {
  const tick = { when: 'tick', templated: true, body: '{{requestNumber}} {{randomInt 1 1000000}} {{queryParam "as"}}' };
  const mock = await two.mock([
    ws([tick, { to: 'all', templated: true, body: '{{body}}' }], { id: 'feed', tickMs: 20, tickTo: 'all' }),
    ws([{ ...tick, close: { code: 4000 } }], { tickMs: 20, tickTo: 'all' }, '/once'),
    ws([{ ...tick, fault: { kind: 'truncated' } }], { tickMs: 20, tickTo: 'all' }, '/cut'),
    ws([{ ...tick, fault: { kind: 'garbage' } }], { tickMs: 20, tickTo: 'all' }, '/invalid'),
  ]);
  const clients: Client[] = [];
  for (const name of ['a', 'b', 'c', 'd']) clients.push(await Client.open(address(mock, `/ws?as=${name}`)));
  await two.data('POST', `/${mock}/sessions`, { id: 'own' });
  const apart = await Client.open(`ws://127.0.0.1:${two.server.mockPort}/__mock/${mock}/__session/own/ws?as=s`);
  for (let index = 0; index < 20; index++) for (const client of clients) client.socket.send(`said ${index}`);
  const [first] = clients as [Client];
  // Before it some have got more ticks than others.
  const from = ({ messages }: Client) =>
    messages.includes('said 0') ? messages.slice(messages.indexOf('said 0')) : [];
  await expect
    .poll(() => from(first).filter((each) => !String(each).startsWith('said')).length, POLL)
    .toBeGreaterThan(4);
  const seen = from(first);
  for (const client of clients) {
    await expect.poll(() => from(client).length, POLL).toBeGreaterThanOrEqual(seen.length);
    expect(from(client).slice(0, seen.length)).toEqual(seen);
  }
  const ticks = seen.map(String).filter((each) => !each.startsWith('said'));
  const numbers = ticks.map((each) => Number(each.split(' ')[0]));
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] as number) + index));
  // The first socket of the thread: what is sent to all does not depend on who gets it.
  expect(new Set(ticks.map((each) => each.split(' ')[2])).size).toBe(1);
  expect((await apart.got(2)).slice(0, 2)).toEqual([
    expect.stringMatching(/^1 \d+ s$/),
    expect.stringMatching(/^2 \d+ s$/),
  ]);
  for (const [path, code] of [
    ['/once', '4000'],
    ['/cut', '1006'],
    ['/invalid', '1006'],
  ] as const)
    for (const client of await Promise.all([1, 2].map(() => Client.open(address(mock, path)))))
      expect(await client.closed, path).toBe(code);
  await two.save(mock, [ws([{ when: 'tick', body: 'own' }], { id: 'feed', tickMs: 10 })]);
  await expect.poll(() => clients.map(({ messages }) => messages.at(-1)), POLL).toEqual(Array(4).fill('own'));
});

test.each<[Fields, string, readonly string[]]>([
  [{ kind: 'ended', code: 4999 }, '4999', []],
  [{ kind: 'ended', afterEvents: 1 }, '1011', ['one']],
  [{ kind: 'reset' }, '1006', []],
  [{ kind: 'truncated', bytes: 1 }, '1006', []],
  [{ kind: 'truncated', afterEvents: 1 }, '1006', ['one']],
  [{ kind: 'garbage' }, '1006', []],
  [{ kind: 'status', status: 500 }, '1011', []],
  [{ kind: 'hang', ms: 50 }, '1006', []],
  [{ kind: 'hang', ms: 50, afterEvents: 1 }, '1006', ['one']],
  [{ kind: 'events', afterEvents: 1, events: [{ data: 'error' }] }, '', ['one', 'error']],
])('the fault %j is %s for the client', async (fault, code, messages) => {
  const mock = await two.mock([ws([{ fault, stream: { events: [{ data: 'one' }, { data: 'two' }] } }])]);
  const client = await Client.open(address(mock));
  client.socket.send('go');
  if (code === '') await client.got(messages.length);
  else expect(await client.closed).toBe(code);
  expect(client.messages).toEqual(messages);
  if (fault['kind'] === 'garbage') expect(client.error).toContain('UTF-8');
  if (code !== '' && fault['kind'] !== 'garbage')
    await expect.poll(async () => (await recorded(mock, '?ended=fault')).length, POLL).toBe(1);
});

// reaches MOCK_SOCKET_PROTOCOLS_MAX, MOCK_SOCKET_TICK_MS_MIN, MOCK_SOCKET_REASON_BYTES_MAX
test.each<[string, Fields, string]>([
  ['/routes/0/method', route('POST /ws', [{}], { kind: 'ws' }), 'must be GET for a WebSocket route, got POST'],
  ['/routes/0/otherwise', ws([{}], { otherwise: 'next' }), 'is not for WebSocket routes'],
  ['/routes/0/responses/0/when', ws([{ when: 'tick' }]), 'requires tickMs of the route'],
  ['/routes/0/responses/0/delivery', ws([{ delivery: { firstByteMs: 1 } }]), 'is not for WebSocket routes'],
  ['/routes/0/responses/0/store', ws([{ store: { op: 'clear', name: 's' } }]), 'is not for WebSocket routes'],
  [
    '/routes/0/responses/0/rules/0/target',
    ws([{ rules: [{ target: 'store', property: 's.0', operator: 'equals', value: '1' }] }]),
    'store is not for WebSocket routes',
  ],
  ['/routes/0/responses/0/status', ws([{ status: 404 }]), 'requires when: open'],
  [
    '/routes/0/responses/0/stream',
    ws([{ when: 'open', status: 404, stream: { events: [] } }]),
    'which refuses the handshake',
  ],
  [
    '/routes/0/responses/0/stream/format',
    ws([{ stream: { format: 'sse', events: [] } }]),
    'is not for WebSocket routes',
  ],
  [
    '/routes/0/responses/0/stream/events/0/id',
    ws([{ stream: { events: [{ id: '1', data: '' }] } }]),
    'is only for the format sse',
  ],
  ['/routes/0/responses/0/close/code', ws([{ close: { code: 1006 } }]), 'a code that may be sent'],
  ['/routes/0/responses/0/close/reason', ws([{ close: { reason: 'ü'.repeat(100) } }]), 'at most 123 bytes'],
  ['/routes/0/responses/0/fault/kind', ws([{ fault: { kind: 'malformedChunk' } }]), 'is not for WebSocket routes'],
  ['/routes/0/responses/0/silent', ws([{ silent: true, body: 'x' }]), 'cannot be combined with body'],
  ['/routes/0/protocols/0', ws([{}], { protocols: ['a b'] }), 'the name of a subprotocol'],
  ['/routes/0/protocols', ws([{}], { protocols: Array(21).fill('a') }), '20'],
  ['/routes/0/tickMs', ws([{ when: 'tick' }], { tickMs: 9 }), '10'],
  ['/routes/0/tickTo', ws([{}], { tickTo: 'all' }), 'needs tickMs'],
  [
    '/routes/0/responses/0/to',
    ws([{ when: 'tick', to: 'others' }], { tickMs: 10, tickTo: 'all' }),
    'cannot be combined with tickTo',
  ],
  ['/routes/0/tickMs', route('GET /', [{}], { tickMs: 10 }), 'is only for routes of the kind ws'],
  ['/routes/0/responses/0/when', route('GET /', [{ when: 'open' }]), 'is only for routes of the kind ws'],
  [
    '/routes/0/responses/0/rules/0/target',
    route('GET /', [{ rules: [{ target: 'message', operator: 'exists' }] }]),
    'is only for routes of the kind ws',
  ],
])('%s is refused', async (path, given, message) => {
  const refused = await two.api('POST', '', { name: 'bad', routes: [given] });
  expect(refused.status).toBe(400);
  const detail = refused.json.details.find((each: Fields) => each['path'] === path);
  expect(detail?.message, JSON.stringify(refused.json)).toContain(message);
});

// reaches MOCK_SOCKET_WAITING_BYTES_MAX
test('a reader that takes nothing is closed at the bound of what may wait, and told so in the traffic', async () => {
  const mock = await two.mock([ws([{ body: 'x'.repeat(500_000) }])]);
  const slow = await Client.open(address(mock));
  slow.socket.pause();
  for (let index = 0; index < 40; index++) slow.socket.send('more');
  await expect.poll(async () => (await recorded(mock, '?ended=slowReader')).length, POLL).toBe(1);
  expect((await two.api('GET', `/${mock}/ws`)).json.total).toBe(0);
});

// reaches MOCK_SOCKET_MESSAGE_BYTES_MAX
test('a message of 1 MiB is answered, and a longer one closes the socket', async () => {
  const mock = await two.mock([ws([{ templated: true, body: '{{len (body)}}' }])]);
  const client = await Client.open(address(mock));
  expect(await client.ask('x'.repeat(1_048_576))).toBe('1048576');
  client.socket.send('x'.repeat(1_048_577));
  expect(await client.closed).toBe('1006');
});

test('a templated reply comes back up to 1 MiB; one that is longer, or cannot be rendered, closes its socket with 1011', async () => {
  const long = '{{#repeat 1000}}{{#repeat 1000}}xx{{/repeat}}{{/repeat}}';
  const slow = { target: 'body', operator: 'regex', value: '(?:x?y?){50}z', invert: true };
  const mock = await two.mock([
    ws([{ templated: true, body: '{{body}}' }]),
    ws([{ templated: true, body: '{{body}}{{body}}' }], {}, '/twice'),
    ws([{ body: 'x', rules: Array.from({ length: 30 }, () => slow) }, { body: 'y' }], {}, '/conditions'),
    ws([{ when: 'tick', templated: true, body: long }], { tickMs: 10 }, '/tick'),
    ws([{ when: 'tick', templated: true, body: long }], { tickMs: 10, tickTo: 'all' }, '/all'),
  ]);
  const client = await Client.open(address(mock));
  for (const chars of [262_145, 1_048_576]) expect(await client.ask('x'.repeat(chars))).toHaveLength(chars);
  for (const [path, message] of [
    ['/twice', 'x'.repeat(524_289)],
    ['/twice', 'é'.repeat(300_000)],
    ['/conditions', 'x'.repeat(1_000_000)],
    ['/tick', ''],
    ['/all', ''],
  ] as const) {
    const other = await Client.open(address(mock, path));
    other.socket.send(message);
    expect(await other.closed, path).toBe('1011');
    expect(other.messages, path).toEqual([]);
  }
  const closed = await recorded(mock, '?ended=problem');
  expect(closed).toHaveLength(5);
});

// reaches MOCK_SOCKET_REPLIES_MAX
test('1,000 replies of a socket may wait; one more closes it', async () => {
  const mock = await two.mock([ws([{ latency: 600_000 }])]);
  const client = await Client.open(address(mock));
  for (let count = 0; count <= 1_000; count++) client.socket.send('x');
  expect(await client.closed).toBe('1008 more than 1000 replies are waiting');
  const [handshake] = await recorded(mock);
  expect(handshake).toMatchObject({ stream: { events: 0, ended: 'problem' } });
});

test('a stop of the server ends sockets with 1001', async () => {
  const own = await TwoThreads.start();
  const mock = await own.mock([ws([{ body: 'x' }])]);
  const clients = await Promise.all(
    [1, 2, 3, 4].map(() => Client.open(`ws://127.0.0.1:${own.server.mockPort}/__mock/${mock}/ws`)),
  );
  await own.end();
  for (const client of clients) expect(await client.closed).toBe('1001');
});

test('a dry run says what a message, a handshake and a tick would get, as it is served', async () => {
  const mock = await two.mock(
    [
      route('ANY /ws', [{ body: 'http' }]),
      ws(
        [
          { id: 'refuse', when: 'open', status: 403, rules: [{ target: 'query', property: 'no', operator: 'exists' }] },
          { id: 'hello', when: 'open', body: 'hello' },
          { id: 'draw', templated: true, body: '{{body}} {{randomInt 1 1000000}} {{requestNumber}}' },
          { id: 'never', rules: [{ target: 'message', operator: 'equals', value: 'no' }], close: { code: 4000 } },
          { id: 'tick', when: 'tick', body: 'tick' },
        ],
        { tickMs: 600_000 },
      ),
    ],
    { seed: 3 },
  );
  const tried = (given: Fields) => two.data('POST', `/${mock}/try`, { method: 'GET', path: '/ws', ...given });
  const client = await Client.open(address(mock));
  await client.ask('first');
  const next = await tried({ when: 'message', body: 'second' });
  expect(next).toMatchObject({ chosen: { responseId: 'draw' }, response: { status: 101, headers: [] } });
  client.socket.send('second');
  expect((await client.got(3)).at(-1)).toBe(next.response.events[0].text);
  expect(await tried({ when: 'open' })).toMatchObject({ chosen: { responseId: 'hello' }, response: { status: 101 } });
  expect(await tried({ when: 'open', path: '/ws?no=1' })).toMatchObject({ response: { status: 403 } });
  expect(await tried({ when: 'tick' })).toMatchObject({ response: { events: [{ atMs: 0, text: 'tick' }] } });
  expect(await tried({})).toMatchObject({ response: { status: 200, body: 'http' } });
  const missed = await tried({ when: 'message', path: '/w' });
  expect(missed).toMatchObject({
    response: null,
    explanation: { nearest: [{ method: 'WebSocket upgrade', path: '/ws' }, {}] },
  });
});

test('diff and warnings of WebSocket routes', async () => {
  const { id } = await two.data('POST', '', { name: 'w', routes: [ws([{ id: 'a' }])] });
  const edited = await two.api('PUT', `/${id}/staged`, {
    routes: [
      route('ANY /ws', [{}]),
      ws(
        [
          { id: 'a', when: 'open' },
          { id: 'b', body: 'x' },
          { id: 'c', body: 'never' },
        ],
        { id: 'socket', tickMs: 50 },
      ),
      ws([{}], { id: 'same' }),
    ],
    settings: { precedence: 'listed' },
  });
  const texts = edited.json.warnings.map(({ routeId, responseId, warning }: Fields) =>
    [routeId, responseId, warning].filter(Boolean).join(' '),
  );
  expect(texts).toEqual([
    'socket has tickMs and no response with when: tick',
    'socket c is never chosen',
    'same is shadowed by GET /ws (socket)',
  ]);
  const diff = await two.data('GET', `/${id}/staged/diff`);
  expect(JSON.stringify(diff)).toContain('tickMs');
  await two.api('DELETE', `/${id}`);
});

test('the traffic stream has messages, and verify knows them', async () => {
  const mock = await two.mock([ws([{ id: 'echo', templated: true, body: '{{body}}' }])]);
  const stream = await fetch(`http://127.0.0.1:${two.server.port}/v1/mocks/${mock}/requests/stream`, {
    headers: { 'x-api-key': two.key },
  });
  const client = await Client.open(address(mock));
  await client.ask('hello');
  let text = '';
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (!text.includes('"direction":"out"')) text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  expect([...text.matchAll(/^event: (request|message)$/gm)].map(([, name]) => name)).toEqual([
    'request',
    'message',
    'message',
  ]);
  const [handshake] = await recorded(mock);
  const verify = (match: Fields, more: Fields = {}) => two.data('POST', `/${mock}/verify`, { match, ...more });
  expect(await verify({ message: 'out', responseId: 'echo', bodyContains: 'hell' }, { exactly: 1 })).toMatchObject({
    verified: true,
  });
  expect(await verify({ requestId: handshake?.['id'] }, { exactly: 2 })).toMatchObject({ verified: true });
  expect(await verify({ path: '/ws' }, { exactly: 1 })).toMatchObject({ verified: true });
  const missed = await verify({ message: 'in', bodyContains: 'bye' });
  expect(missed).toMatchObject({
    verified: false,
    closest: [{ body: 'hello', differs: ['bodyContains'] }, { differs: ['message', 'bodyContains'] }],
  });
  const [, message] = await recorded(mock, '?message=also');
  const { id } = message as { readonly id: string };
  expect(await two.data('GET', `/${mock}/requests/${id}`)).toEqual(message);
});

const imported = async (file: unknown): Promise<string> => {
  const { mocks } = await two.data('POST', '/import?start=true', file);
  return mocks[0].id;
};

test('the own file has all of a WebSocket route', async () => {
  const definition = [
    ws(
      [
        { id: 'hello', when: 'open', body: 'hello' },
        { id: 'tick', when: 'tick', silent: true },
        { id: 'bytes', stream: { events: [{ data: '/wA=', encoding: 'base64' }] }, to: 'all', close: { code: 4000 } },
      ],
      { id: 'a', protocols: ['p'], compress: true, tickMs: 100, tickTo: 'all' },
    ),
  ];
  const mock = await two.mock(definition);
  const file = (await two.api('GET', `/${mock}/export`)).json;
  const copy = await imported(file);
  const of = async (id: string) => (await two.data('GET', `/${id}/staged`)).routes;
  expect(await of(copy)).toEqual(await of(mock));
  expect((await two.api('GET', `/${copy}/export`)).json.routes).toEqual(file.routes);
  await two.api('DELETE', `/${copy}`);
});

test('WebSocket routes of Mockoon are read and written; other formats report them', async () => {
  const response = (label: string, more: Fields = {}) => ({
    uuid: label,
    label,
    body: label,
    statusCode: 201,
    headers: [{ key: 'x-a', value: 'b' }],
    rules: [],
    rulesOperator: 'OR',
    ...more,
  });
  const rule = { target: 'body', modifier: 'kind', value: 'a', invert: false, operator: 'equals' };
  const socket = (endpoint: string, responses: readonly Fields[], more: Fields = {}) => ({
    uuid: endpoint,
    type: 'ws',
    documentation: '',
    method: '',
    endpoint,
    responses,
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
    ...more,
  });
  const environment = {
    uuid: 'e',
    lastMigration: 33,
    name: 'Sockets',
    port: 3000,
    routes: [
      socket('chat', [response('kind a', { rules: [rule] }), response('other', { default: true })]),
      socket('ticks', [response('tick')], { streamingMode: 'UNICAST', streamingInterval: 20 }),
      socket('shared', [response('tick')], { streamingMode: 'BROADCAST', streamingInterval: 20 }),
    ],
  };
  const mock = await imported(environment);
  const chat = await Client.open(address(mock, '/chat'));
  expect([await chat.ask('{"kind": "a"}'), await chat.ask('x')]).toEqual(['kind a', 'other']);
  for (const path of ['/ticks', '/shared'])
    expect((await (await Client.open(address(mock, path))).got(2)).slice(0, 2)).toEqual(['tick', 'tick']);
  const { report } = await two.data('GET', `/${mock}/export?format=openapi&report=true`);
  expect(JSON.stringify(report)).toContain('openapi-export.websocket');
  await two.api('DELETE', `/${mock}`);
});

test('stubs of WireMock for messages answer by priority, path, handshake and message', async () => {
  const send = (data: unknown, more: Fields = {}) => ({
    type: 'send',
    channelTarget: { type: 'originating' },
    message: { body: { data } },
    ...more,
  });
  const channel = (pattern: Fields) => ({ type: 'websocket', initiatingRequestPattern: pattern });
  const stub = (trigger: Fields, actions: readonly Fields[], more: Fields = {}) => ({
    trigger: { type: 'message', ...trigger },
    actions,
    ...more,
  });
  const body = (matcher: Fields) => ({ message: { body: matcher } });
  const mock = await imported({
    messageMappings: [
      stub({}, [send('any')], { priority: 9 }),
      stub({ channel: channel({ urlPath: '/chat' }), ...body({ equalTo: 'ping' }) }, [send('pong'), send({ n: 1 })]),
      stub(
        { channel: channel({ urlPath: '/chat', headers: { 'x-a': { equalTo: 'b' } } }), ...body({ equalTo: 'who' }) },
        [send('b')],
      ),
      stub({ channel: channel({ urlPath: '/chat' }), ...body({ matchesJsonPath: "$[?(@.to == 'all')]" }) }, [
        send('{{message.body}}', { channelTarget: { type: 'request-initiated' }, transformers: ['response-template'] }),
      ]),
      stub({ channel: channel({ urlPath: '/chat' }), ...body({ contains: 'bytes' }) }, [
        send('AP8=', { message: { body: { data: 'AP8=', encoding: 'binary' } } }),
      ]),
      { trigger: { type: 'http-stub', stubId: 'x' }, actions: [send('x')] },
      stub(body({ equalTo: 'far' }), [
        send('x', { channelTarget: { type: 'request-initiated', initiatingRequestPattern: { urlPath: '/other' } } }),
      ]),
    ],
  });
  const chat = await Client.open(address(mock, '/chat'));
  const named = await Client.open(address(mock, '/chat'), [], { headers: { 'x-a': 'b' } });
  chat.socket.send('ping');
  expect(await chat.got(2)).toEqual(['pong', '{"n":1}']);
  expect([await chat.ask('who'), await named.ask('who')]).toEqual(['any', 'b']);
  expect(await chat.ask('bytes')).toEqual(Buffer.from([0, 255]));
  expect(await chat.ask('{"to": "all"}')).toBe('{"to": "all"}');
  expect((await named.got(2))[1]).toBe('{"to": "all"}');
  expect(await (await Client.open(address(mock, '/else/where'))).ask('ping')).toBe('any');
  const { report } = await two.data('POST', '/import?dryRun=true', {
    messageMappings: [
      { trigger: { type: 'http-stub' }, actions: [send('x')] },
      stub({}, [send('x', { channelTarget: { type: 'request-initiated', initiatingRequestPattern: { url: '/o' } } })]),
    ],
  });
  expect(report.entries.map(({ code }: Fields) => code).toSorted()).toEqual([
    'wiremock.message',
    'wiremock.message-trigger',
  ]);
  await two.api('DELETE', `/${mock}`);
});

test('an expectation of MockServer for WebSockets greets, answers texts, and refuses other handshakes', async () => {
  const mock = await imported([
    {
      httpRequest: { method: 'GET', path: '/ws', headers: { 'x-key': ['a'] } },
      httpWebSocketResponse: {
        subprotocol: 'chat',
        messages: [{ text: 'hello' }, { binary: 'AP8=', delay: { timeUnit: 'MILLISECONDS', value: 5 } }],
        matchers: [
          { frameType: 'TEXT', textMatcher: 'ping', responses: [{ text: 'pong' }] },
          { frameType: 'ANY', textMatcher: 'count \\d+', responses: [{ text: '1' }, { text: '2' }] },
          { frameType: 'PING', responses: [{ text: 'x' }] },
        ],
      },
    },
    { httpRequest: { path: '/bye' }, httpWebSocketResponse: { messages: [{ text: 'bye' }], closeConnection: true } },
    { httpRequest: { path: '/http' }, httpResponse: { body: 'page' } },
  ]);
  const client = await Client.open(address(mock), ['chat'], { headers: { 'x-key': 'a' } });
  expect(client.socket.protocol).toBe('chat');
  expect(await client.got(2)).toEqual(['hello', Buffer.from([0, 255])]);
  expect(await client.ask('ping')).toBe('pong');
  client.socket.send('count 7');
  expect((await client.got(5)).slice(3)).toEqual(['1', '2']);
  expect((await refusal(mock)).status).toBe(404);
  const bye = await Client.open(address(mock, '/bye'));
  expect([await bye.closed, bye.messages]).toEqual(['1000', ['bye']]);
  expect(await two.text(mock, '/http')).toBe('page');
  await two.api('DELETE', `/${mock}`);
});

test('a HAR of the traffic has the messages of its sockets, and is a mock that answers them', async () => {
  const mock = await two.mock([
    ws([
      { when: 'open', body: 'hello' },
      { rules: [{ target: 'message', operator: 'equals', value: 'bytes' }], body: '/wA=', bodyEncoding: 'base64' },
      { templated: true, body: 'said {{body}}' },
    ]),
  ]);
  const client = await Client.open(address(mock));
  expect([await client.ask('one'), await client.ask('bytes')].length).toBe(2);
  client.socket.close();
  await expect.poll(async () => (await recorded(mock, '?message=in')).length, POLL).toBe(3);
  const refused = await two.api('GET', `/${mock}/requests?format=har&message=any`);
  expect([refused.status, refused.json.details[0].path]).toEqual([400, 'message']);
  const har = (await two.api('GET', `/${mock}/requests?format=har`)).json;
  const [entry] = har.log.entries;
  expect(entry.request.url).toMatch(/^ws:.*\/ws$/);
  expect(entry).toMatchObject({
    _resourceType: 'websocket',
    response: { status: 101, content: {} },
    _webSocketMessages: [
      { type: 'receive', opcode: 1, data: 'hello' },
      { type: 'send', opcode: 1, data: 'one' },
      { type: 'receive', opcode: 1, data: 'said one' },
      { type: 'send', opcode: 1, data: 'bytes' },
      { type: 'receive', opcode: 2, data: '/wA=' },
    ],
  });
  const copy = await imported(har);
  const { routes } = await two.data('GET', `/${copy}/staged`);
  const again = await Client.open(address(copy, routes[0].path));
  again.socket.send('one');
  again.socket.send('bytes');
  expect(await again.got(3)).toEqual(['hello', 'said one', Buffer.from([0xff, 0])]);
  await two.api('DELETE', `/${copy}`);
});

test('the messages of a recorded WebSocket become its replies', async () => {
  const entry = (path: string, more: Fields) => ({
    startedDateTime: '2026-01-01T00:00:00Z',
    time: 1,
    request: {
      method: 'GET',
      url: `wss://api.test${path}`,
      httpVersion: 'HTTP/1.1',
      headers: [],
      queryString: [],
      cookies: [],
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: 101,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      headers: [],
      cookies: [],
      content: { size: 0, mimeType: '' },
      redirectURL: '',
      headersSize: -1,
      bodySize: 0,
    },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
    ...more,
  });
  const [send, receive] = ['send', 'receive'].map((type) => (data: string, opcode = 1) => ({
    type,
    time: 1,
    opcode,
    data,
  }));
  const log = {
    version: '1.2',
    creator: { name: 'test', version: '1' },
    entries: [
      entry('/ws', {
        _resourceType: 'websocket',
        _webSocketMessages: [
          receive?.('hello'),
          send?.('a'),
          receive?.('1'),
          receive?.('/wA=', 2),
          send?.('quiet'),
          send?.('a'),
          receive?.('again'),
        ],
      }),
    ],
  };
  const mock = await imported({ log });
  const client = await Client.open(address(mock));
  client.socket.send('a');
  client.socket.send('quiet');
  client.socket.send('a');
  expect(await client.got(5)).toEqual(['hello', '1', Buffer.from([0xff, 0]), '1', Buffer.from([0xff, 0])]);
  await two.api('DELETE', `/${mock}`);
});

/** Small text messages as a client may pack them into one write. */
const packed = (count: number): Buffer => Buffer.alloc(count * 7, Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x68]));

const tcpOf = ({ socket }: Client) => Reflect.get(socket, '_socket') as { write: (bytes: Buffer) => void };

// reaches PIECES_MAX
test('a flood of pings closes its socket', async () => {
  const client = await Client.open(address(await two.mock([ws([{ body: 'x' }])])));
  const pings = Buffer.alloc(6 * 100_000, Buffer.from([0x89, 0x80, 0, 0, 0, 0]));
  for (let count = 0; count < 10; count++) tcpOf(client).write(pings);
  expect(await client.closed).toBe('1008 too many pings');
});

// reaches MOCK_SOCKET_MESSAGES_WAITING_MAX, OWNER_MESSAGES_WAITING_MAX, OWNER_MESSAGES_WAITING_BYTES_MAX
test('messages that come faster than their owner has turns wait, in order; beyond what may wait the socket is closed', async () => {
  const mock = await two.mock([ws([{ id: 'echo', templated: true, body: '{{requestNumber}} {{body}}' }])]);
  const burst = await Client.open(address(mock));
  tcpOf(burst).write(packed(6_000));
  const numbers = (await burst.got(6_000)).map((each) => Number.parseInt(String(each), 10));
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  const flood = await Client.open(address(mock));
  for (let count = 0; count < 10; count++) tcpOf(flood).write(packed(70_000));
  expect(await flood.closed).toBe('1008 too many messages are waiting');
  expect(await burst.ask('h')).toMatch(/ h$/);
  // Its owner sees that in counts and in the stream, the operator in metrics, and another owner not at all.
  const { ownerWaits: waits } = await two.data('GET', `/${mock}/counts`);
  expect(waits).toMatchObject({ waiting: 0, waited: expect.any(Number), refused: expect.any(Number) });
  expect([waits.waited > 6_000, waits.refused > 0]).toEqual([true, true]);
  const metrics = await two.server.metrics();
  for (const name of ['waiting', 'waited', 'refused'])
    expect(metrics).toContain(`\nswitchyard_mock_owner_${name}{owner="${waits.ownerId}"} ${waits[name]}\n`);
  const other = await two.server.key('another owner');
  const body = { name: 'm', start: true, routes: [] };
  const { id } = (await two.server.request('POST', '/v1/mocks', { key: other, body })).json.data;
  const { data } = (await two.server.request('GET', `/v1/mocks/${id}/counts`, { key: other })).json;
  expect(data).toMatchObject({ total: 0 });
  expect(data).not.toHaveProperty('ownerWaits');
});

// reaches MOCK_BROADCAST_BYTES_MAX
test('who sends more broadcasts than are delivered is closed, and its receivers stay', async () => {
  const mock = await two.mock([ws([{ id: 'all', to: 'others', body: 'x'.repeat(900_000) }])]);
  const [sender, receiver] = [await Client.open(address(mock)), await Client.open(address(mock))];
  tcpOf(sender).write(packed(500));
  expect(await sender.closed).toBe('1008 too many broadcasts are waiting');
  expect((await receiver.got(1))[0]).toHaveLength(900_000);
  expect(receiver.socket.readyState).toBe(WebSocket.OPEN);
});
