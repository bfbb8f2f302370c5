/**
 * A program of its own: answers one question about an environment (inspection.ts), and may be ended by what it reads.
 *
 * It opens for reading alone, so that what it is asked about stays as it is.
 */
import { open, type RootDatabase } from 'lmdb';
import { LmdbApiKeys } from '../api-keys.ts';
import { ContentCheck } from '../check/check-content.ts';
import { unreadableFormat } from '../codec/form.ts';
import { Settings } from '../settings.ts';
import { openTables } from '../tables.ts';
import { formatOf, RAW, rawTables, readContent, TABLES_MAX } from './content.ts';
import type { Finding, Question } from './inspection.ts';

/** Between two messages about the progress. */
const PROGRESS_MS = 200;

process.on('message', (question: Question) => {
  answer(question)
    .catch((error: unknown): Finding => ({ kind: 'failed', message: (error as Error).message }))
    .then((finding) => process.send?.(finding, () => process.exit()))
    .catch(() => process.exit(1));
});
// Whoever asked is gone.
process.on('disconnect', () => process.exit());

function answer(question: Question): Promise<Finding> {
  return question.kind === 'content' ? content(question) : keys(question.path);
}

async function content({ path, entriesMax }: Question & { kind: 'content' }): Promise<Finding> {
  const env = open({ ...READ_ONLY, ...RAW, path });
  const tables = rawTables(env);
  let toldAt = 0;
  const onProgress = (done: number, total: number): void => {
    if (performance.now() - toldAt < PROGRESS_MS) return;
    toldAt = performance.now();
    process.send?.({ kind: 'progress', done, total } satisfies Finding);
  };
  const check = new ContentCheck();
  const onEntry: ContentCheck['look'] = (table, key, value) => check.look(table, key, value);
  const read = await readContent(tables, env.useReadTransaction(), onProgress, { entriesMax, onEntry });
  check.finish();
  return { kind: 'content', content: read, damagedValues: check.count, format: formatOf(tables) };
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
