/** Rules over HTTP: every field, default, message and status of docs/api.md. */
import { describe, expect, test } from 'vitest';
import { rulePayload, SAMPLES, SOURCE } from '../support/samples.ts';
import { seedRules } from '../support/seed-rules.ts';
import { temporaryDirectory, type Answer } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server, owner, key } = await useOwnServer([], await withNameOfBlanks('former'));

/** A data directory with a rule as it was decided before names of blanks were refused. */
async function withNameOfBlanks(ownerId: string): Promise<string> {
  const data = temporaryDirectory();
  await seedRules(data, ownerId, 1, 'Cancel', () => [{ source: SOURCE, id: 'p' }], '  ');
  return data;
}

const post = (body: unknown): Promise<Answer> => server.request('POST', '/v1/rules', { key, body });
const put = (id: string, body: unknown): Promise<Answer> => server.request('PUT', `/v1/rules/${id}`, { key, body });
const get = (id: string): Promise<Answer> => server.request('GET', `/v1/rules/${id}`, { key });
const count = async (): Promise<number> => (await server.request('GET', '/v1/rules', { key })).json.total;

async function created(more: Record<string, unknown> = {}) {
  const answer = await post(rulePayload('Cancel', more));
  expect(answer.status).toBe(200);
  return answer.json.data;
}

describe('a rule of every type, in both dialects,', () => {
  test.each(SAMPLES)('$ruleType ($dialect) is stored and returned as sent', async ({ ruleType, pair }) => {
    const before = Date.now();
    const answer = await post({ name: 'n', ruleType, pairs: [pair] });
    expect(answer.status).toBe(200);
    expect(answer.json.success).toBe(true);
    const { data } = answer.json;
    expect(data).toEqual({
      id: expect.stringMatching(new RegExp(`^${ruleType}_[0-9a-z]{20}$`)),
      name: 'n',
      description: '',
      objectType: 'rule',
      ruleType,
      status: 'Active',
      // This server runs no code.
      effectiveStatus: data.warnings === undefined ? 'Active' : 'Unsupported',
      ...(data.warnings && { warnings: [expect.objectContaining({ code: 'codeOff' })] }),
      pairs: [{ ...pair, id: expect.stringMatching(/^[0-9a-z]+$/) }],
      groupId: '',
      creationDate: expect.any(Number),
      modificationDate: data.creationDate,
      createdBy: 'ann',
      lastModifiedBy: 'ann',
      currentOwner: owner,
      isSample: false,
    });
    expect(data.creationDate).toBeGreaterThanOrEqual(before);
    expect(data.creationDate).toBeLessThanOrEqual(Date.now());

    const read = await get(data.id);
    expect(read.json).toEqual({ success: true, data });
    expect(read.headers.get('etag')).toBe(answer.headers.get('etag'));

    const updated = await put(data.id, { name: 'm', ruleType, pairs: data.pairs });
    expect(updated.status).toBe(200);
    expect(updated.json.data).toEqual({ ...data, name: 'm', modificationDate: updated.json.data.modificationDate });
    expect((await get(data.id)).json.data).toEqual(updated.json.data);
  });
});

describe('create', () => {
  test('keeps everything that a client decides', async () => {
    const group = (await server.request('POST', '/v1/groups', { key, body: { name: 'g' } })).json.data.id;
    const sent = rulePayload('Delay', {
      description: 'd "quoted" \u2028 \u{1f600}',
      status: 'Inactive',
      groupId: group,
      objectType: 'rule',
    });
    const { data } = (await post(sent)).json;
    expect(data).toMatchObject({ description: sent.description, status: 'Inactive', groupId: group });
    expect((await get(data.id)).json.data).toEqual(data);
  });

  test.each([
    ['null', null],
    ['""', ''],
    ['absent', undefined],
  ])('groupId %s means ungrouped', async (_text, groupId) => {
    expect((await created({ groupId })).groupId).toBe('');
  });

  test('description null means absent', async () => {
    expect((await created({ description: null })).description).toBe('');
  });

  test('ignores fields that the server owns and drops unknown ones', async () => {
    const data = await created({
      id: 'Cancel_mine',
      creationDate: 1,
      modificationDate: 1,
      createdBy: 'x',
      lastModifiedBy: 'x',
      currentOwner: 'x',
      isSample: true,
      extra: 1,
    });
    expect(data.id).not.toBe('Cancel_mine');
    expect(data).toMatchObject({ createdBy: 'ann', lastModifiedBy: 'ann', currentOwner: owner, isSample: false });
    expect(data.creationDate).toBeGreaterThan(1);
    expect(data).not.toHaveProperty('extra');
  });

  test('keeps unknown members of pairs, sources and modifications verbatim', async () => {
    const pair = {
      id: 'mine',
      source: { ...SOURCE, note: { deep: [1, null, 'x', 1.5, true] } },
      modifications: [{ header: 'h', type: 'Add', value: '', comment: 'kept' }],
      'odd key': '\\ud83d',
      constructor: 'c',
    };
    const { data } = (await post({ name: 'n', ruleType: 'Headers', pairs: [pair] })).json;
    expect(data.pairs).toEqual([pair]);
    expect((await get(data.id)).json.data.pairs).toEqual([pair]);
  });

  test('keeps unique pair ids and assigns the others', async () => {
    const { pairs } = await created({
      pairs: ['a', 'a', '', 7, null, undefined, 'b'].map((id) => ({ source: SOURCE, id })),
    });
    const ids = pairs.map((pair: { id: string }) => pair.id);
    expect(ids[0]).toBe('a');
    expect(ids[6]).toBe('b');
    expect(new Set(ids).size).toBe(7);
    for (const id of ids) expect(id).toMatch(/^[0-9a-z]+$/);
  });

  test('takes empty texts but for the name', async () => {
    const pairs = [{ source: { key: 'URL', operator: 'Equals', value: '' }, from: '', to: '' }];
    expect((await post({ name: 'n', ruleType: 'Replace', pairs })).status).toBe(200);
  });

  test.each([
    ['Headers', { modifications: [{ header: 'h', type: 'Remove', value: null }] }],
    ['Headers', { modifications: { Response: [{ header: 'h', type: 'Remove', value: null }] } }],
    ['QueryParam', { modifications: [{ param: 'p', type: 'Remove', value: null }] }],
    ['QueryParam', { modifications: [{ param: '', type: 'Remove All', value: null }] }],
  ])('takes the value null of what a %s rule removes, and keeps it as it was sent: %j', async (ruleType, more) => {
    const pair = { id: 'p', source: SOURCE, ...more };
    const answer = await post({ name: 'n', ruleType, pairs: [pair] });
    expect(answer.status).toBe(200);
    expect(answer.json.data.pairs).toEqual([pair]);
    expect((await get(answer.json.data.id)).json.data.pairs).toEqual([pair]);
  });

  test.each(['^a+$', '/^a+$/', '/a/gi', '', 'a/b/c', '/api/users', '/a/gg', '/\\p{L}+/u', '(?<name>x)\\k<name>'])(
    'takes the pattern %j',
    async (value) => {
      expect(
        (await created({ pairs: [{ source: { ...SOURCE, operator: 'Matches', value } }] })).pairs[0].source.value,
      ).toBe(value);
    },
  );
});

const PAYLOAD_INVALID = 'Rule Payload is invalid';
const PAIRS_INVALID = 'Rule pairs are invalid';

/** A wrong payload: what is put into a valid one, the message, and the path that details name. `undefined` removes a member. */
const WRONG_PAYLOADS: [string, Record<string, unknown>, string, string][] = [
  ['no name', { name: undefined }, PAYLOAD_INVALID, '/name'],
  ['an empty name', { name: '' }, PAYLOAD_INVALID, '/name'],
  ['a name of blanks', { name: ' \t\u00a0\n' }, PAYLOAD_INVALID, '/name'],
  ['a name that is null', { name: null }, PAYLOAD_INVALID, '/name'],
  ['a name that is a number', { name: 5 }, PAYLOAD_INVALID, '/name'],
  ['a description that is a number', { description: 5 }, PAYLOAD_INVALID, '/description'],
  ['another object type', { objectType: 'group' }, PAYLOAD_INVALID, '/objectType'],
  ['an object type of null', { objectType: null }, PAYLOAD_INVALID, '/objectType'],
  ['no rule type', { ruleType: undefined }, PAYLOAD_INVALID, '/ruleType'],
  ['the rule type Script', { ruleType: 'Script' }, PAYLOAD_INVALID, '/ruleType'],
  ['a rule type in other case', { ruleType: 'cancel' }, PAYLOAD_INVALID, '/ruleType'],
  ['an unknown status', { status: 'active' }, PAYLOAD_INVALID, '/status'],
  ['a status of null', { status: null }, PAYLOAD_INVALID, '/status'],
  ['a groupId that is a number', { groupId: 5 }, PAYLOAD_INVALID, '/groupId'],
  ['no pairs', { pairs: undefined }, PAYLOAD_INVALID, '/pairs'],
  ['pairs that are an object', { pairs: {} }, PAYLOAD_INVALID, '/pairs'],
  ['pairs of null', { pairs: null }, PAYLOAD_INVALID, '/pairs'],
  ['empty pairs', { pairs: [] }, PAIRS_INVALID, '/pairs'],
  ['a pair that is null', { pairs: [null] }, PAIRS_INVALID, '/pairs/0'],
  ['a pair that is an array', { pairs: [[]] }, PAIRS_INVALID, '/pairs/0'],
  ['a pair without source', { pairs: [{ source: SOURCE }, {}] }, PAIRS_INVALID, '/pairs/1/source'],
  ['a source that is text', { pairs: [{ source: 'x' }] }, PAIRS_INVALID, '/pairs/0/source'],
  [
    'a source without key',
    { pairs: [{ source: { operator: 'Equals', value: '' } }] },
    PAIRS_INVALID,
    '/pairs/0/source/key',
  ],
  ['an unknown key', { pairs: [{ source: { ...SOURCE, key: 'Query' } }] }, PAIRS_INVALID, '/pairs/0/source/key'],
  [
    'an unknown operator',
    { pairs: [{ source: { ...SOURCE, operator: 'contains' } }] },
    PAIRS_INVALID,
    '/pairs/0/source/operator',
  ],
  [
    'a value that is a number',
    { pairs: [{ source: { ...SOURCE, value: 1 } }] },
    PAIRS_INVALID,
    '/pairs/0/source/value',
  ],
  [
    'filters that are text',
    { pairs: [{ source: { ...SOURCE, filters: 'x' } }] },
    PAIRS_INVALID,
    '/pairs/0/source/filters',
  ],
  [
    'filters that hold a number',
    { pairs: [{ source: { ...SOURCE, filters: [{}, 1] } }] },
    PAIRS_INVALID,
    '/pairs/0/source/filters/1',
  ],
  [
    'a pattern that does not compile',
    { pairs: [{ source: { ...SOURCE, operator: 'Matches', value: '(' } }] },
    PAIRS_INVALID,
    '/pairs/0/source/value',
  ],
  [
    'a delimited pattern that does not compile',
    { pairs: [{ source: { ...SOURCE, operator: 'Matches', value: '/(/i' } }] },
    PAIRS_INVALID,
    '/pairs/0/source/value',
  ],
];

/** The same for members of one rule type's pair: type, change to its sample, path below the pair. */
const WRONG_PAIRS: [string, 'spec' | 'client', Record<string, unknown>, string][] = [
  ['Redirect', 'spec', { destinationType: 'file' }, '/destinationType'],
  ['Redirect', 'spec', { destinationType: undefined }, '/destinationType'],
  ['Redirect', 'spec', { destination: undefined }, '/destination'],
  ['Redirect', 'spec', { destination: 5 }, '/destination'],
  ['Replace', 'spec', { from: undefined }, '/from'],
  ['Replace', 'spec', { to: null }, '/to'],
  ['Headers', 'spec', { modifications: undefined }, '/modifications'],
  ['Headers', 'spec', { modifications: [] }, '/modifications'],
  ['Headers', 'spec', { modifications: 'x' }, '/modifications'],
  ['Headers', 'spec', { modifications: [{ type: 'Remove' }] }, '/modifications/0/header'],
  ['Headers', 'spec', { modifications: [{ header: 'a', type: 'Set', value: '' }] }, '/modifications/0/type'],
  ['Headers', 'spec', { modifications: [{ header: 'a', type: 'Add' }] }, '/modifications/0/value'],
  ['Headers', 'spec', { modifications: [{ header: 'a', type: 'Modify' }] }, '/modifications/0/value'],
  ['Headers', 'spec', { modifications: [{ header: 'a', type: 'Add', value: null }] }, '/modifications/0/value'],
  ['Headers', 'spec', { modifications: [{ header: 'a', type: 'Modify', value: null }] }, '/modifications/0/value'],
  ['Headers', 'spec', { modifications: [{ header: 'a', type: 'Remove', value: 5 }] }, '/modifications/0/value'],
  ['QueryParam', 'spec', { modifications: [{ param: 'a', type: 'Add', value: null }] }, '/modifications/0/value'],
  ['Headers', 'client', { modifications: {} }, '/modifications'],
  ['Headers', 'client', { modifications: { Request: [], Response: [] } }, '/modifications'],
  [
    'Headers',
    'client',
    { modifications: { Request: 'x', Response: [{ header: 'a', type: 'Remove' }] } },
    '/modifications/Request',
  ],
  [
    'Headers',
    'client',
    { modifications: { Response: [{ header: 'a', type: 'Add' }] } },
    '/modifications/Response/0/value',
  ],
  ['UserAgent', 'spec', { userAgent: undefined }, '/userAgent'],
  ['UserAgent', 'spec', { source: undefined }, '/source'],
  ['QueryParam', 'spec', { modifications: [] }, '/modifications'],
  ['QueryParam', 'spec', { modifications: [{ param: 'a', type: 'Modify', value: '1' }] }, '/modifications/0/type'],
  ['QueryParam', 'spec', { modifications: [{ param: 'a', type: 'Add' }] }, '/modifications/0/value'],
  ['QueryParam', 'spec', { modifications: [{ param: '', type: 'Remove' }] }, '/modifications/0/param'],
  ['QueryParam', 'spec', { modifications: [{ type: 'Remove All' }] }, '/modifications/0/param'],
  ['Request', 'spec', { type: 'js' }, '/type'],
  ['Request', 'spec', { value: undefined }, '/value'],
  ['Request', 'spec', { source: null }, '/source'],
  ['Request', 'client', { request: { type: 'code' } }, '/request/value'],
  ['Request', 'client', { request: null }, '/request'],
  ['Response', 'spec', { type: undefined }, '/type'],
  ['Response', 'spec', { value: 5 }, '/value'],
  ['Response', 'spec', { serveWithoutRequest: 'yes' }, '/serveWithoutRequest'],
  ['Response', 'client', { response: { type: 'static', value: '', statusCode: true } }, '/response/statusCode'],
  ['Response', 'spec', { statusCode: '1000' }, '/statusCode'],
  ['Response', 'spec', { statusCode: 100 }, '/statusCode'],
  ['Headers', 'spec', { modifications: [{ header: 'a b', type: 'Remove' }] }, '/modifications/0/header'],
  ['Headers', 'spec', { modifications: [{ header: 'a', type: 'Add', value: 'x\r\ny' }] }, '/modifications/0/value'],
  ['UserAgent', 'spec', { userAgent: 'x\ny' }, '/userAgent'],
  ['Response', 'client', { response: [] }, '/response'],
  ['Delay', 'spec', { delay: undefined }, '/delay'],
  ['Delay', 'spec', { delay: -1 }, '/delay'],
  ['Delay', 'spec', { delay: '-1' }, '/delay'],
  ['Delay', 'spec', { delay: '1.5' }, '/delay'],
  ['Delay', 'spec', { delay: '' }, '/delay'],
  ['Delay', 'spec', { delay: true }, '/delay'],
];

function expectRefused(answer: Answer, status: number, message: string, path?: string): void {
  expect(answer.json).toMatchObject({ success: false, message });
  expect(answer.status).toBe(status);
  if (path === undefined) return;
  const paths = answer.json.details.map((detail: { path: string }) => detail.path);
  expect(paths).toContain(path);
  for (const detail of answer.json.details) expect(detail.message).toMatch(/\w/);
  expect(new Set(paths).size, 'each fault is named once').toBe(paths.length);
}

describe('a wrong payload is refused with the reason and stores nothing:', () => {
  test.each(WRONG_PAYLOADS)('%s', async (_text, change, message, path) => {
    const before = await count();
    expectRefused(await post(rulePayload('Cancel', change)), 400, message, path);
    expect(await count()).toBe(before);
  });

  test.each(WRONG_PAIRS)('%s (%s) with %j', async (ruleType, dialect, change, path) => {
    const sample = SAMPLES.find((each) => each.ruleType === ruleType && each.dialect === dialect);
    const before = await count();
    expectRefused(
      await post({ name: 'n', ruleType, pairs: [{ ...sample?.pair, ...change }] }),
      400,
      PAIRS_INVALID,
      `/pairs/0${path}`,
    );
    expect(await count()).toBe(before);
  });

  test('an update is refused in the same way and changes nothing', async () => {
    const rule = await created();
    for (const [, change, message, path] of WRONG_PAYLOADS) {
      const answer = await put(rule.id, rulePayload('Cancel', change));
      expectRefused(answer, 400, message, path);
    }
    expect((await get(rule.id)).json.data).toEqual(rule);
  });

  // reaches DETAILS_MAX
  test('details are bounded', async () => {
    const answer = await post(rulePayload('Cancel', { pairs: Array.from({ length: 500 }, () => ({})) }));
    expectRefused(answer, 400, PAIRS_INVALID);
    expect(answer.json.details.length).toBeLessThanOrEqual(8);
  });
});

describe('details read as sentences:', () => {
  const headers = (modification: object) => ({ modifications: [{ header: 'h', ...modification }] });

  test.each([
    ['Cancel', { name: ' ' }, '/name', 'expected a name that is not blank; got " "'],
    ['Cancel', { name: null }, '/name', 'expected a string, got null'],
    ['Cancel', { description: 5 }, '/description', 'expected a string or null, got 5'],
    ['Cancel', { objectType: null }, '/objectType', 'expected "rule", got null'],
    ['Cancel', { objectType: 5 }, '/objectType', 'expected "rule", got 5'],
    ['Cancel', { pairs: { a: 1 } }, '/pairs', 'expected an array, got an object'],
    ['Cancel', { pairs: [] }, '/pairs', 'must have at least one pair'],
    ['Cancel', { pairs: [[]] }, '/pairs/0', 'expected an object, got an array'],
    ['Headers', { modifications: [] }, '/pairs/0/modifications', 'must have at least one modification'],
    ['Headers', headers({ type: 'Add' }), '/pairs/0/modifications/0/value', 'is required when type is Add or Modify'],
    [
      'Headers',
      headers({ type: 'Modify', value: null }),
      '/pairs/0/modifications/0/value',
      'is required when type is Add or Modify',
    ],
    [
      'Headers',
      headers({ type: 'Add', value: 5 }),
      '/pairs/0/modifications/0/value',
      'expected a string or null, got 5',
    ],
    ['Delay', { delay: -1 }, '/pairs/0/delay', 'must be 0 or more'],
    ['Delay', { delay: true }, '/pairs/0/delay', 'expected a number or a string, got true'],
    [
      'Response',
      { response: { type: 'static', value: '', statusCode: 1.5 } },
      '/pairs/0/response/statusCode',
      'expected a string, an integer or null, got 1.5',
    ],
    ['Cancel', { name: 'x'.repeat(1_001) }, '/name', 'more than 1000 characters'],
    ['Cancel', { description: 'x'.repeat(10_001) }, '/description', 'more than 10000 characters'],
    ['Redirect', { destination: 'x'.repeat(10_001) }, '/pairs/0/destination', 'more than 10000 characters'],
  ])('%s with %j', async (ruleType, change, path, message) => {
    const dialect = 'response' in change ? 'client' : 'spec';
    const sample = SAMPLES.find((each) => each.ruleType === ruleType && each.dialect === dialect);
    const isOfPair = path.startsWith('/pairs/0/');
    const { pair } = sample as (typeof SAMPLES)[number];
    const body = isOfPair ? { pairs: [{ ...pair, ...change }] } : { pairs: [pair], ...change };
    const { json } = await post({ name: 'n', ruleType, ...body });
    expect(json.details).toEqual([{ path, message }]);
  });
});

test('a rule that was stored with a name of blanks is served, and takes a new one', async () => {
  const ownKey = await server.key('former', 'ann');
  const [stored] = (await server.request('GET', '/v1/rules', { key: ownKey })).json.data;
  expect(stored).toMatchObject({ name: '  ', pairs: [{ source: SOURCE, id: 'p' }] });
  const change = (name: string) =>
    server.request('PUT', `/v1/rules/${stored.id}`, { key: ownKey, body: { ...stored, name } });
  expectRefused(await change('  '), 400, PAYLOAD_INVALID, '/name');
  expect((await change('named')).json.data.name).toBe('named');
});

describe('a pattern that could hold the server', () => {
  // reaches SANDBOX_MS
  test('is refused, and holds nobody meanwhile', async () => {
    const heavy = (index: number) => ({
      source: { ...SOURCE, operator: 'Matches', value: `/${index}${'\\P{L}'.repeat(1900)}/iu` },
    });
    const write = post(rulePayload('Cancel', { pairs: Array.from({ length: 80 }, (_each, index) => heavy(index)) }));
    await new Promise((resolve) => setTimeout(resolve, 20));
    // Were it held by the pattern, the write would be answered first.
    const first = await Promise.race([write, server.request('GET', '/healthz')]);
    expect(first.json).toEqual({ success: true, message: 'alive' });
    expectRefused(await write, 400, PAIRS_INVALID, '/pairs/0/source/value');
  });

  // reaches SET_PROPERTY_ESCAPES_MAX
  test('with 41 property escapes and the flag v is refused before it is compiled', async () => {
    const pair = (escapes: number) => ({
      source: { ...SOURCE, operator: 'Matches', value: `/${'\\p{RGI_Emoji}'.repeat(escapes)}/v` },
    });
    const refused = await post(rulePayload('Cancel', { pairs: [pair(41)] }));
    expectRefused(refused, 400, PAIRS_INVALID, '/pairs/0/source/value');
    expect(refused.json.details[0].message).toContain('more than 40 property escapes');
    // On a slow machine it may take too long to compile: that is another reason.
    const compiled = await post(rulePayload('Cancel', { pairs: [pair(40)] }));
    expect(JSON.stringify(compiled.json)).not.toContain('property escapes');
  });

  test('does not keep others from being checked', async () => {
    const heavy = (index: number) => ({
      source: { ...SOURCE, operator: 'Matches', value: `/${index}${'[\\p{RGI_Emoji}&&\\p{RGI_Emoji}]'.repeat(20)}/iv` },
    });
    const slow = post(rulePayload('Cancel', { pairs: Array.from({ length: 80 }, (_each, index) => heavy(index)) }));
    const quick = created({ pairs: [{ source: { ...SOURCE, operator: 'Matches', value: '/\\p{Lu}x/u' } }] });
    expect((await quick).pairs[0].source.value).toBe('/\\p{Lu}x/u');
    expectRefused(await slow, 400, PAIRS_INVALID, '/pairs/0/source/value');
    const wrong = { source: { ...SOURCE, operator: 'Matches', value: '/\\p{Nothing}/u' } };
    expectRefused(await post(rulePayload('Cancel', { pairs: [wrong] })), 400, PAIRS_INVALID, '/pairs/0/source/value');
  });
});

describe('a groupId', () => {
  test.each(['Group_doesnotexist', 'nonsense', 'Cancel_x', '../Group_x', 'Group_'])(
    '%j names no group: 404',
    async (groupId) => {
      expectRefused(await post(rulePayload('Cancel', { groupId })), 404, 'Group not found');
    },
  );

  test('that names a rule is not a group', async () => {
    const { id } = await created();
    expectRefused(await post(rulePayload('Cancel', { groupId: id })), 404, 'Group not found');
  });
});

describe('update', () => {
  test('replaces the whole: what is absent takes its default', async () => {
    const group = (await server.request('POST', '/v1/groups', { key, body: { name: 'g' } })).json.data.id;
    const rule = await created({ description: 'd', status: 'Inactive', groupId: group });
    const { data } = (await put(rule.id, { name: 'new', ruleType: 'Cancel', pairs: [{ source: SOURCE }] })).json;
    expect(data).toMatchObject({ name: 'new', description: '', status: 'Active', groupId: '', objectType: 'rule' });
    expect(data).toMatchObject({ id: rule.id, creationDate: rule.creationDate, createdBy: 'ann' });
  });

  test('moves modificationDate and lastModifiedBy, and the ETag', async () => {
    const rule = await created();
    const bob = await server.key(owner, 'bob');
    const before = (await get(rule.id)).headers.get('etag');
    const answer = await server.request('PUT', `/v1/rules/${rule.id}`, { key: bob, body: rulePayload() });
    expect(answer.json.data).toMatchObject({ createdBy: 'ann', lastModifiedBy: 'bob' });
    expect(answer.json.data.modificationDate).toBeGreaterThanOrEqual(rule.modificationDate);
    expect(answer.headers.get('etag')).not.toBe(before);
  });

  test('goes from Active to Inactive and back', async () => {
    const rule = await created();
    for (const status of ['Inactive', 'Active']) {
      expect((await put(rule.id, rulePayload('Cancel', { status }))).json.data.status).toBe(status);
      expect((await get(rule.id)).json.data.status).toBe(status);
    }
  });

  test.each([
    ['with a valid payload', rulePayload('Delay')],
    ['whatever else is wrong', { ruleType: 'Delay', name: 5, pairs: 'x', groupId: 'nonsense' }],
  ])('to another rule type is 405, %s', async (_text, body) => {
    const rule = await created();
    expectRefused(await put(rule.id, body), 405, 'Rule Type update not allowed');
    expect((await get(rule.id)).json.data).toEqual(rule);
  });
});

describe('delete', () => {
  test('removes the rule', async () => {
    const { id } = await created();
    const answer = await server.request('DELETE', `/v1/rules/${id}`, { key });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ success: true, message: 'Rule deleted successfully' });
    expectRefused(await get(id), 404, 'Rule not found');
    expectRefused(await server.request('DELETE', `/v1/rules/${id}`, { key }), 404, 'Rule not found');
  });
});

describe('limits', () => {
  test.each([
    // reaches nameCharsMax
    ['a long name', { name: 'x'.repeat(1001) }, 'Limit reached: name of 1000 characters'],
    ['a long description', { description: 'x'.repeat(10_001) }, 'Limit reached: description of 10000 characters'],
    [
      'a long value',
      { pairs: [{ source: { ...SOURCE, value: 'x'.repeat(10_001) } }] },
      'Limit reached: text of 10000 characters',
    ],
    [
      'many pairs',
      // reaches pairsPerRuleMax
      { pairs: Array.from({ length: 1001 }, () => ({ source: SOURCE })) },
      'Limit reached: 1000 pairs per rule',
    ],
  ])('%s is 403', async (_text, change, message) => {
    const answer = await post(rulePayload('Cancel', change));
    expectRefused(answer, 403, message);
    expect(answer.json.details[0].path).toMatch(/^\//);
  });

  // reaches textCharsMax
  test('the largest that are allowed are taken', async () => {
    const pairs = Array.from({ length: 1000 }, () => ({ source: SOURCE }));
    expect(
      (await post(rulePayload('Cancel', { name: '\u{1f600}'.repeat(1000), description: 'x'.repeat(10_000), pairs })))
        .status,
    ).toBe(200);
  });

  test('the body of a Response rule may be as large as a request', async () => {
    const value = 'x'.repeat(900_000);
    const { data } = (await post({ name: 'n', ruleType: 'Response', pairs: [{ type: 'static', value }] })).json;
    expect((await get(data.id)).json.data.pairs[0].value).toBe(value);
  });
});
