/** Imports of mocks: several are one commit or none, and what replaces a working copy keeps its ids. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import type { Command } from '../../../src/model/command.ts';
import {
  importMocks,
  stageImport,
  type ReadDefinition,
  type StagedImport,
} from '../../../src/model/mocks/decide/decide-import.ts';
import type { MockDefinition, MockRoute } from '../../../src/model/mocks/definition/definition.ts';
import { keepIds } from '../../../src/model/mocks/decide/keep-ids.ts';
import type { Mock } from '../../../src/model/mocks/mock.ts';
import { emptyOwner } from '../../../src/model/owner-state.ts';
import { contextOn, runOn } from '../../support/decide.ts';
import { define, response, route } from '../../support/mocks.ts';

const limits = {
  ...DEFAULT_LIMITS,
  mocks: { ...DEFAULT_LIMITS.mocks, mocksPerOwnerMax: 3, ownerMockBytesMax: 5_000 },
};

function owner() {
  const state = emptyOwner('acme');
  const run = <Input, Answer>(command: Command<Input, Answer>, input: Input): Answer | string =>
    runOn(state, contextOn(state, limits), command, input);
  return { state, run };
}

const read = (name: string, definition: MockDefinition = define([route('GET /a')])): ReadDefinition => ({
  name,
  description: '',
  definition,
});

describe('the mocks of a file', () => {
  test('are made together, in their order, each with an id and a place of its own', () => {
    const { state, run } = owner();
    const made = run(importMocks, { imported: { mocks: [read('one'), read('')], start: true } }) as Mock[];
    expect(made.map(({ name, state: is }) => [name, is])).toEqual([
      ['one', 'running'],
      ['Imported mock', 'running'],
    ]);
    expect(state.mocks.ordered()).toEqual(made);
    expect(new Set(made.map(({ createdVersion }) => createdVersion)).size).toBe(2);
  });

  test.each([
    ['more than an owner may have', ['1', '2', '3', '4'].map((name) => read(name)), '3 mocks per owner'],
    [
      'more bytes than an owner may have, together',
      ['1', '2'].map((name) => read(name, define([route('GET /a', [response({ body: 'x'.repeat(2_500) })])]))),
      '5000 bytes of mocks and their versions per owner',
    ],
    ['a name that is too long', [read('1'), read('n'.repeat(1_001))], 'name of 1000 characters'],
  ])('with %s are none', (_what, mocks, limit) => {
    const { state, run } = owner();
    expect(run(importMocks, { imported: { mocks, start: false } })).toBe(`Limit reached: ${limit}`);
    expect(state.mocks.count).toBe(0);
  });

  test('replace a working copy only when they are one', () => {
    const { run } = owner();
    const [{ id }] = run(importMocks, { imported: { mocks: [read('one')], start: false } }) as [Mock];
    const input = { mockId: id, ifMatch: undefined };
    const staged = run(stageImport, { ...input, imported: [read('other', define([route('GET /b')]))] }) as StagedImport;
    expect(staged.mock).toMatchObject({ name: 'one', staged: { routes: [{ route: { path: '/b' } }] } });
    expect(run(stageImport, { ...input, imported: [read('1'), read('2')] })).toBe('Import is invalid');
  });
});

describe('ids', () => {
  const BEFORE = [
    route('GET /a', [response({ id: 'ok' }), response({ id: 'gone', status: 404 })], { id: 'a' }),
    route('GET /b', undefined, { id: 'b' }),
  ];

  test('stay with method and path, and with label and status', () => {
    const after = [
      route('GET /c', undefined, { id: 'b' }),
      route('GET /a', [
        response({ id: 'x', status: 404 }),
        response({ id: 'y', body: 'new' }),
        response({ id: 'z', status: 500 }),
      ]),
    ];
    const { routes, renamed } = keepIds(BEFORE, after);
    expect(routes.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(routes[1]?.responses.map(({ id }) => id)).toEqual(['gone', 'ok', 'z']);
    expect(renamed.get(after[1]?.id as string)?.responseIds.get('x')).toBe('gone');
  });

  test('that the file has are those of the file: a route may have another path', () => {
    const after = [route('GET /c', undefined, { id: 'a' }), route('GET /a', undefined, { id: 'z' })];
    expect(keepIds(BEFORE, after).routes.map(({ id }) => id)).toEqual(['a', 'z']);
  });

  test('of a response that another has now are given anew', () => {
    const after = [route('GET /a', [response({ id: 'ok', status: 500 }), response({ id: 'x' })], { id: 'a' })];
    const [first, second] = keepIds(BEFORE, after).routes[0]?.responses ?? [];
    expect(second?.id).toBe('ok');
    expect(first?.id).toMatch(/^[a-z0-9]{10}$/);
  });

  test('are unique, and those of the same definition stay, whatever it has', () => {
    const responses = fc.uniqueArray(
      fc.record({
        id: fc.constantFrom('p', 'q', 'r', 's'),
        status: fc.constantFrom(200, 404),
        label: fc.constantFrom('', 'l'),
      }),
      { selector: ({ id }) => id, minLength: 1 },
    );
    const routesOf = fc.uniqueArray(
      fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), path: fc.constantFrom('/x', '/y'), responses }),
      { selector: ({ id }) => id },
    );
    const made = routesOf.map((all) =>
      all.map(({ id, path, responses: given }): MockRoute => route(`GET ${path}`, given.map(response), { id })),
    );
    fc.assert(
      fc.property(made, made, (before, after) => {
        const { routes, renamed } = keepIds(before, after);
        expect(new Set(routes.map(({ id }) => id)).size).toBe(after.length);
        for (const each of routes) expect(new Set(each.responses.map(({ id }) => id)).size).toBe(each.responses.length);
        expect([...renamed.keys()]).toEqual(after.map(({ id }) => id));
        const contentOf = (all: readonly MockRoute[]) =>
          all.map(({ id: _id, responses: of, ...rest }) => ({ ...rest, of: of.map(({ id: _own, ...own }) => own) }));
        expect(contentOf(routes)).toEqual(contentOf(after));
        expect(keepIds(before, before).routes).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });
});
