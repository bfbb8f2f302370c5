/**
 * The warnings of the diff against what is served: a route or response that is warned of never answers, one that never answers is warned
 * of; mocks.md, "Endpoints". What else the diff tells is for records.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

let two: TwoThreads;
beforeAll(async () => {
  two = await TwoThreads.start();
});
afterAll(() => two.end());

interface Warning {
  readonly routeId: string;
  readonly responseId?: string;
}

const warningsOf = async (id: string): Promise<Warning[]> => (await two.data('GET', `/${id}/staged/diff`)).warnings;

/** @returns The bodies of the responses that are warned of. */
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

/** Whether the last of these routes is warned of. It never answers `path`, which it would alone. */
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

  test('with `listed`, one behind a wildcard that takes all its requests', async () => {
    expect(await lastIsShadowed(['ANY /*', 'GET /a'], '/a', { precedence: 'listed' })).toBe(true);
  });

  test('the same path in another encoding', async () => {
    expect(await lastIsShadowed(['GET /café', 'GET /caf%C3%A9'], '/caf%C3%A9')).toBe(true);
  });
});
