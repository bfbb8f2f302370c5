/**
 * Encodes mocks: the record with the revisions of its working copy, the list of its versions, and the entry of
 * `publishedMocks`.
 *
 * The content of routes is stored by revision, as JSON text: an edit writes one route, and a version stores only its
 * list.
 */
import { isDeepStrictEqual } from 'node:util';
import type { MockRoute, MockSettings } from '../../model/mocks/definition/definition.ts';
import type { Mock, MockCopy, MockState, MockVersion, RouteRevision } from '../../model/mocks/mock.ts';
import { encodeFields, fieldsOf } from './value-format.ts';
import { seal, unseal } from './seal.ts';
import { DamageError } from '../store.ts';

const MOCK_FORMAT = 1;
const VERSIONS_FORMAT = 1;
const PUBLISHED_FORMAT = 1;

/** Index of the field with the revisions of the working copy. */
const STAGED_REVISIONS = 6;

export function encodeMock(mock: Mock): Buffer {
  return encodeFields([
    MOCK_FORMAT,
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
    mock.file,
  ]);
}

export function encodeMockVersions(versions: readonly MockVersion[]): Buffer {
  return encodeFields([
    VERSIONS_FORMAT,
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
  const [, versions] = fieldsOf(bytes, VERSIONS_FORMAT) as [number, [number, number, string, MockSettings, number[]][]];
  // Equal ones in a row are one object, as they were before they were stored.
  let last = { text: '', settings: {} as MockSettings };
  const shared = (settings: MockSettings): MockSettings => {
    const text = JSON.stringify(settings);
    if (text !== last.text) last = { text, settings };
    return last.settings;
  };
  return versions.map(([number, savedAt, savedBy, settings, revisions]) => ({
    number,
    savedAt,
    savedBy,
    settings: shared(settings),
    revisions,
  }));
}

/** The identity of a mock's record, and the revisions that its working copy lists. */
export interface MockHead {
  readonly id: string;
  readonly createdVersion: number;
  readonly revisions: readonly number[];
}

export function decodeMockHead(bytes: Uint8Array): MockHead {
  const fields = fieldsOf(bytes, MOCK_FORMAT);
  return { id: fields[1], createdVersion: fields[13], revisions: fields[STAGED_REVISIONS] } as MockHead;
}

/**
 * @param routeOf Reads a revision that the working copy or the saved version lists.
 * @param kept    Bytes of every revision that the store keeps of the mock.
 * @returns The mock, whose working copy and saved version share their common routes.
 * @throws DamageError when a listed revision is missing.
 */
export function decodeMock(
  bytes: Uint8Array,
  versions: readonly MockVersion[],
  routeOf: (revision: number) => RouteRevision,
  kept: ReadonlyMap<number, number>,
): Mock {
  const fields = fieldsOf(bytes, MOCK_FORMAT);
  // Routes of older versions are read only on request, but must exist.
  for (const { revisions } of versions) {
    for (const revision of revisions) if (!kept.has(revision)) throw missingRevision(revision);
  }
  const parsed = new Map<number, RouteRevision>();
  const copyOf = (settings: MockSettings, revisions: readonly number[]): MockCopy => ({
    settings,
    routes: revisions.map((revision) => {
      let route = parsed.get(revision);
      if (route === undefined) parsed.set(revision, (route = routeOf(revision)));
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
    // Equal settings become one object: a working copy without changes is recognised by that.
    staged: isDeepStrictEqual(staged.settings, saved.settings) ? { ...staged, settings: saved.settings } : staged,
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
    file: fields[15],
  } as Mock;
}

export function encodeRoute(route: MockRoute): Buffer {
  return seal(Buffer.from(JSON.stringify(route)));
}

/** @param stored Undefined when it is missing, which is damage. */
export function decodeRoute(revision: number, stored: Uint8Array | undefined): RouteRevision {
  if (stored === undefined) throw missingRevision(revision);
  const content = unseal(stored);
  return { revision, bytes: content.length, route: JSON.parse(Buffer.from(content).toString()) as MockRoute };
}

export function missingRevision(revision: number): DamageError {
  return new DamageError(`revision ${revision} of a route is missing`);
}

/** Where the definition that the data plane serves is stored, and its version. */
interface PublishedEntry {
  readonly ownerId: string;
  readonly createdVersion: number;
  readonly state: MockState;
  readonly version: number;
  readonly isOfFile: boolean;
}

export function encodePublished(ownerId: string, mock: Mock): Buffer {
  return encodeFields(
    [PUBLISHED_FORMAT, ownerId, mock.createdVersion, mock.state, mock.versions.at(-1)?.number, mock.file !== null],
    mock.id,
  );
}

export function decodePublished(bytes: Uint8Array, mockId: string): PublishedEntry {
  const [, ownerId, createdVersion, state, version, isOfFile] = fieldsOf(bytes, PUBLISHED_FORMAT, mockId);
  return { ownerId, createdVersion, state, version, isOfFile } as PublishedEntry;
}
