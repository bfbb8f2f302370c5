/**
 * The benchmark: `npm run bench`, one command, one report. README.md in this folder says what the figures mean.
 *
 * Owns the command line and the order of sections; what is measured is in mocks/, api/, stores/, upstream/ and gateway/.
 */
import { Command, InvalidArgumentError, Option } from 'commander';
import { join } from 'node:path';
import { api } from './api/section.ts';
import { gateway } from './gateway/section.ts';
import { findWrk } from './load/wrk.ts';
import { mocks } from './mocks/section.ts';
import { endAll } from './processes.ts';
import { printReport, writeResults, type SectionResult } from './report.ts';
import type { BenchOptions, Section } from './section.ts';
import { stores } from './stores/section.ts';
import { upstream } from './upstream/section.ts';

const SECTIONS: readonly Section[] = [mocks, stores, api, upstream, gateway];

async function bench(args: readonly string[]): Promise<void> {
  const startedAt = new Date();
  const { section: names, results: directory, ...given } = readOptions(args);
  const sections = SECTIONS.filter(({ name }) => names?.includes(name) ?? true);
  mustBeOf('--section', names, SECTIONS, ({ name }) => [name]);
  mustBeOf('--only', given.only, sections, ({ scenarios }) => scenarios);
  mustBeOf('--contenders', given.contenders, sections, ({ contenders }) => contenders);
  if (given.load === 'wrk' && findWrk() === undefined) throw new Error('--load wrk: not installed');
  const options: BenchOptions = {
    rounds: given.tiny ? 1 : 5,
    seconds: given.tiny ? 0.2 : 2,
    // wrk takes whole seconds: a tiny run does without it unless it is asked for.
    load: findWrk() === undefined || given.tiny ? 'autocannon' : 'wrk',
    ...given,
  };

  const results: Record<string, SectionResult> = {};
  for (const { name, run } of sections) results[name] = await run(options);
  printReport(Object.values(results));
  for (const failure of Object.values(results).flatMap(({ failures }) => failures)) {
    console.log(`\nfailed: ${failure}`);
    process.exitCode = 1;
  }
  console.log(`\n${writeResults(directory, startedAt, options, results)}`);
}

type CommandLine = Partial<BenchOptions> & {
  readonly tiny: boolean;
  readonly section?: readonly string[];
  readonly results: string;
};

function readOptions(args: readonly string[]): CommandLine {
  return new Command('npm run bench --')
    .option('--section <name,...>', 'some sections', list)
    .option('--only <scenario,...>', 'some scenarios', list)
    .option('--contenders <name,...>', 'some contenders', list)
    .option('--rounds <n>', 'rounds (5)', positive)
    .option('--seconds <n>', 'of each round (2)', positive)
    .addOption(
      new Option('--load <name>', 'the load generator (wrk if it is installed)').choices(['wrk', 'autocannon']),
    )
    .option('--results <folder>', 'where the file of results goes', join(import.meta.dirname, 'results'))
    .option('--tiny', 'seconds in all: shows that it works, measures nothing', false)
    .parse([...args], { from: 'user' })
    .opts<CommandLine>();
}

function list(value: string): string[] {
  return value.split(',').map((name) => name.trim());
}

function positive(value: string): number {
  if (!(Number(value) > 0)) throw new InvalidArgumentError('expected a number above 0');
  return Number(value);
}

function mustBeOf(
  option: string,
  asked: readonly string[] | undefined,
  sections: readonly Section[],
  namesOf: (section: Section) => readonly string[],
): void {
  const known = sections.flatMap(namesOf);
  const unknown = asked?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${option} ${unknown}: not one of ${known.join(', ')}`);
}

try {
  await bench(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
await endAll();
// Load generators end with this process.
process.exit();
