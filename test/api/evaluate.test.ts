/** `POST /v1/rules/evaluate` over HTTP: docs/api.md, "Evaluate". What rules do is in evaluate-vectors.test.ts. */
import { EVALUATED_HEADER_LINES_MAX, EVALUATED_HEADERS_CHARS_MAX } from '../../src/http/api/evaluate-body.ts';
import { describe, expect, test } from 'vitest';
import { EVALUATED_URL_CHARS_MAX, SKIPPED_PAGE_DEFAULT, SKIPPED_PAGE_MAX } from '../../src/limits.ts';
import { knownKey } from '../support/raw-http.ts';
import { rulePayload } from '../support/samples.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server } = await useServer();

/** An owner of its own for each test. */
class Owner {
  readonly key: string;

  private constructor(key: string) {
    this.key = key;
  }

  static async make(): Promise<Owner> {
    return new Owner(await knownKey(server, newOwner()));
  }

  async request(method: string, path: string, body?: unknown) {
    const { status, json } = await server.request(method, `/v1${path}`, { key: this.key, body });
    expect(status, JSON.stringify(json)).toBe(200);
    return json.data;
  }

  refused(body: unknown) {
    return server.request('POST', '/v1/rules/evaluate', { key: this.key, body });
  }

  evaluate(more: object = {}, url = 'http://a.test/x') {
    return this.request('POST', '/rules/evaluate', { request: { url }, ...more });
  }

  /** Names of the rules that acted. */
  async acting(more: object = {}): Promise<string[]> {
    const { steps } = await this.evaluate(more);
    return steps.map(({ name }: { name: string }) => name);
  }

  rule(name: string, more: object = {}) {
    return this.request('POST', '/rules', header(name, more));
  }
}

const ANYWHERE = { key: 'Url', operator: 'Contains', value: '' };

/** A rule that adds a header of its own name. */
function header(name: string, more: object = {}) {
  const modifications = { Request: [{ header: `x-${name}`, type: 'Add', value: '1' }] };
  return { name, ruleType: 'Headers', pairs: [{ source: ANYWHERE, modifications }], ...more };
}

describe('what is stored', () => {
  test('is evaluated as it is now: after a creation, an edit, a deletion, and what becomes of groups', async () => {
    const owner = await Owner.make();
    expect(await owner.acting()).toEqual([]);
    const group = await owner.request('POST', '/groups', { name: 'g' });
    const a = await owner.rule('a');
    const b = await owner.rule('b', { groupId: group.id });
    expect(await owner.acting()).toEqual(['a', 'b']);
    await owner.rule('c');
    await owner.request('PUT', `/rules/${a.id}`, header('renamed'));
    expect(await owner.acting()).toEqual(['renamed', 'b', 'c']);
    await owner.request('PUT', `/rules/${a.id}`, header('renamed', { status: 'Inactive' }));
    expect(await owner.acting()).toEqual(['b', 'c']);
    await owner.request('PUT', `/groups/${group.id}`, { name: 'g', status: 'Inactive' });
    expect(await owner.acting()).toEqual(['c']);
    await owner.request('PUT', `/groups/${group.id}`, { name: 'g', status: 'Active' });
    expect(await owner.acting()).toEqual(['b', 'c']);
    await owner.request('PUT', `/groups/${group.id}`, { name: 'g', status: 'Inactive' });
    await owner.request('DELETE', `/groups/${group.id}`);
    expect(await owner.acting()).toEqual(['b', 'c']);
    await owner.request('DELETE', `/rules/${b.id}`);
    expect(await owner.acting()).toEqual(['c']);
  });

  test('agrees with the same as drafts after any change', async () => {
    const owner = await Owner.make();
    const groups: string[] = [];
    for (let index = 0; index < 3; index++) {
      groups.push((await owner.request('POST', '/groups', { name: `g${index}` })).id);
    }
    const ids: string[] = [];
    for (let round = 0; round < 40; round++) {
      const groupId = [...groups, ''][round % 4];
      const status = round % 5 === 0 ? 'Inactive' : 'Active';
      const victim = ids[(round * 7) % Math.max(ids.length, 1)];
      if (round % 4 === 3) {
        const path = `/groups/${groups[round % 3]}`;
        await owner.request('PUT', path, { name: 'g', status: round % 8 === 3 ? 'Inactive' : 'Active' });
      } else if (round % 6 === 5 && victim !== undefined) {
        await owner.request('DELETE', `/rules/${victim}`);
        ids.splice(ids.indexOf(victim), 1);
      } else if (round % 3 === 2 && victim !== undefined) {
        await owner.request('PUT', `/rules/${victim}`, header(`edited${round}`, { groupId, status }));
      } else ids.push((await owner.rule(`r${round}`, { groupId, status })).id);
      // Sometimes two changes are seen at once.
      if (round % 3 === 1) continue;
      const details = { details: 'all' };
      const stored = await owner.evaluate(details);
      const rules = await owner.request('GET', '/rules?pageSize=75');
      const drafts = await owner.evaluate({ ...details, rules, groups: await owner.request('GET', '/groups') });
      expect(stored).toEqual(drafts);
      expect(stored.steps.length + stored.skippedCount).toBe(ids.length);
    }
  });

  test('is not changed by it, for a viewer too', async () => {
    const owner = await Owner.make();
    const { id } = await owner.rule('a');
    const before = await owner.request('GET', '/rules');
    const viewer = await knownKey(server, 'seen-by-viewer', 'viewer');
    const body = { request: { url: 'http://a.test/' } };
    expect((await server.request('POST', '/v1/rules/evaluate', { key: viewer, body })).status).toBe(200);
    expect((await server.request('POST', '/v1/rules/evaluate', { body })).status).toBe(401);
    const { version } = await owner.evaluate();
    expect((await owner.evaluate({ rules: [header('b')] })).version).toBe(version);
    expect((await owner.evaluate({ ruleId: id })).version).toBe(version);
    expect(await owner.request('GET', '/rules')).toEqual(before);
    expect(await owner.request('GET', '/history')).toHaveLength(version);
  });
});

describe('one rule alone', () => {
  test('is evaluated as if it and its group were active', async () => {
    const owner = await Owner.make();
    const group = await owner.request('POST', '/groups', { name: 'g', status: 'Inactive' });
    await owner.rule('other');
    const off = await owner.rule('off', { groupId: group.id, status: 'Inactive' });
    expect(await owner.acting()).toEqual(['other']);
    expect(await owner.acting({ ruleId: off.id })).toEqual(['off']);
    expect((await owner.evaluate({ ruleId: off.id })).skippedCount).toBe(0);
  });

  test('must be there: 404, and 401 for one of another owner', async () => {
    const [owner, another] = [await Owner.make(), await Owner.make()];
    const { id } = await another.rule('theirs');
    const request = { url: 'http://a.test/' };
    const answers = await Promise.all(
      ['Redirect_none', 'none', id].map((ruleId) => owner.refused({ request, ruleId })),
    );
    expect(answers.map(({ status, json }) => [status, json.message])).toEqual([
      [404, 'Rule not found'],
      [404, 'Rule not found'],
      [401, 'Unauthorized action'],
    ]);
  });
});

describe('drafts', () => {
  test('are called by their place without an id, and see groups of the body before stored ones', async () => {
    const owner = await Owner.make();
    const group = await owner.request('POST', '/groups', { name: 'g', status: 'Inactive' });
    await owner.rule('stored');
    const rules = [
      header('a'),
      header('b', { id: 'mine', groupId: 'new' }),
      header('c', { groupId: group.id }),
      header('d', { groupId: null }),
    ];
    const groups = [{ id: 'new', status: 'Inactive' }];
    const { steps, skipped } = await owner.evaluate({ rules, groups });
    expect(steps.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(['/rules/0', '/rules/3']);
    expect(skipped).toMatchObject([
      { ruleId: 'mine', reason: 'groupInactive', expected: 'Active', actual: 'new is inactive' },
      { ruleId: '/rules/2', reason: 'groupInactive' },
    ]);
    const active = [...groups, { id: group.id, status: 'Active' }];
    expect(await owner.acting({ rules, groups: active })).toEqual(['a', 'c', 'd']);
    expect(await owner.acting({ rules: [] })).toEqual([]);
  });

  test('have pairs that are called by their place without an id: equal questions get equal answers', async () => {
    const owner = await Owner.make();
    const [pair] = header('a').pairs;
    const elsewhere = { ...pair, source: { ...ANYWHERE, value: 'elsewhere' } };
    const own = { ...pair, id: 'own' };
    const rules = [
      header('a', { pairs: [elsewhere, pair, pair] }),
      header('b', { id: 'mine', pairs: [own, own] }),
      header('c', { pairs: [elsewhere, { ...elsewhere, id: '' }] }),
      header('d', {
        pairs: [
          { ...elsewhere, id: 'own' },
          { ...pair, id: 'own' },
        ],
      }),
    ];
    const ask = async () => (await owner.refused({ request: { url: 'http://a.test/x' }, rules })).json;
    const answer = await ask();
    expect(answer.data.steps.map(({ pairId }: { pairId: string }) => pairId)).toEqual([
      '/rules/0/pairs/1',
      '/rules/0/pairs/2',
      'own',
      '/rules/1/pairs/1',
      '/rules/3/pairs/1',
    ]);
    expect(answer.data.skipped).toMatchObject([{ ruleId: '/rules/2', pairId: '/rules/2/pairs/0' }]);
    expect(await ask()).toEqual(answer);
  });

  const matching = (value: string) => ({ source: { key: 'Url', operator: 'Matches', value } });
  const heavy = (index: number) => `/${index}${String.raw`\P{L}`.repeat(1_900)}/iu`;
  const PAYLOAD = 'Rule Payload is invalid';
  const PAIRS = 'Rule pairs are invalid';

  test.each<[string, object[], number, string, string]>([
    ['nothing in it', [{}], 400, PAYLOAD, '/rules/0/name'],
    ['no object', [header('a'), 5 as unknown as object], 400, PAYLOAD, '/rules/1'],
    ['an unknown type', [header('a', { ruleType: 'Block' })], 400, PAYLOAD, '/rules/0/ruleType'],
    ['no pairs', [header('a', { pairs: [] })], 400, PAIRS, '/rules/0/pairs'],
    [
      'a pattern that does not compile, behind others',
      [header('a'), header('b'), header('c'), rulePayload('Cancel', { pairs: [matching('(')] })],
      400,
      PAIRS,
      '/rules/3/pairs/0/source/value',
    ],
    [
      'a pattern that is checked beforehand',
      [rulePayload('Cancel', { pairs: [matching(String.raw`/\p{Nothing}/u`)] })],
      400,
      PAIRS,
      '/rules/0/pairs/0/source/value',
    ],
    [
      'a pattern that takes long to compile',
      [rulePayload('Cancel', { pairs: Array.from({ length: 80 }, (_, index) => matching(heavy(index))) })],
      400,
      PAIRS,
      '/rules/0/pairs/0/source/value',
    ],
    ['a pair of another type', [rulePayload('Redirect', { pairs: [{}] })], 400, PAIRS, '/rules/0/pairs/0/destination'],
    [
      'a name that is too long',
      [header('n'.repeat(1_001))],
      403,
      'Limit reached: name of 1000 characters',
      '/rules/0/name',
    ],
    ['an id twice', [header('a', { id: 'x' }), header('b', { id: 'x' })], 400, PAYLOAD, '/rules/1/id'],
    ['an id of another kind', [header('a', { id: 5 })], 400, PAYLOAD, '/rules/0/id'],
    ['a group that is not there', [header('a', { groupId: 'Group_none' })], 400, PAYLOAD, '/rules/0/groupId'],
  ])('with %s are refused at their place', async (_, rules, status, message, path) => {
    const owner = await Owner.make();
    const answer = await owner.refused({ request: { url: 'http://a.test/' }, rules });
    expect([answer.status, answer.json.message]).toEqual([status, message]);
    expect(answer.json.details.map((detail: { path: string }) => detail.path)).toContain(path);
  });

  test("cannot name another owner's group", async () => {
    const [owner, another] = [await Owner.make(), await Owner.make()];
    const { id } = await another.request('POST', '/groups', { name: 'g' });
    const { status, json } = await owner.refused({
      request: { url: 'http://a.test/' },
      rules: [header('a', { groupId: id })],
    });
    expect([status, json.details[0].path]).toEqual([400, '/rules/0/groupId']);
  });
});

describe('refused with what is wrong, and where:', () => {
  const url = 'http://a.test/';
  const lines = (count: number, value: string) => Array.from({ length: count }, () => ({ name: 'x', value }));

  test.each<[string, object, string]>([
    ['no request', {}, '/request'],
    ['no URL', { request: {} }, '/request/url'],
    ['a URL without a scheme', { request: { url: 'a.test' } }, '/request/url'],
    ['a URL of another scheme', { request: { url: 'ftp://a.test/' } }, '/request/url'],
    ['a URL without a host', { request: { url: 'http://' } }, '/request/url'],
    ['a method that is none', { request: { url, method: 'GET /' } }, '/request/method'],
    ['a method that is too long', { request: { url, method: 'G'.repeat(33) } }, '/request/method'],
    ['headers that are neither', { request: { url, headers: 'x: 1' } }, '/request/headers'],
    ['a line break', { request: { url, headers: [{ name: 'x', value: 'a\nb' }] } }, '/request/headers/0/value'],
    ['a control character', { request: { url, headers: { 'x-a': 'a\u0000' } } }, '/request/headers/x-a'],
    ['the same among several', { request: { url, headers: { 'x-a': ['a', '\u007f'] } } }, '/request/headers/x-a/1'],
    ['a name that is none', { request: { url, headers: [{ name: 'a b', value: '' }] } }, '/request/headers/0/name'],
    ['a name with a slash', { request: { url, headers: { 'a/b~': '' } } }, '/request/headers/a~1b~0'],
    ['an empty name', { request: { url, headers: { '': '1' } } }, '/request/headers/'],
    ['a Host that is none', { request: { url, headers: { host: 'a b' } } }, '/request/headers/host'],
    ['a body that is not base64', { request: { url, body: '~', bodyEncoding: 'base64' } }, '/request/body'],
    ['an unknown encoding', { request: { url, body: '', bodyEncoding: 'hex' } }, '/request/bodyEncoding'],
    ['a response without a status', { request: { url }, response: {} }, '/response/status'],
    ['a status that is none', { request: { url }, response: { status: 99 } }, '/response/status'],
    [
      'a control in the reason',
      { request: { url }, response: { status: 200, statusText: '\n' } },
      '/response/statusText',
    ],
    [
      'headers of the response',
      { request: { url }, response: { status: 200, headers: { x: '\r' } } },
      '/response/headers/x',
    ],
    ['a failure with a status', { request: { url }, response: { failed: true, status: 200 } }, '/response/status'],
    ['code', { request: { url }, runCode: true }, '/runCode'],
    ['an unknown mode', { request: { url }, mode: 'both' }, '/mode'],
    ['unknown details', { request: { url }, details: 'some' }, '/details'],
    ['a page of what is not paged', { request: { url }, offset: 0 }, '/offset'],
    ['its size', { request: { url }, details: 'applied', pageSize: 5 }, '/pageSize'],
    ['a negative offset', { request: { url }, details: 'all', offset: -1 }, '/offset'],
    ['an empty page', { request: { url }, details: 'all', pageSize: 0 }, '/pageSize'],
    ['drafts and a rule', { request: { url }, rules: [], ruleId: 'Redirect_1' }, '/ruleId'],
    ['groups without drafts', { request: { url }, groups: [] }, '/groups'],
    ['a group without a status', { request: { url }, rules: [], groups: [{ id: 'g' }] }, '/groups/0/status'],
    ['drafts that are no list', { request: { url }, rules: {} }, '/rules'],
    ['a misspelt member', { request: { url }, ruleID: 'Redirect_1' }, '/ruleID'],
    ['a misspelt member of the request', { request: { url, header: {} } }, '/request/header'],
  ])('%s', async (_, body, path) => {
    const owner = await Owner.make();
    const { status, json } = await owner.refused(body);
    expect([status, json.message]).toEqual([400, 'Rule Payload is invalid']);
    expect(json.details.map((detail: { path: string }) => detail.path)).toEqual([path]);
  });

  test.each<[string, object, string, string]>([
    ['a URL', { url: `${url}${'a'.repeat(EVALUATED_URL_CHARS_MAX)}` }, 'text of 65536 characters', '/request/url'],
    [
      'header lines',
      { url, headers: lines(EVALUATED_HEADER_LINES_MAX + 1, '') },
      '1000 header lines',
      '/request/headers',
    ],
    [
      'headers',
      // reaches EVALUATED_URL_CHARS_MAX, EVALUATED_HEADER_LINES_MAX, EVALUATED_HEADERS_CHARS_MAX
      { url, headers: lines(1, 'v'.repeat(EVALUATED_HEADERS_CHARS_MAX)) },
      '65536 characters of headers',
      '/request/headers',
    ],
  ])('%s of one more than there may be', async (_, request, limit, path) => {
    const owner = await Owner.make();
    const { status, json } = await owner.refused({ request });
    expect([status, json.message, json.details[0].path]).toEqual([403, `Limit reached: ${limit}`, path]);
  });

  test('the largest that are taken', async () => {
    const owner = await Owner.make();
    const long = `${url}${'a'.repeat(EVALUATED_URL_CHARS_MAX - url.length)}`;
    const headers = lines(EVALUATED_HEADER_LINES_MAX, 'v'.repeat(64));
    const { request } = await owner.request('POST', '/rules/evaluate', { request: { url: long, headers } });
    expect(request).toEqual({ method: 'GET', url: long, headers });
  });

  test('no JSON, no object, and more than --body-max', async () => {
    const owner = await Owner.make();
    expect((await owner.refused('{')).status).toBe(400);
    expect((await owner.refused('[]')).status).toBe(400);
    const { status, json } = await owner.refused({ request: { url, body: 'x'.repeat(1_000_000) } });
    expect([status, json.message]).toEqual([413, 'Payload too large']);
  });
});

describe('the exchange', () => {
  test('has its headers by name or in lines, and a body as text or as bytes', async () => {
    const owner = await Owner.make();
    const bytes = Buffer.from([0xff, 0xfe, 0]).toString('base64');
    const by = async (headers: object, more: object = {}) =>
      (await owner.evaluate({ request: { url: 'http://a.test/', headers, ...more } })).request;
    const lines = [
      { name: 'X-A', value: '1' },
      { name: 'X-A', value: '2' },
    ];
    expect(await by({ 'X-A': ['1', '2'] })).toEqual({ method: 'GET', url: 'http://a.test/', headers: lines });
    expect((await by(lines)).headers).toEqual(lines);
    expect(await by([], { method: 'POST', body: 'ä' })).toMatchObject({ method: 'POST', body: 'ä' });
    expect(await by([], { body: bytes, bodyEncoding: 'base64' })).toMatchObject({
      body: bytes,
      bodyEncoding: 'base64',
    });
    // Bytes that are text are shown as text.
    const text = await by([], { body: Buffer.from('ä').toString('base64'), bodyEncoding: 'base64' });
    expect([text.body, 'bodyEncoding' in text]).toEqual(['ä', false]);
  });

  test('may have an answer, or one that failed', async () => {
    const owner = await Owner.make();
    const response = { status: 404, statusText: 'Gone Fishing', headers: [{ name: 'x', value: '1' }], body: 'no' };
    expect((await owner.evaluate({ response })).response).toEqual(response);
    expect((await owner.evaluate({ response: { status: 200 } })).response).toEqual({ status: 200, headers: [] });
    expect((await owner.evaluate({ response: { failed: true } })).response).toBeNull();
    expect((await owner.evaluate()).response).toBeNull();
  });

  test('is redirected, or goes elsewhere', async () => {
    const owner = await Owner.make();
    const pairs = [{ source: { ...ANYWHERE, value: 'a.test' }, destinationType: 'url', destination: 'http://b.test/' }];
    const rules = [rulePayload('Redirect', { pairs })];
    expect(await owner.evaluate({ rules })).toMatchObject({ outcome: 'redirect', location: 'http://b.test/' });
    expect(await owner.evaluate({ rules, mode: 'rewrite' })).toMatchObject({
      outcome: 'forward',
      location: null,
      request: { url: 'http://b.test/' },
    });
  });
});

// reaches SKIPPED_PAGE_MAX
test('all that did not act are paged', async () => {
  const owner = await Owner.make();
  const count = SKIPPED_PAGE_MAX + 50;
  const ids = Array.from({ length: count }, (_, index) => `r${index}`);
  const rules = ids.map((id) => header('a', { id, status: 'Inactive' }));
  const page = async (more: object) => {
    const { skipped, skippedCount, nextOffset } = await owner.evaluate({ rules, details: 'all', ...more });
    expect(skippedCount).toBe(count);
    return { ids: skipped.map(({ ruleId }: { ruleId: string }) => ruleId), nextOffset };
  };
  expect(await page({})).toEqual({ ids: ids.slice(0, SKIPPED_PAGE_DEFAULT), nextOffset: SKIPPED_PAGE_DEFAULT });
  expect(await page({ pageSize: count })).toEqual({
    ids: ids.slice(0, SKIPPED_PAGE_MAX),
    nextOffset: SKIPPED_PAGE_MAX,
  });
  expect(await page({ offset: SKIPPED_PAGE_MAX })).toEqual({ ids: ids.slice(SKIPPED_PAGE_MAX), nextOffset: null });
  expect(await page({ offset: count + 5 })).toEqual({ ids: [], nextOffset: null });
});

test('texts in reasons are cut: what did not act cannot make an answer of megabytes', async () => {
  const owner = await Owner.make();
  const filters = [{ pageUrl: { key: 'Url', operator: 'Contains', value: 'elsewhere' } }];
  const rules = Array.from({ length: 500 }, () => {
    const { name, ruleType, pairs } = header('a');
    return { name, ruleType, pairs: [{ ...pairs[0], source: { ...ANYWHERE, filters } }] };
  });
  const headers = { referer: `http://a.test/${'r'.repeat(60_000)}` };
  const { skipped } = await owner.evaluate({ rules, request: { url: 'http://a.test/', headers } });
  expect(skipped).toHaveLength(500);
  expect(skipped[0]).toMatchObject({ reason: 'filter:pageUrl', expected: 'contains elsewhere' });
  expect(JSON.stringify(skipped).length).toBeLessThan(300_000);
});
