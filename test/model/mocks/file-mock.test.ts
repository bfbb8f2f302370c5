/** Mocks from files: what becomes of a definition that replaces another, and which ids stay. */
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../../src/errors.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import type { Command } from '../../../src/model/command.ts';
import {
  checkFileMock,
  removeFileMocks,
  serveFileMock,
  type FileMock,
} from '../../../src/model/mocks/decide/decide-file-mock.ts';
import { createMock } from '../../../src/model/mocks/decide/decide-mock.ts';
import type { MockDefinition } from '../../../src/model/mocks/definition/definition.ts';
import { mockParser } from '../../../src/model/mocks/definition/mock-payload.ts';
import type { Mock } from '../../../src/model/mocks/mock.ts';
import { emptyOwner } from '../../../src/model/owner-state.ts';
import { contextOn, runOn } from '../../support/decide.ts';

const limits = {
  ...DEFAULT_LIMITS,
  mocks: { ...DEFAULT_LIMITS.mocks, mocksPerOwnerMax: 2, definitionBytesMax: 5_000 },
};
const parse = mockParser(limits);

function owner(heldByOthers: readonly string[] = []) {
  const state = emptyOwner('acme');
  const context = () =>
    contextOn(state, limits, {
      principal: { keyId: 'file', ownerId: 'acme', userId: 'file', role: 'editor' },
      ownerOf: (id) => (heldByOthers.includes(id) ? 'other' : undefined),
    });
  const run = <Input, Answer>(command: Command<Input, Answer>, input: Input): Answer | string =>
    runOn(state, context(), command, input);
  const check = (from: FileMock): unknown => {
    const found = checkFileMock.answer(state, { ...from, limits }, context());
    return isRefusal(found) ? found.message : found;
  };
  return { state, run, check };
}

/** Routes get new ids at each call, as those of a file without ids do. */
function fileMock(routes: readonly object[], given: Partial<FileMock> = {}): FileMock {
  const definition = parse.definition({ settings: {}, routes }) as MockDefinition;
  return { mockId: 'shop', file: 'shop.json', name: 'Shop', description: '', definition, ...given };
}

const get = (path: string, body = '') => ({ method: 'GET', path, responses: [{ body }] });

describe('a file', () => {
  test('becomes a running mock, then a version with each change, in which routes keep their ids', () => {
    const { state, run, check } = owner();
    expect(check(fileMock([get('/a')]))).toBe('created');
    expect(state.version).toBe(0);
    expect(run(serveFileMock, fileMock([get('/a'), get('/b')]))).toBe('created');
    const first = state.mocks.get('shop') as Mock;
    expect(first).toMatchObject({ state: 'running', file: 'shop.json', versions: [{ number: 1, savedBy: 'file' }] });

    expect(check(fileMock([get('/a'), get('/b')]))).toBe('unchanged');
    expect(run(serveFileMock, fileMock([get('/a'), get('/b')]))).toBe('unchanged');
    expect(state.mocks.get('shop')).toBe(first);

    expect(run(serveFileMock, fileMock([get('/c'), get('/b', 'new'), get('/a')]))).toBe('changed');
    const second = state.mocks.get('shop') as Mock;
    expect(second.versions.map(({ number }) => number)).toEqual([1, 2]);
    expect(second.saved).toBe(second.staged);
    const [a, b] = first.saved.routes;
    expect(second.saved.routes.slice(1).map(({ route }) => route.id)).toEqual([b?.route.id, a?.route.id]);
    // An unchanged route is not stored again.
    expect(second.saved.routes[2]).toBe(a);
    expect(second.saved.routes[1]?.route.responses[0]?.id).toBe(b?.route.responses[0]?.id);

    expect(run(serveFileMock, fileMock([get('/c'), get('/b', 'new'), get('/a')], { name: 'Other' }))).toBe('changed');
    expect(state.mocks.get('shop')).toMatchObject({ name: 'Other', versions: [{ number: 1 }, { number: 2 }] });
  });

  test('does not replace a mock of the API, nor a record of another owner', () => {
    const { state, run, check } = owner(['held']);
    const { id } = run(createMock, { draft: parse.mock({ name: 'm' }) }) as Mock;
    for (const mockId of [id, 'held']) {
      expect(check(fileMock([], { mockId }))).toBe('taken');
      expect(run(serveFileMock, fileMock([], { mockId }))).toBe('taken');
    }
    expect(state.version).toBe(1);
  });

  test('is within the limits of mocks', () => {
    const { run, check } = owner();
    expect(check(fileMock([get('/a', 'x'.repeat(6_000))]))).toBe("Limit reached: 5000 bytes of a mock's definition");
    for (const mockId of ['one', 'two']) run(serveFileMock, fileMock([], { mockId }));
    // Who starts the server names the files: a start would otherwise fail when one is renamed.
    expect(run(serveFileMock, fileMock([]))).toBe('created');
    expect(run(serveFileMock, fileMock([get('/a')], { mockId: 'two' }))).toBe('changed');
  });

  test('that is no longer served takes its mock away; a mock of the API stays', () => {
    const { state, run } = owner();
    const { id } = run(createMock, { draft: parse.mock({ name: 'm' }) }) as Mock;
    run(serveFileMock, fileMock([get('/a')]));
    expect(run(removeFileMocks, { mockIds: ['shop', id, 'unknown'] })).toEqual(['shop']);
    expect(state.mocks.ordered().map((mock) => mock.id)).toEqual([id]);
  });
});
