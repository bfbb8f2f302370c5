/** Streams over HTTP with two threads: what readers of events get, when, and how streams end; docs/mocks-streams.md, "Streams". */
import { EventSource } from 'eventsource';
import { expect, onTestFinished, test } from 'vitest';
import { RawConnection, rawRequest, untilClosed } from '../support/raw-http.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

/** A mock whose `GET /` is this stream. */
const streaming = (stream: Fields, response: Fields = {}, settings: Fields = {}): Promise<string> =>
  two.mock([route('GET /', [{ ...response, stream }])], settings);
const address = (mock: string, path = '/'): string => `http://127.0.0.1:${two.server.mockPort}${two.root(mock)}${path}`;
const text = async (mock: string, init?: RequestInit, path = '/'): Promise<string> =>
  (await fetch(address(mock, path), init)).text();
const recorded = async (mock: string, query = ''): Promise<Fields[]> =>
  (await two.api('GET', `/${mock}/requests${query}`)).json.data;
const asked = (mock: string, ...headers: readonly string[]): string =>
  rawRequest(`GET ${two.root(mock)}/ HTTP/1.1`, ['Host: localhost', ...headers]);
const POLL = { timeout: 20_000, interval: 20 };

/** What an EventSource gets, until `enough`. */
function listen(mock: string, names: readonly string[] = ['message']) {
  const source = new EventSource(address(mock));
  onTestFinished(() => source.close());
  const events: { type: string; data: string; id: string }[] = [];
  for (const name of names)
    source.addEventListener(name, ({ type, data, lastEventId }) => events.push({ type, data, id: lastEventId }));
  return { source, events };
}

test('an EventSource gets events with names, ids and lines, and connects again behind the last', async () => {
  const mock = await streaming({
    events: [
      { event: 'tick', id: 'a', retry: 10, data: 'one\ntwo\r\nthree: ü' },
      { comment: 'not seen', delay: 10 },
      { id: 'b', data: '', delay: 10 },
      { id: 'c', data: ' last', delay: 10 },
    ],
  });
  const { source, events } = listen(mock, ['tick', 'message']);
  await expect.poll(() => source.readyState, POLL).toBe(source.CLOSED);
  expect(events).toEqual([
    { type: 'tick', data: 'one\ntwo\nthree: ü', id: 'a' },
    { type: 'message', data: '', id: 'b' },
    { type: 'message', data: ' last', id: 'c' },
  ]);
  // Behind the last event nothing is left: 204 has it stay closed.
  expect((await recorded(mock)).map(({ status }) => status)).toEqual([204, 200]);
  expect(await two.data('GET', `/${mock}/counts`)).toMatchObject({
    statuses: [
      { status: 200, count: 1 },
      { status: 204, count: 1 },
    ],
  });
});

test.each([
  ['b', 'id: c\ndata: 3\n\n'],
  ['c', ''],
  ['unknown', 'id: a\ndata: 1\n\nid: b\ndata: 2\n\nid: c\ndata: 3\n\n'],
])('a stream goes on behind the event %s', async (id, rest) => {
  const events = ['a', 'b', 'c'].map((each, index) => ({ id: each, data: String(index + 1) }));
  const mock = await streaming({ events });
  expect(await text(mock, { headers: { 'last-event-id': id } })).toBe(rest);
  expect(await text(mock, {}, `/?lastEventId=${id}`)).toBe(rest);
});

test('numbers of events go on over repeats and connections, also with lists', async () => {
  const mock = await two.mock([
    route('GET /plain', [{ stream: { ids: 'auto', repeat: 3, events: [{ data: 'x' }, { data: 'y' }] } }]),
    route('GET /list', [
      {
        templated: true,
        stream: { ids: 'auto', repeat: 2, events: [{ forEach: '["p","q"]', data: '{{item}}' }, { data: 'z' }] },
      },
    ]),
    route('GET /off', [{ stream: { resume: false, events: [{ id: '1', data: 'x' }] } }]),
  ]);
  const after = (path: string, id: string) => text(mock, { headers: { 'last-event-id': id } }, path);
  expect(await after('/plain', '3')).toBe('id: 4\ndata: y\n\nid: 5\ndata: x\n\nid: 6\ndata: y\n\n');
  expect(await after('/plain', '6')).toBe('');
  expect(await after('/list', '2')).toBe('id: 3\ndata: z\n\nid: 4\ndata: p\n\nid: 5\ndata: q\n\nid: 6\ndata: z\n\n');
  expect(await after('/list', '4')).toBe('id: 5\ndata: q\n\nid: 6\ndata: z\n\n');
  expect(await after('/off', '1')).toBe('id: 1\ndata: x\n\n');
});

test('heads say what is streamed, unless the response does', async () => {
  const mock = await two.mock([
    route('GET /sse', [{ stream: { events: [{ data: '1' }] } }]),
    route('GET /lines', [{ stream: { format: 'ndjson', events: [{ data: '{"a": 1}' }, { data: '2', delay: 5 }] } }]),
    route('GET /raw', [{ stream: { format: 'raw', events: [{ data: 'a' }, { data: '/wA=', encoding: 'base64' }] } }]),
    route('GET /own', [
      { headers: [{ name: 'Content-Type', value: 'text/plain' }], stream: { events: [{ data: '1' }] } },
    ]),
  ]);
  const head = async (path: string) => {
    const reply = await two.both(mock, path);
    const { 'content-type': type, 'cache-control': cache, 'transfer-encoding': coding } = reply.headers;
    return [type, cache, coding, reply.bytes.toString('latin1')];
  };
  expect(await head('/sse')).toEqual(['text/event-stream', 'no-cache', 'chunked', 'data: 1\n\n']);
  expect(await head('/lines')).toEqual(['application/x-ndjson', undefined, 'chunked', '{"a": 1}\n2\n']);
  expect(await head('/raw')).toEqual([undefined, undefined, 'chunked', 'a\u00ff\u0000']);
  expect(await head('/own')).toEqual(['text/plain', 'no-cache', 'chunked', 'data: 1\n\n']);
  const connection = await RawConnection.open(two.server.mockPort);
  await connection.write(rawRequest(`HEAD ${two.root(mock)}/sse HTTP/1.1`, ['Host: localhost']));
  const { status, headers } = await connection.answer(true);
  await connection.close();
  expect([status, headers.get('content-type'), headers.has('content-length')]).toEqual([
    200,
    'text/event-stream',
    false,
  ]);
});

test('events are rendered with the request when they are due', async () => {
  const mock = await two.mock([
    route('POST /', [
      {
        templated: 'json',
        stream: {
          events: [
            { data: '{"n": {{@index}}, "model": {{body \'model\'}}}' },
            { forEach: "{{tokens (body 'text')}}", delay: 1, data: '{"delta": {{item}}, "last": {{@last}}}' },
            { data: '[DONE]' },
          ],
        },
      },
    ]),
  ]);
  const chat = { model: 'm"1', text: 'Say: "hi" now' };
  const post = { method: 'POST', body: JSON.stringify(chat) };
  const events = (await text(mock, post))
    .split('\n\n')
    .filter((each) => each !== '')
    .map((each) => each.slice('data: '.length));
  expect(JSON.parse(events[0] as string)).toEqual({ n: 0, model: 'm"1' });
  const tokens = events.slice(1, -1).map((each) => JSON.parse(each));
  expect(tokens.map(({ delta }) => delta).join('')).toBe(chat.text);
  expect(tokens.map(({ last }) => last)).toEqual([false, false, true]);
  expect(events.at(-1)).toBe('[DONE]');
});

test('with a seed delays and values are those of the number', async () => {
  const stream = { repeat: 3, events: [{ delay: { min: 0, max: 20 }, data: '{{randomInt 1 1000000}}' }] };
  const settings = { seed: 7 };
  const [one, other] = [
    await streaming(stream, { templated: true }, settings),
    await streaming(stream, { templated: true }, settings),
  ];
  const first = await text(one);
  const values = [...first.matchAll(/data: (\d+)/g)].map(([, value]) => value);
  expect(new Set(values).size).toBe(3);
  const second = await text(one);
  expect(second).not.toBe(first);
  expect([await text(other), await text(other)].map(withoutComments)).toEqual([first, second].map(withoutComments));
});

const withoutComments = (events: string): string => events.replaceAll(':\n\n', '');

test('a stream stays open, and says so while nothing happens', async () => {
  const mock = await streaming({ end: 'open', keepAliveMs: 20, events: [{ data: 'first' }] });
  const connection = await RawConnection.open(two.server.mockPort);
  await connection.write(asked(mock));
  await expect.poll(() => connection.rest.toString().split(':\n\n').length, POLL).toBeGreaterThan(3);
  expect(connection.closed).toBe(false);
  expect(await recorded(mock)).toMatchObject([{ stream: { events: 1, ended: null } }]);
  await connection.close();
  await expect.poll(() => recorded(mock), POLL).toMatchObject([{ stream: { events: 1, ended: 'client' } }]);
});

test('a connection that closes says so, and ends with the stream', async () => {
  const mock = await streaming({ events: [{ data: '1' }, { data: '2', delay: 20 }] });
  const whole = await untilClosed(two.server.mockPort, asked(mock, 'Connection: close'));
  expect(whole).toMatch(/connection: close/i);
  expect(whole.split('\r\n\r\n').slice(1).join('\r\n\r\n')).toBe('9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n0\r\n\r\n');
});

test('a stop of the mock ends its streams with a comment', async () => {
  const mock = await streaming({ end: 'open', events: [{ data: '1' }] });
  const reply = await fetch(address(mock));
  const whole = reply.text();
  await two.data('POST', `/${mock}/stop`);
  expect(await whole).toBe('data: 1\n\n: this stream was stopped\n\n');
  expect(await recorded(mock)).toMatchObject([{ stream: { events: 1, ended: 'stop' } }]);
});

test.each([
  // reaches MOCK_STREAM_WAITING_BYTES_MAX
  ['bytes', [{ delay: 10, data: 'x'.repeat(100_000) }]],
  // reaches MOCK_STREAM_WAITING_EVENTS_MAX
  ['events', [{ delay: 10, data: 'x'.repeat(100_000) }, ...Array.from({ length: 999 }, () => ({ data: '' }))]],
])('a reader that takes nothing is cut once too many %s wait for it', async (_what, events) => {
  const mock = await streaming({ repeat: 'forever', events });
  const connection = await RawConnection.open(two.server.mockPort);
  connection.pause();
  await connection.write(asked(mock));
  await expect.poll(() => recorded(mock, '?ended=slowReader'), POLL).toHaveLength(1);
  await connection.close();
});

test.each([
  [{ events: [{}] }, {}, '/stream/events/0'],
  [{ events: [{ data: 'x', id: 'a\nb' }] }, {}, '/stream/events/0/id'],
  [{ events: [{ data: 'x', forEach: '[1]' }] }, {}, '/stream/events/0/forEach'],
  [{ events: [{ data: '{{item' }] }, { templated: true }, undefined],
  [{ events: [{ data: '{"a": {{item}}', forEach: '[1]' }] }, { templated: 'json' }, '/stream/events/0/data'],
  [{ events: [{ data: 'x', delay: { min: 2, max: 1 } }] }, {}, '/stream/events/0/delay'],
  [{ events: [{ data: 'eA==', encoding: 'base64' }] }, {}, '/stream/events/0/encoding'],
  [{ format: 'raw', events: [{ data: '?', encoding: 'base64' }] }, {}, '/stream/events/0/data'],
  [{ format: 'raw', events: [{ data: '', id: 'x' }] }, {}, '/stream/events/0/id'],
  [{ format: 'ndjson', events: [{ data: '{' }] }, {}, '/stream/events/0/data'],
  [{ format: 'ndjson', events: [], ids: 'auto' }, {}, '/stream/ids'],
  [{ repeat: 'forever', events: [{ data: 'x', delay: 9 }] }, {}, '/stream/repeat'],
  [{ repeat: 0, events: [] }, {}, '/stream/repeat'],
  [{ events: [] }, { body: 'x' }, '/body'],
  [{ events: [] }, { delivery: { firstByteMs: 1 } }, '/delivery'],
  [{ events: [] }, { status: 204 }, '/stream'],
  [{ events: [] }, { fault: { kind: 'malformedChunk' } }, '/fault/kind'],
  [{ events: [] }, { fault: { kind: 'events' } }, '/fault/events'],
  [{ events: [] }, { fault: { kind: 'empty', afterEvents: 1 } }, '/fault/afterEvents'],
  [undefined, { fault: { kind: 'ended' } }, '/fault/kind'],
  [undefined, { fault: { kind: 'hang', afterEvents: 1 } }, '/fault/afterEvents'],
])('%j with %j is refused at %s', async (stream, response, at) => {
  const { status, json } = await two.api('POST', '', {
    name: 'refused',
    routes: [route('GET /', [{ ...response, ...(stream === undefined ? {} : { stream }) }])],
  });
  if (at === undefined) return expect(status).toBe(200);
  expect({ status, paths: json.details?.map(({ path }: { path: string }) => path) }).toEqual({
    status: 400,
    paths: [`/routes/0/responses/0${at}`],
  });
});

const refused = async (stream: Fields, response: Fields = {}): Promise<number> => {
  const { status } = await two.api('POST', '', { name: 'bound', routes: [route('GET /', [{ ...response, stream }])] });
  return status;
};

test('bounds of a definition', async () => {
  const event = { data: 'x' };
  // reaches MOCK_STREAM_EVENTS_MAX
  expect(await refused({ events: Array.from({ length: 1_000 }, () => event) })).toBe(200);
  expect(await refused({ events: Array.from({ length: 1_001 }, () => event) })).toBe(400);
  // reaches MOCK_STREAM_REPEAT_MAX
  expect(await refused({ repeat: 1_000_000, events: [event] })).toBe(200);
  expect(await refused({ repeat: 1_000_001, events: [event] })).toBe(400);
  // reaches MOCK_STREAM_RUN_MS_MIN
  expect(await refused({ repeat: 'forever', events: [event, { ...event, delay: { min: 0, max: 20 } }] })).toBe(200);
  expect(await refused({ repeat: 'forever', events: [{ ...event, delay: { min: 0, max: 19 } }] })).toBe(400);
  // reaches MOCK_STREAM_KEEP_ALIVE_MS_MAX
  expect(await refused({ keepAliveMs: 600_000, events: [] })).toBe(200);
  expect(await refused({ keepAliveMs: 600_001, events: [] })).toBe(400);
  expect(await refused({ events: [{ data: 'x'.repeat(1_000_001) }] })).toBe(403);
  // reaches MOCK_STREAM_EVENTS_SENT_MAX
  const after = (afterEvents: number) => refused({ events: [event] }, { fault: { kind: 'ended', afterEvents } });
  expect([await after(1_000_000_000), await after(1_000_000_001)]).toEqual([200, 400]);
});

test('events that take much work and are due at once leave room for other requests', async () => {
  const port = two.server.mockPort;
  const long = "{{len (replaceAll request.body 'a' 'b')}}";
  const body = 'a'.repeat(100_000);
  const mock = await two.mock([
    route('POST /', [{ templated: true, stream: { events: Array.from({ length: 64 }, () => ({ data: long })) } }]),
    route('GET /quick', [{ body: 'quick' }]),
  ]);
  const state = { isOver: false };
  const events = text(mock, { method: 'POST', body }).finally(() => {
    state.isOver = true;
  });
  let answers = 0;
  // Each of two connections in a row is another thread's.
  for (; !state.isOver; answers++) {
    for (const connection of [await RawConnection.open(port), await RawConnection.open(port)]) {
      await connection.write(rawRequest(`GET ${two.root(mock)}/quick HTTP/1.1`, ['Host: localhost']));
      await connection.answer();
      connection.drop();
    }
  }
  expect((await events).split('data: 100000\n\n').length).toBe(65);
  expect(answers).toBeGreaterThan(8);
});

test('bounds of lists, and of the work and the length of an event', async () => {
  const mock = await two.mock([
    route('POST /long', [{ templated: true, stream: { format: 'raw', events: [{ data: '{{body}}' }] } }]),
    route('GET /list', [
      {
        templated: true,
        stream: {
          format: 'raw',
          events: [{ forEach: `[${Array.from({ length: 1_001 }).fill(0).join()}]`, data: '{{@index}} ' }],
        },
      },
    ]),
    route('GET /work', [
      {
        templated: true,
        stream: {
          events: [{ data: 'first' }, { data: '{{#repeat 1000}}{{#repeat 1000}}{{uuid}}{{/repeat}}{{/repeat}}' }],
        },
      },
    ]),
  ]);
  // reaches MOCK_STREAM_ITEMS_MAX
  expect((await text(mock, {}, '/list')).trim().split(' ').at(-1)).toBe('999');
  // reaches MOCK_STREAM_EVENT_WORK_MAX
  await expect(text(mock, {}, '/work')).rejects.toThrow('terminated');
  expect(await recorded(mock, '?ended=problem')).toMatchObject([{ stream: { events: 1 } }]);
  // reaches MOCK_STREAM_EVENT_CHARS_MAX
  const long = (chars: number) => text(mock, { method: 'POST', body: 'x'.repeat(chars) }, '/long');
  expect(await long(262_144)).toHaveLength(262_144);
  await expect(long(262_145)).rejects.toThrow('fetch failed');
});

test('events are pushed into streams that are open, by channel, route and id, and ended', async () => {
  const open = { events: [{ data: 'first' }], end: 'open', ids: 'auto' };
  const mock = await two.mock([
    route('GET /chat', [{ label: 'chat', stream: open }]),
    route('GET /lines', [{ stream: { format: 'ndjson', events: [], end: 'open', channel: 'lines' } }]),
  ]);
  const [chat, other, lines] = ['/chat', '/chat', '/lines'].map((path) => text(mock, {}, path));
  const ends = Promise.allSettled([chat, other]);
  const listed = async (): Promise<Fields[]> => (await two.api('GET', `/${mock}/streams`)).json.data;
  await expect.poll(listed, POLL).toHaveLength(3);
  const send = (push: Fields) => two.data('POST', `/${mock}/streams/send`, push);
  expect(await send({ channel: 'chat', events: [{ event: 'said', data: 'hi' }], atLeast: 2, withinMs: 5_000 })).toEqual(
    {
      delivered: 2,
      streams: 2,
    },
  );
  expect(await send({ channel: 'lines', events: [{ data: '{"a": 1}' }], end: 'close' })).toMatchObject({
    delivered: 1,
  });
  expect(await lines).toBe('{"a": 1}\n');
  const [one] = (await listed()) as { id: string; events: number; channel: string; requestId: string }[];
  expect(one).toMatchObject({ events: 2, channel: 'chat', waitingBytes: 0 });
  expect(await send({ streamId: one?.id, end: 'cut' })).toMatchObject({ streams: 1 });
  const [left] = (await listed()) as { id: string }[];
  expect((await two.api('DELETE', `/${mock}/streams/${left?.id}`)).status).toBe(200);
  expect((await two.api('DELETE', `/${mock}/streams/${left?.id}`)).json.message).toBe('Stream not found');
  const ended = await ends;
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(ended.find(({ status }) => status === 'fulfilled')).toMatchObject({
    value: 'id: 1\ndata: first\n\nevent: said\nid: 2\ndata: hi\n\n',
  });
  const match = { path: '/chat', events: { atLeast: 2 }, ended: 'push' };
  expect(await two.data('POST', `/${mock}/verify`, { match, exactly: 2 })).toMatchObject({ verified: true });
  const wrong = { ...match, events: { atLeast: 3 }, ended: 'client' };
  const { closest } = await two.data('POST', `/${mock}/verify`, { match: wrong });
  expect(closest[0].differences).toEqual([
    { path: '/match/ended', expected: 'client', actual: ['push'] },
    { path: '/match/events', expected: '{"atLeast":3}', actual: ['2'] },
  ]);
});

test('what is pushed into a session, or outside of all, stays there', async () => {
  const mock = await streaming({ events: [], end: 'open' }, { label: 'x' });
  const { id } = await two.data('POST', `/${mock}/sessions`, {});
  const inSession = text(mock, { headers: { 'x-mock-session': id } });
  const outside = text(mock);
  const push = (path: string, data: string) =>
    two.data('POST', `/${mock}${path}/streams/send`, { atLeast: 1, withinMs: 5_000, events: [{ data }], end: 'close' });
  expect(await push(`/sessions/${id}`, 'in')).toEqual({ delivered: 1, streams: 1 });
  expect(await push('', 'out')).toEqual({ delivered: 1, streams: 1 });
  expect([withoutComments(await inSession), withoutComments(await outside)]).toEqual(['data: in\n\n', 'data: out\n\n']);
});

test('a session has streams and faults of its own', async () => {
  const mock = await two.mock([route('GET /', [{ id: 'r', body: 'whole' }], { id: 'r1' })]);
  const overlay = { responses: { r1: { merge: { stream: { events: [{ data: '1' }, { data: '2' }] } } } } };
  const { id } = await two.data('POST', `/${mock}/sessions`, { overlay });
  const inSession = { headers: { 'x-mock-session': id } };
  expect([await text(mock), await text(mock, inSession)]).toEqual(['whole', 'data: 1\n\ndata: 2\n\n']);
  const fault = { kind: 'ended', afterEvents: 1 };
  const { stream } = overlay.responses.r1.merge;
  await two.data('PUT', `/${mock}/sessions/${id}/overlay`, { responses: { r1: { merge: { stream, fault } } } });
  expect(await text(mock, inSession)).toBe('data: 1\n\n');
});

test('a merged fault in a stream is of the responses that stream, and is refused where none does', async () => {
  const post = { target: 'query', property: 'whole', operator: 'exists' };
  const responses = [
    { id: 'body', rules: [post], body: 'whole', fault: { kind: 'status', status: 503, probability: 0 } },
    { id: 'stream', default: true, stream: { events: [{ data: '1' }, { data: '2' }] } },
  ];
  const mock = await two.mock([
    route('GET /', responses, { id: 'both' }),
    route('GET /body', [{ body: '' }], { id: 'none' }),
  ]);
  for (const fault of [
    { kind: 'ended', afterEvents: 1 },
    { kind: 'events', afterEvents: 1, events: [{ data: 'error' }] },
    { kind: 'truncated', bytes: 0, afterEvents: 1 },
  ]) {
    const overlay = { responses: { both: { merge: { fault } } } };
    const { id } = await two.data('POST', `/${mock}/sessions`, { overlay });
    const inSession = { headers: { 'x-mock-session': id } };
    expect(await text(mock, inSession, '/?whole')).toBe('whole');
    const cut = text(mock, inSession);
    if (fault.kind === 'truncated') await expect(cut).rejects.toThrow('terminated');
    else expect(await cut).toMatch(/^data: 1\n\n(?:data: error\n\n)?$/);
    const { status, json } = await two.api('PUT', `/${mock}/sessions/${id}/overlay`, {
      responses: { none: { merge: { fault } } },
    });
    expect([status, json.details[0].message]).toEqual([400, expect.stringContaining('needs a stream')]);
  }
});

/** What chunks hold, of which the last may be cut. */
function dechunked(chunks: string): string {
  let [body, at] = ['', 0];
  for (;;) {
    const [line = '', size = ''] = /^(?:\r\n)?([0-9a-f]+)\r\n/.exec(chunks.slice(at)) ?? [];
    const bytes = Number.parseInt(size, 16) || 0;
    if (bytes === 0) return body;
    body += chunks.slice(at + line.length, at + line.length + bytes);
    at += line.length + bytes;
  }
}

test.each([
  [{ kind: 'truncated', bytes: 3 }, 'data: 1\n\ndat', 'fault'],
  [{ kind: 'truncated' }, 'data: 1\n\ndata', 'fault'],
  [{ kind: 'ended' }, 'data: 1\n\n', undefined],
  [{ kind: 'hang', ms: 50 }, 'data: 1\n\n', 'fault'],
  [{ kind: 'events', events: [{ event: 'error', data: '{}' }] }, 'data: 1\n\nevent: error\ndata: {}\n\n', undefined],
])('the fault %j strikes after an event', async (fault, sent, isCut) => {
  const mock = await streaming(
    { events: [{ data: '1' }, { data: '2', delay: 5 }] },
    { fault: { ...fault, afterEvents: 1 } },
  );
  const whole = await untilClosed(two.server.mockPort, asked(mock, 'Connection: close'));
  const chunks = whole.slice(whole.indexOf('\r\n\r\n') + 4);
  expect(dechunked(chunks)).toBe(sent);
  expect(chunks.endsWith('0\r\n\r\n')).toBe(isCut === undefined);
  const { kind } = fault;
  expect(await recorded(mock, `?fault=${kind}`)).toMatchObject([{ status: 200, stream: { ended: 'fault' } }]);
});

test('a dry run shows what is sent, and when', async () => {
  const events = [
    { delay: { min: 5, max: 50 }, data: '{{randomInt 1 1000000}}' },
    { delay: 10, forEach: "{{split (queryParam 'q') ','}}", data: '{{item}}' },
  ];
  const mock = await streaming({ ids: 'auto', events }, { templated: true }, { seed: 5 });
  const dry = async (headers = {}) =>
    (await two.data('POST', `/${mock}/try`, { method: 'GET', path: '/?q=a,b', requestNumber: 1, headers })).response;
  const shown: { atMs: number; text: string }[] = (await dry()).events;
  expect(withoutComments(await text(mock, {}, '/?q=a,b'))).toBe(shown.map((each) => each.text).join(''));
  const [first = 0, second = 0, third = 0] = shown.map(({ atMs }) => atMs);
  expect([second - first, third - second]).toEqual([10, 10]);
  expect((await dry({ 'last-event-id': '2' })).events).toMatchObject([{ text: 'id: 3\ndata: b\n\n' }]);
  expect(await dry({ 'last-event-id': '3' })).toMatchObject({ status: 204 });
});
