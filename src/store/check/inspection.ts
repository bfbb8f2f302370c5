/**
 * Reads stores that may be damaged in a process of its own: LMDB maps the file, and a damaged page can end the process
 * that reads it. A start, `switchyard check`, the commands for keys and snapshots all ask it, before they open a store
 * themselves.
 *
 * This is the parent's side; inspection-process.ts reads.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { OperatorError } from '../../base/operator-error.ts';
import { programFile } from '../../base/program-files.ts';
import type { ApiKey } from '../store.ts';
import type { Content, OnProgress } from './content.ts';

/** A process that reads a possibly damaged store, and reports nothing for this long, counts as stuck. */
const INSPECTION_SILENCE_MS = 60_000;

export type Question =
  /** All of a copy to which no process writes. */
  | { readonly kind: 'copy'; readonly path: string; readonly entriesMax: number }
  /** All of a store that may be in use. */
  | ({ readonly kind: 'store'; readonly path: string } & Depth)
  /** The API keys of a store that may be in use, and nothing else of it. */
  | ({ readonly kind: 'keys'; readonly path: string } & Pick<Depth, 'triesWrite'>);

interface Depth {
  /** Whether values are compared with their checksums, and with each other. */
  readonly readsValues: boolean;
  /** Whether a write is tried and rolled back, which delays those of a server: for a store that no server uses. */
  readonly triesWrite: boolean;
}

export type Finding =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | {
      readonly kind: 'copy';
      readonly content: Content;
      readonly format: number;
      /** Count of damage (check-content.ts). */
      readonly damagedValues: number;
    }
  | ({ readonly kind: 'store' } & StoreReport)
  | { readonly kind: 'keys'; readonly keys: readonly ApiKey[] }
  /** @see InspectionError */
  | { readonly kind: 'failed'; readonly message: string; readonly isDamage: boolean };

export interface StoreReport {
  readonly entries: number;
  /** Damage of the file and its tables: with any, nothing of the store can be served. */
  readonly tables: readonly string[];
  /** Damage of keys and values, with the owner where it is known. */
  readonly values: readonly string[];
}

/** A store that cannot be read. `isDamage` is false when its format is of another version, or the system refused it. */
export class InspectionError extends OperatorError {
  readonly isDamage: boolean;

  constructor(message: string, isDamage: boolean) {
    super(message);
    this.isDamage = isDamage;
  }
}

type Answer<Kind extends Question['kind']> = Extract<Finding, { kind: Kind }>;

/**
 * Reads all of a file to which no process writes, and leaves the file and its directory as they are: LMDB creates its
 * lock file next to the path by which the file is opened, so the file is opened through a link elsewhere.
 *
 * @param entriesMax The count of its entries, as the manifest records it.
 * @throws InspectionError when it cannot be read.
 */
export async function inspectCopy(
  path: string,
  entriesMax: number,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Answer<'copy'>> {
  const linkDirectory = mkdtempSync(join(tmpdir(), 'switchyard-inspection-'));
  try {
    const link = join(linkDirectory, 'store.mdb');
    symlinkSync(resolve(path), link);
    return await ask({ kind: 'copy', path: link, entriesMax }, signal, onProgress);
  } finally {
    rmSync(linkDirectory, { recursive: true, force: true });
  }
}

/**
 * Reads every entry of a store as one moment has it, beside a server or without one.
 *
 * @throws InspectionError when it could not be tried, or its format is of another version.
 */
export async function inspectStore(path: string, depth: Depth, signal?: AbortSignal): Promise<StoreReport> {
  if (isUnwritten(path)) return { entries: 0, tables: [], values: [] };
  try {
    return await ask({ kind: 'store', path, ...depth }, signal);
  } catch (error) {
    if (!(error instanceof InspectionError && error.isDamage)) throw error;
    return { entries: 0, tables: [error.message], values: [] };
  }
}

/**
 * Must be awaited before a process opens the store for more than its keys.
 *
 * @throws InspectionError when it cannot be served.
 */
export async function assertReadable(path: string, triesWrite: boolean, signal?: AbortSignal): Promise<void> {
  const { tables } = await inspectStore(path, { readsValues: false, triesWrite }, signal);
  if (tables[0] !== undefined) throw damaged(path, tables[0]);
}

/** @throws InspectionError when they cannot be read. */
export async function inspectKeys(path: string, triesWrite: boolean, signal?: AbortSignal): Promise<readonly ApiKey[]> {
  if (isUnwritten(path)) return [];
  try {
    return (await ask({ kind: 'keys', path, triesWrite }, signal)).keys;
  } catch (error) {
    throw error instanceof InspectionError && error.isDamage ? damaged(path, error.message) : error;
  }
}

function damaged(path: string, why: string): InspectionError {
  const advice = 'restore a snapshot with `switchyard snapshot restore`';
  return new InspectionError(`${basename(path)} is damaged: ${why}; ${advice}`, true);
}

/** An empty file was about to become a store. Opening it reports what else is wrong with its path. */
function isUnwritten(path: string): boolean {
  return !existsSync(path) || statSync(path).size === 0;
}

async function ask<Kind extends Question['kind']>(
  question: Question & { kind: Kind },
  signal?: AbortSignal,
  onProgress: OnProgress = () => undefined,
): Promise<Answer<Kind>> {
  const child = fork(programFile('inspection-process'), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const onAbort = (): boolean => child.kill('SIGKILL');
  signal?.addEventListener('abort', onAbort);
  try {
    const finding = await receive(child, question, onProgress);
    signal?.throwIfAborted();
    if (finding.kind === 'failed') throw new InspectionError(finding.message, finding.isDamage);
    return finding as Answer<Kind>;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    child.kill('SIGKILL');
  }
}

/** Whether the process ended itself, and nobody else ended it. */
function isFault(signal: NodeJS.Signals | null): boolean {
  return signal !== null && !['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'].includes(signal);
}

function receive(child: ChildProcess, question: Question, onProgress: OnProgress): Promise<Finding> {
  return new Promise((resolved) => {
    const fail = (message: string, isDamage: boolean): void => resolved({ kind: 'failed', message, isDamage });
    const timeout = setTimeout(() => fail('inspection timed out', false), INSPECTION_SILENCE_MS);
    child.on('message', (finding: Finding) => {
      timeout.refresh();
      if (finding.kind === 'progress') onProgress(finding.done, finding.total);
      else resolved(finding);
    });
    child.on('error', (error) => fail(error.message, false));
    child.on('close', (code, signal) => {
      clearTimeout(timeout);
      fail(`the process that read it ended with ${signal ?? `status ${code}`}`, isFault(signal));
    });
    child.send(question, () => undefined);
  });
}
