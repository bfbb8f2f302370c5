/** `wiremock-captain`, a client of WireMock, unmodified against worlds of one mock: docs/compat.md. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  BodyType,
  DelayType,
  EndpointFeature,
  MatchingAttributes,
  ResponseTransformer,
  WireMock,
  WireMockFault,
} from 'wiremock-captain';
import { askMock, type Ask } from '../support/ask-mock.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
let mock: string;

beforeAll(async () => {
  const body = { name: 'base', start: true, settings: { precedence: 'listed', cors: false }, routes: [] };
  mock = (await server.request('POST', '/v1/mocks', { key, body })).json.data.id as string;
});

/** A session, its client, whose address has the secret, and its mock. */
async function newWorld() {
  const made = await server.request('POST', `/v1/mocks/${mock}/sessions`, { key, body: { compat: true } });
  const { id, compat } = made.json.data;
  return {
    captain: new WireMock(`http://127.0.0.1:${server.port}${compat.wiremockPath}/`),
    ask: (path: string, asked: Ask = {}) =>
      askMock(server.mockPort, path, { ...asked, mock, headers: { 'x-mock-session': id, ...asked.headers } }),
  };
}

interface Seen {
  readonly id: string;
  readonly request: { readonly url: string; readonly method: string; readonly body: string };
}

describe('every method of the client works:', () => {
  test('stubs, requests, unmatched ones', async () => {
    const { captain, ask } = await newWorld();
    const made = await captain.register(
      { method: 'POST', endpoint: '/pay', body: { amount: 5 }, headers: { 'x-kind': 'big' } },
      { status: 201, body: { paid: true }, headers: { 'x-paid': 'yes' } },
    );
    const pay = (amount: number) =>
      ask('/pay', { method: 'POST', headers: { 'x-kind': 'big' }, body: JSON.stringify({ amount }) });
    expect(await pay(5)).toMatchObject({ status: 201, text: '{"paid":true}', headers: { 'x-paid': 'yes' } });
    expect((await pay(6)).status).toBe(404);
    expect(await captain.getMapping(made.id)).toEqual(made);
    expect(await captain.getAllMappings()).toEqual([made]);
    expect(await captain.getRequestsForAPI('POST', '/pay')).toHaveLength(2);
    expect((await captain.getAllRequests()) as Seen[]).toHaveLength(2);
    expect(await captain.getUnmatchedRequests()).toMatchObject([{ method: 'POST', body: '{"amount":6}' }]);
    await captain.deleteMapping(made.id);
    expect((await pay(5)).status).toBe(404);
    await captain.clearAll();
    expect([await captain.getAllMappings(), await captain.getAllRequests()]).toEqual([[], []]);
    await captain.clearAllExceptDefault();
  });

  test('features: patterns, priorities, delays, templates, bodies', async () => {
    const { captain, ask } = await newWorld();
    await captain.register(
      { method: 'ANY', endpoint: '/.*' },
      { status: 404, body: 'no' },
      {
        requestEndpointFeature: EndpointFeature.UrlPathPattern,
        responseBodyType: BodyType.Body,
        stubPriority: 10,
      },
    );
    await captain.register(
      { method: 'GET', endpoint: '/hi', queryParameters: { who: 'a.*' }, cookies: { c: '1' } },
      { status: 200, body: 'Hi {{request.query.who}}' },
      {
        requestEndpointFeature: EndpointFeature.UrlPath,
        requestQueryParamFeatures: { who: MatchingAttributes.Matches },
        responseBodyType: BodyType.Body,
        responseTransformers: [ResponseTransformer.RESPONSE_TEMPLATE],
        responseDelay: { type: DelayType.FIXED, constantDelay: 30 },
      },
    );
    const start = performance.now();
    expect((await ask('/hi?who=ann', { headers: { cookie: 'c=1' } })).text).toBe('Hi ann');
    expect(performance.now() - start).toBeGreaterThan(25);
    expect(await ask('/hi?who=bob', { headers: { cookie: 'c=1' } })).toMatchObject({ status: 404, text: 'no' });
    await captain.register(
      { method: 'GET', endpoint: '/gone' },
      { status: 200 },
      { fault: WireMockFault.EMPTY_RESPONSE },
    );
    await expect(ask('/gone')).rejects.toThrow(/socket hang up|ECONNRESET/);
  });

  test('scenarios, and metadata', async () => {
    const { captain, ask } = await newWorld();
    const step = (body: string, scenario: { requiredScenarioState: string; newScenarioState?: string }) =>
      captain.register(
        { method: 'GET', endpoint: '/s', metadata: { step: body } },
        { status: 200, body: { body } },
        {
          scenario: { scenarioName: 'flow', ...scenario },
        },
      );
    await step('one', { requiredScenarioState: 'Started', newScenarioState: 'two' });
    await step('two', { requiredScenarioState: 'two' });
    const bodies = [await ask('/s'), await ask('/s')].map(({ text }) => text);
    expect(bodies).toEqual(['{"body":"one"}', '{"body":"two"}']);
    expect(await captain.getAllScenarios()).toMatchObject([{ name: 'flow', state: 'two' }]);
    await captain.resetAllScenarios();
    expect((await ask('/s')).text).toBe('{"body":"one"}');
    const two = { step: 'two' };
    const found = await captain.findMappingByMetadata(two, MatchingAttributes.EqualToJson);
    expect(found).toMatchObject([{ metadata: two }]);
    await captain.removeMappingByMetadata(two, MatchingAttributes.EqualToJson);
    expect(await captain.getAllMappings()).toMatchObject([{ metadata: { step: 'one' } }]);
  });
});

test('fifty worlds at once, and no answer crosses', async () => {
  const worlds = await Promise.all(Array.from({ length: 50 }, newWorld));
  await Promise.all(
    worlds.map(async ({ captain, ask }, at) => {
      for (let turn = 0; turn < 3; turn++) {
        const { id } = await captain.register({ method: 'GET', endpoint: '/w' }, { status: 200, body: { at, turn } });
        expect(JSON.parse((await ask('/w')).text)).toEqual({ at, turn });
        expect(await captain.getRequestsForAPI('GET', '/w')).toHaveLength(1);
        await captain.deleteMapping(id);
        expect((await ask('/w')).status).toBe(404);
        expect(await captain.getUnmatchedRequests()).toHaveLength(1);
        await captain.clearAll();
      }
    }),
  );
});
