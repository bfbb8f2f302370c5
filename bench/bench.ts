/**
 * The benchmark: `npm run bench`, one command, one report. README.md in this folder says what the figures mean.
 *
 * Owns the order of things alone: what is measured is in the sections, how it is shown in report/.
 */
import { api } from './api/section.ts';
import { mocks } from './mocks/section.ts';
import { readOptions, USAGE } from './options.ts';
import { endAll } from './processes.ts';
import { describeCommit } from './report/machine.ts';
import { printReport } from './report/print-report.ts';
import { showProgress } from './report/progress.ts';
import { writeResults } from './report/results-file.ts';
import type { Section, SectionResult } from './section.ts';

const SECTIONS: readonly Section[] = [mocks, api];

async function bench(args: readonly string[]): Promise<void> {
  const started = { startedAt: new Date(), ...describeCommit() };
  const { isHelpWanted, results: directory, section: sectionNames, ...options } = readOptions(args);
  if (isHelpWanted) {
    console.log(USAGE);
    return;
  }
  const sections = SECTIONS.filter(({ name }) => sectionNames?.includes(name) ?? true);
  const sectionsKnown = SECTIONS.map(({ name }) => name);
  const scenariosKnown = sections.flatMap((section) => section.scenarios(options));
  const contendersKnown = sections.flatMap(({ contenders }) => contenders);
  mustBeOf('--section', sectionNames, sectionsKnown);
  mustBeOf('--only', options.only, scenariosKnown);
  mustBeOf('--contenders', options.contenders, contendersKnown);

  const progress = showProgress(sections.reduce((sum, section) => sum + section.plannedSeconds(options), 0));
  const results: Record<string, SectionResult> = {};
  for (const section of sections) results[section.name] = await section.run(options, progress);
  progress.end();
  printReport(Object.values(results));
  for (const failure of Object.values(results).flatMap(({ failures }) => failures)) {
    console.log(`\nfailed: ${failure}`);
    process.exitCode = 1;
  }
  console.log(`\n${writeResults(directory, started, options, results)}`);
}

function mustBeOf(option: string, asked: readonly string[] | undefined, known: readonly string[]): void {
  const unknown = asked?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${option} ${unknown}: not one of ${known.join(', ')}`);
}

try {
  await bench(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 1;
}
await endAll();
// Load generators end with this process.
process.exit();
