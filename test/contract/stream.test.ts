/** The live stream of requests to a mock on two threads: `GET /mocks/:id/requests/stream`; docs/mocks-traffic.md. */
import { Agent } from 'node:http';
import { describe, expect, test } from 'vitest';
import { RawConnection, rawRequest } from '../support/raw-http.ts';
import { isAskedMuch, route, TARGETS, TwoThreads } from '../support/two-threads.ts';

describe.each(TARGETS)('%s', async (target) => {
  const two = await TwoThreads.use(target);

  interface Data {
    readonly id: string;
    readonly path: string;
    readonly count: number;
    readonly epoch: string;
    readonly total: number;
    readonly unmatched: number;
    readonly statuses: readonly object[];
  }

  interface Stream {
    readonly type: string;
    readonly headers: Headers;
    /** Everything read so far. */
    readonly text: () => string;
    /** The data of all events of a kind that have come whole. */
    readonly data: (event: string) => readonly Data[];
    /** Starts to read. */
    readonly read: () => void;
    readonly close: () => Promise<void>;
  }

  async function follow(id: string, query = '', headers: Record<string, string> = {}): Promise<Stream> {
    const aborted = new AbortController();
    const response = await fetch(
      `http://127.0.0.1:${two.server.port}/v1/mocks${two.scope(id)}/requests/stream${query}`,
      {
        headers: { 'x-api-key': two.key, ...headers },
        signal: aborted.signal,
      },
    );
    let text = '';
    // Parsed once: a poll asks again every few milliseconds.
    let parsed = 0;
    const events = new Map<string, Data[]>();
    const data = (event: string): readonly Data[] => {
      const end = text.lastIndexOf('\n\n') + 1;
      for (const [, kind = '', json = ''] of text.slice(parsed, end).matchAll(/^event: (\w+)\ndata: (.*)$/gm)) {
        const before = events.get(kind) ?? [];
        events.set(kind, before);
        before.push(JSON.parse(json));
      }
      parsed = Math.max(parsed, end);
      return events.get(event) ?? [];
    };
    let reading: Promise<void> | undefined;
    // Requests made before the first poll of the stream are not sent.
    await new Promise((resolve) => setTimeout(resolve, 400));
    return {
      type: response.headers.get('content-type') as string,
      headers: response.headers,
      text: () => text,
      data,
      read: () => {
        reading = (async () => {
          const pieces = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
          for await (const piece of pieces) text += piece;
        })().catch(() => undefined);
      },
      close: async () => {
        aborted.abort();
        await reading;
      },
    };
  }

  test('it sends the same records as the list, from both threads, in order, and none from before', async () => {
    const id = await two.mock([route('POST /:n', [{ status: 201 }])]);
    await two.ask(id, '/before', { method: 'POST' });
    const stream = await follow(id);
    expect(stream.type).toContain('text/event-stream');
    // A proxy that buffers replies would hold events back.
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    stream.read();
    for (let n = 0; n < 20; n++) await two.ask(id, `/${n}`, { method: 'POST', body: `body ${n}` });
    await two.ask(id, '/missed/last');
    await expect.poll(stream.text, { timeout: 5_000 }).toContain('/missed/last');
    const listed = (await two.api('GET', `/${id}/requests?limit=21`)).json.data;
    expect(stream.data('request').toReversed()).toEqual(listed);
    await stream.close();
  });

  // reaches STREAM_EVENTS_PER_POLL_MAX, STREAM_BYTES_PER_POLL_MAX
  test.runIf(isAskedMuch(target))(
    'under load it drops requests and says how many, and delays no other client',
    async () => {
      const id = await two.mock([route('POST /:n', [{ body: 'ok' }])]);
      const stream = await follow(id);
      const body = 'x'.repeat(30_000);
      const started = performance.now();
      for (let batch = 0; batch < 40; batch++) {
        const asked = Array.from({ length: 25 }, () => two.ask(id, '/n', { method: 'POST', body }));
        for (const { text } of await Promise.all(asked)) expect(text).toBe('ok');
        expect((await two.api('GET', `/${id}`)).status).toBe(200);
      }
      expect(performance.now() - started).toBeLessThan(30_000);
      stream.read();
      const dropped = () => stream.data('dropped').reduce((sum, { count }) => sum + count, 0);
      const received = () => stream.data('request').length;
      // Requests that arrive before it has caught up may be dropped as well.
      const told = (count: number): Promise<void> =>
        expect.poll(() => received() + dropped(), { timeout: 30_000 }).toBe(count);
      await told(1_000);
      expect(dropped()).toBeGreaterThan(0);
      await two.ask(id, '/last', { method: 'POST' });
      await expect.poll(stream.text, { timeout: 30_000 }).toContain('"/last"');
      await told(1_001);
      await stream.close();
    },
  );

  const pathsOf = (stream: Stream) => stream.data('request').map(({ path }) => path);
  const droppedOf = (stream: Stream) => stream.data('dropped').reduce((sum, { count }) => sum + count, 0);
  /** The id of the last event that has one. */
  const lastIdOf = (stream: Stream) => [...stream.text().matchAll(/^id: (.*)$/gm)].at(-1)?.[1] as string;

  test.runIf(isAskedMuch(target))('a burst is sent whole, in the order of its numbers, by the next polls', async () => {
    const id = await two.mock([route('GET /:n')]);
    const stream = await follow(id);
    stream.read();
    // Within one poll: pipelined, on a connection to either thread.
    const requests = rawRequest('GET /n HTTP/1.1', [`Host: ${two.host(id)}`]).repeat(500);
    const connections = await Promise.all([1, 2].map(() => RawConnection.open(two.server.mockPort)));
    await Promise.all(connections.map((connection) => connection.write(requests)));
    await expect.poll(() => pathsOf(stream).length, { timeout: 10_000 }).toBe(1_000);
    await Promise.all(connections.map((connection) => connection.close()));
    const numbers = stream.data('request').map((each) => Number(each.id));
    expect(numbers).toEqual(Array.from({ length: 1_000 }, (_each, index) => index + 1));
    expect(droppedOf(stream)).toBe(0);
    await stream.close();
  });

  // reaches STREAM_BACKLOG_MAX
  test.runIf(isAskedMuch(target))(
    'of more than may wait the newest are sent, to the last one, and the others are counted',
    async () => {
      const id = await two.mock([route('GET /:n')]);
      const stream = await follow(id, '?fields=summary');
      stream.read();
      const requests = rawRequest('GET /n HTTP/1.1', [`Host: ${two.host(id)}`]).repeat(4_000);
      let total = 0;
      const isTold = async (): Promise<boolean> => {
        const before = total;
        ({ total } = await two.data('GET', `/${id}/counts`));
        return total === before && pathsOf(stream).length + droppedOf(stream) === total;
      };
      // On a busy machine a connection may be ended for what its owner pipelines above its share, before anything is dropped.
      for (let bursts = 0; droppedOf(stream) === 0 && bursts < 5; bursts++) {
        const connections = await Promise.all([1, 2].map(() => RawConnection.open(two.server.mockPort)));
        await Promise.all(connections.map((connection) => connection.write(requests)));
        await expect.poll(isTold, { timeout: 20_000, interval: 200 }).toBe(true);
        await Promise.all(connections.map((connection) => connection.close()));
      }
      expect(droppedOf(stream)).toBeGreaterThan(0);
      expect(total).toBeGreaterThan(2_000);
      const numbers = stream.data('request').map((each) => Number(each.id));
      expect(numbers.at(-1)).toBe(total);
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      await stream.close();
    },
  );

  test.runIf(isAskedMuch(target))(
    'filters choose what is sent, and a miss among many hits is not dropped',
    async () => {
      const id = await two.mock([route('POST /:n', [{ status: 201 }])]);
      const [{ id: routeId }] = (await two.data('GET', `/${id}/staged`)).routes;
      const [misses, searched, ofRoute] = await Promise.all(
        ['?matched=false', '?q=NEEDLE', `?routeId=${routeId}&status=201&path=/7`].map((query) => follow(id, query)),
      );
      const streams = [misses, searched, ofRoute] as Stream[];
      for (const stream of streams) stream.read();
      const agent = new Agent({ keepAlive: true, maxSockets: 40 });
      for (let batch = 0; batch < 6; batch++) {
        const body = batch === 3 ? 'a needle' : 'hay';
        await Promise.all(
          Array.from({ length: 500 }, (_each, n) =>
            n === 250
              ? two.ask(id, `/missed/${batch}`, { agent })
              : two.ask(id, `/${n}`, { method: 'POST', agent, body: n === 9 ? body : '' }),
          ),
        );
      }
      agent.destroy();
      const six = [0, 1, 2, 3, 4, 5];
      await expect.poll(() => pathsOf(misses as Stream), { timeout: 10_000 }).toEqual(six.map((n) => `/missed/${n}`));
      await expect.poll(() => pathsOf(searched as Stream), { timeout: 10_000 }).toEqual(['/9']);
      await expect.poll(() => pathsOf(ofRoute as Stream), { timeout: 10_000 }).toEqual(six.map(() => '/7'));
      for (const stream of streams) {
        expect(droppedOf(stream)).toBe(0);
        await stream.close();
      }
    },
  );

  test('a summary has no headers and no body', async () => {
    const id = await two.mock([route('POST /:n')]);
    const stream = await follow(id, '?fields=summary');
    stream.read();
    await two.ask(id, '/a?b=1', { method: 'POST', body: 'x'.repeat(9_000) });
    await expect.poll(stream.text, { timeout: 5_000 }).toContain('event: request');
    const [listed] = (await two.api('GET', `/${id}/requests?fields=summary`)).json.data;
    expect(Object.keys(listed)).toEqual([
      'id',
      ...(target === 'of a session' ? ['session'] : []),
      'time',
      'method',
      'path',
      'query',
      'routeId',
      'responseId',
      'version',
      'status',
      'durationMs',
    ]);
    expect(stream.data('request')).toEqual([listed]);
    await stream.close();
  });

  test('exact counts by status come each second, whatever was sent and whatever the filters', async () => {
    const id = await two.mock([
      route('GET /a', [{ status: 202 }]),
      route('GET /bad', [{ templated: true, headers: [{ name: 'x', value: "{{queryParam 'v'}}" }] }]),
    ]);
    await two.ask(id, '/a');
    const stream = await follow(id, '?status=418');
    stream.read();
    await expect.poll(stream.text, { timeout: 5_000 }).toContain('event: counts');
    const { epoch } = await two.data('GET', `/${id}/counts`);
    // Whether requests of the tests before have waited is left to chance.
    expect({ ...stream.data('counts')[0], ownerWaits: undefined }).toEqual({
      epoch,
      time: expect.any(Number),
      total: 1,
      unmatched: 0,
      statuses: [{ status: 202, count: 1 }],
    });
    // Each on a connection of its own: kept ones would leave most of them to the thread that is less busy.
    await Promise.all(Array.from({ length: 300 }, (_each, n) => two.ask(id, n % 3 === 0 ? '/none' : '/a')));
    expect((await two.ask(id, '/bad?v=%0a')).status).toBe(500);
    // A save changes what a response answers; what it has answered stays.
    await two.save(id, [route('GET /a', [{ status: 204 }])]);
    await two.ask(id, '/a');
    await two.data('POST', `/${id}/stop`);
    await two.ask(id, '/a');
    const expected = {
      total: 304,
      unmatched: 101,
      statuses: [
        { status: 202, count: 201 },
        { status: 204, count: 1 },
        { status: 404, count: 100 },
        { status: 500, count: 1 },
        { status: 503, count: 1 },
      ],
    };
    await expect.poll(() => stream.data('counts').at(-1), { timeout: 5_000 }).toMatchObject(expected);
    expect(await two.data('GET', `/${id}/counts`)).toMatchObject(expected);
    const seen = stream.data('counts').length;
    await expect.poll(() => stream.data('counts').length, { timeout: 5_000 }).toBeGreaterThan(seen + 1);
    expect(pathsOf(stream)).toEqual([]);
    await stream.close();
  });

  test('with `traffic` off, requests are dropped and counted', async () => {
    const id = await two.mock([route('GET /a')], { traffic: false });
    const stream = await follow(id);
    stream.read();
    await two.both(id, '/a');
    await expect.poll(() => droppedOf(stream), { timeout: 5_000 }).toBe(2);
    expect(stream.data('request')).toEqual([]);
    await stream.close();
  });

  test.runIf(target === 'of a mock')(
    'what sessions recorded that end between two polls is dropped, and counted',
    async () => {
      const id = await two.mock([route('GET /:n')]);
      const [whole, outside] = (await Promise.all(['', '?session='].map((query) => follow(id, query)))) as [
        Stream,
        Stream,
      ];
      for (const stream of [whole, outside]) stream.read();
      for (let round = 0; round < 10; round++) {
        const { id: session } = await two.data('POST', `/${id}/sessions`, {});
        const headers = { 'x-mock-session': session };
        const asked = Array.from({ length: 10 }, (_each, n) => two.ask(id, '/n', n % 2 === 0 ? { headers } : {}));
        await Promise.all(asked);
        await two.data('DELETE', `/${id}/sessions/${session}`);
      }
      await expect.poll(() => pathsOf(whole).length + droppedOf(whole), { timeout: 5_000 }).toBe(100);
      expect(droppedOf(whole)).toBeGreaterThan(0);
      await expect.poll(() => pathsOf(outside).length, { timeout: 5_000 }).toBe(50);
      expect(droppedOf(outside)).toBe(0);
      await two.ask(id, '/last');
      await expect.poll(() => pathsOf(whole).at(-1), { timeout: 5_000 }).toBe('/last');
      expect(pathsOf(whole).length + droppedOf(whole)).toBe(101);
      for (const stream of [whole, outside]) await stream.close();
    },
  );

  describe('a stream that is read again', () => {
    const read = async (id: string, query: string, headers: Record<string, string> = {}): Promise<Stream> => {
      const stream = await follow(id, query, headers);
      stream.read();
      return stream;
    };

    test.runIf(isAskedMuch(target)).each(['after', 'Last-Event-ID'])(
      'goes on after the last event, by %s, and joins the others',
      async (by) => {
        const id = await two.mock([route('GET /:n')]);
        const other = await read(id, '');
        const first = await read(id, '');
        for (const path of ['/1', '/2']) await two.ask(id, path);
        await expect.poll(() => pathsOf(first), { timeout: 5_000 }).toEqual(['/1', '/2']);
        const last = lastIdOf(first);
        await first.close();
        const agent = new Agent({ keepAlive: true, maxSockets: 40 });
        await Promise.all(Array.from({ length: 1_200 }, () => two.ask(id, '/meanwhile', { agent })));
        agent.destroy();
        const again = by === 'after' ? await read(id, `?after=${last}`) : await read(id, '', { 'last-event-id': last });
        await expect.poll(() => pathsOf(again).length, { timeout: 10_000 }).toBe(1_200);
        await two.ask(id, '/later');
        await expect.poll(() => pathsOf(again).at(-1), { timeout: 5_000 }).toBe('/later');
        await expect.poll(() => pathsOf(other).at(-1), { timeout: 5_000 }).toBe('/later');
        expect(again.data('request').map((each) => Number(each.id))).toEqual(
          Array.from({ length: 1_201 }, (_each, index) => index + 3),
        );
        expect(droppedOf(again)).toBe(0);
        expect(again.text()).not.toContain('event: reset');
        await Promise.all([again.close(), other.close()]);
      },
    );

    test('goes on after a request by its id, from all that is recorded with 0, and with its filters', async () => {
      const id = await two.mock([route('GET /:n')]);
      for (const path of ['/1', '/none/1', '/2', '/none/2']) await two.ask(id, path);
      const [after, all, misses] = await Promise.all(
        ['?after=3', '?after=0', '?after=0&matched=false'].map((query) => read(id, query)),
      );
      await expect.poll(() => pathsOf(after as Stream)).toEqual(['/none/2']);
      await expect.poll(() => pathsOf(all as Stream)).toHaveLength(4);
      await expect.poll(() => pathsOf(misses as Stream)).toEqual(['/none/1', '/none/2']);
      for (const stream of [after, all, misses] as Stream[]) {
        expect(droppedOf(stream)).toBe(0);
        await stream.close();
      }
    });

    test.runIf(isAskedMuch(target))('is told what is recorded no longer, and gets the rest', async () => {
      const id = await two.mock([route('POST /:n')]);
      const before = await read(id, '');
      for (const path of ['/1', '/2', '/3']) await two.ask(id, path, { method: 'POST' });
      await expect.poll(() => pathsOf(before), { timeout: 5_000 }).toEqual(['/1', '/2', '/3']);
      const [, second] = [...before.text().matchAll(/^id: (.*)$/gm)].map(([, each]) => each);
      await before.close();
      const agent = new Agent({ keepAlive: true, maxSockets: 20 });
      const body = 'x'.repeat(32_000);
      await Promise.all(Array.from({ length: 900 }, () => two.ask(id, '/n', { method: 'POST', body, agent })));
      agent.destroy();
      const { total } = (await two.api('GET', `/${id}/requests?limit=1`)).json;
      for (const [after, count] of [
        ['0', 903],
        [second, 901],
      ]) {
        const stream = await read(id, `?after=${after}&fields=summary`);
        await expect.poll(() => pathsOf(stream).length + droppedOf(stream), { timeout: 20_000 }).toBe(count);
        expect(droppedOf(stream)).toBeGreaterThan(100);
        expect(pathsOf(stream)).toHaveLength(total);
        await stream.close();
      }
    });

    test.each(['', '&q=/n'])(
      'gets all that is recorded, though a poll has more than its connection takes%s',
      async (filter) => {
        const id = await two.mock([route('POST /:n')]);
        const agent = new Agent({ keepAlive: true, maxSockets: 20 });
        // As JSON, a control character has six.
        const body = '\x01'.repeat(32_000);
        // A session keeps an eighth of what its mock may.
        const count = target === 'of a mock' ? 200 : 40;
        await Promise.all(Array.from({ length: count }, () => two.ask(id, '/n', { method: 'POST', body, agent })));
        agent.destroy();
        const stream = await read(id, `?after=0${filter}`);
        const told = (): number => stream.data('request').length + droppedOf(stream);
        await expect.poll(told, { timeout: 20_000, interval: 200 }).toBe(count);
        expect(droppedOf(stream)).toBe(0);
        await stream.close();
      },
    );

    test('begins anew after a reset, and says so', async () => {
      const id = await two.mock([route('GET /:n')]);
      const first = await read(id, '');
      await two.ask(id, '/1');
      await expect.poll(() => pathsOf(first), { timeout: 5_000 }).toEqual(['/1']);
      const last = lastIdOf(first);
      await first.close();
      await two.api('DELETE', `/${id}/requests`);
      for (const path of ['/2', '/3']) await two.ask(id, path);
      const again = await read(id, `?after=${last}`);
      await expect.poll(() => pathsOf(again), { timeout: 5_000 }).toEqual(['/2', '/3']);
      expect(again.text()).toContain('event: reset');
      await again.close();
    });

    test.each<[string, string]>([
      ['after=yesterday', 'after'],
      ['after=-1', 'after'],
      ['matched=maybe', 'matched'],
      ['fields=few', 'fields'],
      ['limit=5', 'limit'],
      ['mathed=true', 'mathed'],
      ['header=accept', 'header'],
      ['status=x', 'status'],
    ])('is refused with %s', async (query, path) => {
      const id = await two.mock([route('GET /:n')]);
      const { status, json } = await two.api('GET', `/${id}/requests/stream?${query}`);
      expect([status, json.details]).toEqual([400, [{ path, message: expect.any(String) }]]);
    });
  });
});
