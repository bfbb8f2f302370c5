/**
 * Two copies of a mock, as far as a comparison needs them: routes of a revision that both list are not read. Of a large
 * mock's versions most are, and reading all of two takes a fifth of a second.
 */
import { inSlices } from '../../../base/slices.ts';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import type { Query, QueryContext } from '../../command.ts';
import type { MockSettings } from '../definition/definition.ts';
import { findMock, findRevisionsInSteps } from '../decide/find-mock.ts';
import type { Mock, MockCopy, RouteRevision } from '../mock.ts';

/** The working copy, the last saved version, or a version by its number. */
export type CopyName = 'staged' | 'saved' | number;

export interface CopyNames {
  readonly from: CopyName;
  readonly to: CopyName;
}

export interface ComparedCopy {
  readonly settings: MockSettings;
  /** The ids of all its routes, in order. */
  readonly revisions: readonly number[];
  /** Routes whose revision the other copy does not list, in order. */
  readonly routes: readonly RouteRevision[];
}

export interface ComparedCopies {
  readonly from: ComparedCopy;
  readonly to: ComparedCopy;
}

/** Both as of one turn. What is in the store is read in slices: revisions never change. */
export const readCopies: Query<CopyNames & { mockId: string }, ComparedCopies & { readonly mock: Mock }> = {
  answer(state, { mockId, ...names }, context) {
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    const copies = listCopies(mock, names);
    if (isRefusal(copies)) return copies;
    return inSlices(readBoth(mock, copies, context));
  },
};

/** Copies that are in memory. */
export function compareCopies(from: MockCopy, to: MockCopy): ComparedCopies {
  const compared = (copy: MockCopy, other: MockCopy): ComparedCopy => {
    const known = new Set(other.routes.map(({ revision }) => revision));
    return { ...listed(copy), routes: copy.routes.filter(({ revision }) => !known.has(revision)) };
  };
  return { from: compared(from, to), to: compared(to, from) };
}

/** Upper bounds of the bytes of the routes that are read, as JSON; or that there is no such version. */
export function comparedBytes(mock: Mock, names: CopyNames): { readonly from: number; readonly to: number } | Refusal {
  const copies = listCopies(mock, names);
  if (isRefusal(copies)) return copies;
  const bytesOf = (copy: ListedCopy, other: ListedCopy): number =>
    unlisted(copy, other).reduce((sum, revision) => sum + (mock.kept.get(revision) ?? 0) + 1, 1_000);
  return { from: bytesOf(copies.from, copies.to), to: bytesOf(copies.to, copies.from) };
}

type ListedCopy = Omit<ComparedCopy, 'routes'>;

interface ListedCopies {
  readonly from: ListedCopy;
  readonly to: ListedCopy;
}

function listCopies(mock: Mock, names: CopyNames): ListedCopies | Refusal {
  const from = listCopy(mock, names.from);
  const to = listCopy(mock, names.to);
  return from === undefined || to === undefined ? refuse('versionNotFound') : { from, to };
}

function listCopy(mock: Mock, name: CopyName): ListedCopy | undefined {
  return typeof name === 'number' ? mock.versions.find(({ number }) => number === name) : listed(mock[name]);
}

function listed({ settings, routes }: MockCopy): ListedCopy {
  return { settings, revisions: routes.map(({ revision }) => revision) };
}

function unlisted({ revisions }: ListedCopy, other: ListedCopy): readonly number[] {
  const known = new Set(other.revisions);
  return revisions.filter((revision) => !known.has(revision));
}

function* readBoth(
  mock: Mock,
  { from, to }: ListedCopies,
  context: QueryContext,
): Generator<void, (ComparedCopies & { readonly mock: Mock }) | Refusal> {
  const fromRoutes = yield* findRevisionsInSteps(mock, unlisted(from, to), context);
  if (isRefusal(fromRoutes)) return fromRoutes;
  const toRoutes = yield* findRevisionsInSteps(mock, unlisted(to, from), context);
  if (isRefusal(toRoutes)) return toRoutes;
  return { mock, from: { ...from, routes: fromRoutes }, to: { ...to, routes: toRoutes } };
}
