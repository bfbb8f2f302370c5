/** Diffs over HTTP: sizes in place of large bodies, and any two versions; docs/mocks-fields.md, "Diff and warnings". */
import { DIFF_BODY_BYTES_MAX, DIFF_BODIES_BYTES_MAX } from '../../src/model/mocks/show/diff.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();

const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
  server.request(method, `/v1/mocks${path}`, { key, headers, ...(body === undefined ? {} : { body }) });
const data = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await send(method, path, body);
  expect({ status, json }).toMatchObject({ status: 200 });
  return json.data;
};

interface Response {
  readonly body?: string;
  readonly bodyEncoding?: string;
  readonly stream?: object;
  readonly fault?: object;
}

/** @returns The changes of the fields of each route's only response. */
async function changes(before: readonly Response[], after: readonly Response[]) {
  const routeOf = (response: Response, index: number) => ({
    method: 'GET',
    path: `/${index}`,
    id: `r${index}`,
    responses: [{ id: 'a', ...response }],
  });
  const { id } = await data('POST', '', { name: 'm', routes: before.map(routeOf) });
  await data('PUT', `/${id}/staged`, { routes: after.map(routeOf) });
  const { routesChanged } = await data('GET', `/${id}/staged/diff`);
  return routesChanged.map(({ responsesChanged }: { responsesChanged: object[] }) => {
    expect(responsesChanged).toHaveLength(1);
    return (responsesChanged[0] as { fields: object[] }).fields;
  });
}

describe('of a changed body', () => {
  test('both texts and their bytes are shown', async () => {
    expect(await changes([{ body: 'é\n' }], [{ body: '' }])).toEqual([
      [{ field: 'body', before: 'é\n', after: '', beforeBytes: 3, afterBytes: 0 }],
    ]);
    const [fields] = await changes(
      [{ body: 'a'.repeat(DIFF_BODY_BYTES_MAX) }],
      [{ body: 'b'.repeat(DIFF_BODY_BYTES_MAX) }],
    );
    expect(fields[0].after).toBe('b'.repeat(DIFF_BODY_BYTES_MAX));
  });

  // reaches DIFF_BODY_BYTES_MAX
  test('a body of more than 256 KiB is told by its size, and the other with it', async () => {
    const large = { body: 'a'.repeat(DIFF_BODY_BYTES_MAX + 1) };
    const sizes = { field: 'body', before: null, after: null };
    expect(await changes([large], [{ body: 'b' }])).toEqual([
      [{ ...sizes, beforeBytes: DIFF_BODY_BYTES_MAX + 1, afterBytes: 1 }],
    ]);
    expect(await changes([{ body: 'b' }], [large])).toEqual([
      [{ ...sizes, beforeBytes: 1, afterBytes: DIFF_BODY_BYTES_MAX + 1 }],
    ]);
  });

  test('bytes that are no text are told by their size', async () => {
    expect(
      await changes([{ body: 'AAE=', bodyEncoding: 'base64' }], [{ body: 'AAI=', bodyEncoding: 'base64' }]),
    ).toEqual([[{ field: 'body', before: null, after: null, beforeBytes: 2, afterBytes: 2 }]]);
    expect(await changes([{ body: 'text' }], [{ body: 'AAI=', bodyEncoding: 'base64' }])).toEqual([
      [
        { field: 'body', before: null, after: null, beforeBytes: 4, afterBytes: 2 },
        { field: 'bodyEncoding', before: 'text', after: 'base64' },
      ],
    ]);
  });

  // reaches DIFF_BODIES_BYTES_MAX
  test('bodies of more than 2 MiB in all are told by their sizes', async () => {
    const bytes = DIFF_BODY_BYTES_MAX;
    const pairs = DIFF_BODIES_BYTES_MAX / bytes / 2;
    const bodies = (letter: string) => Array.from({ length: pairs + 2 }, () => ({ body: letter.repeat(bytes) }));
    const fields: { before: string | null; beforeBytes: number }[] = (await changes(bodies('a'), bodies('b'))).flat();
    expect(fields.map(({ before }) => before !== null)).toEqual([...Array(pairs).fill(true), false, false]);
    expect(fields.map(({ beforeBytes }) => beforeBytes)).toEqual(Array(pairs + 2).fill(bytes));
  });
});

describe('of changed stores', () => {
  const of = async (before: object[], after: object[]) => {
    const { id } = await data('POST', '', { name: 'm', settings: { stores: before } });
    await data('PUT', `/${id}/staged`, { settings: { stores: after }, routes: [] });
    return (await data('GET', `/${id}/staged/diff`)).settings;
  };
  const users = (...value: unknown[]) => ({ name: 'users', value });

  test('each item, each member and each store is a field', async () => {
    const many = Array.from({ length: 400 }, (_, id) => ({ id, name: `n${id}` }));
    const [, ...changed] = many.with(7, { id: 7, name: 'new' });
    expect(await of([users(...many)], [users(...changed, { id: 'x' })])).toEqual([
      { field: 'stores.users.value.7', before: { id: 7, name: 'n7' }, after: { id: 7, name: 'new' } },
      { field: 'stores.users.value.x', before: null, after: { id: 'x' } },
      { field: 'stores.users.value.0', before: { id: 0, name: 'n0' }, after: null },
    ]);
    expect(await of([users(1, 2)], [users(1, 3, 4)])).toEqual([
      { field: 'stores.users.value.1', before: 2, after: 3 },
      { field: 'stores.users.value.2', before: null, after: 4 },
    ]);
    const totals = (value: unknown, more: object = {}) => ({ name: 'totals', value, ...more });
    expect(await of([totals({ a: 1, b: 2 })], [totals({ a: 1, b: 3 }, { idMember: 'key' }), users()])).toEqual([
      { field: 'stores.totals.value.b', before: 2, after: 3 },
      { field: 'stores.totals.idMember', before: null, after: 'key' },
      { field: 'stores.users', before: null, after: users() },
    ]);
    expect(await of([totals(1)], [totals([])])).toEqual([{ field: 'stores.totals.value', before: 1, after: [] }]);
    // Only in another order.
    const [one, other] = [{ id: 1 }, { id: 2 }];
    expect(await of([users(one, other)], [users(other, one)])).toEqual([
      { field: 'stores.users.value', before: [one, other], after: [other, one] },
    ]);
    expect(await of([users(), totals(1)], [totals(1), users()])).toMatchObject([{ field: 'stores' }]);
  });

  test('and what is too large has its bytes', async () => {
    const text = 'x'.repeat(DIFF_BODY_BYTES_MAX);
    expect(await of([users('a')], [users(text)])).toEqual([
      { field: 'stores.users.value.0', before: null, after: null, beforeBytes: 3, afterBytes: text.length + 2 },
    ]);
  });
});

describe('of a changed stream', () => {
  const of = (...events: (string | object)[]) => ({
    stream: { events: events.map((each) => (typeof each === 'string' ? { data: each } : each)) },
  });

  test('each event and each member is a field', async () => {
    const same = Array.from({ length: 400 }, (_, index) => String(index));
    const after = of(...same.slice(0, 200), 'new', ...same.slice(200));
    expect(await changes([of(...same)], [after])).toEqual([
      [{ field: 'stream.events.200', before: null, after: { data: 'new' } }],
    ]);
    expect(await changes([of('a', 'b', 'c', 'd')], [of('a', { data: 'B', id: '1' }, 'd')])).toEqual([
      [
        { field: 'stream.events.1', before: { data: 'b' }, after: { id: '1', data: 'B' } },
        { field: 'stream.events.2', before: { data: 'c' }, after: null },
      ],
    ]);
    expect(await changes([of('a', 'a')], [of('a', 'a', 'a')])).toEqual([
      [{ field: 'stream.events.2', before: null, after: { data: 'a' } }],
    ]);
    const open = { stream: { ...of('a').stream, end: 'open', repeat: 2 } };
    expect(await changes([of('a')], [open])).toEqual([
      [
        { field: 'stream.repeat', before: null, after: 2 },
        { field: 'stream.end', before: null, after: 'open' },
      ],
    ]);
    expect(await changes([{ body: '' }], [of('a')])).toEqual([
      [{ field: 'stream', before: null, after: of('a').stream }],
    ]);
  });

  test('and an event, a stream or a fault that is too large has its bytes', async () => {
    const large = 'x'.repeat(DIFF_BODY_BYTES_MAX);
    const sizes = { before: null, after: null, beforeBytes: 12, afterBytes: DIFF_BODY_BYTES_MAX + 11 };
    expect(await changes([of('a')], [of(large)])).toEqual([[{ field: 'stream.events.0', ...sizes }]]);
    expect(await changes([{ body: '' }], [of(large)])).toEqual([
      [expect.objectContaining({ field: 'stream', before: null, after: null, beforeBytes: 0 })],
    ]);
    const failing = (text: string) => ({ ...of('a'), fault: { kind: 'events', events: [{ data: text }] } });
    expect(await changes([failing('a')], [failing(large)])).toEqual([
      [expect.objectContaining({ field: 'fault', before: null, after: null })],
    ]);
  });
});

describe('between any two versions:', () => {
  const route = (path: string, body: string) => ({
    id: path.replaceAll(/[^a-z]/g, ''),
    method: 'GET',
    path,
    responses: [{ id: 'a', body }],
  });
  let id: string;
  let diff: (query: string) => Promise<Answer>;
  beforeAll(async () => {
    ({ id } = await data('POST', '', { name: 'm', routes: [route('/a', '1'), route('/b', '1')] }));
    diff = (query) => send('GET', `/${id}/diff${query}`);
    await data('PUT', `/${id}/staged`, { settings: { cors: false }, routes: [route('/b', '2'), route('/c', '1')] });
    await data('POST', `/${id}/save`);
    await data('PUT', `/${id}/staged`, { routes: [route('/b', '1'), route('/c', '1'), route('/c/{x}', '1')] });
    await data('POST', `/${id}/save`);
    await data('PUT', `/${id}/staged`, { routes: [route('/b', '4')] });
  });

  const body = (before: string, after: string) => [
    {
      routeId: 'b',
      responsesChanged: [
        { responseId: 'a', fields: [{ field: 'body', before, after, beforeBytes: 1, afterBytes: 1 }] },
      ],
    },
  ];

  test('from an older one, and back', async () => {
    const there = await diff('?from=1&to=2');
    expect(there.json.data).toMatchObject({
      settings: [{ field: 'cors', before: true, after: false }],
      routesAdded: [{ routeId: 'c', method: 'GET', path: '/c' }],
      routesRemoved: [{ routeId: 'a', method: 'GET', path: '/a' }],
      routesChanged: body('1', '2'),
    });
    expect(there.headers.get('etag')).toBe('"v1-v2"');
    const back = (await diff('?from=2&to=1')).json.data;
    expect(back).toMatchObject({
      settings: [{ field: 'cors', before: false, after: true }],
      routesAdded: [{ routeId: 'a' }],
      routesRemoved: [{ routeId: 'c' }],
      routesChanged: body('2', '1'),
    });
  });

  test('a route that was changed and changed back does not differ', async () => {
    const { data: found } = (await diff('?from=1&to=3')).json;
    expect(found.routesRemoved).toMatchObject([{ routeId: 'a' }]);
    expect(found.routesChanged).toEqual([]);
  });

  test('without parameters it is what a save would change, with its tag and its warnings', async () => {
    const [plain, staged] = [await diff(''), await send('GET', `/${id}/staged/diff`)];
    expect(plain.json).toEqual(staged.json);
    expect(plain.headers.get('etag')).toBe(staged.headers.get('etag'));
    expect((await diff('?from=saved&to=staged')).json).toEqual(staged.json);
    expect((await diff('?from=3')).json).toEqual(staged.json);
  });

  test('warnings are those of the working copy, and absent elsewhere', async () => {
    await data('PUT', `/${id}/staged`, { routes: [route('/b', '4'), route('/c/{x}', '1')] });
    expect((await diff('?from=1')).json.data.warnings).toMatchObject([{ warning: expect.stringContaining('{x}') }]);
    for (const query of ['?from=1&to=3', '?from=staged&to=3', '?to=saved'])
      expect((await diff(query)).json.data, query).not.toHaveProperty('warnings');
  });

  test('a version and itself do not differ', async () => {
    for (const query of ['?from=2&to=2', '?from=staged&to=staged', '?from=saved&to=3'])
      expect((await diff(query)).json.data).toMatchObject({
        settings: [],
        routesAdded: [],
        routesRemoved: [],
        routesChanged: [],
        routesReordered: false,
      });
    expect((await diff('?from=saved&to=1')).headers.get('etag')).toBe('"v3-v1"');
  });

  test.each([
    ['from=x', 'from', 'expected a version number, saved or staged; got "x"'],
    ['to=1.5', 'to', 'expected a version number, saved or staged; got "1.5"'],
    ['to=', 'to', 'expected a version number, saved or staged; got ""'],
    ['from=1&from=2', 'from', 'given more than once'],
    ['form=1', 'form', 'is unknown; known are from, to'],
  ])('?%s is refused with what would do', async (query, path, message) => {
    const { status, json } = await diff(`?${query}`);
    expect([status, json.details]).toEqual([400, [{ path, message }]]);
  });

  test('another order is told, whether its routes are changed or not; added and removed ones are none', async () => {
    const orders: [path: string, body: string][][] = [
      [
        ['/a', '1'],
        ['/b', '1'],
        ['/c', '1'],
      ],
      [
        ['/b', '1'],
        ['/a', '1'],
        ['/c', '1'],
      ],
      [
        ['/b', '2'],
        ['/a', '2'],
        ['/c', '1'],
      ],
      [
        ['/n', '1'],
        ['/b', '1'],
        ['/c', '2'],
      ],
      [
        ['/a', '1'],
        ['/b', '3'],
        ['/c', '1'],
      ],
    ];
    const routesOf = (order: (typeof orders)[0]) => order.map(([path, text]) => route(path, text));
    const made = await data('POST', '', { name: 'm', routes: routesOf(orders[0] as [string, string][]) });
    for (const order of orders.slice(1)) {
      await data('PUT', `/${made.id}/staged`, { routes: routesOf(order) });
      await data('POST', `/${made.id}/save`);
    }
    for (let from = 1; from <= orders.length; from++) {
      for (let to = 1; to <= orders.length; to++) {
        const ids = (version: number) => (orders[version - 1] as [string, string][]).map(([path]) => path);
        const both = (version: number) =>
          ids(version).filter((each) => ids(from).includes(each) && ids(to).includes(each));
        const found = await data('GET', `/${made.id}/diff?from=${from}&to=${to}`);
        expect(found.routesReordered, `${from} to ${to}`).toBe(both(from).join() !== both(to).join());
      }
    }
  });

  test('one that is not kept is 404, on either side', async () => {
    for (const query of ['?from=9', '?to=9', '?from=0&to=1', '?from=1&to=0'])
      expect((await diff(query)).json.message, query).toBe('Version not found');
  });
});

test('while many changed routes are compared, others are answered', async () => {
  const routesOf = (body: string) =>
    Array.from({ length: 4_900 }, (_, index) => ({
      id: `r${index}`,
      method: 'GET',
      path: `/items/${index}`,
      responses: [{ id: 'a', body, headers: [{ name: 'x-body', value: body }] }],
    }));
  const { id } = await data('POST', '', { name: 'm', routes: routesOf('1') });
  await data('PUT', `/${id}/staged`, { routes: routesOf('2') });
  await data('POST', `/${id}/save`);
  await data('PUT', `/${id}/staged`, { routes: routesOf('3') });
  for (const path of [`/${id}/diff?from=1&to=2`, `/${id}/staged/diff`]) {
    const progress = { isMade: false };
    const made = data('GET', path).finally(() => (progress.isMade = true));
    let answeredMeanwhile = 0;
    // In one turn it was one, and with its answer under way another.
    while (!progress.isMade && (await server.request('GET', '/v1/me', { key })).status === 200) answeredMeanwhile++;
    expect((await made).routesChanged, path).toHaveLength(4_900);
    expect(answeredMeanwhile, path).toBeGreaterThan(3);
  }
});
