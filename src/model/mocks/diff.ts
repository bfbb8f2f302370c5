/**
 * What a save would change: routes and responses added, removed, changed field by field, reordered; and what looks like a mistake:
 * responses that nothing can choose, routes that another one shadows.
 */
import { Type } from 'typebox';
import type { MockResponse, MockRoute } from './definition.ts';
import type { MockCopy } from './mock.ts';

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface ChangedRoute {
  readonly routeId: string;
  readonly fields: readonly FieldChange[];
  readonly responsesAdded: readonly string[];
  readonly responsesRemoved: readonly string[];
  readonly responsesChanged: readonly { readonly responseId: string; readonly fields: readonly FieldChange[] }[];
  readonly responsesReordered: boolean;
}

export interface DiffWarning {
  readonly routeId: string;
  readonly responseId?: string;
  readonly warning: string;
}

export interface StagedDiff {
  readonly settings: readonly FieldChange[];
  readonly routesAdded: readonly string[];
  readonly routesRemoved: readonly string[];
  readonly routesChanged: readonly ChangedRoute[];
  readonly routesReordered: boolean;
  readonly warnings: readonly DiffWarning[];
}

const fieldChanges = Type.Array(Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() }));
const ids = Type.Array(Type.String());

/** The diff as it is returned. */
export const diffSchema = Type.Object({
  settings: fieldChanges,
  routesAdded: ids,
  routesRemoved: ids,
  routesChanged: Type.Array(
    Type.Object({
      routeId: Type.String(),
      fields: fieldChanges,
      responsesAdded: ids,
      responsesRemoved: ids,
      responsesChanged: Type.Array(Type.Object({ responseId: Type.String(), fields: fieldChanges })),
      responsesReordered: Type.Boolean(),
    }),
  ),
  routesReordered: Type.Boolean(),
  warnings: Type.Array(
    Type.Object({ routeId: Type.String(), responseId: Type.Optional(Type.String()), warning: Type.String() }),
  ),
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
    routesAdded: added(before, after),
    routesRemoved: added(after, before),
    routesChanged,
    routesReordered: isReordered([...before.keys()], [...after.keys()]),
    warnings: warningsOf(staged.routes.map(({ route }) => route)),
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
    routeId: route.id,
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

/** Ids of `after` that `before` does not have. */
function added(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  return [...after.keys()].filter((id) => !before.has(id));
}

/** Whether what both have stands in another order. */
function isReordered(before: readonly string[], after: readonly string[]): boolean {
  const both = new Set(before.filter((id) => new Set(after).has(id)));
  const kept = after.filter((id) => both.has(id));
  return [...both].some((id, index) => kept[index] !== id);
}

function warningsOf(routes: readonly MockRoute[]): DiffWarning[] {
  const warnings: DiffWarning[] = [];
  const first = new Map<string, MockRoute>();
  for (const route of routes) {
    if (!route.enabled) continue;
    // Parameters match the same requests whatever their names.
    const shape = `${route.method} ${route.path.replace(/\/+$/, '').replace(/:[^/?]+/g, ':')}`;
    const shadow = first.get(shape);
    if (shadow === undefined) first.set(shape, route);
    else warnings.push({ routeId: route.id, warning: `is shadowed by ${shadow.method} ${shadow.path} (${shadow.id})` });
    for (const responseId of unreachable(route))
      warnings.push({ routeId: route.id, responseId, warning: 'is never chosen' });
  }
  return warnings;
}

function unreachable({ selection, responses }: MockRoute): string[] {
  const idsLeft = (left: (response: MockResponse, index: number) => boolean) =>
    responses.filter((response, index) => !left(response, index)).map(({ id }) => id);
  switch (selection) {
    case 'sequential':
      return [];
    case 'random':
      return responses.every(({ weight }) => weight === 0) ? [] : idsLeft(({ weight }) => weight > 0);
    case 'default': {
      const chosen = Math.max(
        0,
        responses.findIndex((each) => each.default),
      );
      return idsLeft((_response, index) => index === chosen);
    }
    case 'rules': {
      const fallback = [
        responses.findIndex((each) => each.default),
        responses.findIndex(({ rules }) => rules.length === 0),
        0,
      ].find((index) => index >= 0);
      return idsLeft(({ rules }, index) => rules.length > 0 || index === fallback);
    }
  }
}
