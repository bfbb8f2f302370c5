/**
 * Reads environments that may be damaged in a separate process: LMDB maps the file, and a damaged page can end the
 * process that reads it. It verifies copies and reads the keys of other stores; check/ refuses the start of a server,
 * without LMDB.
 *
 * This is the parent's side; inspection-process.ts reads.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { programFile } from '../../base/program-files.ts';
import type { ApiKey } from '../store.ts';
import type { Content, OnProgress } from './content.ts';
import { SnapshotError } from './snapshot-error.ts';

/** A process that reads a possibly damaged store, and reports nothing for this long, counts as stuck in a loop. */
const INSPECTION_SILENCE_MS = 60_000;

export type Question =
  | { readonly kind: 'content'; readonly path: string; readonly entriesMax: number }
  /** The API keys of a store that may be in use. */
  | { readonly kind: 'keys'; readonly path: string };

export type Finding =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | {
      readonly kind: 'content';
      readonly content: Content;
      readonly format: number;
      /** Count of damage (check-content.ts). */
      readonly damagedValues: number;
    }
  | { readonly kind: 'keys'; readonly keys: readonly ApiKey[] }
  | { readonly kind: 'failed'; readonly message: string };

type Answer<Kind extends Question['kind']> = Extract<Finding, { kind: Kind }>;

/**
 * Reads all of a file to which no process writes, and leaves the file and its directory as they are: LMDB creates its
 * lock file next to the path by which the file is opened, so the file is opened through a link elsewhere.
 *
 * @param entriesMax The count of its entries, as the manifest records it.
 * @throws SnapshotError when it cannot be read.
 */
export async function inspectContent(
  path: string,
  entriesMax: number,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Answer<'content'>> {
  const linkDirectory = mkdtempSync(join(tmpdir(), 'switchyard-inspection-'));
  try {
    const link = join(linkDirectory, 'store.mdb');
    symlinkSync(resolve(path), link);
    return await ask({ kind: 'content', path: link, entriesMax }, onProgress, signal);
  } finally {
    rmSync(linkDirectory, { recursive: true, force: true });
  }
}

/** @throws SnapshotError when they cannot be read. */
export async function inspectKeys(path: string, signal: AbortSignal): Promise<readonly ApiKey[]> {
  return (await ask({ kind: 'keys', path }, () => undefined, signal)).keys;
}

async function ask<Kind extends Question['kind']>(
  question: Question & { kind: Kind },
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Answer<Kind>> {
  const child = fork(programFile('inspection-process'), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const onAbort = (): boolean => child.kill('SIGKILL');
  signal.addEventListener('abort', onAbort);
  try {
    const finding = await receive(child, question, onProgress);
    signal.throwIfAborted();
    if (finding.kind === 'failed') throw new SnapshotError(finding.message);
    return finding as Answer<Kind>;
  } finally {
    signal.removeEventListener('abort', onAbort);
    child.kill('SIGKILL');
  }
}

function receive(child: ChildProcess, question: Question, onProgress: OnProgress): Promise<Finding> {
  return new Promise((resolved) => {
    const timeout = setTimeout(
      () => resolved({ kind: 'failed', message: 'inspection timed out' }),
      INSPECTION_SILENCE_MS,
    );
    child.on('message', (finding: Finding) => {
      timeout.refresh();
      if (finding.kind === 'progress') onProgress(finding.done, finding.total);
      else resolved(finding);
    });
    child.on('error', (error) => resolved({ kind: 'failed', message: error.message }));
    child.on('close', (code, signal) =>
      resolved({ kind: 'failed', message: `inspection process terminated (${signal ?? code})` }),
    );
    child.on('close', () => clearTimeout(timeout));
    child.send(question, () => undefined);
  });
}
