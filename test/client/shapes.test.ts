/** The client against the OpenAPI document: every documented operation has a method. */
import { startSwitchyard, type Switchyard } from 'switchyard-server';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluationSchema } from '../../src/model/evaluation.ts';
import { historyEntrySchema, historyQuerySchema } from '../../src/model/history.ts';
import { meSchema } from '../../src/model/me.ts';
import { versionSchema } from '../../src/model/mocks/mock.ts';
import { requestQuerySchema, streamQuerySchema } from '../../src/model/mocks/traffic-queries.ts';
import {
  allCountsSchema,
  shownCountsSchema,
  requestPage,
  requestSchema,
  requestSummarySchema,
  totalsSchema,
} from '../../src/model/mocks/traffic.ts';
import { verificationSchema } from '../../src/model/mocks/verification.ts';
import { compileCheck } from '../../src/model/validate.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

let switchyard: Switchyard;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
beforeAll(async () => {
  switchyard = await startSwitchyard();
  const response = await fetch(`${switchyard.apiUrl}/openapi.json`);
  ({ paths } = (await response.json()) as { paths: typeof paths });
});
afterAll(() => switchyard?.stop());

/** Operations for which test suites have no use. */
const WITHOUT_METHOD: readonly string[] = [
  'GET /',
  'GET /healthz',
  'GET /readyz',
  'GET /version',
  'GET /keys',
  'POST /keys',
  'DELETE /keys/:',
  // The console has these.
  'GET /changes',
  'POST /console/key',
  // Clients of WireMock have these.
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /compat/wiremock/:/:`),
];

test('every operation has a method, but for those that test suites have no use for', async () => {
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(
      (method) => `${method.toUpperCase()} ${path.replace(/^\/v1/, '').replaceAll(/\{[^}]+\}/g, ':')}`,
    ),
  );
  expect(documented.length).toBeGreaterThan(30);

  const sent = new Set<string>();
  const real = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const { pathname } = input as URL;
    sent.add(`${init?.method ?? 'GET'} ${pathname.replace(/^\/v1/, '').replaceAll(/(?<=\/)(i\d)(?=\/|$)/g, ':')}`);
    return Promise.resolve(Response.json({ success: true, data: [] }));
  };
  const { mocks, rules, groups, history, gateway } = switchyard.client;
  try {
    await switchyard.client.me();
    const session = await mocks.openSession('i1', 'i2');
    const gatewaySession = await gateway.openSession('i1');
    for (const target of [
      mocks,
      mocks.staged,
      mocks.scenarios,
      mocks.drifts,
      mocks.stores('i1'),
      mocks.streams('i1'),
      mocks.sockets('i1'),
      session,
      session.stores,
      session.streams,
      session.sockets,
      rules,
      groups,
      history,
      gateway,
      gateway.settings,
      gatewaySession,
    ]) {
      const own = Object.getPrototypeOf(target) as object;
      const methods = [own, Object.getPrototypeOf(own) as object].flatMap((each) =>
        each === Object.prototype ? [] : Object.entries(Object.getOwnPropertyDescriptors(each)),
      );
      for (const [name, { value }] of methods) {
        if (
          [
            'constructor',
            'urlFor',
            'url',
            'headers',
            'wiremockUrl',
            'fetch',
            'mock',
            'proxy',
            'baggage',
            'cookie',
            'warningsOf',
            'assertVerified',
            'tlsFaultUrl',
            'assertNoMisses',
            'record',
            'never',
            // Of operations that have a method each.
            'drift',
            'run',
            'env',
            'stores',
            'streams',
            'sockets',
          ].includes(name)
        )
          continue;
        if (name === 'replayHint') continue;
        const method = value as (...ids: string[]) => Promise<unknown>;
        const made =
          name === 'list' && target !== mocks.scenarios && target !== mocks.drifts
            ? method.call(target)
            : method.call(target, 'i1', 'i2', 'i3');
        await (name === 'follow' || name === 'stream' ? (made as unknown as AsyncGenerator).next() : made);
      }
    }
  } finally {
    globalThis.fetch = real;
  }
  expect(documented.filter((operation) => !sent.has(operation)).toSorted()).toEqual(WITHOUT_METHOD.toSorted());
});

test('responses match the schemas that the types derive from, and have no other members', async () => {
  const expectFit = (answer: object, schema: { properties: object } & TSchema): void => {
    expect(compileCheck(schema)(answer, '')).toBe(undefined);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(answer)));
  };
  const queryOf = paths['/v1/mocks/{id}/requests']?.get?.parameters?.filter((each) => each.in === 'query') ?? [];
  expect(Object.keys(requestQuerySchema.properties).toSorted()).toEqual(queryOf.map(({ name }) => name).toSorted());

  const streamQuery =
    paths['/v1/mocks/{id}/requests/stream']?.get?.parameters?.filter((each) => each.in === 'query') ?? [];
  expect(Object.keys(streamQuerySchema.properties).toSorted()).toEqual(streamQuery.map(({ name }) => name).toSorted());

  const historyQuery = paths['/v1/history']?.get?.parameters?.filter((each) => each.in === 'query') ?? [];
  expect(Object.keys(historyQuerySchema.properties).toSorted()).toEqual(
    historyQuery.map(({ name }) => name).toSorted(),
  );

  const { mocks, rules, history } = switchyard.client;
  expectFit(await switchyard.client.me(), meSchema);
  expectFit(await rules.evaluate({ request: { url: 'https://a.test/' } }), evaluationSchema);
  const mock = await mocks.create({ name: 'm', start: true });
  await mocks.fetch(mock, '/');
  const { records, ...page } = await mocks.requests(mock.id);
  expectFit(page, requestPage);
  expectFit(records[0] as object, requestSchema);
  expectFit(await mocks.request(mock.id, '1'), requestSchema);
  expectFit((await mocks.requests(mock.id, { fields: 'summary' })).records[0] as object, requestSummarySchema);
  for await (const event of mocks.follow(mock.id, { after: '0', fields: 'summary' })) {
    if (event.type === 'request') expectFit(event.request, requestSummarySchema);
    if (event.type !== 'counts') continue;
    expectFit(event.counts, totalsSchema);
    break;
  }
  expectFit(await mocks.counts(mock.id), shownCountsSchema);
  expectFit(await mocks.allCounts(), allCountsSchema);
  expectFit(await mocks.verify(mock.id, { match: {}, exactly: 9 }), verificationSchema);
  expectFit((await mocks.versions(mock.id))[0] as object, versionSchema);
  expectFit((await history.list()).records[0] as object, historyEntrySchema);
});
