/** Streams and WebSockets as clients of other makers use them; docs/mocks-streams.md, "Streams" and "WebSockets". */
import { spawnSync } from 'node:child_process';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { EventSource } from 'eventsource';
import { endAll, Running } from '../support/process.ts';
import { route, TwoThreads } from '../support/two-threads.ts';

const two = await TwoThreads.use();
const hasPython = spawnSync('python3', ['--version']).status === 0;

afterAll(endAll);

/** The first answer breaks off behind the second event. */
const breaking = () =>
  two.mock([
    route('GET /ticks', [
      {
        label: 'ticks',
        fault: { kind: 'truncated', afterEvents: 2, first: 1 },
        stream: { ids: 'auto', events: [1, 2, 3, 4].map((n) => ({ retry: 1, data: `{"n":${n}}` })) },
      },
    ]),
  ]);
const address = (mock: string): string => `http://127.0.0.1:${two.server.mockPort}${two.root(mock)}/ticks`;
const asked = async (mock: string): Promise<unknown[]> =>
  (await two.api('GET', `/${mock}/requests`)).json.data
    .map(({ headers, stream }: { headers: Record<string, string>[]; stream?: object }) => [
      headers.find(({ name }) => name === 'last-event-id')?.value,
      stream,
    ])
    .toReversed();

test('an EventSource goes on behind the event that it got last', async () => {
  const mock = await breaking();
  const source = new EventSource(address(mock));
  onTestFinished(() => source.close());
  const events: string[] = [];
  source.addEventListener('message', ({ data, lastEventId }) => events.push(`${lastEventId} ${data}`));
  await expect.poll(() => source.readyState, { timeout: 20_000, interval: 20 }).toBe(source.CLOSED);
  expect(events).toEqual(['1 {"n":1}', '2 {"n":2}', '3 {"n":3}', '4 {"n":4}']);
  expect(await asked(mock)).toEqual([
    [undefined, expect.objectContaining({ events: 2, ended: 'fault' })],
    ['2', expect.objectContaining({ events: 2, ended: 'script' })],
    ['4', undefined],
  ]);
});

/** Reads the lines of a stream as they come, and goes on behind the last event while it breaks off. */
const READER = `
import http.client, sys, urllib.parse, urllib.request
url, last = sys.argv[1], ''
place = urllib.parse.urlsplit(url)
for _ in range(3):
    connection = http.client.HTTPConnection(place.hostname, place.port)
    connection.request('GET', place.path, headers={'Last-Event-ID': last} if last else {})
    answer = connection.getresponse()
    print(answer.status, flush=True)
    event = {}
    try:
        for line in answer:
            name, _, value = line.decode().rstrip('\\n').partition(': ')
            if name: event[name] = value
            elif event:
                last = event['id']
                print(last, event['data'], flush=True)
                event = {}
    except http.client.IncompleteRead:
        print('broke off', flush=True)
with urllib.request.urlopen(url) as answer:
    print(answer.status, sum(line.startswith(b'data: ') for line in answer), flush=True)
`;

test.skipIf(!hasPython)('http.client and urllib of Python read what is sent, and that it broke off', async () => {
  const mock = await breaking();
  const { status, stdout, stderr } = await new Running('python3', ['-c', READER, address(mock)]).ended;
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n')).toEqual([
    '200',
    '1 {"n":1}',
    '2 {"n":2}',
    'broke off',
    '200',
    '3 {"n":3}',
    '4 {"n":4}',
    '204',
    '200 4',
  ]);
});

test.skipIf(!hasPython)('Python gets each event before the next is sent', async () => {
  const mock = await two.mock([
    route('GET /ticks', [{ label: 'ticks', stream: { events: [{ data: 'open' }], end: 'open' } }]),
  ]);
  const reader = new Running('python3', [
    '-c',
    `import sys, urllib.request
for line in urllib.request.urlopen(sys.argv[1]):
    if line.startswith(b'data: '): print(line.decode().strip(), flush=True)`,
    address(mock),
  ]);
  const push = (body: object) => two.data('POST', `/${mock}/streams/send`, body);
  for (const data of ['one', 'two']) {
    await expect.poll(() => reader.stdout, { timeout: 20_000, interval: 20 }).toMatch(/data: \w+\n$/);
    expect(await push({ channel: 'ticks', events: [{ data }] })).toEqual({ delivered: 1, streams: 1 });
    await expect.poll(() => reader.stdout, { timeout: 20_000, interval: 20 }).toContain(`data: ${data}\n`);
  }
  await push({ end: 'close' });
  expect(await reader.ended).toMatchObject({ status: 0, stdout: 'data: open\ndata: one\ndata: two\n' });
});

/** Debian's comes last: `python3` may be another one, without the package. */
const withWebSockets = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import websockets']).status === 0,
);

const TALKER = `
import asyncio, sys, websockets
async def talk():
    async with websockets.connect(sys.argv[1], subprotocols=['v0', 'v1']) as socket:
        print(socket.subprotocol, [each.name for each in socket.extensions], flush=True)
        for message in ('hello', 'é' * 70_000, ['in ', 'parts']):
            await socket.send(message)
            got = await socket.recv()
            print(type(got).__name__, len(got), flush=True)
        await (await socket.ping())
        await socket.send('bye')
        try:
            while True: await socket.recv()
        except websockets.ConnectionClosed as closed: print(closed.code, closed.reason, flush=True)
asyncio.run(talk())
`;

test.skipIf(withWebSockets === undefined)('websockets of Python talks to a WebSocket route, compressed', async () => {
  const bye = [{ target: 'message', operator: 'equals', value: 'bye' }];
  const mock = await two.mock([
    route(
      'GET /ticks',
      [
        { rules: bye, close: { code: 4001, reason: 'over' } },
        { templated: true, body: '{{body}}' },
      ],
      {
        kind: 'ws',
        compress: true,
        protocols: ['v1'],
      },
    ),
  ]);
  const { status, stdout, stderr } = await new Running(withWebSockets as string, [
    '-c',
    TALKER,
    address(mock).replace('http', 'ws'),
  ]).ended;
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.trim().split('\n')).toEqual(["v1 ['permessage-deflate']", 'str 5', 'str 70000', 'str 8', '4001 over']);
});
