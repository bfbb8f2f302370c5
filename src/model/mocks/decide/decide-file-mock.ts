/**
 * Decides changes of mocks that are served from files. The file is the source of truth: no request of the API changes such a mock
 * (find-mock.ts), and each change of the file is a version, which is served at once.
 */
import { isRefusal, type Refusal } from '../../../errors.ts';
import { MOCK_VERSIONS_MAX, type Limits } from '../../../limits.ts';
import type { Command, CommandContext, Decision, Query } from '../../command.ts';
import { ownedByAnother } from '../../find-record.ts';
import type { OwnerState } from '../../owner-state.ts';
import { createdStamps, modifiedStamps } from '../../stamps.ts';
import { newMock } from './decide-mock.ts';
import type { MockDefinition } from '../definition/definition.ts';
import { keepIds } from './keep-ids.ts';
import { savedVersionOf, type Mock, type MockCopy } from '../mock.ts';
import { replaceStaged, type StagedEdit } from './staged-edit.ts';
import { writeMock } from './write-mock.ts';

export interface FileMock {
  readonly mockId: string;
  /** Name of the file or folder. */
  readonly file: string;
  readonly name: string;
  readonly description: string;
  readonly definition: MockDefinition;
}

/** `taken`: the id is that of a mock that the API made, or of another owner's record. Nothing is changed then. */
type FileMockChange = 'created' | 'changed' | 'unchanged' | 'taken';

export const serveFileMock: Command<FileMock, FileMockChange> = {
  name: 'mock.file',
  decide(state, from, context) {
    const before = state.mocks.get(from.mockId);
    if (before === undefined) return createFrom(state, from, context);
    if (before.file === null) return TAKEN;
    const { definition, mockId: _, ...named } = from;
    const known = before.saved.routes.map(({ route }) => route);
    const edit = replaceStaged(before, { ...definition, routes: keepIds(known, definition.routes).routes });
    const isSame = isSameCopy(before.saved, edit.staged);
    if (isSame && isNamed(before, named)) return { changes: [], answer: 'unchanged' };
    const next = isNamed(before, named) ? before : { ...before, ...named, ...modifiedStamps(context) };
    const mock = isSame ? next : withVersion(next, edit, context);
    return answered(writeMock(state, before, mock, edit.added, context), 'changed');
  },
};

/** Dry run of `serveFileMock`: its change, or the refusal. */
export const checkFileMock: Query<FileMock & { readonly limits: Limits }, FileMockChange> = {
  answer(state, { limits, ...from }, context) {
    const decision = serveFileMock.decide(state, from, {
      ...context,
      limits,
      version: state.version + 1,
      date: state.latestDate,
    });
    return isRefusal(decision) ? decision : decision.answer;
  },
};

/** Removes the mocks of files that are no longer served. */
export const removeFileMocks: Command<{ readonly mockIds: readonly string[] }, readonly string[]> = {
  name: 'mock.file.remove',
  frees: true,
  decide(state, { mockIds }) {
    const removed = mockIds.flatMap((id) => fileMockOf(state, id) ?? []);
    const changes = removed.map((mock) => ({ kind: 'removeMock' as const, mock, revisions: [...mock.kept.keys()] }));
    return { changes, answer: removed.map(({ id }) => id) };
  },
};

const TAKEN: Decision<FileMockChange> = { changes: [], answer: 'taken' };

function createFrom(
  state: OwnerState,
  { mockId, file, ...draft }: FileMock,
  context: CommandContext,
): Decision<FileMockChange> | Refusal {
  if (ownedByAnother(state, mockId, context)) return TAKEN;
  // The limit on an owner's mocks is one on requests: who starts the server names the files.
  const { mock, routes } = newMock({ ...draft, id: mockId, start: true }, createdStamps(context), context);
  return answered(writeMock(state, undefined, { ...mock, file }, routes, context), 'created');
}

function answered(decision: Decision<Mock> | Refusal, answer: FileMockChange): Decision<FileMockChange> | Refusal {
  return isRefusal(decision) ? decision : { changes: decision.changes, answer };
}

function fileMockOf(state: OwnerState, mockId: string): Mock | undefined {
  const mock = state.mocks.get(mockId);
  return mock === undefined || mock.file === null ? undefined : mock;
}

function isSameCopy(one: MockCopy, other: MockCopy): boolean {
  return (
    one.settings === other.settings &&
    one.routes.length === other.routes.length &&
    one.routes.every(({ revision }, index) => revision === other.routes[index]?.revision)
  );
}

function isNamed(mock: Mock, { file, name, description }: Pick<FileMock, 'file' | 'name' | 'description'>): boolean {
  return mock.file === file && mock.name === name && mock.description === description;
}

function withVersion(
  mock: Mock,
  { staged, nextRevision }: StagedEdit,
  { date, version, principal }: CommandContext,
): Mock {
  const { settings, routes } = staged;
  const number = savedVersionOf(mock).number + 1;
  const revisions = routes.map(({ revision }) => revision);
  const saved = { number, savedAt: date, savedBy: principal.userId, settings, revisions };
  const versions = [...mock.versions, saved].slice(-MOCK_VERSIONS_MAX);
  return { ...mock, staged, saved: staged, stagedVersion: version, versions, nextRevision };
}
