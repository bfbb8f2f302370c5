/** Snapshots in tests: commands on them, large stores to take them of, and manifests that were changed by someone who knew how. */
import { open } from 'lmdb';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotLines, takeSnapshot } from '../../src/cli/snapshots.ts';
import { encodeOwner } from '../../src/store/codec/record-codec.ts';
import { seal } from '../../src/store/codec/seal.ts';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { encodeManifest, MANIFEST_FILE, type Manifest } from '../../src/store/snapshots/manifest.ts';
import { openTables } from '../../src/store/tables/tables.ts';
import { runLine } from './command-lines.ts';
import { run, type Outcome } from './process.ts';
import { temporaryDirectory } from './server.ts';

const ENTRIES_PER_TRANSACTION = 5_000;

/** A command on the snapshots of a directory, in the process of all command lines. */
export async function snapshotLine(data: string, ...args: string[]): Promise<Outcome> {
  return withoutProgress(await runLine(lineOf(data, args)));
}

/** The same in a process of its own. */
export async function snapshot(data: string, ...args: string[]): Promise<Outcome> {
  return withoutProgress(await run(lineOf(data, args)));
}

function lineOf(data: string, [command = '', ...rest]: readonly string[]): string[] {
  return ['snapshot', command, '--data', data, ...rest];
}

/** Progress is told of what takes long, which a busy machine decides. */
export function withoutProgress(outcome: Outcome): Outcome {
  return { ...outcome, stderr: outcome.stderr.replaceAll(/^[a-z]+ [\d,]+ of [\d,]+ (bytes|entries)\n/gm, '') };
}

/** Makes one by the command line. @returns Its name. */
export async function created(data: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await snapshot(data, 'create', ...args);
  if (status !== 0) throw new Error(`no snapshot was made: ${status} ${stderr}`);
  return stdout.split('\n')[0] as string;
}

/** Makes one in this process: a new one takes half a second. @returns Its name. */
export async function madeHere(data: string, keepCount?: number): Promise<string> {
  const course = { onProgress: () => undefined, signal: new AbortController().signal };
  const { name, damagedValues } = await takeSnapshot(data, keepCount, course);
  if (damagedValues > 0) throw new Error(`a snapshot of a damaged store was made: ${name}`);
  return name;
}

/** Names that `snapshot list` shows, with the last column. */
export async function listed(data: string): Promise<[string, string][]> {
  const rows = snapshotLines(data).slice(1);
  return rows.map((line) => [line.split('\t')[0] as string, line.split('\t').at(-1) as string]);
}

/** They take a while to write, and a moment to copy. */
const large = new Map<string, Promise<string>>();

/** A data directory whose store takes a while to copy: history of an owner that has nothing else. */
export async function largeStore(entryCount: number, entryBytes: number): Promise<string> {
  const size = `${entryCount} ${entryBytes}`;
  if (!large.has(size)) large.set(size, writeLargeStore(entryCount, entryBytes));
  const data = temporaryDirectory();
  cpSync(join((await large.get(size)) as string, STORE_FILE), join(data, STORE_FILE));
  // Makes the lock file that every used store has beside it.
  await LmdbStore.open(data).close();
  return data;
}

async function writeLargeStore(entryCount: number, entryBytes: number): Promise<string> {
  const data = temporaryDirectory();
  await LmdbStore.open(data).close();
  const env = open({ path: join(data, STORE_FILE), noSubdir: true, maxDbs: 16, overlappingSync: false });
  const { history, owners } = openTables(env);
  for (let at = 0; at < entryCount; at += ENTRIES_PER_TRANSACTION) {
    await env.transaction(() => {
      for (let version = at; version < Math.min(entryCount, at + ENTRIES_PER_TRANSACTION); version++)
        void history.put(['o', version + 1], seal(Buffer.alloc(entryBytes, version)));
    });
  }
  await owners.put('o', encodeOwner('o', entryCount, { latestDate: 0, recordCount: 0 }), entryCount);
  await env.close();
  return data;
}

/** The files of a store that is closed. */
export const STORE_FILES = ['switchyard.mdb', 'switchyard.mdb-lock'];

/** Whether a snapshot lies there that is being made, or was left. */
export function isMaking(data: string): boolean {
  return readdirSync(data).some((name) => name.startsWith('.making-'));
}

/** A copy of a snapshot in a directory of its own, to be damaged. @returns That directory. */
export function copyOf(data: string, name: string): string {
  const directory = temporaryDirectory();
  cpSync(join(data, name), join(directory, name), { recursive: true });
  return directory;
}

/** Flips one bit, or more, of a byte. */
export function flip(path: string, at: number, mask = 0x01): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ mask;
  writeFileSync(path, bytes);
}

/** Writes a manifest whose own digest holds, as if the snapshot had been made so. */
export function reseal(directory: string, changed: Partial<Manifest>): void {
  const path = join(directory, MANIFEST_FILE);
  const { manifestDigest: _, ...manifest } = JSON.parse(readFileSync(path, 'utf8')) as Manifest & {
    manifestDigest: string;
  };
  writeFileSync(path, encodeManifest({ ...manifest, ...changed }));
}
