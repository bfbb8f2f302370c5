/** The counts of all of an owner's mocks in one answer, with two threads; docs/mocks-fields.md, "Many mocks". */
import { expect, test } from 'vitest';
import { newOwner } from '../support/shared-server.ts';
import { route, TwoThreads } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const ask = (id: string, path: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => two.ask(id, path)));

test('each mock has its own, as its counts say them, and those of no other owner are there', async () => {
  expect(await two.data('GET', '/counts')).toEqual({ epoch: expect.any(String), mocks: [] });
  const [busy, quiet] = [await two.mock([route('GET /a')]), await two.mock([route('GET /a')])];
  const idle = (await two.data('POST', '', { name: 'stopped' })).id;
  await ask(busy, '/a', 20);
  await ask(busy, '/missing', 5);
  await ask(quiet, '/a', 1);
  const { epoch, mocks } = await two.data('GET', '/counts');
  expect(mocks).toEqual([
    {
      mockId: busy,
      total: 25,
      unmatched: 5,
      statuses: [
        { status: 200, count: 20 },
        { status: 404, count: 5 },
      ],
    },
    { mockId: quiet, total: 1, unmatched: 0, statuses: [{ status: 200, count: 1 }] },
    { mockId: idle, total: 0, unmatched: 0, statuses: [] },
  ]);
  for (const { mockId, ...counted } of mocks) {
    expect(await two.data('GET', `/${mockId}/counts`)).toMatchObject({ epoch, ...counted });
  }
  const stranger = await two.server.key(newOwner());
  const { json } = await two.server.request('GET', '/v1/mocks/counts', { key: stranger });
  expect(json.data.mocks).toEqual([]);

  // Two looks give a rate; a save does not reset, and a reset does.
  await ask(busy, '/a', 3);
  await two.save(busy, [route('GET /b')]);
  await two.api('DELETE', `/${quiet}/requests`);
  await two.data('GET', `/${idle}/counts`);
  expect((await two.data('GET', '/counts')).mocks).toMatchObject([{ total: 28 }, { total: 0 }, { total: 0 }]);
  await two.api('DELETE', `/${idle}`);
  expect((await two.data('GET', '/counts')).mocks.map(({ mockId }: { mockId: string }) => mockId)).toEqual([
    busy,
    quiet,
  ]);
});

test('it has one path and one method', async () => {
  expect((await two.api('DELETE', '/counts')).status).toBe(405);
  expect((await two.api('GET', '/counts/counts')).status).toBe(404);
});
