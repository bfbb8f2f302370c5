/** The benchmark of mock servers: Switchyard, raw uWebSockets.js, and the servers that a user would take instead. */
import type { BenchOptions, Section } from '../section.ts';
import { CONTENDERS } from '../contenders/contenders.ts';
import { endAll } from '../processes.ts';
import { progress, type SectionResult } from '../report.ts';
import { measureScenario, scenarioTable } from './measure-scenario.ts';
import { OWN_FIGURES, ownFiguresTable } from './own-figures.ts';
import { FULL_SIZES, scenarios, TINY_SIZES } from './scenarios.ts';
import { judge } from './targets.ts';

export const mocks: Section = {
  name: 'mocks',
  scenarios: [...scenarios(TINY_SIZES).map(({ name }) => name), ...Object.keys(OWN_FIGURES)],
  contenders: CONTENDERS.map(({ name }) => name),
  run,
};

async function run(options: BenchOptions): Promise<SectionResult> {
  const wanted = CONTENDERS.filter(({ name }) => options.contenders?.includes(name) ?? true);
  const contenders = wanted.filter((contender) => {
    const missing = contender.missing();
    if (missing !== undefined) progress(`without ${contender.name}: ${missing}`);
    return missing === undefined;
  });
  const versions: Record<string, string> = {};
  for (const contender of contenders) versions[contender.name] = await contender.version();

  const failures: string[] = [];
  /** A failure is reported, and does not cost what an hour has measured. */
  const attempt = async <Result>(name: string, measure: () => Promise<Result>): Promise<Result[]> => {
    if (options.only?.includes(name) === false) return [];
    progress(name);
    try {
      return [await measure()];
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
      progress(failures.at(-1) as string);
      return [];
    } finally {
      await endAll();
    }
  };

  const results = [];
  for (const scenario of scenarios(options.tiny ? TINY_SIZES : FULL_SIZES)) {
    results.push(...(await attempt(scenario.name, () => measureScenario(scenario, contenders, options))));
  }
  const ownFigures = [];
  for (const [name, measure] of Object.entries(OWN_FIGURES)) {
    ownFigures.push(...(await attempt(name, () => measure(options.tiny))).flat());
  }
  return {
    tables: [...results.map(scenarioTable), ...(ownFigures.length === 0 ? [] : [ownFiguresTable(ownFigures)])],
    targets: judge(results, options.load),
    versions,
    failures,
    measured: { scenarios: results, ownFigures },
  };
}
