/** The differences between two copies, with the names of the routes and responses they mention. */
import type { DiffOptions, MockRecord, RouteSummary } from '../../../client/shapes.ts';
import type { CopyDiff } from '../../../model/mocks/show/diff.ts';
import { api } from '../../state/session.ts';
import { movedRoutes, touchesResponses, type MovedRoute } from './diff-words.ts';

export type Copy = number | 'staged';

export interface NamedDiff {
  /** The client's own answer: it carries the tag of the working copy. */
  readonly diff: CopyDiff;
  /** By id. Empty where no name is needed. */
  readonly before: RoutesById;
  readonly after: RoutesById;
  readonly moved: readonly MovedRoute[];
}

export type RoutesById = ReadonlyMap<string, RouteSummary>;

/** The changes that a save would publish. */
export const loadStagedDiff = async ({ id, version }: MockRecord): Promise<NamedDiff> =>
  named(id, await api().mocks.staged.diff(id), version, 'staged');

export const loadDiff = async (id: string, from: number, to: Copy): Promise<NamedDiff> =>
  named(id, await api().mocks.diff(id, { from, to } satisfies DiffOptions), from, to);

async function named(id: string, diff: CopyDiff, from: number, to: Copy): Promise<NamedDiff> {
  const { routesAdded, routesRemoved, routesChanged, routesReordered, warnings = [] } = diff;
  const isChanged = routesReordered || routesChanged.some(touchesResponses);
  const [before, after] = await Promise.all([
    isChanged || routesRemoved.length > 0 ? routesOf(id, from) : [],
    isChanged || routesAdded.length > 0 || warnings.length > 0 ? routesOf(id, to) : [],
  ]);
  return {
    diff,
    before: byId(before),
    after: byId(after),
    moved: routesReordered ? movedRoutes(before, after) : [],
  };
}

export const routesOf = (id: string, copy: Copy): Promise<readonly RouteSummary[]> =>
  copy === 'staged' ? api().mocks.staged.routes(id) : api().mocks.versionRoutes(id, copy);

const byId = (routes: readonly RouteSummary[]): RoutesById => new Map(routes.map((route) => [route.id, route]));
