/**
 * Builds the change that writes a mock: with its new revisions, without unlisted ones, and within its owner's byte
 * quota.
 */
import { refuse, refuseLimit, type Refusal } from '../../../errors.ts';
import { MOCK_INSTRUCTIONS_MAX, type Limits } from '../../../limits.ts';
import type { CommandContext, Decision } from '../../command.ts';
import type { OwnerState } from '../../owner-state.ts';
import { ifMatchHolds } from '../../precondition.ts';
import { heapOf, type Mock, type MockCopy, type MockVersion, type RouteRevision } from '../mock.ts';
import { tooManyInstructions } from '../definition/definition-payload.ts';
import { routeInstructions } from '../definition/edit-checks.ts';
import type { StagedEdit } from './staged-edit.ts';

/** Makes an edit the working copy. `If-Match` applies to the copy: it prevents overwriting another editor's edit. */
export function stage(
  state: OwnerState,
  mock: Mock,
  { staged, added, nextRevision }: StagedEdit,
  ifMatch: string | undefined,
  context: CommandContext,
): Decision<Mock> | Refusal {
  if (!ifMatchHolds(ifMatch, mock.stagedVersion)) return refuse('preconditionFailed');
  const next: Mock = { ...mock, staged, nextRevision, stagedVersion: context.version };
  return writeMock(state, mock, next, added, context);
}

/**
 * Writes a mock. When its owner's bytes do not suffice, its oldest versions are dropped first, and only a mock that
 * does not fit without them is refused.
 *
 * @param before The mock as it is stored; undefined for a new one.
 * @param mock   With `kept` and `keptBytes` of before: they are computed here.
 */
export function writeMock(
  state: OwnerState,
  before: Mock | undefined,
  mock: Mock,
  added: readonly RouteRevision[],
  { limits }: CommandContext,
): Decision<Mock> | Refusal {
  if (before?.staged === mock.staged && before.versions === mock.versions) return changeOf(before, mock, added);
  const { definitionBytesMax, ownerMockBytesMax } = limits.mocks;
  // Only growth is refused: an owner over a limit that was lowered can still save, stop and delete.
  const adds = added.length > 0;
  if (adds && sum(mock.staged.routes.map(({ bytes }) => bytes)) > definitionBytesMax) {
    return refuseLimit(`${definitionBytesMax} bytes of a mock's definition`);
  }
  if (adds && sum(mock.staged.routes.map(({ route }) => routeInstructions(route))) > MOCK_INSTRUCTIONS_MAX) {
    return tooManyInstructions('');
  }
  const bytesOf = new Map([...(before?.kept ?? []), ...added.map(({ revision, bytes }) => [revision, bytes] as const)]);
  const fitted = fitVersions(mock, bytesOf, adds ? ownerMockBytesMax - bytesOfOthers(state, before) : Infinity);
  if (fitted === undefined) return refuseLimit(`${ownerMockBytesMax} bytes of mocks and their versions per owner`);
  const next: Mock = { ...mock, ...fitted };
  const others = state.mocks.ordered().filter(({ id }) => id !== mock.id);
  const isGrowing = before === undefined || heapOf(next) > heapOf(before);
  return (isGrowing ? refuseHeap([...others, next], limits) : undefined) ?? changeOf(before, next, added);
}

/** @param mocks All of an owner. */
export function refuseHeap(mocks: readonly Mock[], { mocks: { ownerMockHeapBytesMax } }: Limits): Refusal | undefined {
  if (sum(mocks.map(heapOf)) <= ownerMockHeapBytesMax) return undefined;
  return refuseLimit(`${ownerMockHeapBytesMax} bytes of memory for the mocks of an owner`);
}

/** @returns undefined when not even the last version fits with the working copy. */
function fitVersions(
  { staged, versions: all }: Mock,
  bytesOf: ReadonlyMap<number, number>,
  bytesMax: number,
): Pick<Mock, 'versions' | 'kept' | 'keptBytes'> | undefined {
  for (let first = 0; first < all.length; first++) {
    const versions = first === 0 ? all : all.slice(first);
    const kept = listedOf(staged, versions, bytesOf);
    const keptBytes = sum(kept.values());
    if (keptBytes <= bytesMax) return { versions, kept, keptBytes };
  }
  return undefined;
}

function changeOf(before: Mock | undefined, mock: Mock, added: readonly RouteRevision[]): Decision<Mock> {
  const removed =
    before === undefined || before.kept === mock.kept
      ? []
      : [...before.kept.keys()].filter((revision) => !mock.kept.has(revision));
  const saves = before?.versions !== mock.versions;
  const isNew = before === undefined ? { isNew: true as const } : {};
  return { changes: [{ kind: 'putMock', mock, added, removed, saves, ...isNew }], answer: mock };
}

function bytesOfOthers(state: OwnerState, mock: Mock | undefined): number {
  return sum(state.mocks.ordered().map(({ keptBytes }) => keptBytes)) - (mock?.keptBytes ?? 0);
}

/** Bytes of every revision that the working copy or a version lists. */
function listedOf(
  staged: MockCopy,
  versions: readonly MockVersion[],
  bytesOf: ReadonlyMap<number, number>,
): Map<number, number> {
  const listed = new Map<number, number>();
  const list = (revision: number): unknown => listed.set(revision, bytesOf.get(revision) ?? 0);
  for (const { revision } of staged.routes) list(revision);
  for (const { revisions } of versions) for (const revision of revisions) list(revision);
  return listed;
}

export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
