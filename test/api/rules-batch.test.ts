/** Many rules in one command over HTTP: all of them change, or none; docs/api.md, "Choices". */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rulePayload } from '../support/samples.ts';
import { seedRules } from '../support/seed-rules.ts';
import { temporaryDirectory, type Answer } from '../support/server.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

const COUNT = 1_001;

const data = temporaryDirectory();
await seedRules(data, 'many', COUNT, 'Cancel', (at) => [
  { source: { key: 'Url', operator: 'Contains', value: `host-${at}` }, id: 'p' },
]);
const { server, key } = await useOwnServer(['--no-bootstrap'], data);
/** Of an owner with COUNT rules. */
let many: string;
let foreignRule: string;
let foreignGroup: string;
/** Three rules, made for each test. */
let ids: string[];

const ask = (method: string, path: string, body?: unknown, as = key, headers = {}): Promise<Answer> =>
  server.request(method, `/v1${path}`, { key: as, headers, ...(body === undefined ? {} : { body }) });
const batch = (body: unknown, as = key, headers = {}): Promise<Answer> =>
  ask('POST', '/rules/batch', body, as, headers);
const created = async (path: string, body: unknown, as = key): Promise<string> =>
  (await ask('POST', path, body, as)).json.data.id;
const newest = async () => (await ask('GET', '/history?pageSize=1')).json.data[0];
const rules = async () => Promise.all(ids.map(async (id) => (await ask('GET', `/rules/${id}`)).json.data));

beforeAll(async () => {
  many = await server.key('many');
  const other = await server.key(newOwner());
  foreignRule = await created('/rules', rulePayload(), other);
  foreignGroup = await created('/groups', { name: 'g' }, other);
});
beforeEach(async () => {
  ids = [];
  for (const ruleType of ['Cancel', 'Delay', 'Headers'] as const)
    ids.push(await created('/rules', rulePayload(ruleType)));
});

describe('a batch', () => {
  test('sets the status and the group of its rules, and nothing else, in one commit', async () => {
    const groupId = await created('/groups', { name: 'g' });
    const before = await rules();
    const { version } = await newest();
    expect((await batch({ ids, set: { status: 'Inactive', groupId } })).json).toEqual({
      success: true,
      data: { count: 3 },
    });
    const changed = { status: 'Inactive', effectiveStatus: 'Inactive', groupId, modificationDate: expect.any(Number) };
    expect(await rules()).toEqual(before.map((rule) => ({ ...rule, ...changed })));
    expect(await newest()).toMatchObject({
      version: version + 1,
      command: 'rule.update',
      recordIds: ids,
      recordCount: 3,
    });
    expect((await ask('GET', `/groups/${groupId}`)).json.data).toMatchObject({ ruleCount: 3, activeRuleCount: 0 });
    expect((await batch({ ids, set: { groupId: '' } })).json.data.count).toBe(3);
    expect((await ask('GET', `/groups/${groupId}`)).json.data.ruleCount).toBe(0);
  });

  test('leaves a rule that is so already as it is', async () => {
    await ask('PATCH', `/rules/${ids[0]}`, { status: 'Inactive' });
    const etag = (await ask('GET', `/rules/${ids[0]}`)).headers.get('etag');
    expect((await batch({ ids, set: { status: 'Inactive' } })).json.data.count).toBe(2);
    expect((await newest()).recordIds).toEqual(ids.slice(1));
    expect((await ask('GET', `/rules/${ids[0]}`)).headers.get('etag')).toBe(etag);
    const { version } = await newest();
    expect((await batch({ ids, set: { status: 'Inactive' } })).json.data.count).toBe(0);
    expect((await newest()).version).toBe(version);
  });

  test('deletes its rules', async () => {
    const kept = await created('/rules', rulePayload());
    expect((await batch({ ids, delete: true })).json).toEqual({ success: true, data: { count: 3 } });
    for (const id of ids) expect((await ask('GET', `/rules/${id}`)).status).toBe(404);
    expect((await ask('GET', `/rules/${kept}`)).status).toBe(200);
    expect(await newest()).toMatchObject({ command: 'rule.delete', recordIds: ids });
  });

  test('is repeated without a second effect', async () => {
    const sent = { ids, delete: true };
    const first = await batch(sent, key, { 'idempotency-key': 'once' });
    const again = await batch(sent, key, { 'idempotency-key': 'once' });
    expect([first.json.data, again.json]).toEqual([{ count: 3 }, first.json]);
    const other = await batch({ ids, set: { status: 'Active' } }, key, { 'idempotency-key': 'once' });
    expect(other.status).toBe(422);
  });
});

describe('refused, and none of its rules changes:', () => {
  const set = { status: 'Inactive' };

  test.each([
    ['no ids', () => ({ set }), '/ids', 'is required'],
    ['an empty list', () => ({ ids: [], set }), '/ids', 'must have at least one id'],
    ['ids that are not texts', () => ({ ids: [5], set }), '/ids/0', 'expected a string, got 5'],
    ['an id twice', () => ({ ids: [...ids, ids[1]], set }), '/ids/3', 'is a duplicate'],
    ['nothing to do', () => ({ ids }), '', 'must have either set or delete'],
    ['two things to do', () => ({ ids, set, delete: true }), '', 'must have either set or delete'],
    ['nothing to set', () => ({ ids, set: {} }), '/set', 'must have at least one of status, groupId'],
    ['another status', () => ({ ids, set: { status: 'on' } }), '/set/status', /expected one of Active, Inactive/],
    ['a misspelt member', () => ({ ids, set: { Status: 'Active' } }), '/set/Status', /is unknown/],
    ['another member', () => ({ ids, set, name: 'n' }), '/name', /is unknown/],
    ['no delete', () => ({ ids, delete: false }), '/delete', 'expected true, got false'],
  ])('%s', async (_what, body, path, message) => {
    const { status, json } = await batch(body());
    expect([status, json.message]).toEqual([400, 'Rule Payload is invalid']);
    expect(json.details).toEqual([{ path, message: expect.stringMatching(message) }]);
    expect((await rules()).map((rule) => rule.status)).toEqual(['Active', 'Active', 'Active']);
  });

  test('rules that are missing, which it names all', async () => {
    const gone = Array.from({ length: 20 }, (_, at) => `Cancel_gone${at}`);
    const { status, json } = await batch({ ids: [ids[0], foreignRule, ...gone], set });
    expect([status, json.message]).toEqual([404, 'Rule not found']);
    expect(json.details).toEqual(
      gone.map((id, at) => ({ path: `/ids/${at + 2}`, message: `names "${id}", which does not exist` })),
    );
    for (const done of [{ set }, { delete: true }]) {
      expect((await batch({ ids: [...ids, foreignRule], ...done })).json.message).toBe('Unauthorized action');
    }
    expect((await rules()).map((rule) => rule.status)).toEqual(['Active', 'Active', 'Active']);
  });

  test('a group that is missing, or of others', async () => {
    const { status, json } = await batch({ ids, set: { groupId: 'Group_0' } });
    expect([status, json.message, json.details[0].path]).toEqual([404, 'Group not found', '/set/groupId']);
    expect((await batch({ ids, set: { groupId: foreignGroup } })).status).toBe(401);
    expect((await rules()).map((rule) => rule.groupId)).toEqual(['', '', '']);
  });
});

// reaches BATCH_PAIRS_CHARS_MAX
test('rules with more than 10 MB of pairs are not written in one commit, but deleted', async () => {
  const source = { key: 'Url', operator: 'Contains', value: 'api' };
  const payload = rulePayload('Cancel', { pairs: [{ source, note: 'n'.repeat(900_000) }] });
  const large: string[] = [];
  for (let count = 1; count <= 12; count++) large.push(await created('/rules', payload));
  const { status, json } = await batch({ ids: large, set: { status: 'Inactive' } });
  expect([status, json.message, json.details]).toEqual([
    403,
    'Limit reached: 10000000 characters of pairs in one batch',
    [{ path: '/ids', message: 'more than 10000000 characters of pairs in one batch' }],
  ]);
  expect((await batch({ ids: large.slice(0, 11), set: { status: 'Inactive' } })).json.data).toEqual({ count: 11 });
  // Those that are as asked are not written.
  expect((await batch({ ids: large, set: { status: 'Inactive' } })).json.data).toEqual({ count: 1 });
  expect((await batch({ ids: large, delete: true })).json.data).toEqual({ count: 12 });
});

// reaches BATCH_RULES_MAX
test('1,000 rules are changed, 1,001 are refused', async () => {
  const all: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const { json }: Answer = await ask('GET', `/rules?pageSize=75&offset=${offset}`, undefined, many);
    all.push(...json.data.map(({ id }: { id: string }) => id));
    offset = json.nextOffset;
  }
  expect(all).toHaveLength(COUNT);
  const { status, json } = await batch({ ids: all, delete: true }, many);
  expect([status, json.details]).toEqual([400, [{ path: '/ids', message: 'must have at most 1000 ids' }]]);
  const most = all.slice(0, COUNT - 1);
  expect((await batch({ ids: most, set: { status: 'Inactive' } }, many)).json.data.count).toBe(1_000);
  const total = async (query: string) => (await ask('GET', `/rules${query}`, undefined, many)).json.total;
  expect(await total('?status=Inactive')).toBe(1_000);
  expect((await batch({ ids: most, delete: true }, many)).json.data.count).toBe(1_000);
  expect(await total('')).toBe(1);
});
