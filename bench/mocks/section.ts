/** The benchmark of mock servers: Switchyard beside raw uWebSockets.js and the servers that a user would take instead. */
import { CONTENDERS } from '../contenders/contenders.ts';
import type { Contender } from '../contenders/contender.ts';
import type { BenchOptions, Section, SectionResult, Watcher } from '../section.ts';
import { HALF_LOAD, halfLoadSeconds, measureHalfLoad } from './half-load.ts';
import { halfLoadTable, judgeHalfLoad } from './half-load-report.ts';
import { measureScenario, scenarioSeconds, type ScenarioResult } from './measure-scenario.ts';
import type { Scenario } from './scenario.ts';
import { scenarioTable } from './scenario-table.ts';
import { FULL_SIZES, scenarios, TINY_SIZES } from './scenarios.ts';
import { judge } from './targets.ts';

export const mocks: Section = {
  name: 'mocks',
  scenarios: (options) => [...all(options).map(({ name }) => name), HALF_LOAD],
  plannedSeconds: (options) => {
    const contenders = wanted(options).filter((contender) => contender.missing() === undefined);
    const seconds = chosen(options).map((scenario) => scenarioSeconds(scenario, contenders, options));
    if (isWanted(options, HALF_LOAD)) seconds.push(halfLoadSeconds(contenders, options));
    return seconds.reduce((sum, each) => sum + each, 0);
  },
  run,
};

async function run(options: BenchOptions, watcher: Watcher): Promise<SectionResult> {
  const contenders = present(options, watcher);
  const versions: Record<string, string> = {};
  for (const contender of contenders) versions[contender.name] = await contender.version();
  const results: ScenarioResult[] = [];
  for (const scenario of chosen(options)) results.push(await measureScenario(scenario, contenders, options, watcher));
  const tables = results.map((result) => scenarioTable(result, options.loads));
  const targets = judge(results, options.loads);
  if (!isWanted(options, HALF_LOAD)) return { tables, targets, versions, measured: { scenarios: results } };
  const [plain] = all(options) as [Scenario];
  const halfLoad = await measureHalfLoad(plain, contenders, options, watcher);
  return {
    tables: [...tables, halfLoadTable(halfLoad)],
    targets: [...targets, ...judgeHalfLoad(halfLoad)],
    versions,
    measured: { scenarios: results, halfLoad },
  };
}

function all({ isTiny }: BenchOptions): Scenario[] {
  return scenarios(isTiny ? TINY_SIZES : FULL_SIZES);
}

function chosen(options: BenchOptions): Scenario[] {
  return all(options).filter(({ name }) => isWanted(options, name));
}

function isWanted({ only }: BenchOptions, name: string): boolean {
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
