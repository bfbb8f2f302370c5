/** Which routes stand at another place: of two orders, as few as can have been moved. */
import type { RouteSummary } from '../../../client/shapes.ts';
import { diffLines } from '../../parts/line-diff.ts';

/** A route at another place, among those that both copies have. */
export interface Moved {
  readonly route: RouteSummary;
  /** Counts from 1. */
  readonly from: number;
  readonly to: number;
}

/** Of more routes than are compared (5,000), none. */
export function movedRoutes(before: readonly RouteSummary[], after: readonly RouteSummary[]): readonly Moved[] {
  const kept = new Set(after.map(({ id }) => id));
  const old = before.map(({ id }) => id).filter((id) => kept.has(id));
  const places = new Map(old.map((id, index) => [id, index + 1]));
  const now = after.filter(({ id }) => places.has(id));
  const lines = diffLines(old.join('\n'), now.map(({ id }) => id).join('\n')) ?? [];
  const ids = new Set(lines.filter(({ kind }) => kind === 'added').map(({ text }) => text));
  return now.flatMap((route, index) =>
    ids.has(route.id) ? [{ route, from: places.get(route.id) as number, to: index + 1 }] : [],
  );
}
