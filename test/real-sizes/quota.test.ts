/**
 * The quota of 256 MB for the definitions and versions of one owner, at its real size: old versions are deleted first,
 * then changes are refused; docs/api.md, "Limits" and `GET /mocks/:id/versions`.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

let two: TwoThreads;
beforeAll(async () => {
  two = await TwoThreads.start();
});
afterAll(() => two.end());

/** About 9.5 MB: 26 of them fit. */
const routes = (text: string): Fields[] =>
  Array.from({ length: 10 }, (_each, index) => route(`GET /${index}`, [{ body: text.padEnd(950_000, 'x') }]));
const FIT = 26;
const VERSIONS = 6;

// reaches mocks.ownerMockBytesMax
test("a mock's oldest versions are deleted for its next one; without old versions the change is refused", async () => {
  // Stopped: without publishing, the test is faster.
  const { id } = await two.data('POST', '', { name: 'm', routes: routes('v1') });
  for (let version = 2; version <= VERSIONS; version++) await two.save(id, routes(`v${version}`));
  const versions = async (): Promise<number[]> =>
    (await two.data('GET', `/${id}/versions`)).map(({ version }: { version: number }) => version);
  const mock = JSON.stringify({ name: 'm', routes: routes('other') });
  const create = () => two.api('POST', '', mock);
  let other = '';
  for (let mocks = VERSIONS; mocks < FIT; mocks += 5) {
    for (const { status, json } of await Promise.all([1, 2, 3, 4, 5].map(create))) {
      expect(status).toBe(200);
      other = json.data.id;
    }
  }
  expect(await versions()).toEqual([6, 5, 4, 3, 2, 1]);
  expect((await create()).json).toMatchObject({ success: false, message: expect.stringMatching(/^Limit reached: /) });
  await two.save(id, routes('v7'));
  expect(await versions()).toEqual([7, 6, 5, 4, 3, 2]);
  await two.data('POST', `/${id}/start`);
  expect((await two.both(id, '/9')).text.startsWith('v7')).toBe(true);
  // A mock with one version has nothing to delete, and keeps it; stopping and deleting the mock still work.
  const edit = () => two.api('PUT', `/${other}/staged`, { routes: routes('edited') });
  expect((await edit()).status).toBe(403);
  expect(await two.data('GET', `/${other}`)).toMatchObject({ hasStagedChanges: false, routeCount: 10 });
  await two.data('POST', `/${id}/stop`);
  expect((await two.api('DELETE', `/${id}`)).status).toBe(200);
  expect((await edit()).status).toBe(200);
  expect((await create()).status).toBe(200);
});
