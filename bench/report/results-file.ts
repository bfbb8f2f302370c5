/** The report as a file, with every single round: `bench/results/<date>-<commit>.json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchOptions, SectionResult } from '../section.ts';
import { describeMachine, type Commit } from './machine.ts';

/** When, and with which code: as it was then, whatever becomes of it meanwhile. */
interface Started extends Commit {
  readonly startedAt: Date;
}

/** @returns The file's path. */
export function writeResults(
  directory: string,
  started: Started,
  options: BenchOptions,
  sections: Readonly<Record<string, SectionResult>>,
): string {
  mkdirSync(directory, { recursive: true });
  const date = started.startedAt.toISOString().slice(0, 19).replaceAll(':', '');
  const file = join(directory, `${date}-${started.commit || 'no-commit'}.json`);
  const content = {
    ...started,
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
