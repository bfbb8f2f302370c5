/** The benchmark of mock servers: Switchyard, raw uWebSockets.js, and the servers that a user would take instead. */
import type { BenchOptions, Section } from '../section.ts';
import { CONTENDERS } from '../contenders/contenders.ts';
import { startLoad } from '../load/start-load.ts';
import { endAll, runningNow } from '../processes.ts';
import { progress, type SectionResult } from '../report.ts';
import { HALF_LOAD, halfLoadTable, judgeHalfLoad, measureHalfLoad } from './half-load.ts';
import { measureScenario, scenarioTable } from './measure-scenario.ts';
import { OWN_FIGURES, ownFiguresTable } from './own-figures.ts';
import { FULL_SIZES, scenarios, TINY_SIZES } from './scenarios.ts';
import type { Scenario } from './scenario.ts';
import { judge } from './targets.ts';

const OWN_NAMES = Object.keys(OWN_FIGURES);

export const mocks: Section = {
  name: 'mocks',
  scenarios: [...scenarios(TINY_SIZES).map(({ name }) => name), ...OWN_NAMES, HALF_LOAD],
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

  const generate = await startLoad(options.load);
  const failures: string[] = [];
  const isChosen = (name: string) => options.only?.includes(name) ?? true;
  /** A failure is reported, and does not cost what an hour has measured. */
  const attempt = async <Result>(name: string, measure: () => Promise<Result>): Promise<Result[]> => {
    if (!isChosen(name)) return [];
    const kept = runningNow();
    progress(name);
    try {
      return [await measure()];
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
      progress(failures.at(-1) as string);
      return [];
    } finally {
      await endAll(kept);
    }
  };

  const all = scenarios(options.tiny ? TINY_SIZES : FULL_SIZES);
  const results = [];
  for (const scenario of all) {
    results.push(...(await attempt(scenario.name, () => measureScenario(scenario, contenders, generate, options))));
  }
  const [plain] = all as [Scenario];
  const halfLoads = await attempt(HALF_LOAD, () => measureHalfLoad(plain, contenders, generate, options));
  const ownFigures = [];
  for (const [name, measure] of Object.entries(OWN_FIGURES)) {
    ownFigures.push(...(await attempt(name, () => measure(options.tiny))).flat());
  }
  return {
    tables: [
      ...results.map(scenarioTable),
      ...halfLoads.map(halfLoadTable),
      ...(ownFigures.length === 0 ? [] : [ownFiguresTable(ownFigures)]),
    ],
    targets: [...judge(results, options.load), ...halfLoads.flatMap(judgeHalfLoad)],
    versions,
    failures,
    measured: { scenarios: results, halfLoads, ownFigures },
  };
}
