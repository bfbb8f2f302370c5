/** The byte quota of an owner's mocks: the oldest versions are dropped first, and the saved version stays. */
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import type { Command } from '../../../src/model/command.ts';
import { createMock, saveMock } from '../../../src/model/mocks/decide/decide-mock.ts';
import { putStaged } from '../../../src/model/mocks/decide/decide-staged.ts';
import { mockParser } from '../../../src/model/mocks/definition/mock-payload.ts';
import type { Mock } from '../../../src/model/mocks/mock.ts';
import { emptyOwner } from '../../../src/model/owner-state.ts';
import { contextOn, runOn } from '../../support/decide.ts';

const limits = { ...DEFAULT_LIMITS, mocks: { ...DEFAULT_LIMITS.mocks, ownerMockBytesMax: 5_000 } };
const parse = mockParser(limits);

function owner(own = limits) {
  const state = emptyOwner('acme');
  const run = <Input, Answer>(command: Command<Input, Answer>, input: Input): Answer | string =>
    runOn(state, contextOn(state, own), command, input);
  return { state, run };
}

const routes = (text: string) => ({
  routes: [{ method: 'GET', path: '/', responses: [{ body: text.repeat(1_000) }] }],
});

test('a full quota drops the oldest versions, and the routes that only they list', () => {
  const { state, run } = owner();
  const { id } = run(createMock, { draft: parse.mock({ name: 'm', ...routes('0') }) }) as Mock;
  for (let version = 2; version <= 9; version++) {
    expect(
      run(putStaged, { mockId: id, ifMatch: undefined, definition: parse.definition(routes(String(version))) }),
    ).toMatchObject({ id });
    expect(run(saveMock, { mockId: id, ifMatch: undefined })).toMatchObject({ id });
  }
  const mock = state.mocks.get(id) as Mock;
  const numbers = mock.versions.map(({ number }) => number);
  expect(numbers.at(-1)).toBe(9);
  expect(numbers.length).toBeLessThan(5);
  const listed = new Set(mock.versions.flatMap(({ revisions }) => revisions));
  expect(new Set(mock.kept.keys())).toEqual(listed);
  expect([...mock.kept.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(5_000);
});

test('an edit that does not fit with the saved version is refused, and changes nothing', () => {
  const { state, run } = owner();
  const { id } = run(createMock, { draft: parse.mock({ name: 'm', ...routes('000') }) }) as Mock;
  const before = state.mocks.get(id);
  expect(run(putStaged, { mockId: id, ifMatch: undefined, definition: parse.definition(routes('111')) })).toBe(
    'Limit reached: 5000 bytes of mocks and their versions per owner',
  );
  expect(state.mocks.get(id)).toBe(before);
  expect(run(createMock, { draft: parse.mock({ name: 'other', ...routes('222') }) })).toContain('Limit reached');
});

// reaches mocks.ownerMockHeapBytesMax
test('mocks full of small values are refused by the memory that they take, and a save needs no more', () => {
  const heapMax = 40_000;
  const { run } = owner({ ...limits, mocks: { ...limits.mocks, ownerMockHeapBytesMax: heapMax } });
  const value = Array.from({ length: 250 }, () => ({}));
  const draft = (name: string) => parse.mock({ name, settings: { stores: [{ name: 's', value }] }, routes: [] });
  const { id } = run(createMock, { draft: draft('m') }) as Mock;
  expect(run(createMock, { draft: draft('other') })).toBe(
    `Limit reached: ${heapMax} bytes of memory for the mocks of an owner`,
  );
  expect(run(saveMock, { mockId: id, ifMatch: undefined })).toMatchObject({ id });
});
