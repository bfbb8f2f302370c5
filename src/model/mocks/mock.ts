/**
 * A mock server: the record, its working copy and its saved versions.
 *
 * Records are immutable: an edit creates a new one that shares all unchanged routes. A route's content is identified by
 * its revision within the mock; the working copy and each saved version list revisions, so that an edit stores one
 * route.
 */
import { measure } from '../../base/json-memory.ts';
import { Type } from '../schema-type.ts';
import type { Stamps } from '../stamps.ts';
import type { MockDefinition, MockRoute, MockSettings } from './definition/definition.ts';

export interface RouteRevision {
  /** From 1, never reused within a mock. */
  readonly revision: number;
  /** Length of the route as JSON. */
  readonly bytes: number;
  readonly route: MockRoute;
}

/** A list of routes with their settings: the working copy, or the saved version that is served. */
export interface MockCopy {
  readonly settings: MockSettings;
  readonly routes: readonly RouteRevision[];
}

/** One of the last saved versions. Its routes' content is in the store. */
export interface MockVersion {
  readonly number: number;
  readonly savedAt: number;
  readonly savedBy: string;
  readonly settings: MockSettings;
  readonly revisions: readonly number[];
}

export type MockState = 'running' | 'stopped';

/** `modifiedVersion`, its ETag, covers name, description and state; the working copy has its own. */
export interface Mock extends Stamps {
  /** One DNS label: a letter, then letters and digits. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly state: MockState;
  /** Name of the file or folder that the mock is served from, which alone changes it; null for a mock of the API. */
  readonly file: string | null;
  readonly staged: MockCopy;
  /** The owner's version that last changed the working copy: its ETag. */
  readonly stagedVersion: number;
  readonly saved: MockCopy;
  /** Oldest first, never empty; the last one is served. */
  readonly versions: readonly MockVersion[];
  readonly nextRevision: number;
  /** Bytes of every revision that the working copy or a version lists; the store keeps exactly these. */
  readonly kept: ReadonlyMap<number, number>;
  /** The sum of `kept`. */
  readonly keptBytes: number;
}

export function savedVersionOf(mock: Mock): MockVersion {
  return mock.versions.at(-1) as MockVersion;
}

export function hasStagedChanges({ staged, saved }: Mock): boolean {
  return (
    JSON.stringify(staged.settings) !== JSON.stringify(saved.settings) ||
    staged.routes.length !== saved.routes.length ||
    staged.routes.some(({ revision }, index) => revision !== saved.routes[index]?.revision)
  );
}

export function newRevision(revision: number, route: MockRoute): RouteRevision {
  return { revision, bytes: Buffer.byteLength(JSON.stringify(route)), route };
}

/** Length of a definition as JSON, with the text between its routes. */
export function copyBytes({ settings, routes }: MockCopy): number {
  return routes.reduce((sum, { bytes }) => sum + bytes + 1, Buffer.byteLength(JSON.stringify(settings)) + 1_000);
}

const heaps = new WeakMap<object, number>();

function remember<Measured extends object>(measured: Measured, estimate: (measured: Measured) => number): number {
  const known = heaps.get(measured) ?? estimate(measured);
  heaps.set(measured, known);
  return known;
}

function heapOfJson(value: object): number {
  const walk = { left: Infinity, heap: 0 };
  measure(value, Infinity, walk);
  return walk.heap;
}

/** Memory of a mock while its owner is loaded, estimated. Routes of older versions are not in memory, but their settings are. */
export function heapOf(mock: Mock): number {
  return remember(mock, ({ staged, saved, versions }) => {
    const routes = [...staged.routes, ...saved.routes].map(({ route }) => route);
    const held = new Set([...routes, staged.settings, ...versions.map(({ settings }) => settings)]);
    return [...held].reduce((sum, each) => sum + remember(each, heapOfJson), 0);
  });
}

export function definitionOf({ settings, routes }: MockCopy): MockDefinition {
  return { settings, routes: routes.map(({ route }) => route) };
}

/** A mock as the API returns it: docs/mocks-fields.md. */
export const mockSchema = Type.Object({
  id: Type.String({ description: 'One DNS label, chosen when the mock is created, or generated.' }),
  name: Type.String(),
  description: Type.String(),
  state: Type.Enum(['running', 'stopped']),
  url: Type.String({ description: 'Base URL of the mock.' }),
  httpsUrl: Type.Optional(Type.String({ description: 'Base URL with HTTPS; present with `--https`.' })),
  mtlsUrl: Type.Optional(
    Type.String({ description: 'The same with client certificates; present with `--mtls-port`.' }),
  ),
  version: Type.Integer({ description: 'The saved version, from 1.' }),
  savedAt: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  hasStagedChanges: Type.Boolean(),
  routeCount: Type.Integer({ description: 'Count of routes in the saved version.' }),
  file: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The file or folder that defines the mock; null for a mock created over the API.',
  }),
  creationDate: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  modificationDate: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  createdBy: Type.String(),
  lastModifiedBy: Type.String(),
  currentOwnerId: Type.String(),
});

/** A saved version as the API lists it. */
export const versionSchema = Type.Object({
  version: Type.Integer(),
  savedAt: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  savedBy: Type.String(),
  routeCount: Type.Integer(),
});
