/** Lists over HTTP: pages, order, filters and their errors; docs/api.md, "Choices". */
import { beforeAll, describe, expect, test } from 'vitest';
import { SAMPLES } from '../support/samples.ts';
import type { Answer } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const ids: string[] = [];
const groupIds: string[] = [];

const RULES = 100;

beforeAll(async () => {
  for (let index = 0; index < 40; index++) {
    const body = { name: `Group ${index}`, status: index % 2 === 0 ? 'Active' : 'Inactive' };
    groupIds.push((await server.request('POST', '/v1/groups', { key, body })).json.data.id);
  }
  for (let index = 0; index < RULES; index++) {
    const { ruleType, pair } = SAMPLES[(index * 2) % SAMPLES.length]!;
    const body = {
      name: `Rule ${index} NÄME`,
      description: index % 10 === 0 ? 'a Special one' : '',
      ruleType,
      status: index % 4 === 0 ? 'Inactive' : 'Active',
      pairs: [pair],
      groupId: index % 5 === 0 ? groupIds[0] : '',
    };
    ids.push((await server.request('POST', '/v1/rules', { key, body })).json.data.id);
  }
});

const list = (query = '', resource = 'rules'): Promise<Answer> =>
  server.request('GET', `/v1/${resource}${query}`, { key });
const listed = (answer: Answer): string[] => answer.json.data.map(({ id }: { id: string }) => id);

describe.each([
  ['rules', () => ids],
  ['groups', () => groupIds],
])('%s', (resource, all) => {
  test('come in order of creation, 30 a page unless asked otherwise', async () => {
    const first = await list('', resource);
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({ success: true, total: all().length, nextOffset: 30 });
    expect(listed(first)).toEqual(all().slice(0, 30));
    expect(Object.keys(first.json).toSorted()).toEqual(['data', 'nextOffset', 'success', 'total']);
  });

  test.each([1, 7, 30, 75])('page by page (%i) are all there, once each', async (pageSize) => {
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: Answer = await list(`?offset=${offset}&pageSize=${pageSize}`, resource);
      expect(page.json.data.length).toBeLessThanOrEqual(pageSize);
      seen.push(...listed(page));
      offset = page.json.nextOffset;
    }
    expect(seen).toEqual(all());
  });

  // reaches PAGE_RECORDS_MAX
  test('more than 75 a page are read as 75', async () => {
    const page = await list('?pageSize=1000000', resource);
    expect(listed(page)).toEqual(all().slice(0, 75));
  });

  test.each([
    ['pageSize=abc', 'pageSize', 'expected an integer of 1 or more, got "abc"'],
    ['pageSize=0', 'pageSize', 'expected an integer of 1 or more, got "0"'],
    ['pageSize=', 'pageSize', 'expected an integer of 1 or more, got ""'],
    ['offset=-1', 'offset', 'expected an integer of 0 or more, got "-1"'],
    ['status=on', 'status', 'expected one of Active, Inactive; got "on"'],
  ])('?%s is refused with the value that came', async (query, path, message) => {
    const answer = await list(`?${query}`, resource);
    expect([answer.status, answer.json.details]).toEqual([400, [{ path, message }]]);
  });

  test('a long value is named by its beginning', async () => {
    const [detail] = (await list(`?offset=${'x'.repeat(2_000)}`, resource)).json.details;
    expect(detail.message.length).toBeLessThan(150);
  });

  test('beyond the end is an empty page', async () => {
    for (const offset of [all().length, all().length + 1, 999_999_999, '99999999999999999999']) {
      expect((await list(`?offset=${offset}`, resource)).json).toEqual({
        success: true,
        data: [],
        total: all().length,
        nextOffset: null,
      });
    }
  });

  test('the last page has no next, also when it is full', async () => {
    expect((await list(`?offset=${all().length - 10}&pageSize=10`, resource)).json.nextOffset).toBeNull();
  });

  test.each([
    'offset=-1',
    'offset=1.5',
    'offset=x',
    'offset=',
    'offset=1e3',
    'offset=0x10',
    'pageSize=0',
    'pageSize=-1',
    'pageSize=x',
    'pageSize=',
    'pageSize=1.0',
    'offset=1&offset=2',
    'status=active',
    'status=',
  ])('%s is a bad request that says what is wrong', async (query) => {
    const answer = await list(`?${query}`, resource);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ success: false, message: 'Bad Request' });
    expect(answer.json.details[0].path).toBe(query.split('=')[0]);
  });

  test.each([
    ['page_size=10', 'pageSize'],
    ['pagesize=10', 'pageSize'],
    ['PageSize=10', 'pageSize'],
    ['pageSize[]=10', 'pageSize'],
    ['pageSize%5B%5D=10', 'pageSize'],
    ['page_size[]=10&page_size[]=20&pageSize=5', 'pageSize'],
    ['Offset=3', 'offset'],
    ['STATUS=Active', 'status'],
    ['status[]=Active', 'status'],
    ['Q=x', 'q'],
  ])('%s would list everything: it is a bad request that names the right parameter', async (query, meant) => {
    const answer = await list(`?${query}`, resource);
    expect(answer.status).toBe(400);
    const path = decodeURIComponent(query.split('=')[0] as string);
    expect(answer.json).toEqual({
      success: false,
      message: 'Bad Request',
      details: [{ path, message: `is unknown: did you mean ${meant}?` }],
    });
  });

  test('unknown parameters are ignored', async () => {
    expect((await list('?page=2&limit=1&page-size=3&pages=4&quarter=5&=6', resource)).json.data.length).toBe(30);
  });
});

test('a list of groups holds groups only', async () => {
  for (const record of (await list('?pageSize=75', 'groups')).json.data) expect(record.objectType).toBe('group');
});

describe('filters of rules', () => {
  const expected = (keep: (index: number) => boolean): string[] => ids.filter((_id, index) => keep(index));

  test.each([
    ['status=Inactive', (index: number) => index % 4 === 0],
    ['status=Active', (index: number) => index % 4 !== 0],
    ['groupId=GROUP', (index: number) => index % 5 === 0],
    ['groupId=', (index: number) => index % 5 !== 0],
    ['groupId=Group_unknown', () => false],
    ['ruleType=Delay', (index: number) => SAMPLES[(index * 2) % SAMPLES.length]!.ruleType === 'Delay'],
    ['q=special', (index: number) => index % 10 === 0],
    ['q=n%C3%A4me', () => true],
    ['q=RULE+7', (index: number) => String(index).startsWith('7')],
    ['q=', () => true],
    ['status=Inactive&q=special&groupId=GROUP', (index: number) => index % 20 === 0],
  ])('%s', async (query, keep) => {
    const filter = query.replace('GROUP', groupIds[0] as string);
    const wanted = expected(keep);
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: Answer = await list(`?${filter}&offset=${offset}&pageSize=9`);
      expect(page.json.total).toBe(wanted.length);
      seen.push(...listed(page));
      offset = page.json.nextOffset;
    }
    expect(seen).toEqual(wanted);
  });

  test('q finds what stands in sources, in both dialects, and nothing else of the pairs', async () => {
    const as = await server.key(newOwner());
    const create = async (ruleType: string, ...pairs: object[]): Promise<string> =>
      (await server.request('POST', '/v1/rules', { key: as, body: { name: 'r', ruleType, pairs } })).json.data.id;
    const source = (value: string, more = {}) => ({ key: 'Host', operator: 'Equals', value, ...more });
    const cancel = (value: string, more = {}) => create('Cancel', { source: source(value, more) });
    const quoted = await cancel('a "quoted\\" ÄB\n\u0001');
    const second = await create(
      'Delay',
      { source: source('one'), delay: 5 },
      { source: source('Api.Example.com'), delay: 5 },
    );
    const nested = await create('Request', {
      source: source('api.example.com'),
      request: { type: 'static', value: 'body' },
    });
    const bare = await create('Response', { type: 'static', value: 'api.example.org' });
    await create('Redirect', {
      source: source('other'),
      destinationType: 'url',
      destination: 'https://api.example.com',
    });
    await cancel('other', { filters: [{ pageUrl: 'api.example.com' }], note: 'api.example.com' });
    for (const [q, found] of [
      ['api.EXAMPLE.com', [second, nested]],
      ['example.org', []],
      ['body', []],
      ['"QUOTED\\" äb\n\u0001', [quoted]],
      ['\\n', []],
      ['source', []],
      ['"', [quoted]],
      ['Host', []],
      ['Equals', []],
    ] as const) {
      const answer = await server.request('GET', `/v1/rules?q=${encodeURIComponent(q)}`, { key: as });
      expect([q, listed(answer)]).toEqual([q, found]);
    }
    expect((await server.request('GET', `/v1/rules/${bare}`, { key: as })).status).toBe(200);
  });

  test.each([
    ['groupid=x', 'groupId'],
    ['group_id=x', 'groupId'],
    ['groupID[]=x', 'groupId'],
    ['ruletype=Delay', 'ruleType'],
    ['rule_type=Delay', 'ruleType'],
  ])('%s is a bad request that names the right one', async (query, meant) => {
    const answer = await list(`?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json.details).toEqual([{ path: query.split('=')[0], message: `is unknown: did you mean ${meant}?` }]);
    // Groups have no such filter, so it is none of theirs misspelt.
    expect((await list(`?${query}`, 'groups')).status).toBe(200);
  });

  test('an unknown rule type is a bad request', async () => {
    expect((await list('?ruleType=Script')).json).toMatchObject({ success: false, message: 'Bad Request' });
  });
});

test('filters of groups', async () => {
  expect(listed(await list('?status=Inactive&pageSize=75', 'groups'))).toEqual(
    groupIds.filter((_id, index) => index % 2 === 1),
  );
  expect((await list('?q=GROUP 1', 'groups')).json.total).toBe(11);
});

test('reading page after page while others write neither repeats nor skips what was there throughout', async () => {
  const reader = await server.key(newOwner());
  const create = async () => {
    const { ruleType, pair } = SAMPLES[2]!;
    return (await server.request('POST', '/v1/rules', { key: reader, body: { name: 'n', ruleType, pairs: [pair] } }))
      .json.data;
  };
  const there: string[] = [];
  for (let index = 0; index < 60; index++) there.push((await create()).id);
  const writing = { on: true };
  const writer = (async () => {
    while (writing.on) {
      const { id } = await create();
      const body = { name: 'm', ruleType: 'Cancel', pairs: [SAMPLES[2]!.pair] };
      await server.request('PUT', `/v1/rules/${there[Math.floor(Math.random() * there.length)]}`, {
        key: reader,
        body,
      });
      await server.request('DELETE', `/v1/rules/${id}`, { key: reader });
    }
  })();
  for (let round = 0; round < 20; round++) {
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const page: Answer = await server.request('GET', `/v1/rules?offset=${offset}&pageSize=7`, { key: reader });
      seen.push(...listed(page));
      offset = page.json.nextOffset;
    }
    expect(seen.filter((id) => there.includes(id))).toEqual(there);
  }
  writing.on = false;
  await writer;
});
