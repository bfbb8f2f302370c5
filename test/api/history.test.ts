/**
 * The history over HTTP: every command leaves one entry that says who, when, what and which record; nothing else does.
 * docs/api.md, "History".
 */
import { once } from 'node:events';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { HISTORY_IDS_MAX, type HistoryEntry } from '../../src/model/history.ts';
import { rulePayload } from '../support/samples.ts';
import { recordOnce } from '../support/record-once.ts';
import type { Answer } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

type Entry = Omit<HistoryEntry, 'userId'> & { readonly user: string; readonly names: Record<string, string> };

const { server, owner } = await useServer();
const key = await server.key(owner, 'ann', 'admin');
let bob: string;
let viewer: string;
let stranger: string;

beforeAll(async () => {
  bob = await server.key(owner, 'bob', 'admin');
  viewer = await server.key(owner, 'vic', 'viewer');
  stranger = await server.key(newOwner(), 'gus');
});

const keyIdOf = (presented: string): string => presented.split('_')[1] as string;

async function page(query = '', as = key): Promise<{ data: Entry[]; nextBefore: number | null }> {
  const { status, json } = await server.request('GET', `/v1/history${query}`, { key: as });
  expect(status).toBe(200);
  return json;
}

async function all(query = '', as = key): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    const { data, nextBefore } = await page(`?pageSize=75&before=${before}${query}`, as);
    entries.push(...data);
    before = nextBefore;
  }
  return entries;
}

const newestVersion = async (as = key): Promise<number> => (await page('?pageSize=1', as)).data[0]?.version ?? 0;

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, as = key) {
  const answer = await server.request(method, `/v1${path}`, {
    key: as,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.json, `${method} ${path}`).toMatchObject({ success: true });
  return answer;
}

/** Ids of records that are there to be written to. */
interface Records {
  readonly groupId: string;
  readonly ruleIds: readonly string[];
  readonly mockId: string;
  readonly routeIds: readonly string[];
  readonly responseId: string;
}

const ROUTE = { method: 'GET', path: '/', responses: [{ body: 'one' }, { body: 'two' }] };

async function records(): Promise<Records> {
  const groupId: string = (await send('POST', '/groups', { name: 'g' })).json.data.id;
  const ruleIds: string[] = [];
  for (const ruleType of ['Cancel', 'Delay'] as const)
    ruleIds.push((await send('POST', '/rules', rulePayload(ruleType, { groupId }))).json.data.id);
  const routes: object[] = [ROUTE, { ...ROUTE, path: '/b' }];
  const mock = {
    name: 'm',
    routes,
    settings: { scenarios: [SCENARIO], stores: [{ name: SCENARIO.name, value: [{ id: 1 }] }] },
  };
  const mockId: string = (await send('POST', '/mocks', mock)).json.data.id;
  const { routes: staged } = (await send('GET', `/mocks/${mockId}/staged`)).json.data;
  const routeIds: string[] = staged.map(({ id }: { id: string }) => id);
  return { groupId, ruleIds, mockId, routeIds, responseId: staged[0].responses[0].id };
}

const SCENARIO = { name: 'a', states: ['a', 'b'] };

/** What an operation is sent, and what it leaves. */
interface Written {
  readonly command: string;
  readonly path?: (given: Records) => string;
  readonly body?: (given: Records) => unknown;
  /** Without it: the record that the answer bears. */
  readonly records?: (given: Records, answer: Answer) => readonly string[];
  /** What must be so before it has something to change. */
  readonly before?: (given: Records) => Promise<unknown>;
}

const ofMock = (command: string, more: Partial<Written> = {}): Written => ({
  command,
  path: ({ mockId, routeIds, responseId }) => `${mockId}\n${routeIds[0]}\n${responseId}`,
  records: ({ mockId }) => [mockId],
  ...more,
});
const start = ({ mockId }: Records) => send('POST', `/mocks/${mockId}/start`);

let keyToRevoke = '';

const FILE = { switchyard: 1, kind: 'mock', name: 'm', routes: [ROUTE] };

/** Every operation that changes what is stored. */
const WRITES: Readonly<Record<string, Written>> = {
  importRules: {
    command: 'rule.import',
    body: () => [{ objectType: 'rule', ...rulePayload('Cancel') }],
    records: (_given, { json }) => json.data.records.map(({ id }: { id: string }) => id),
  },
  createKey: { command: 'key.create', body: () => ({ user: 'ci' }), records: (_given, { json }) => [json.data.keyId] },
  revokeKey: {
    command: 'key.revoke',
    before: async () => (keyToRevoke = (await send('POST', '/keys', { user: 'ci' })).json.data.keyId),
    path: () => keyToRevoke,
    records: () => [keyToRevoke],
  },
  createRule: { command: 'rule.create', body: () => rulePayload() },
  updateRule: {
    command: 'rule.update',
    path: ({ ruleIds }) => ruleIds[0] as string,
    body: () => rulePayload('Cancel', { name: 'changed' }),
  },
  changeRules: {
    command: 'rule.update',
    body: ({ ruleIds }) => ({ ids: ruleIds, set: { status: 'Inactive' } }),
    records: ({ ruleIds }) => ruleIds,
  },
  patchRule: {
    command: 'rule.update',
    path: ({ ruleIds }) => ruleIds[0] as string,
    body: () => ({ status: 'Inactive' }),
  },
  deleteRule: {
    command: 'rule.delete',
    path: ({ ruleIds }) => ruleIds[1] as string,
    records: ({ ruleIds }) => [ruleIds[1] as string],
  },
  createGroup: { command: 'group.create', body: () => ({ name: 'g' }) },
  updateGroup: { command: 'group.update', path: ({ groupId }) => groupId, body: () => ({ name: 'changed' }) },
  deleteGroup: {
    command: 'group.delete',
    path: ({ groupId }) => groupId,
    records: ({ groupId, ruleIds }) => [groupId, ...ruleIds],
  },
  updateGatewaySettings: {
    command: 'gateway.update',
    body: () => ({ mode: 'rewrite' }),
    records: () => [`gateway:${owner}`],
  },
  importMocks: {
    command: 'mock.import',
    body: () => FILE,
    records: (_given, { json }) => json.data.mocks.map(({ id }: { id: string }) => id),
  },
  createMock: { command: 'mock.create', body: () => ({ name: 'm', start: true }) },
  updateMock: ofMock('mock.update', { body: () => ({ name: 'changed' }) }),
  deleteMock: ofMock('mock.delete'),
  startMock: ofMock('mock.start'),
  stopMock: ofMock('mock.stop', { before: start }),
  saveMock: ofMock('mock.save'),
  discardStaged: ofMock('mock.discard'),
  restoreVersion: ofMock('mock.restore', { path: ({ mockId }) => `${mockId}\n1` }),
  importStaged: ofMock('mock.stage.import', { body: () => FILE }),
  stageRecording: ofMock('mock.stage.recording', {
    body: () => ({}),
    before: ({ mockId }) => recordOnce(server, key, mockId),
  }),
  replaceStaged: ofMock('mock.stage', { body: () => ({ routes: [ROUTE] }) }),
  orderStagedRoutes: ofMock('mock.route.order', { body: ({ routeIds }) => ({ ids: routeIds.toReversed() }) }),
  addStagedRoute: ofMock('mock.route.create', { body: () => ({ ...ROUTE, path: '/c' }) }),
  replaceStagedRoute: ofMock('mock.route.update', { body: () => ({ ...ROUTE, path: '/c' }) }),
  deleteStagedRoute: ofMock('mock.route.delete'),
  addStagedResponse: ofMock('mock.response.create', { body: () => ({ body: 'three' }) }),
  replaceStagedResponse: ofMock('mock.response.update', { body: () => ({ body: 'three' }) }),
  deleteStagedResponse: ofMock('mock.response.delete'),
};

/** No GET, and yet nothing that is stored changes. */
const NO_WRITES = [
  'exchangeConsoleCode',
  'evaluateRules',
  'setScenario',
  'setScenarioInSession',
  'replaceStore',
  'replaceStoreInSession',
  'mergeStore',
  'mergeStoreInSession',
  'resetStore',
  'resetStoreInSession',
  'replaceItem',
  'replaceItemInSession',
  'mergeItem',
  'mergeItemInSession',
  'deleteItem',
  'deleteItemInSession',
  'sendToStreams',
  'sendToStreamsInSession',
  'endStream',
  'endStreamInSession',
  'sendToSockets',
  'sendToSocketsInSession',
  'closeSocket',
  'closeSocketInSession',
  'tryMock',
  'checkRecording',
  'clearRecording',
  'startDrift',
  'cancelDrift',
  'verifyRequests',
  'resetRequests',
  'createSession',
  'replaceOverlay',
  'resetSession',
  'endSession',
  'tryMockInSession',
  'verifyRequestsInSession',
];

async function operations(): Promise<{ operationId: string; method: string; path: string }[]> {
  const { paths } = (await server.request('GET', '/v1/openapi.json')).json as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'get')
      .map(([method, { operationId }]) => ({ operationId, method: method.toUpperCase(), path })),
  );
}

/** Calls an operation on records of its own. */
async function call(operationId: string, as = key, headers: Record<string, string> = {}) {
  const written = WRITES[operationId] as Written;
  const operation = (await operations()).find((each) => each.operationId === operationId);
  expect(operation, operationId).toBeDefined();
  const { method, path } = operation as { method: string; path: string };
  const given = await records();
  await written.before?.(given);
  const params = written.path?.(given).split('\n') ?? [];
  let index = 0;
  const url = path.replace(/^\/v1/, '').replaceAll(/\{\w+\}/g, () => params[index++] as string);
  const before = await newestVersion();
  const since = Date.now();
  const answer: Answer = await send(method, url, written.body?.(given), headers, as);
  return { written, given, answer, before, since, method, url };
}

test('every operation that is no read is one of those that are tried here', async () => {
  // The last ones are refused here: this server has no gateway.
  const ofSessions = ['createGatewaySession', 'replaceGatewayOverlay', 'endGatewaySession'];
  const ofGateway = [
    'resetExchanges',
    'resetGatewaySession',
    'stageExchanges',
    'verifyExchanges',
    'verifyExchangesInSession',
    ...ofSessions,
  ];
  // What they change is in the history as a save of the mock, or in memory alone.
  const ofWireMock = ['Post', 'Put', 'Patch', 'Delete'].map((method) => `wiremock${method}`);
  const known = [...Object.keys(WRITES), ...NO_WRITES, ...ofGateway, ...ofWireMock];
  expect((await operations()).map(({ operationId }) => operationId).toSorted()).toEqual(known.toSorted());
});

describe('one entry, with who, when, what and which record:', () => {
  test.each(Object.keys(WRITES))('%s', async (operationId) => {
    const { written, given, answer, before, since } = await call(operationId, bob);
    const { data } = await page(`?pageSize=75`);
    const [entry, ...older] = data;
    const recordIds = written.records?.(given, answer) ?? [answer.json.data.id];
    expect(entry).toEqual({
      version: before + 1,
      date: expect.any(Number),
      user: 'bob',
      keyId: keyIdOf(bob),
      command: written.command,
      recordIds,
      recordCount: recordIds.length,
      names: expect.any(Object),
    });
    expect(older[0]?.version).toBe(before);
    expect(entry?.date).toBeGreaterThanOrEqual(since);
    expect(entry?.date).toBeLessThanOrEqual(Date.now());
  });

  test('an entry has the names that its records have now; those that were deleted have none', async () => {
    const groupId: string = (await send('POST', '/groups', { name: 'before' })).json.data.id;
    const ruleId: string = (await send('POST', '/rules', rulePayload('Cancel', { groupId, name: 'a rule' }))).json.data
      .id;
    await send('PUT', `/groups/${groupId}`, { name: 'after' });
    const namesOf = async (query: string) => (await page(query)).data.map(({ names }) => names);
    expect(await namesOf(`?recordId=${groupId}`)).toEqual([{ [groupId]: 'after' }, { [groupId]: 'after' }]);
    await send('DELETE', `/groups/${groupId}`);
    expect(await namesOf('?pageSize=3')).toEqual([{ [ruleId]: 'a rule' }, {}, { [ruleId]: 'a rule' }]);
  });

  test('a group that is deleted names its first rules, and counts them all', async () => {
    const groupId: string = (await send('POST', '/groups', { name: 'g' })).json.data.id;
    const count = HISTORY_IDS_MAX + 50;
    const ids = await Promise.all(
      Array.from(
        { length: count },
        async () => (await send('POST', '/rules', rulePayload('Cancel', { groupId }))).json.data.id,
      ),
    );
    await send('DELETE', `/groups/${groupId}`);
    const [entry] = (await page('?pageSize=1')).data as [Entry];
    expect(entry).toMatchObject({ command: 'group.delete', recordCount: count + 1 });
    expect(entry.recordIds).toHaveLength(HISTORY_IDS_MAX);
    expect(entry.recordIds[0]).toBe(groupId);
    expect(ids).toEqual(expect.arrayContaining(entry.recordIds.slice(1)));
  });
});

/** Nobody answers there. */
const DRIFT = { upstream: 'http://127.0.0.1:1' };

describe('no entry:', () => {
  test.each(NO_WRITES)('%s', async (operationId) => {
    const { method, path } = (await operations()).find((each) => each.operationId === operationId) as {
      method: string;
      path: string;
    };
    const { mockId } = await records();
    await send('POST', `/mocks/${mockId}/start`);
    const overlay = {
      routes: [
        { method: 'GET', path: '/open', responses: [{ stream: { events: [{ data: '1' }], end: 'open' } }] },
        { kind: 'ws', method: 'GET', path: '/ws', responses: [{}] },
      ],
    };
    const session = (await send('POST', `/mocks/${mockId}/sessions`, { overlay })).json.data;
    if (operationId.startsWith('endStream'))
      await fetch(`${session.address.pathUrl.replace('localhost', '127.0.0.1')}/open`);
    if (operationId.startsWith('closeSocket')) {
      const client = new WebSocket(`${session.address.pathUrl.replace('http://localhost', 'ws://127.0.0.1')}/ws`);
      onTestFinished(() => client.terminate());
      await once(client, 'open');
    }
    const [socket] = (await send('GET', `/mocks/${mockId}/ws`)).json.data;
    const [stream] = (await send('GET', `/mocks/${mockId}/streams`)).json.data;
    const before = await newestVersion();
    const bodies: Record<string, unknown> = {
      tryMockInSession: { method: 'GET', path: '/' },
      verifyRequestsInSession: { match: {} },
      createSession: {},
      replaceOverlay: {},
      checkRecording: { entries: 'samples' },
      startDrift: DRIFT,
      tryMock: { method: 'GET', path: '/', against: 'saved' },
      verifyRequests: { match: {} },
      setScenario: { state: 'b' },
      setScenarioInSession: { state: 'b' },
      sendToSockets: { messages: [] },
      sendToSocketsInSession: { messages: [] },
      sendToStreams: { events: [] },
      sendToStreamsInSession: { events: [] },
      evaluateRules: { request: { url: 'http://a.test/' } },
      exchangeConsoleCode: { code: await server.code(owner, 'ann') },
    };
    const url = path
      .replace(/^\/v1/, '')
      .replace('{id}', mockId)
      .replace('{sid}', session.id)
      .replace('{streamId}', stream?.id)
      .replace('{socketId}', socket?.id)
      .replace('{itemId}', '1')
      .replace('{name}', SCENARIO.name);
    const drift = operationId === 'cancelDrift' ? await send('POST', `/mocks/${mockId}/drifts`, DRIFT) : undefined;
    const body =
      bodies[operationId] ??
      (/^(?:replace|merge)(?:Store|Item)/.test(operationId)
        ? { value: operationId.includes('Store') ? [] : {} }
        : undefined);
    const answer = await send(method, url.replace('{driftId}', drift?.json.data.id), body);
    if (url.includes('/stores/')) expect(answer.status).toBe(200);
    expect(await newestVersion()).toBe(before);
  });

  test('for what was refused', async () => {
    const { ruleIds, groupId, mockId } = await records();
    const before = await newestVersion();
    const [ruleId] = ruleIds;
    const refused: [string, string, unknown?, Record<string, string>?, string?][] = [
      ['POST', '/rules', {}],
      ['POST', '/rules', rulePayload('Cancel', { groupId: 'Group_0' })],
      ['PUT', `/rules/${ruleId}`, rulePayload('Delay')],
      ['PUT', `/rules/${ruleId}`, rulePayload(), { 'if-match': '"no"' }],
      ['DELETE', '/rules/Cancel_0'],
      ['DELETE', `/rules/${ruleId}`, undefined, {}, viewer],
      ['DELETE', `/rules/${ruleId}`, undefined, {}, stranger],
      ['DELETE', `/groups/${groupId}`, undefined, { 'if-match': '"no"' }],
      ['POST', `/mocks/${mockId}/staged/routes`, { ...ROUTE, bdoy: '' }],
      ['POST', `/mocks/${mockId}/versions/9/restore`],
    ];
    for (const [method, path, body, headers = {}, as = key] of refused) {
      const answer = await server.request(method, `/v1${path}`, {
        key: as,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
    }
    expect(await newestVersion()).toBe(before);
    expect(await page('', stranger)).toEqual({ success: true, data: [], nextBefore: null });
  });

  test('for what found everything so already', async () => {
    const { mockId } = await records();
    await send('POST', `/mocks/${mockId}/start`);
    const before = await newestVersion();
    await send('POST', `/mocks/${mockId}/start`);
    expect(await newestVersion()).toBe(before);
    // The answer is kept, which is a commit.
    await send('POST', `/mocks/${mockId}/start`, undefined, { 'idempotency-key': 'again' });
    expect((await page('?pageSize=1')).data[0]).toMatchObject({
      version: before + 1,
      command: 'mock.start',
      recordIds: [],
      recordCount: 0,
    });
  });

  test('for a repetition', async () => {
    for (const operationId of ['createRule', 'saveMock']) {
      const { answer, before, method, url, written, given } = await call(operationId, key, {
        'idempotency-key': 'one',
      });
      expect(await newestVersion()).toBe(before + 1);
      const again = await send(method, url, written.body?.(given), { 'idempotency-key': 'one' });
      expect(again.json).toEqual(answer.json);
      expect(await newestVersion()).toBe(before + 1);
    }
  });
});

describe('who may read it:', () => {
  test('editors of the owner, whoever did it', async () => {
    await send('POST', '/groups', { name: 'g' }, {}, bob);
    expect((await page('?pageSize=1', key)).data).toEqual((await page('?pageSize=1', bob)).data);
  });

  test('no viewer, and nobody without a key', async () => {
    for (const as of [viewer, undefined, 'x']) {
      const answer = await server.request('GET', '/v1/history', { key: as });
      expect(answer.status).toBe(401);
      expect(answer.json).toMatchObject({ success: false, message: 'Unauthorized action' });
    }
  });

  test('another owner sees its own alone, whatever it asks for', async () => {
    const { ruleIds, mockId } = await records();
    const made = (await send('POST', '/groups', { name: 'of globex' }, {}, stranger)).json.data.id;
    const theirs = await all('', stranger);
    expect(theirs.every(({ user }) => user === 'gus')).toBe(true);
    expect(theirs[0]?.recordIds).toEqual([made]);
    for (const filter of [`recordId=${ruleIds[0]}`, `recordId=${mockId}`, 'user=ann', 'command=rule.create']) {
      expect(await page(`?${filter}`, stranger)).toEqual({ success: true, data: [], nextBefore: null });
    }
  });
});

describe('pages:', () => {
  test('hold every version once, from the newest to 1, while others write', async () => {
    const writing = new AbortController();
    let written = 0;
    const writers = [key, bob, key, bob].map(async (as) => {
      for (; !writing.signal.aborted; written++) await send('POST', '/groups', { name: 'g' }, {}, as);
    });
    try {
      for (let round = 0; round < 5; round++) {
        const versions: number[] = [];
        const begun = written;
        for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
          const { data, nextBefore } = await page(`?pageSize=${[7, 75, 30, 13, 50][round]}&before=${before}`);
          versions.push(...data.map(({ version }) => version));
          before = nextBefore;
          // Pages would be done before the writers have begun.
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        expect(versions).toEqual(versions.map((_, index) => (versions[0] as number) - index));
        expect(versions.at(-1)).toBe(1);
        if (round === 4) expect(written).toBeGreaterThan(begun);
      }
    } finally {
      writing.abort();
      await Promise.all(writers);
    }
  });

  test('filters find what fits all of them', async () => {
    const { ruleIds, groupId } = await records();
    const [ruleId] = ruleIds as [string];
    const made = (await page(`?recordId=${ruleId}`)).data[0] as Entry;
    // Another millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await send('PUT', `/rules/${ruleId}`, rulePayload('Cancel', { groupId }), {}, bob);
    await send('DELETE', `/groups/${groupId}`);
    await send('DELETE', `/rules/${ruleId}`, undefined, {}, bob);
    const commandsOf = async (filter: string) => (await all(`&${filter}`)).map(({ command }) => command);
    expect(await commandsOf(`recordId=${ruleId}`)).toEqual([
      'rule.delete',
      'group.delete',
      'rule.update',
      'rule.create',
    ]);
    expect(await commandsOf(`recordId=${ruleId}&user=bob`)).toEqual(['rule.delete', 'rule.update']);
    expect(await commandsOf(`recordId=${ruleId}&command=group.delete`)).toEqual(['group.delete']);
    expect(await commandsOf(`recordId=${ruleId}&since=${made.date + 1}`)).toEqual([
      'rule.delete',
      'group.delete',
      'rule.update',
    ]);
    expect(await commandsOf(`since=${Date.now() + 60_000}`)).toEqual([]);
    expect(await commandsOf('recordId=nothing')).toEqual([]);
    const everything = await all();
    expect((await all('&user=bob')).length).toBe(everything.filter(({ user }) => user === 'bob').length);
  });

  test.each(['before=0', 'before=x', 'pageSize=0', 'since=-1', 'user=a&user=b', 'recordID=x', 'offset=0'])(
    'the query %s is a bad request',
    async (query) => {
      const answer = await server.request('GET', `/v1/history?${query}`, { key });
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({
        success: false,
        message: 'Bad Request',
        details: [{ path: query.split('=')[0] }],
      });
    },
  );

  test('a page size over 75 is read as 75', async () => {
    for (let count = 0; count < 80; count++) await send('POST', '/groups', { name: 'g' }, {}, stranger);
    expect((await page('?pageSize=1000', stranger)).data).toHaveLength(75);
    expect((await page('', stranger)).data).toHaveLength(30);
  });
});
