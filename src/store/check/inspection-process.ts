/**
 * Entry point of the inspection process: answers one question about an environment (inspection.ts). A damaged page may
 * end it.
 *
 * It opens the environment read-only, so that the environment stays as it is.
 */
import { open, type RootDatabase } from 'lmdb';
import { LmdbApiKeys } from '../api-keys.ts';
import { unreadableFormat } from '../codec/value-format.ts';
import { Settings } from '../tables/settings.ts';
import { openTables, TABLE_NAMES } from '../tables/tables.ts';
import { ContentCheck } from './check-content.ts';
import { entryCountOf, formatOf, RAW, rawTables, readContent, readEntries, TABLES_MAX, type OnProgress } from './content.ts';
import type { Finding, Question } from './inspection.ts';

/** Time between two progress messages. */
const PROGRESS_MS = 200;

/** Codes of errors that are the system's, and say nothing of the file: ENOENT, ENOMEM, EACCES, ENFILE, EMFILE. */
const SYSTEM_CODES: ReadonlySet<unknown> = new Set([2, 12, 13, 23, 24]);

/** What is no damage, but a reason not to read. */
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
  if (question.kind === 'keys') return keys(question.path);
  return question.kind === 'copy' ? copy(question) : store(question);
}

async function copy({ path, entriesMax }: Question & { kind: 'copy' }): Promise<Finding> {
  const env = open({ ...READ_ONLY, ...RAW, path });
  const tables = rawTables(env);
  const check = new ContentCheck();
  const onEntry: ContentCheck['add'] = (table, key, value) => check.add(table, key, value);
  const read = await readContent(tables, env.useReadTransaction(), onProgress, { entriesMax, onEntry });
  check.finish();
  return { kind: 'copy', content: read, damagedValues: check.damageCount, format: formatOf(tables) };
}

async function store({ path, readsValues }: Question & { kind: 'store' }): Promise<Finding> {
  const env = open({ ...READ_ONLY, ...RAW, path });
  const tables = rawTables(env);
  const transaction = env.useReadTransaction();
  refuseFormat(formatOf(tables, transaction));
  // With a damaged name its table would be invisible, and LMDB would create an empty one instead.
  for (const name of tables.keys()) if (!TABLE_NAMES.has(name)) throw new Error(`unknown table ${JSON.stringify(name)}`);
  const check = new ContentCheck();
  const onEntry: ContentCheck['add'] = readsValues ? (...entry) => check.add(...entry) : () => undefined;
  const counts = await readEntries(tables, transaction, onProgress, { onEntry });
  if (readsValues) check.finish();
  return { kind: 'store', entries: entryCountOf(counts), tables: [], values: check.damage };
}

async function keys(path: string): Promise<Finding> {
  const env: RootDatabase = open({ ...READ_ONLY, encoding: 'binary', path });
  const tables = openTables(env);
  const settings = new Settings(tables.meta);
  refuseFormat(settings.has('format') ? (settings.get('format') ?? NaN) : 0);
  return { kind: 'keys', keys: new LmdbApiKeys(env, tables.keys, settings).list() };
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

const READ_ONLY = { readOnly: true, noSubdir: true, maxDbs: TABLES_MAX, overlappingSync: false } as const;
