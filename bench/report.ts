/** The report of `npm run bench`: tables on standard output, targets last; every round in a file; progress on standard error. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './processes.ts';
import type { Spread } from './rounds.ts';

export interface SectionResult {
  readonly tables: readonly Table[];
  readonly targets: readonly TargetResult[];
  /** Versions of the contenders, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** What could not be measured, and why. */
  readonly failures: readonly string[];
  /** Every single round, for the file of results. */
  readonly measured: object;
}

export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface TargetResult {
  readonly target: string;
  readonly scenario: string;
  readonly wanted: string;
  /** What is judged; of processor time where there is such. */
  readonly ratio?: Spread;
  /** Of requests per second, where the load generator is fast enough for servers to differ. */
  readonly rate?: Spread;
  readonly verdict: 'met' | 'met by CPU only' | 'missed';
  /** What else the reader must know to judge the verdict. */
  readonly remark?: string;
}

const started = performance.now();

/** Standard error: only the report is on standard output. */
export function progress(text: string): void {
  const seconds = Math.round((performance.now() - started) / 1e3);
  process.stderr.write(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}  ${text}\n`);
}

export function printReport(sections: readonly SectionResult[]): void {
  for (const table of sections.flatMap(({ tables }) => tables)) printTable(table);
  const targets = sections.flatMap((section) => section.targets);
  if (targets.length === 0) return;
  printTable({
    title: 'targets',
    head: ['', 'wanted', 'ratio', 'of rates', 'verdict', ''],
    rows: targets.map(({ target, scenario, wanted, ratio, rate, verdict, remark = '' }) => {
      return [`${target}: ${scenario}`, wanted, ratioText(ratio), ratioText(rate), verdict, remark];
    }),
  });
}

/** Text is on the left: the first column, and all of a row that is shorter than the head. */
export function printTable({ title, head, rows }: Table): void {
  const heading = [title, ...head.slice(1)];
  const lines = [heading, ...rows];
  const isText = (row: readonly string[]) => row.length < heading.length;
  const widths = heading.map((_, column) =>
    Math.max(...lines.map((row) => (isText(row) && column > 0 ? 0 : (row[column] ?? '').length))),
  );
  console.log('');
  for (const row of lines) {
    const cells = row.map((cell, column) => {
      const width = widths[column] as number;
      return column === 0 || isText(row) ? cell.padEnd(width) : cell.padStart(width);
    });
    console.log(cells.join('  ').trimEnd());
  }
}

/** @returns Nothing where there is no ratio. */
export function ratioText(spread: Spread | undefined): string {
  if (spread === undefined) return '';
  const [middle, low, high] = [spread.median, spread.low, spread.high].map(short);
  return `${middle} (${low}-${high})`;
}

/** Three digits, or all before the point. */
function short(value: number): string {
  if (value < 0.1) return value.toPrecision(2);
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

/** `bench/results/<date>-<commit>.json`: the report, and what its figures depend on. @returns The file's path. */
export function writeResults(
  directory: string,
  startedAt: Date,
  options: object,
  sections: Readonly<Record<string, SectionResult>>,
): string {
  const code = describeCommit();
  const machine = { cpu: cpus()[0]?.model.trim(), cores: cpus().length, memoryBytes: totalmem() };
  const system = { kernel: `${type()} ${release()}`, node: process.version };
  const kept = Object.entries(sections).map(([name, { versions, targets, failures, measured }]) => {
    return [name, { versions, targets, failures, measured }];
  });
  const content = { startedAt, ...code, options, machine, ...system, sections: Object.fromEntries(kept) };
  mkdirSync(directory, { recursive: true });
  const date = startedAt.toISOString().slice(0, 19).replaceAll(':', '');
  const file = join(directory, `${date}-${code.commit || 'no-commit'}.json`);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

/** `commit` is empty where this is no clone; `isDirty` when there were changes that are in no commit. */
function describeCommit(): { readonly commit: string; readonly isDirty: boolean } {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return { commit: git('rev-parse', '--short=10', 'HEAD'), isDirty: git('status', '--porcelain') !== '' };
  } catch {
    return { commit: '', isDirty: false };
  }
}
