/**
 * The changes that a save would make: routes and responses added, removed, changed field by field or reordered; and
 * warnings of likely mistakes.
 */
import { Type } from '../schema-type.ts';
import type { MockRoute } from './definition.ts';
import { definitionOf, type MockCopy, type RouteRevision } from './mock.ts';
import { warningsOf, warningsSchema, type DefinitionWarning } from './warnings.ts';

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface NamedRoute {
  readonly routeId: string;
  readonly method: string;
  readonly path: string;
}

/** Method and path are those of the working copy; `fields` has the ones before. */
export interface ChangedRoute extends NamedRoute {
  readonly fields: readonly FieldChange[];
  readonly responsesAdded: readonly string[];
  readonly responsesRemoved: readonly string[];
  readonly responsesChanged: readonly { readonly responseId: string; readonly fields: readonly FieldChange[] }[];
  readonly responsesReordered: boolean;
}

export interface StagedDiff {
  readonly settings: readonly FieldChange[];
  readonly routesAdded: readonly NamedRoute[];
  readonly routesRemoved: readonly NamedRoute[];
  readonly routesChanged: readonly ChangedRoute[];
  readonly routesReordered: boolean;
  readonly warnings: readonly DefinitionWarning[];
}

const fieldChanges = Type.Array(Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() }));
const ids = Type.Array(Type.String());
const named = { routeId: Type.String(), method: Type.String(), path: Type.String() };
const namedRoutes = Type.Array(Type.Object(named));

/** The diff as the API returns it. */
export const diffSchema = Type.Object({
  settings: fieldChanges,
  routesAdded: namedRoutes,
  routesRemoved: namedRoutes,
  routesChanged: Type.Array(
    Type.Object({
      ...named,
      fields: fieldChanges,
      responsesAdded: ids,
      responsesRemoved: ids,
      responsesChanged: Type.Array(Type.Object({ responseId: Type.String(), fields: fieldChanges })),
      responsesReordered: Type.Boolean(),
    }),
  ),
  routesReordered: Type.Boolean(),
  warnings: warningsSchema,
});

export function diffCopies(saved: MockCopy, staged: MockCopy): StagedDiff {
  const before = new Map(saved.routes.map((each) => [each.route.id, each]));
  const after = new Map(staged.routes.map((each) => [each.route.id, each]));
  const routesChanged: ChangedRoute[] = [];
  for (const [id, { revision, route }] of after) {
    const old = before.get(id);
    if (old !== undefined && old.revision !== revision) routesChanged.push(diffRoutes(old.route, route));
  }
  return {
    settings: diffFields(saved.settings, staged.settings, []),
    routesAdded: addedRoutes(before, after),
    routesRemoved: addedRoutes(after, before),
    routesChanged,
    routesReordered: isReordered([...before.keys()], [...after.keys()]),
    warnings: warningsOf(definitionOf(staged)),
  };
}

function diffRoutes(old: MockRoute, route: MockRoute): ChangedRoute {
  const before = new Map(old.responses.map((each) => [each.id, each]));
  const after = new Map(route.responses.map((each) => [each.id, each]));
  const responsesChanged: { responseId: string; fields: readonly FieldChange[] }[] = [];
  for (const [responseId, response] of after) {
    const present = before.get(responseId);
    const fields = present === undefined ? [] : diffFields(present, response, ['id']);
    if (fields.length > 0) responsesChanged.push({ responseId, fields });
  }
  return {
    ...nameOf(route),
    fields: diffFields(old, route, ['id', 'responses']),
    responsesAdded: added(before, after),
    responsesRemoved: added(after, before),
    responsesChanged,
    responsesReordered: isReordered([...before.keys()], [...after.keys()]),
  };
}

function diffFields(before: object, after: object, left: readonly string[]): FieldChange[] {
  const changes: FieldChange[] = [];
  const old = before as Record<string, unknown>;
  for (const [field, value] of Object.entries(after)) {
    if (left.includes(field) || JSON.stringify(old[field]) === JSON.stringify(value)) continue;
    changes.push({ field, before: old[field], after: value });
  }
  return changes;
}

type RoutesById = ReadonlyMap<string, RouteRevision>;

function addedRoutes(before: RoutesById, after: RoutesById): NamedRoute[] {
  return [...after].flatMap(([id, { route }]) => (before.has(id) ? [] : [nameOf(route)]));
}

function nameOf({ id, method, path }: MockRoute): NamedRoute {
  return { routeId: id, method, path };
}

/** Ids of `after` that `before` does not have. */
function added(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  return [...after.keys()].filter((id) => !before.has(id));
}

/** Whether the ids in both lists have another order. */
function isReordered(before: readonly string[], after: readonly string[]): boolean {
  const present = new Set(after);
  const both = new Set(before.filter((id) => present.has(id)));
  const kept = after.filter((id) => both.has(id));
  return [...both].some((id, index) => kept[index] !== id);
}
