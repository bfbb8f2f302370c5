/**
 * Mocks that are served from files: `serve --mock`. Reads each file into a mock, and stores it.
 *
 * Such a mock is a stored one of an owner, so that all that there is for mocks is there for it; its file alone changes it. Changes while
 * the service runs: watch-file-mocks.ts.
 */
import { basename, extname, resolve } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import { fieldsBeside } from '../interchange/formats/switchyard.ts';
import { fidelityOf, fidelityText, isLossy } from '../interchange/report/fidelity.ts';
import type { MockImport } from '../interchange/import-mocks.ts';
import type { ImportProblem } from '../interchange/reading/open-source.ts';
import type { CheckedMock } from '../interchange/checked-mock.ts';
import type { Report } from '../interchange/report/report.ts';
import type { SourceFile } from '../interchange/source/bundle.ts';
import type { Limits } from '../limits.ts';
import type { Command, Query } from '../model/command.ts';
import {
  checkFileMock,
  removeFileMocks,
  serveFileMock,
  type FileMock,
} from '../model/mocks/decide/decide-file-mock.ts';
import { CHOSEN_ID_FORM, mockIdOf } from '../model/mocks/mock-id.ts';
import type { Principal } from '../model/principal.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { warningsOf, type DefinitionWarning } from '../model/mocks/show/warnings.ts';
import type { MockDefinition } from '../model/mocks/definition/definition.ts';
import type { MockPath } from './config.ts';
import { listBundle, readBundle, shownPath, type Listing } from './read-bundle.ts';

/** Imports files off the event loop. Resolves with undefined when that takes too much time or memory. */
export type ImportFiles = (
  ownerId: string,
  files: readonly SourceFile[],
  /** The path of the file or folder. */
  path: string,
  /** The name of the file to begin with, where that is known. */
  entry: string | undefined,
) => Promise<MockImport | ImportProblem | Refusal | undefined>;

export interface FileMockParts {
  readonly ownerId: string;
  readonly limits: Limits;
  /** Whether a file is refused that has something a mock cannot have. */
  readonly isStrict: boolean;
  readonly importFiles: ImportFiles;
}

/** A file or folder, and the mock that it becomes. */
interface MockSource {
  readonly path: string;
  readonly mockId: string;
}

export interface LoadedMock {
  readonly source: MockSource;
  readonly listing: Listing;
  readonly mock: FileMock;
  /** "openapi.yaml: 31 routes, 4 items approximated, 1 dropped". */
  readonly summary: string;
  /** Whether its id is not the name of its file, and was not given either. */
  readonly isRenamed: boolean;
}

/** @throws OperatorError when one of them cannot be served. Changes nothing. */
export async function loadFileMocks(paths: readonly MockPath[], parts: FileMockParts): Promise<LoadedMock[]> {
  const loaded: LoadedMock[] = [];
  for (const { path, id } of paths) {
    const listing = await listBundle(path);
    const mockId = id ?? idOf(listing);
    const other = loaded.find(({ source }) => source.mockId === mockId);
    if (other !== undefined) {
      throw new OperatorError(
        `${other.source.path} and ${path} would both become the mock "${mockId}": give one of them another id with --mock ID=PATH`,
      );
    }
    const mock = await loadFileMock({ path, mockId }, listing, parts);
    if (isRefusal(mock)) throw new OperatorError(`${path} cannot be read: ${mock.message}`);
    loaded.push(mock);
  }
  return loaded;
}

/** @returns A refusal when it may be read later. @throws OperatorError with file, place and reason. */
export async function loadFileMock(
  source: MockSource,
  listing: Listing,
  { ownerId, limits, isStrict, importFiles }: FileMockParts,
): Promise<LoadedMock | Refusal> {
  const { path, mockId } = source;
  const file = shownPath(path, '');
  const imported = await importFiles(ownerId, await readBundle(listing), path, listing.entry);
  if (imported === undefined) throw new OperatorError(`reading ${file} took too long or too much memory`);
  if (isRefusal(imported)) return imported;
  if ('details' in imported) throw new OperatorError(problemOf(path, imported));
  const [first] = imported.mocks;
  if (first === undefined) throw new OperatorError(`${file} contains nothing that a mock could serve`);
  const { report } = imported;
  const isOwn = report.format === 'switchyard';
  // A person writes it: what is unknown there, or cannot be served, is a mistake.
  const mistake = isOwn ? mistakeIn(path, report) : undefined;
  if (mistake !== undefined) throw new OperatorError(mistake);
  if (isStrict && isLossy(report))
    throw new OperatorError(`--strict does not allow dropped parts: ${firstLoss(path, report)}`);
  const summary = summaryOf(path, first, report, isOwn);
  const { definition } = first;
  const name = (first.name === '' ? mockId : first.name).slice(0, limits.nameCharsMax);
  const description = first.description.slice(0, limits.textCharsMax);
  const isRenamed = mockId !== baseOf(listing) && mockId === mockIdOf(baseOf(listing));
  return { source, listing, mock: { mockId, file, name, description, definition }, summary, isRenamed };
}

/**
 * @param stored The mocks of files that the store has, of any owner.
 * @throws OperatorError when one of them cannot be stored. Changes nothing.
 */
export async function checkFileMocks(
  loaded: readonly LoadedMock[],
  owners: OwnerDirectory,
  { ownerId, limits }: FileMockParts,
  stored: readonly StoredFileMock[],
): Promise<void> {
  for (const { source, mock } of loaded) {
    const { path, mockId } = source;
    // That of another owner is removed first.
    if (stored.some((each) => each.mockId === mockId && each.ownerId !== ownerId)) continue;
    const change = await ask(owners, ownerId, checkFileMock, { ...mock, limits });
    if (isRefusal(change)) throw new OperatorError(`${path} cannot be served: ${change.message}`);
    if (change === 'taken') {
      throw new OperatorError(
        `${path} would become the mock "${mockId}", but the store already has that mock, and not from a file: give it another id with --mock ID=PATH`,
      );
    }
  }
}

export interface StoredFileMock {
  readonly mockId: string;
  readonly ownerId: string;
}

/** Stores them, and removes those that are no longer served. @throws OperatorError */
export async function storeFileMocks(
  loaded: readonly LoadedMock[],
  owners: OwnerDirectory,
  ownerId: string,
  stored: readonly StoredFileMock[],
): Promise<void> {
  const isServed = (each: StoredFileMock): boolean =>
    each.ownerId === ownerId && loaded.some(({ mock }) => mock.mockId === each.mockId);
  for (const owner of new Set(stored.map((each) => each.ownerId))) {
    const mockIds = stored.filter((each) => each.ownerId === owner && !isServed(each)).map(({ mockId }) => mockId);
    if (mockIds.length === 0) continue;
    const removed = await order(owners, owner, removeFileMocks, { mockIds });
    if (isRefusal(removed))
      throw new OperatorError(`the mocks ${mockIds.join(', ')} cannot be removed: ${removed.message}`);
  }
  for (const { source, mock } of loaded) {
    const change = await storeFileMock(owners, ownerId, mock);
    if (isRefusal(change)) throw new OperatorError(`${source.path} cannot be served: ${change.message}`);
  }
}

/** Resolves when it is durable. */
export function storeFileMock(owners: OwnerDirectory, ownerId: string, mock: FileMock) {
  return order(owners, ownerId, serveFileMock, mock);
}

/** @throws OperatorError for a name of which nothing is left that could be an id. */
function idOf(listing: Listing): string {
  const id = mockIdOf(baseOf(listing));
  if (id !== undefined) return id;
  const what = listing.isFolder ? "the folder's name" : "the file's name";
  throw new OperatorError(
    `${listing.path} cannot be served: no id can be derived from ${what}: give it one with --mock ID=PATH, ${CHOSEN_ID_FORM}`,
  );
}

/** The name without the extension of a file. */
function baseOf({ path, isFolder }: Listing): string {
  const base = basename(resolve(path));
  return isFolder ? base : base.slice(0, base.length - extname(base).length);
}

/** @param isOwn Whether the file is of our own format, which a person writes. */
function summaryOf(path: string, { definition }: CheckedMock, report: Report, isOwn: boolean): string {
  const count = definition.routes.length;
  const routes = `${shownPath(path, '')}: ${count} ${count === 1 ? 'route' : 'routes'}`;
  const [warned] = isOwn ? warningsOf(definition) : [];
  if (warned !== undefined) return `${routes}; warning: ${placeOf(warned, definition)} ${warned.warning}`;
  const fidelity = fidelityOf(report);
  if (fidelity.approximated + fidelity.dropped === 0) return routes;
  return `${routes}, ${fidelityText(fidelity)} (all of it: switchyard import --dry-run ${path}), first ${firstLoss(path, report)}`;
}

function placeOf({ routeId }: DefinitionWarning, { routes }: MockDefinition): string {
  const route = routes.find(({ id }) => id === routeId);
  return route === undefined ? 'the settings' : `${route.method} ${route.path}`;
}

/** The first part that is dropped, else the first that is approximated. */
function firstLoss(path: string, { entries, classes }: Report): string {
  const isDropped = ({ level }: { readonly level: string }): boolean => level === 'dropped';
  const isLost = ({ level }: { readonly level: string }): boolean => level !== 'exact';
  const entry = entries.find(isDropped) ?? entries[0];
  if (entry === undefined) {
    const { message = '' } = classes.find(isDropped) ?? classes.find(isLost) ?? {};
    return `${shownPath(path, '')}: ${message}`;
  }
  return entryLine(path, entry);
}

/** The first field that is unknown, which may be why a part is dropped; else the first part that is. */
function mistakeIn(path: string, { entries }: Report): string | undefined {
  const unknown = entries.find(({ code }) => code === 'import.unknown');
  const dropped = unknown ?? entries.find(({ level }) => level === 'dropped');
  if (unknown === undefined) return dropped && entryLine(path, dropped);
  const field = unknown.message.replace(/^.*: /s, '');
  const known = fieldsBeside(unknown.source.pointer);
  const hint = known.length === 0 ? '' : `; known are ${known.join(', ')}`;
  return entryLine(path, { ...unknown, message: `unknown field ${field}${hint}` });
}

function entryLine(path: string, { source, name, message }: Report['entries'][number]): string {
  const { file = '', pointer, line } = source;
  const place = `${shownPath(path, file)}${line === undefined ? ` ${pointer}` : `:${line}`}`;
  return [place, ...(name === undefined ? [] : [name]), message].join(': ');
}

function problemOf(path: string, { details }: ImportProblem): string {
  const [first] = details;
  return `${shownPath(path, first?.path ?? '')}: ${first?.message ?? 'cannot be read'}`;
}

/** Name of the user of such a mock, in the history and in stamps. */
const USER = 'file';

function principalOf(ownerId: string): Principal {
  return { keyId: USER, ownerId, userId: USER, role: 'editor' };
}

function order<Input, Answer>(owners: OwnerDirectory, ownerId: string, command: Command<Input, Answer>, input: Input) {
  return new Promise<Answer | Refusal>((resolved) => owners.command(command, input, principalOf(ownerId), resolved));
}

function ask<Input, Answer>(owners: OwnerDirectory, ownerId: string, query: Query<Input, Answer>, input: Input) {
  return new Promise<Answer | Refusal>((resolved) => owners.query(query, input, principalOf(ownerId), resolved));
}
