/** The report as a file, with every single round: `bench/results/<date>-<commit>.json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, SectionResult } from '../section.ts';
import { describeCommit, describeMachine } from './machine.ts';

/** @returns The file's path. */
export function writeResults(
  directory: string,
  options: BenchOptions,
  sections: Readonly<Record<string, SectionResult>>,
  startedAt: Date,
): string {
  const { commit, isDirty } = describeCommit();
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
      Object.entries(sections).map(([name, { versions, targets, failures, measured }]) => [
        name,
        { versions, targets, failures, measured },
      ]),
    ),
  };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}
