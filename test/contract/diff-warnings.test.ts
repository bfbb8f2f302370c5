/**
 * The warnings of the diff, checked against what is served: a route or response with a warning never answers, and one
 * that never answers has a warning; docs/mocks-fields.md. The rest of the diff: records.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

interface Warning {
  readonly routeId: string;
  readonly responseId?: string;
}

const warningsOf = async (id: string): Promise<Warning[]> => (await two.data('GET', `/${id}/staged/diff`)).warnings;

/** @returns The bodies of the responses that have a warning. */
async function unreachable(responses: readonly Fields[], selection: string): Promise<string[]> {
  const id = await two.mock([route('GET /', responses, { selection })]);
  for (let request = 0; request < 8; request++) await two.ask(id, `/${request % 2 === 0 ? '?q' : ''}`);
  const [own] = (await two.data('GET', `/${id}/staged`)).routes;
  const { routes } = await two.data('GET', `/${id}/counts`);
  const warned = new Set((await warningsOf(id)).map(({ responseId }) => responseId));
  for (const { responseId, count } of routes[0].responses as { responseId: string; count: number }[]) {
    if (warned.has(responseId)) expect(count, 'one that is warned of never answers').toBe(0);
  }
  return own.responses.filter((each: { id: string }) => warned.has(each.id)).map(({ body }: { body: string }) => body);
}

const ruled = (body: string, more: Fields = {}): Fields => ({
  body,
  rules: [{ target: 'query', property: 'q', operator: 'exists' }],
  ...more,
});

describe('a response that is never reached:', () => {
  test.each<[string, string, Fields[], string[]]>([
    ['a second one without rules', 'rules', [{ body: 'a' }, { body: 'b' }], ['b']],
    ['one without rules beside a default', 'rules', [{ body: 'a' }, { body: 'b', default: true }], ['a']],
    ['none when all have rules', 'rules', [ruled('a'), ruled('b')], []],
    ['none when one has rules and one has none', 'rules', [ruled('a'), { body: 'b' }], []],
    ['none of a sequence', 'sequential', [{ body: 'a' }, { body: 'b' }], []],
    ['one without weight', 'random', [{ body: 'a' }, { body: 'b', weight: 0 }], ['b']],
    ['all but the default', 'default', [{ body: 'a' }, { body: 'b', default: true }, { body: 'c' }], ['a', 'c']],
  ])('%s', async (_what, selection, responses, expected) => {
    expect(await unreachable(responses, selection)).toEqual(expected);
  });

  test('with `default` and none marked, not the one that answers', async () => {
    expect(await unreachable([ruled('a'), { body: 'b' }], 'default')).not.toContain('b');
  });
});

/**
 * @returns Whether the last of these routes has a warning. It never answers `path`, although it would if it were the
 * only route.
 */
async function lastIsShadowed(specs: readonly string[], path: string, settings: Fields = {}): Promise<boolean> {
  const id = await two.mock(
    specs.map((spec, index) => route(spec, [{ body: `${index}` }])),
    settings,
  );
  expect(await two.text(id, path)).not.toBe(String(specs.length - 1));
  const last = (await two.data('GET', `/${id}/staged`)).routes.at(-1);
  return (await warningsOf(id)).some(({ routeId }) => routeId === last.id);
}

describe('a shadowed route:', () => {
  test.each<[string, string[], string]>([
    ['the same path', ['GET /a', 'GET /a'], '/a'],
    ['the same path with a slash', ['GET /a', 'GET /a/'], '/a'],
    ['parameters of other names', ['GET /a/:b/c', 'GET /a/:x/c'], '/a/1/c'],
    ['the same wildcard', ['ANY /a/*', 'ANY /a/*'], '/a/1'],
  ])('%s', async (_what, specs, path) => {
    expect(await lastIsShadowed(specs, path)).toBe(true);
  });

  test('none where another method or a more specific path may come', async () => {
    const id = await two.mock(
      ['GET /a', 'POST /a', 'ANY /a', 'GET /:b', 'GET /*', 'GET /c'].map((spec) => route(spec)),
    );
    expect(await warningsOf(id)).toEqual([]);
    expect(await two.text(id, '/c')).toBe('GET /c');
  });

  test('with `listed`, one after a wildcard that matches all its requests', async () => {
    expect(await lastIsShadowed(['ANY /*', 'GET /a'], '/a', { precedence: 'listed' })).toBe(true);
  });

  test('the same path in another encoding', async () => {
    expect(await lastIsShadowed(['GET /café', 'GET /caf%C3%A9'], '/caf%C3%A9')).toBe(true);
  });
});

describe('replies to changes of a definition have the warnings of the new definition:', () => {
  const WRONG = { method: 'GET', path: '/users/{id}', responses: [{ body: '{{uuid}}' }] };
  const FINE = { method: 'GET', path: '/fine', responses: [{}] };
  let id: string;

  async function warned(method: string, path: string, body?: unknown): Promise<string[]> {
    const { status, json } = await two.api(method, path, body);
    expect({ status, json }).toMatchObject({ status: 200, json: { success: true, warnings: expect.any(Array) } });
    expect(json.data.warnings).toBeUndefined();
    id = path === '' ? json.data.id : id;
    // Warnings of the edited route come first.
    const byText = (one: object, other: object): number => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1);
    expect(json.warnings.toSorted(byText)).toEqual((await warningsOf(id)).toSorted(byText));
    return json.warnings.map(({ warning }: { warning: string }) => warning);
  }

  test('create, every edit of the working copy, and save', async () => {
    const both = [
      'has {id} in its path, which is literal text: write :id for a parameter',
      'has helpers in braces, but `templated` is false',
    ];
    expect(await warned('POST', '', { name: 'm', start: true, routes: [WRONG] })).toEqual(both);
    expect(await warned('PUT', `/${id}/staged`, { routes: [FINE] })).toEqual([]);
    expect(await warned('POST', `/${id}/discard`)).toEqual(both);
    expect(await warned('PUT', `/${id}/staged`, { routes: [FINE] })).toEqual([]);
    expect(await warned('POST', `/${id}/save`)).toEqual([]);
    expect(await warned('POST', `/${id}/versions/1/restore`)).toEqual(both);
    expect(await warned('POST', `/${id}/save`)).toEqual(both);
    expect(await warned('POST', `/${id}/staged/routes`, FINE)).toEqual(both);
    const [wrong, fine] = (await two.data('GET', `/${id}/staged`)).routes;
    const at = `/${id}/staged/routes/${fine.id}`;
    expect(await warned('PUT', at, { ...FINE, path: '/b/{c}' })).toEqual([
      'has {c} in its path, which is literal text: write :c for a parameter',
      ...both,
    ]);
    expect(await warned('PUT', at, FINE)).toEqual(both);
    expect(await warned('POST', `${at}/responses`, { body: 'never' })).toEqual(['is never chosen', ...both]);
    const [, never] = (await two.data('GET', at)).responses;
    const rules = [{ target: 'query', property: 'a', operator: 'exists' }];
    expect(await warned('PUT', `${at}/responses/${never.id}`, { rules })).toEqual(both);
    expect(await warned('DELETE', `${at}/responses/${never.id}`)).toEqual(both);
    expect(await warned('PUT', `/${id}/staged/order`, { ids: [fine.id, wrong.id] })).toEqual(both);
    expect(await warned('DELETE', `/${id}/staged/routes/${wrong.id}`)).toEqual([]);
  });

  test('a repeated request gets the warnings and the ETag of the first reply', async () => {
    const key = { 'idempotency-key': 'warned' };
    const made = await two.api('POST', '', { name: 'm', routes: [FINE] });
    const { id: own } = made.json.data;
    const first = await two.api('POST', `/${own}/staged/routes`, WRONG, key);
    expect(first.json.warnings).toHaveLength(2);
    await two.data('DELETE', `/${own}/staged/routes/${first.json.data.id}`);
    const again = await two.api('POST', `/${own}/staged/routes`, WRONG, key);
    expect(again.json).toEqual(first.json);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  });

  test('replies that change no definition have no warnings', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/start'],
      ['POST', '/stop'],
      ['GET', '/staged'],
    ] as const) {
      expect(Object.keys((await two.api(method, `/${id}${path}`)).json).toSorted()).toEqual(['data', 'success']);
    }
  });
});
