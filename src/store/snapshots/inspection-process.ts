/**
 * Entry point of the inspection process: answers one question about an environment (inspection.ts). A damaged page may
 * end it.
 *
 * It opens the environment read-only, so that the environment stays as it is.
 */
import { open, type RootDatabase } from 'lmdb';
import { LmdbApiKeys } from '../api-keys.ts';
import { ContentCheck } from '../check/check-content.ts';
import { unreadableFormat } from '../codec/value-format.ts';
import { Settings } from '../tables/settings.ts';
import { openTables } from '../tables/tables.ts';
import { formatOf, RAW, rawTables, readContent, TABLES_MAX } from './content.ts';
import type { Finding, Question } from './inspection.ts';

/** Time between two progress messages. */
const PROGRESS_MS = 200;

process.on('message', (question: Question) => {
  answer(question)
    .catch((error: unknown): Finding => ({ kind: 'failed', message: (error as Error).message }))
    .then((finding) => process.send?.(finding, () => process.exit()))
    .catch(() => process.exit(1));
});
// The parent process has ended.
process.on('disconnect', () => process.exit());

function answer(question: Question): Promise<Finding> {
  return question.kind === 'content' ? content(question) : keys(question.path);
}

async function content({ path, entriesMax }: Question & { kind: 'content' }): Promise<Finding> {
  const env = open({ ...READ_ONLY, ...RAW, path });
  const tables = rawTables(env);
  let reportedAt = 0;
  const onProgress = (done: number, total: number): void => {
    if (performance.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = performance.now();
    process.send?.({ kind: 'progress', done, total } satisfies Finding);
  };
  const check = new ContentCheck();
  const onEntry: ContentCheck['add'] = (table, key, value) => check.add(table, key, value);
  const read = await readContent(tables, env.useReadTransaction(), onProgress, { entriesMax, onEntry });
  check.finish();
  return { kind: 'content', content: read, damagedValues: check.damageCount, format: formatOf(tables) };
}

async function keys(path: string): Promise<Finding> {
  const env: RootDatabase = open({ ...READ_ONLY, encoding: 'binary', path });
  const tables = openTables(env);
  const settings = new Settings(tables.meta);
  const problem = unreadableFormat(settings.has('format') ? (settings.get('format') ?? NaN) : 0);
  if (problem !== undefined) throw new Error(problem);
  return { kind: 'keys', keys: new LmdbApiKeys(env, tables.keys, settings).list() };
}

const READ_ONLY = { readOnly: true, noSubdir: true, maxDbs: TABLES_MAX, overlappingSync: false } as const;
