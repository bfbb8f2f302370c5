/**
 * Mocks as bytes: the record with its working copy's list of revisions, the list of its versions, and what the data plane may serve.
 *
 * The content of routes is stored by revision, as JSON text, so that an edit writes one route and a version costs its list.
 */
import type { MockRoute, MockSettings } from '../../model/mocks/definition.ts';
import type { Mock, MockCopy, MockState, MockVersion, RouteRevision } from '../../model/mocks/mock.ts';
import { fieldsOf, formed } from './form.ts';
import { seal, unseal } from './seal.ts';
import { DamageError } from '../store.ts';

const MOCK_FORM = 1;
const VERSIONS_FORM = 1;
const PUBLISHED_FORM = 1;

/** Where a mock's fields list the revisions of its working copy. */
const STAGED_REVISIONS = 6;

export function encodeMock(mock: Mock): Buffer {
  return formed([
    MOCK_FORM,
    mock.id,
    mock.name,
    mock.description,
    mock.state,
    mock.staged.settings,
    mock.staged.routes.map(({ revision }) => revision),
    mock.stagedVersion,
    mock.nextRevision,
    mock.creationDate,
    mock.modificationDate,
    mock.createdBy,
    mock.lastModifiedBy,
    mock.createdVersion,
    mock.modifiedVersion,
  ]);
}

export function encodeMockVersions(versions: readonly MockVersion[]): Buffer {
  return formed([
    VERSIONS_FORM,
    versions.map(({ number, savedAt, savedBy, settings, revisions }) => [
      number,
      savedAt,
      savedBy,
      settings,
      revisions,
    ]),
  ]);
}

export function decodeMockVersions(bytes: Uint8Array): MockVersion[] {
  const [, versions] = fieldsOf(bytes, VERSIONS_FORM) as [number, [number, number, string, MockSettings, number[]][]];
  return versions.map(([number, savedAt, savedBy, settings, revisions]) => ({
    number,
    savedAt,
    savedBy,
    settings,
    revisions,
  }));
}

/** What a mock's record says of where it stands, and which revisions its working copy lists. */
export interface MockHead {
  readonly id: string;
  readonly createdVersion: number;
  readonly revisions: readonly number[];
}

export function decodeMockHead(bytes: Uint8Array): MockHead {
  const fields = fieldsOf(bytes, MOCK_FORM);
  return { id: fields[1], createdVersion: fields[13], revisions: fields[STAGED_REVISIONS] } as MockHead;
}

/**
 * @param routes The revisions that the working copy and the saved version list, as JSON text.
 * @param kept   Bytes of every revision that the store keeps of the mock.
 * @returns The mock, whose working copy and saved version share the routes they have in common.
 * @throws DamageError when a revision that it lists is not there.
 */
export function decodeMock(
  bytes: Uint8Array,
  versions: MockVersion[],
  routes: ReadonlyMap<number, Uint8Array>,
  kept: ReadonlyMap<number, number>,
): Mock {
  const fields = fieldsOf(bytes, MOCK_FORM);
  // Those of older versions are not read before one is asked for, but must be there.
  for (const { revisions } of versions) {
    for (const revision of revisions) if (!kept.has(revision)) throw missingRevision(revision);
  }
  const parsed = new Map<number, RouteRevision>();
  const copyOf = (settings: MockSettings, revisions: readonly number[]): MockCopy => ({
    settings,
    routes: revisions.map((revision) => {
      let route = parsed.get(revision);
      if (route === undefined) parsed.set(revision, (route = decodeRoute(revision, routes)));
      return route;
    }),
  });
  const last = versions.at(-1) as MockVersion;
  const saved = copyOf(last.settings, last.revisions);
  const staged = copyOf(fields[5] as MockSettings, fields[STAGED_REVISIONS] as number[]);
  return {
    id: fields[1],
    name: fields[2],
    description: fields[3],
    state: fields[4],
    // Equal settings are one object, by which a working copy without changes is told.
    staged:
      JSON.stringify(staged.settings) === JSON.stringify(saved.settings)
        ? { ...staged, settings: saved.settings }
        : staged,
    stagedVersion: fields[7],
    saved,
    versions,
    nextRevision: fields[8],
    kept,
    keptBytes: [...kept.values()].reduce((sum, length) => sum + length, 0),
    creationDate: fields[9],
    modificationDate: fields[10],
    createdBy: fields[11],
    lastModifiedBy: fields[12],
    createdVersion: fields[13],
    modifiedVersion: fields[14],
  } as Mock;
}

export function encodeRoute(route: MockRoute): Buffer {
  return seal(Buffer.from(JSON.stringify(route)));
}

export function decodeRoute(revision: number, routes: ReadonlyMap<number, Uint8Array>): RouteRevision {
  const stored = routes.get(revision);
  if (stored === undefined) throw missingRevision(revision);
  const content = unseal(stored);
  return { revision, bytes: content.length, route: JSON.parse(Buffer.from(content).toString()) as MockRoute };
}

function missingRevision(revision: number): DamageError {
  return new DamageError(`revision ${revision} of a route is missing`);
}

/** Where the data plane's definition of a mock is, and which version of it. */
export interface PublishedEntry {
  readonly ownerId: string;
  readonly createdVersion: number;
  readonly state: MockState;
  readonly version: number;
}

export function encodePublished(ownerId: string, mock: Mock): Buffer {
  return formed([PUBLISHED_FORM, ownerId, mock.createdVersion, mock.state, mock.versions.at(-1)?.number], mock.id);
}

export function decodePublished(bytes: Uint8Array, mockId: string): PublishedEntry {
  const [, ownerId, createdVersion, state, version] = fieldsOf(bytes, PUBLISHED_FORM, mockId) as [
    number,
    string,
    number,
    MockState,
    number,
  ];
  return { ownerId, createdVersion, state, version };
}
