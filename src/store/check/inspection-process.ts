/**
 * Entry point of the inspection process: answers one question about an environment (inspection.ts). A damaged page may
 * end it.
 *
 * The environment stays as it is: it is opened read-only, or tries a write that is rolled back.
 */
import { ABORT, open, type RootDatabase, type RootDatabaseOptions } from 'lmdb';
import { LmdbApiKeys } from '../api-keys.ts';
import { unreadableFormat } from '../store-format.ts';
import { Settings } from '../tables/settings.ts';
import { openTables, TABLE_NAMES } from '../tables/tables.ts';
import { ContentCheck } from './check-content.ts';
import {
  entryCountOf,
  formatOf,
  RAW,
  rawTables,
  readContent,
  readEntries,
  TABLES_MAX,
  type OnProgress,
} from './content.ts';
import { frontPagesFault } from './front-pages.ts';
import type { Finding, Question } from './inspection.ts';

/** Time between two progress messages. */
const PROGRESS_MS = 200;

/** The value of the write that is tried. */
const TRIED_BYTES = 16_777_216;

/** Codes of errors that are the system's, and say nothing of the file: as LMDB has them, and Node.js. */
const SYSTEM_CODES: ReadonlySet<unknown> = new Set([
  2,
  12,
  13,
  23,
  24,
  'ENOENT',
  'ENOMEM',
  'EACCES',
  'ENFILE',
  'EMFILE',
]);

/** A reason not to read the store that is not damage. */
class Refusal extends Error {}

process.on('message', (question: Question) => {
  answer(question)
    .catch((error: Error & { code?: unknown }): Finding => {
      const isDamage = !(error instanceof Refusal || SYSTEM_CODES.has(error.code));
      return { kind: 'failed', message: error.message, isDamage };
    })
    .then((finding) => process.send?.(finding, () => process.exit()))
    .catch(() => process.exit(1));
});
// The parent process has ended.
process.on('disconnect', () => process.exit());

function answer(question: Question): Promise<Finding> {
  if (question.kind === 'keys') return keys(question);
  return question.kind === 'copy' ? copy(question) : store(question);
}

async function copy({ path, entriesMax }: Question & { kind: 'copy' }): Promise<Finding> {
  const env = openChecked(path, RAW);
  const tables = rawTables(env);
  const check = new ContentCheck();
  const onEntry: ContentCheck['add'] = (table, key, value) => check.add(table, key, value);
  const read = await readContent(tables, env.useReadTransaction(), onProgress, { entriesMax, onEntry });
  check.finish();
  return { kind: 'copy', content: read, damagedValues: check.damageCount, format: formatOf(tables) };
}

async function store({ path, readsValues, triesWrite }: Question & { kind: 'store' }): Promise<Finding> {
  const env = openChecked(path, { ...RAW, readOnly: !triesWrite });
  const tables = rawTables(env);
  const transaction = env.useReadTransaction();
  refuseFormat(formatOf(tables, transaction));
  // With a damaged name its table would be invisible, and LMDB would create an empty one instead.
  for (const name of tables.keys())
    if (!TABLE_NAMES.has(name)) throw new Error(`unknown table ${JSON.stringify(name)}`);
  const check = new ContentCheck();
  const onEntry: ContentCheck['add'] = readsValues ? (...entry) => check.add(...entry) : () => undefined;
  const counts = await readEntries(tables, transaction, onProgress, { onEntry });
  if (readsValues) check.finish();
  if (triesWrite) tryWrite(env);
  return { kind: 'store', entries: entryCountOf(counts), tables: [], values: check.damage };
}

async function keys({ path, triesWrite }: Question & { kind: 'keys' }): Promise<Finding> {
  const env = openChecked(path, { encoding: 'binary', readOnly: !triesWrite });
  const settings = new Settings(env.openDB({ name: 'meta', encoding: 'binary' }));
  // Before any table is made: a store of another version may have others.
  refuseFormat(settings.format);
  const list = new LmdbApiKeys(env, openTables(env).keys, settings).list();
  if (triesWrite) tryWrite(env);
  return { kind: 'keys', keys: list };
}

function openChecked(path: string, options: RootDatabaseOptions): RootDatabase {
  const fault = frontPagesFault(path);
  if (fault !== undefined) throw new Error(fault);
  return open({ readOnly: true, noSubdir: true, maxDbs: TABLES_MAX, overlappingSync: false, ...options, path });
}

/** A write reads the list of free pages, which no reading does: looking for so many in a row, it reads most of the list. */
function tryWrite(env: RootDatabase): void {
  env.transactionSync(() => {
    env.putSync(Buffer.of(1), Buffer.alloc(TRIED_BYTES));
    return ABORT;
  });
}

function refuseFormat(format: number): void {
  const problem = unreadableFormat(format);
  if (problem !== undefined) throw new Refusal(problem);
}

let reportedAt = 0;
const onProgress: OnProgress = (done, total) => {
  if (performance.now() - reportedAt < PROGRESS_MS) return;
  reportedAt = performance.now();
  process.send?.({ kind: 'progress', done, total } satisfies Finding);
};
