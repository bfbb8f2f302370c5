/** Files of other servers over HTTP with two threads: imported, started, and asked, where answers depend on those before. */
import { expect, test } from 'vitest';
import { TwoThreads } from '../support/two-threads.ts';

const two = await TwoThreads.use();

/** @returns The id of the first mock. */
/** @param codes Those of the report's entries. */
async function served(source: unknown, codes: readonly string[] = []): Promise<string> {
  const { status, json } = await two.api('POST', '/import?start=true', source);
  const entries = (json.data?.report?.entries ?? []) as readonly { readonly code: string }[];
  expect([status, entries.map(({ code }) => code)]).toEqual([200, codes]);
  return json.data.mocks[0].id;
}

async function texts(id: string, ...paths: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) found.push((await two.ask(id, path)).text);
  return found;
}

test('responses of mountebank take turns, with a condition and without', async () => {
  const responses = [{ is: { body: '1' }, repeat: 2 }, { is: { body: '2' } }];
  const id = await served({
    protocol: 'http',
    defaultResponse: { body: 'other' },
    stubs: [
      { predicates: [{ equals: { path: '/a' } }, { exists: { query: { q: true } } }], responses },
      { predicates: [{ equals: { path: '/a' } }], responses },
    ],
  });
  expect(await texts(id, '/a?q=1', '/a', '/a?q=1', '/a', '/a?q=1', '/a', '/a?q=1', '/a', '/b')).toEqual([
    '1',
    '1',
    '1',
    '1',
    '2',
    '2',
    '1',
    '1',
    'other',
  ]);
});

test('an expectation of MockServer answers its number of times, and then the next one does', async () => {
  const id = await served([
    { httpRequest: { path: '/a' }, httpResponse: { body: 'twice' }, times: { remainingTimes: 2 } },
    {
      httpRequest: { path: '/a', headers: { 'x-a': ['1'] } },
      httpResponse: { body: 'once' },
      times: { remainingTimes: 1 },
    },
    { httpRequest: { path: '/.*' }, httpResponse: { body: 'rest' } },
  ]);
  expect(await texts(id, '/a', '/a', '/a', '/b')).toEqual(['twice', 'twice', 'rest', 'rest']);
  const own = { headers: { 'x-a': '1' } };
  expect([(await two.ask(id, '/a', own)).text, (await two.ask(id, '/a', own)).text]).toEqual(['once', 'rest']);
});

test('stubs of WireMock move through the states of their scenario', async () => {
  const of = (body: string, requires: string, newScenarioState?: string) => ({
    scenarioName: 'to do',
    requiredScenarioState: requires,
    ...(newScenarioState === undefined ? {} : { newScenarioState }),
    request: { method: newScenarioState === undefined ? 'GET' : 'POST', urlPath: '/todo' },
    response: { body },
  });
  const id = await served({ mappings: [of('none', 'Started'), of('made', 'Started', 'one'), of('milk', 'one')] });
  expect(await texts(id, '/todo')).toEqual(['none']);
  expect((await two.ask(id, '/todo', { method: 'POST' })).text).toBe('made');
  expect(await texts(id, '/todo', '/todo')).toEqual(['milk', 'milk']);
  expect((await two.ask(id, '/todo', { method: 'POST' })).status).toBe(404);
});

test('an environment of Mockoon is served with its sequences', async () => {
  const environment = {
    lastMigration: 33,
    name: 'Shop',
    routes: [
      {
        uuid: 'r',
        method: 'get',
        endpoint: 'a/:id',
        responseMode: 'SEQUENTIAL',
        responses: [{ body: "1 {{urlParam 'id'}}" }, { body: '2' }, { statusCode: 503 }],
      },
    ],
  };
  const id = await served(environment, ['mockoon.templates']);
  expect(await texts(id, '/a/x', '/a/y', '/a/z', '/a/x')).toEqual(['1 x', '2', '', '1 x']);
});
