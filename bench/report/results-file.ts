/** The report as a file, with every single round: `bench/results/<date>-<commit>.json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { BenchOptions, SectionResult } from '../section.ts';
import { describeCommit, describeMachine } from './machine.ts';

const RESULTS = resolve(import.meta.dirname, '../results');

/** @returns The file's path. */
export function writeResults(
  options: BenchOptions,
  sections: Readonly<Record<string, SectionResult>>,
  startedAt: Date,
): string {
  const { commit, isDirty } = describeCommit();
  const directory = process.env.BENCH_RESULTS ?? RESULTS;
  mkdirSync(directory, { recursive: true });
  const file = join(
    directory,
    `${startedAt.toISOString().slice(0, 19).replaceAll(':', '')}-${commit || 'no-commit'}.json`,
  );
  const content = {
    startedAt,
    commit,
    isDirty,
    options,
    machine: describeMachine(),
    node: process.version,
    sections: Object.fromEntries(
      Object.entries(sections).map(([name, { versions, targets, measured }]) => [
        name,
        { versions, targets, measured },
      ]),
    ),
  };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}
