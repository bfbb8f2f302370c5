/** The rows of the route list: filtered, marked against the saved version, and grouped by path. */
import type { RouteSummary } from '../../../client/shapes.ts';

export interface ListedRoute extends Omit<RouteSummary, 'responses'> {
  /** The first responses. */
  readonly responses: readonly Omit<RouteSummary['responses'][number], 'bodyBytes'>[];
}

/** Against the saved version. */
export type Mark = 'added' | 'changed' | 'removed';

interface RouteRow {
  readonly kind: 'route';
  readonly route: ListedRoute;
  readonly mark: Mark | undefined;
}

interface GroupRow {
  readonly kind: 'group';
  /** The first path segment. */
  readonly name: string;
  readonly count: number;
  readonly isOpen: boolean;
}

export type Row = RouteRow | GroupRow;

export interface MarkedRows {
  readonly rows: readonly RouteRow[];
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly isReordered: boolean;
}

/** @param saved undefined: unknown, or equal to the working copy. Removed routes keep their old position. */
export function markRoutes(staged: readonly ListedRoute[], saved: readonly ListedRoute[] | undefined): MarkedRows {
  if (saved === undefined) {
    const rows = staged.map((route): RouteRow => ({ kind: 'route', route, mark: undefined }));
    return { rows, added: 0, changed: 0, removed: 0, isReordered: false };
  }
  const before = new Map(saved.map((route) => [route.id, route]));
  const now = new Set(staged.map(({ id }) => id));
  const rows = staged.map((route): RouteRow => ({ kind: 'route', route, mark: markOf(route, before.get(route.id)) }));
  const kept = saved.filter(({ id }) => now.has(id));
  const places = new Map(kept.map(({ id }, index) => [id, index]));
  const order = staged.flatMap(({ id }) => places.get(id) ?? []);
  return {
    rows: withRemoved(rows, saved, now),
    added: rows.filter(({ mark }) => mark === 'added').length,
    changed: rows.filter(({ mark }) => mark === 'changed').length,
    removed: saved.length - kept.length,
    isReordered: order.some((place, index) => place !== index),
  };
}

function markOf({ revision }: ListedRoute, before: ListedRoute | undefined): Mark | undefined {
  if (before === undefined) return 'added';
  return before.revision === revision ? undefined : 'changed';
}

/** Each removed route follows its former predecessor. */
function withRemoved(rows: readonly RouteRow[], saved: readonly ListedRoute[], now: ReadonlySet<string>): RouteRow[] {
  const after = new Map<string | undefined, RouteRow[]>();
  let anchor: string | undefined;
  for (const route of saved) {
    if (now.has(route.id)) anchor = route.id;
    else after.set(anchor, [...(after.get(anchor) ?? []), { kind: 'route', route, mark: 'removed' }]);
  }
  if (after.size === 0) return [...rows];
  return [...(after.get(undefined) ?? []), ...rows.flatMap((row) => [row, ...(after.get(row.route.id) ?? [])])];
}

/** @param filter Words; each must occur in method, path, labels or statuses, in any case. */
export function filterRows(rows: readonly RouteRow[], filter: string): readonly RouteRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter(({ route }) => {
    const text = textOf(route);
    return words.every((word) => text.includes(word));
  });
}

const texts = new WeakMap<ListedRoute, string>();

function textOf(route: ListedRoute): string {
  let text = texts.get(route);
  if (text === undefined) {
    const { method, path, enabled, responses } = route;
    const answers = responses.map(({ status, label = '' }) => `${status} ${label}`);
    text = [method, path, enabled ? '' : 'off', ...answers].join(' ').toLowerCase();
    texts.set(route, text);
  }
  return text;
}

/** @param closed Names of collapsed groups. */
export function groupRows(rows: readonly RouteRow[], closed: ReadonlySet<string>): readonly Row[] {
  const groups = new Map<string, RouteRow[]>();
  for (const row of rows) {
    const name = firstSegment(row.route.path);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return [...groups].flatMap(([name, members]): Row[] => {
    const isOpen = !closed.has(name);
    return [{ kind: 'group', name, count: members.length, isOpen }, ...(isOpen ? members : [])];
  });
}

const firstSegment = (path: string): string => `/${path.split('/')[1] ?? ''}`;

/** @returns The ids, with one of them moved before another, or to the end. */
export function moveBefore(ids: readonly string[], id: string, before: string | undefined): readonly string[] {
  const others = ids.filter((each) => each !== id);
  const at = before === undefined ? others.length : others.indexOf(before);
  return [...others.slice(0, at), id, ...others.slice(at)];
}
