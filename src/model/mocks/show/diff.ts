/**
 * Compares two copies of a mock, such as those of a save: routes and responses added, removed, changed
 * field by field or reordered; of the working copy also warnings of likely mistakes.
 */
import { isDeepStrictEqual } from 'node:util';
import { atOnce } from '../../../base/slices.ts';
import { Type } from '../../schema-type.ts';
import { bodyBytes } from '../definition/body-bytes.ts';
import type { MockResponse, MockRoute, MockSettings, MockStream, StreamEvent } from '../definition/definition.ts';
import { definitionOf, type Mock } from '../mock.ts';
import { compareCopies, type ComparedCopies, type ComparedCopy } from './compare-copies.ts';
import { storeChanges } from './diff-store.ts';
import { warningsOf, warningsSchema } from './warnings.ts';
import type { Value } from '../../schema-value.ts';

/** Bodies that a diff shows: each; all. Nobody reads more. */
export const DIFF_BODY_BYTES_MAX = 262_144;
export const DIFF_BODIES_BYTES_MAX = 2_097_152;

const shownBodies = `a text of at most ${DIFF_BODY_BYTES_MAX} bytes, as far as ${DIFF_BODIES_BYTES_MAX} bytes in all lead; else null`;
const bytes = Type.Optional(
  Type.Integer({
    description: 'Size in bytes of the decoded body, or of the JSON of another field that is not shown.',
  }),
);
const fieldChanges = Type.Array(
  Type.Object({
    field: Type.String({
      description:
        'Path of the field. Streams: also `stream.repeat`, and `stream.events.3` for an event. Stores: `stores.users` for a new store, `stores.users.idMember`, and `stores.users.value.7` for an item, by id or else by index.',
    }),
    before: Type.Unknown({ description: `Null when the member is absent. For the field \`body\`, ${shownBodies}.` }),
    after: Type.Unknown({ description: 'Like `before`; for the field `body` null when that is null.' }),
    beforeBytes: bytes,
    afterBytes: bytes,
  }),
);
const ids = Type.Array(Type.String());
const named = { routeId: Type.String(), method: Type.String(), path: Type.String() };
const namedRoutes = Type.Array(Type.Object(named));

/** Schema of the changes of a save. */
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

/** The same between any two copies. */
export const copyDiffSchema = Type.Object({
  ...diffSchema.properties,
  warnings: Type.Optional(diffSchema.properties.warnings),
});

/** Null as `before` or `after`: the member is absent, or the body is not shown. */
export type FieldChange = Value<typeof fieldChanges>[number];
export type NamedRoute = Value<typeof namedRoutes>[number];
/** Method and path are those afterwards; `fields` has the ones before. */
export type ChangedRoute = Value<typeof diffSchema>['routesChanged'][number];
/** Warnings are those of the working copy. */
export interface CopyDiff extends Value<typeof copyDiffSchema> {}
export interface StagedDiff extends Value<typeof diffSchema> {}

/** Compares the working copy with the saved version. */
export function diffStaged({ saved, staged }: Pick<Mock, 'saved' | 'staged'>): StagedDiff {
  return { ...atOnce(diffCopies(compareCopies(saved, staged))), warnings: warningsOf(definitionOf(staged)) };
}

/** Pauses after each route: 5,000 that all differ take a fifth of a second. */
export function* diffCopies({ from, to }: ComparedCopies): Generator<void, CopyDiff> {
  const before = new Map(from.routes.map(({ route }) => [route.id, route]));
  const after = new Map(to.routes.map(({ route }) => [route.id, route]));
  const routesChanged: ChangedRoute[] = [];
  const bodies = { bytesLeft: DIFF_BODIES_BYTES_MAX };
  for (const [id, route] of after) {
    const old = before.get(id);
    if (old === undefined) continue;
    const changed = diffRoutes(old, route, bodies);
    if (differs(changed)) routesChanged.push(changed);
    yield;
  }
  return {
    settings: diffSettings(from.settings, to.settings, bodies),
    routesAdded: addedRoutes(before, after),
    routesRemoved: addedRoutes(after, before),
    routesChanged,
    routesReordered: isReordered(placesOf(from), placesOf(to)),
  };
}

/** A diff as JSON; pauses after each changed route. */
export function* diffText({ routesChanged, ...others }: CopyDiff): Generator<void, string> {
  const texts: string[] = [];
  for (const route of routesChanged) {
    texts.push(JSON.stringify(route));
    yield;
  }
  return `${JSON.stringify(others).slice(0, -1)},"routesChanged":[${texts.join()}]}`;
}

/** One for each route: its id, or the revision that both copies list. */
function placesOf({ revisions, routes }: ComparedCopy): readonly (string | number)[] {
  const idsOf = new Map(routes.map(({ revision, route }) => [revision, route.id]));
  return revisions.map((revision) => idsOf.get(revision) ?? revision);
}

/** A route that was changed and changed back is another revision. */
function differs(route: ChangedRoute): boolean {
  const { fields, responsesAdded, responsesRemoved, responsesChanged, responsesReordered } = route;
  return responsesReordered || [fields, responsesAdded, responsesRemoved, responsesChanged].some((of) => of.length > 0);
}

/** How many bytes of bodies may still be shown. */
interface ShownBodies {
  bytesLeft: number;
}

function diffRoutes(old: MockRoute, route: MockRoute, bodies: ShownBodies): ChangedRoute {
  const before = new Map(old.responses.map((each) => [each.id, each]));
  const after = new Map(route.responses.map((each) => [each.id, each]));
  const responsesChanged: { responseId: string; fields: readonly FieldChange[] }[] = [];
  for (const [responseId, response] of after) {
    const present = before.get(responseId);
    const fields = present === undefined ? [] : diffResponses(present, response, bodies);
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

function diffSettings(old: MockSettings, settings: MockSettings, bodies: ShownBodies): FieldChange[] {
  return diffFields(old, settings, []).flatMap((change) => {
    if (change.field !== 'stores') return [change];
    const changes = storeChanges(old.stores ?? [], settings.stores ?? []);
    return (changes.length === 0 ? [change] : changes).map((each) => bounded(each, bodies));
  });
}

function diffResponses(old: MockResponse, response: MockResponse, bodies: ShownBodies): FieldChange[] {
  const fields = diffFields(old, response, ['id']);
  return fields.flatMap((change) => {
    if (change.field === 'body') return [diffBodies(old, response, bodies)];
    if (change.field === 'fault') return [bounded(change, bodies)];
    if (change.field !== 'stream') return [change];
    const both = old.stream !== undefined && response.stream !== undefined;
    const changes = both ? streamChanges(old.stream, response.stream) : [change];
    return changes.map((each) => bounded(each, bodies));
  });
}

/** Bounds a shown value like a body, because it may hold a thousand events. */
function bounded(change: FieldChange, bodies: ShownBodies): FieldChange {
  const [beforeBytes, afterBytes] = [jsonBytes(change.before), jsonBytes(change.after)];
  const isShown =
    Math.max(beforeBytes, afterBytes) <= DIFF_BODY_BYTES_MAX && beforeBytes + afterBytes <= bodies.bytesLeft;
  if (!isShown) return { field: change.field, before: null, after: null, beforeBytes, afterBytes };
  bodies.bytesLeft -= beforeBytes + afterBytes;
  return change;
}

function jsonBytes(value: unknown): number {
  return value === null ? 0 : Buffer.byteLength(JSON.stringify(value));
}

/** Both bodies or none: one alone cannot be compared. */
function diffBodies(old: MockResponse, response: MockResponse, bodies: ShownBodies): FieldChange {
  const [beforeBytes, afterBytes] = [bodyBytes(old), bodyBytes(response)];
  const isText = old.bodyEncoding === 'text' && response.bodyEncoding === 'text';
  const isShown =
    isText && Math.max(beforeBytes, afterBytes) <= DIFF_BODY_BYTES_MAX && beforeBytes + afterBytes <= bodies.bytesLeft;
  if (isShown) bodies.bytesLeft -= beforeBytes + afterBytes;
  const [before, after] = isShown ? [old.body, response.body] : [null, null];
  return { field: 'body', before, after, beforeBytes, afterBytes };
}

function diffFields(before: object, after: object, left: readonly string[]): FieldChange[] {
  const changes: FieldChange[] = [];
  const [old, next] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  for (const field of new Set([...Object.keys(next), ...Object.keys(old)])) {
    if (left.includes(field) || isDeepStrictEqual(old[field], next[field])) continue;
    changes.push({ field, before: old[field] ?? null, after: next[field] ?? null });
  }
  return changes;
}

type RoutesById = ReadonlyMap<string, MockRoute>;

function addedRoutes(before: RoutesById, after: RoutesById): NamedRoute[] {
  return [...after].flatMap(([id, route]) => (before.has(id) ? [] : [nameOf(route)]));
}

function nameOf({ id, method, path }: MockRoute): NamedRoute {
  return { routeId: id, method, path };
}

/** Ids of `after` that `before` does not have. */
function added(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  return [...after.keys()].filter((id) => !before.has(id));
}

/** Whether what is in both lists has another order. */
function isReordered<Place>(before: readonly Place[], after: readonly Place[]): boolean {
  const present = new Set(after);
  const both = new Set(before.filter((id) => present.has(id)));
  const kept = after.filter((id) => both.has(id));
  return [...both].some((id, index) => kept[index] !== id);
}

interface Change {
  /** "stream.repeat", "stream.events.3". */
  readonly field: string;
  /** This and the next: null where there is none. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Differences of two streams: in their members, and event by event. */
function streamChanges(before: MockStream, after: MockStream): Change[] {
  return [...memberChanges(before, after), ...eventChanges(before.events, after.events)];
}

function memberChanges(before: object, after: object): Change[] {
  const [old, next] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(next), ...Object.keys(old)])]
    .filter((name) => name !== 'events' && old[name] !== next[name])
    .map((name) => ({ field: `stream.${name}`, before: old[name] ?? null, after: next[name] ?? null }));
}

/** Events that both begin or end with are the same; those between are compared in their order. */
function eventChanges(before: readonly StreamEvent[], after: readonly StreamEvent[]): Change[] {
  const old = before.map((event) => JSON.stringify(event));
  const next = after.map((event) => JSON.stringify(event));
  let first = 0;
  while (first < old.length && old[first] === next[first]) first++;
  const shorter = Math.min(old.length, next.length) - first;
  let last = 0;
  while (last < shorter && old.at(-1 - last) === next.at(-1 - last)) last++;
  const changes: Change[] = [];
  for (let index = first; index < Math.max(old.length, next.length) - last; index++) {
    const was = index < old.length - last ? before[index] : undefined;
    const is = index < next.length - last ? after[index] : undefined;
    if (was === undefined || is === undefined || old[index] !== next[index])
      changes.push({ field: `stream.events.${index}`, before: was ?? null, after: is ?? null });
  }
  return changes;
}
