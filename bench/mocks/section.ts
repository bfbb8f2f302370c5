/** The benchmark of mock servers: Switchyard beside raw uWebSockets.js and the servers that a user would take instead. */
import { CONTENDERS } from '../contenders/contenders.ts';
import type { Contender } from '../contenders/contender.ts';
import { startGenerators } from '../load/generate.ts';
import { endAll, runningNow } from '../processes.ts';
import type { BenchOptions, Section, SectionResult, Watcher } from '../section.ts';
import { delayedAnswers } from './delayed-answers.ts';
import { HALF_LOAD, halfLoadSeconds, measureHalfLoad, type HalfLoadResult } from './half-load.ts';
import { halfLoadTable, judgeHalfLoad } from './half-load-report.ts';
import { loadedMocks } from './loaded-mocks.ts';
import { measureScenario, scenarioSeconds, type ScenarioResult } from './measure-scenario.ts';
import { judgeOwnFigures, ownFiguresTable, type OwnFigure } from './own-figures.ts';
import { saving } from './saving.ts';
import type { Scenario } from './scenario.ts';
import { scenarioTable } from './scenario-table.ts';
import { FULL_SIZES, scenarios, TINY_SIZES } from './scenarios.ts';
import { judge } from './targets.ts';

const OWN_FIGURES = [loadedMocks, delayedAnswers, saving];
/** Of each of them, about. */
const OWN_SECONDS = 8;

export const mocks: Section = {
  name: 'mocks',
  scenarios: (options) => [...[...all(options), ...OWN_FIGURES].map(({ name }) => name), HALF_LOAD],
  contenders: CONTENDERS.map(({ name }) => name),
  plannedSeconds: (options) => {
    const contenders = wanted(options).filter((contender) => contender.missing() === undefined);
    const seconds = chosen(all(options), options).map((scenario) => scenarioSeconds(scenario, contenders, options));
    if (isChosen(HALF_LOAD, options)) seconds.push(halfLoadSeconds(contenders, options));
    return seconds.reduce((sum, each) => sum + each, chosen(OWN_FIGURES, options).length * OWN_SECONDS);
  },
  run,
};

async function run(options: BenchOptions, watcher: Watcher): Promise<SectionResult> {
  const contenders = present(options, watcher);
  const versions: Record<string, string> = {};
  for (const contender of contenders) versions[contender.name] = await contender.version();

  const generate = await startGenerators();
  const failures: string[] = [];
  /** What fails is told, and does not take with it what an hour has measured. */
  const attempt = async <Result>(name: string, measure: () => Promise<Result>): Promise<Result[]> => {
    const kept = runningNow();
    try {
      return [await measure()];
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
      watcher.notice(failures.at(-1) as string);
      await endAll(kept);
      return [];
    }
  };

  const results: ScenarioResult[] = [];
  for (const scenario of chosen(all(options), options)) {
    const measured = () => measureScenario(scenario, contenders, generate, options, watcher);
    results.push(...(await attempt(scenario.name, measured)));
  }
  const halfLoads: HalfLoadResult[] = [];
  if (isChosen(HALF_LOAD, options)) {
    const [plain] = all(options) as [Scenario];
    const measured = () => measureHalfLoad(plain, contenders, generate, options, watcher);
    halfLoads.push(...(await attempt(HALF_LOAD, measured)));
  }
  await endAll();
  const ownFigures: OwnFigure[] = [];
  for (const { name, measure } of chosen(OWN_FIGURES, options)) {
    watcher.step(name, OWN_SECONDS);
    ownFigures.push(...(await attempt(name, () => measure(options.isTiny))).flat());
  }

  return {
    tables: [
      ...results.map((result) => scenarioTable(result, options.loads)),
      ...halfLoads.map(halfLoadTable),
      ...(ownFigures.length === 0 ? [] : [ownFiguresTable(ownFigures)]),
    ],
    targets: [...judge(results, options.loads), ...halfLoads.flatMap(judgeHalfLoad), ...judgeOwnFigures(ownFigures)],
    versions,
    failures,
    measured: { scenarios: results, halfLoads, ownFigures },
  };
}

function all({ isTiny }: BenchOptions): Scenario[] {
  return scenarios(isTiny ? TINY_SIZES : FULL_SIZES);
}

function chosen<Item extends { readonly name: string }>(items: readonly Item[], options: BenchOptions): Item[] {
  return items.filter(({ name }) => isChosen(name, options));
}

function isChosen(name: string, { only }: BenchOptions): boolean {
  return only?.includes(name) ?? true;
}

function wanted({ contenders }: BenchOptions): Contender[] {
  return CONTENDERS.filter(({ name }) => contenders?.includes(name) ?? true);
}

function present(options: BenchOptions, watcher: Watcher): Contender[] {
  return wanted(options).filter((contender) => {
    const missing = contender.missing();
    if (missing !== undefined) watcher.notice(`without ${contender.name}: ${missing}`);
    return missing === undefined;
  });
}
