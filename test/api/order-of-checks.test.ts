/** The order of checks (decisions.md). Who may do what, route by route, is test/prove/proofs/isolation.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rulePayload } from '../support/samples.ts';
import { TestServer } from '../support/server.ts';

let server: TestServer;
let editor: string;
let viewer: string;
/** Paths of a rule of the editor's owner, and of another owner's. */
let own: string;
let foreign: string;

beforeAll(async () => {
  server = await TestServer.start();
  editor = await server.key('acme', 'ann');
  viewer = await server.key('acme', 'vic', 'viewer');
  const make = async (key: string): Promise<string> =>
    `/v1/rules/${(await server.request('POST', '/v1/rules', { key, body: rulePayload() })).json.data.id}`;
  own = await make(editor);
  foreign = await make(await server.key('globex', 'gus'));
});
afterAll(() => server.end());

describe('the order of checks:', () => {
  const refused = async (method: string, path: string, options: Parameters<TestServer['request']>[2]) => {
    const { status, json } = await server.request(method, path, options);
    return [status, json.message];
  };
  const big = 'x'.repeat(1_100_000);

  test('route before method before key', async () => {
    expect(await refused('POST', '/v1/nothing', {})).toEqual([404, 'Not found']);
    expect(await refused('POST', '/v1/rules/Cancel_x', {})).toEqual([405, 'Method not allowed']);
    expect(await refused('GET', '/v1/rules/Cancel_x', {})).toEqual([401, 'Unauthorized action']);
  });

  test('key and role before the id', async () => {
    expect(await refused('PUT', '/v1/groups/x', { key: viewer, body: {} })).toEqual([401, 'Unauthorized action']);
  });

  test('the record before the body', async () => {
    expect(await refused('PUT', '/v1/rules/Cancel_0000', { key: editor, body: big })).toEqual([404, 'Rule not found']);
    expect(await refused('PUT', foreign, { key: editor, body: 'no json' })).toEqual([401, 'Unauthorized action']);
    const typed = { key: editor, body: 'x', headers: { 'content-type': 'text/plain' } };
    expect(await refused('PUT', '/v1/groups/Group_0000', typed)).toEqual([404, 'Group not found']);
  });

  test('size, type, JSON, object, rule type, payload, pairs, group, precondition', async () => {
    const put = (body: unknown, headers = {}) =>
      refused('PUT', own, { key: editor, body, headers: { 'if-match': '"no"', ...headers } });
    expect(await put(big)).toEqual([413, 'Payload too large']);
    expect(await put('no json', { 'content-type': 'text/plain' })).toEqual([415, 'Unsupported media type']);
    expect(await put('no json')).toEqual([400, 'Rule Payload is invalid']);
    expect(await put('[]')).toEqual([400, 'Rule Payload is invalid']);
    expect(await put({ ruleType: 'Delay' })).toEqual([405, 'Rule Type update not allowed']);
    expect(await put({ ruleType: 'Cancel', pairs: [] })).toEqual([400, 'Rule Payload is invalid']);
    expect(await put({ name: 'n', ruleType: 'Cancel', pairs: [], groupId: 'Group_0' })).toEqual([
      400,
      'Rule pairs are invalid',
    ]);
    expect(await put(rulePayload('Cancel', { groupId: 'Group_0' }))).toEqual([404, 'Group not found']);
    expect(await put(rulePayload())).toEqual([412, 'Precondition failed']);
  });
});
