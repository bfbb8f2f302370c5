/** WebSocket routes over real sockets with two threads; docs/mocks.md, "WebSockets". */
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
  const messages = await recorded(mock, '?message=any');
  const [handshake] = await recorded(mock);
  expect(handshake).toMatchObject({
    method: 'GET',
    path: '/rooms/a%20b',
    status: 101,
    stream: { events: 6, ended: 'script' },
  });
  expect(messages.every(({ message }) => (message as Fields)['requestId'] === handshake?.['id'])).toBe(true);
  expect(
    messages
      .map(({ message, responseId, body, problem }) => {
        const { direction, type } = message as Fields;
        return [direction, type, responseId, body, problem].filter((each) => each !== undefined).join(' ');
      })
      .reverse(),
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
    'in text  nothing for this no response is for this message',
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
