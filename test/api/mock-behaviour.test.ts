/** The optional members of mocks over HTTP: absent when unused, in one order, and kept by the store. */
import { expect, test } from 'vitest';
import { BEHAVIOUR_ROUTES, BEHAVIOUR_SETTINGS, turnedRound } from '../support/behaviour-samples.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server, key } = await useOwnServer();

const data = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await server.request(method, `/v1/mocks${path}`, { key, body });
  expect({ status, json }).toMatchObject({ status: 200 });
  return json.data;
};

const DEFINITION = { settings: BEHAVIOUR_SETTINGS, routes: BEHAVIOUR_ROUTES };

test('the same definition is not a change, whatever the order of its members, also after a restart', async () => {
  const { id } = await data('POST', '', { name: 'behaviour', ...turnedRound(DEFINITION) });
  const staged = await data('GET', `/${id}/staged`);
  expect(staged).toMatchObject(DEFINITION);
  await server.restart('SIGKILL');
  expect(await data('GET', `/${id}/staged`)).toEqual(staged);
  for (const same of [DEFINITION, turnedRound(staged)]) {
    await data('PUT', `/${id}/staged`, { settings: same.settings, routes: same.routes });
    await data('PUT', `/${id}/staged/routes/account`, same.routes[0]);
    expect(await data('GET', `/${id}/staged/diff`)).toMatchObject({ settings: [], routesChanged: [] });
    expect(await data('GET', `/${id}`)).toMatchObject({ hasStagedChanges: false, version: 1 });
  }
});

test('a member that is removed is a change to null', async () => {
  const { id } = await data('POST', '', { name: 'behaviour', ...DEFINITION });
  const { rateLimit: _, ...settings } = BEHAVIOUR_SETTINGS;
  await data('PUT', `/${id}/staged`, { settings });
  await data('PUT', `/${id}/staged/routes/slow/responses/late`, { id: 'late', body: 'late' });
  const diff = await data('GET', `/${id}/staged/diff`);
  expect(diff.settings).toEqual([{ field: 'rateLimit', before: BEHAVIOUR_SETTINGS.rateLimit, after: null }]);
  expect(diff.routesChanged[0].responsesChanged).toEqual([
    { responseId: 'late', fields: [{ field: 'delivery', before: { firstByteMs: 10 }, after: null }] },
  ]);
  expect(await data('GET', `/${id}/staged`)).not.toHaveProperty('settings.rateLimit');
});

test('a file of ours has every member, and is the same when it is exported again', async () => {
  const { id } = await data('POST', '', { name: 'behaviour', ...DEFINITION });
  const exported = async (of: string) => (await data('GET', `/${of}/export?report=true`)).file;
  const file = await exported(id);
  const { mocks, report } = await data('POST', '/import', JSON.parse(file));
  expect(report.entries).toEqual([]);
  expect(await exported(mocks[0].id)).toBe(file);
  expect(await data('GET', `/${mocks[0].id}/staged`)).toEqual(await data('GET', `/${id}/staged`));
});
