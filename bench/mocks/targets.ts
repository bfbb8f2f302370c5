/** The targets of mock servers, as data, and whether a run meets them. */
import type { LoadName } from '../load/load.ts';
import { ratioText, type TargetResult } from '../report.ts';
import { ratioOf, type Spread } from '../rounds.ts';
import { cpuOf, rateOf, type ScenarioResult } from './measure-scenario.ts';

interface Target {
  readonly against: string;
  readonly wanted: number;
  /** Names of scenarios; all in which both take part when absent. */
  readonly scenarios?: readonly string[];
  /** Where raw uWebSockets.js itself is no better than wanted, Switchyard must come this close to raw. */
  readonly orOfRaw?: number;
}

const MEASURED = 'switchyard';
const PLAIN = ['static', 'parameter', 'query', 'header', 'last-route'];

const TARGETS: readonly Target[] = [
  { against: 'raw', wanted: 0.9, scenarios: PLAIN },
  { against: 'defensive', wanted: 0.97, scenarios: PLAIN },
  { against: 'defensive', wanted: 0.8, scenarios: PLAIN.map((name) => `${name}-pipelined`) },
  // Raw reads and parses the same body.
  { against: 'raw', wanted: 0.9, scenarios: ['body', 'jsonpath'] },
  { against: 'defensive', wanted: 0.85, scenarios: ['regex', 'template'] },
  { against: 'switchyard-one-mock', wanted: 0.95, scenarios: ['many-mocks'] },
  { against: 'nginx', wanted: 1.2, scenarios: PLAIN },
  { against: 'wiremock', wanted: 5, orOfRaw: 0.9 },
  { against: 'mockoon', wanted: 40, orOfRaw: 0.9 },
];

/** Those for which there are figures. */
export function judge(results: readonly ScenarioResult[], load: LoadName): TargetResult[] {
  return TARGETS.flatMap((target) =>
    results
      .filter(({ scenario }) => target.scenarios?.includes(scenario) ?? true)
      .flatMap((result) => judgeOne(target, result, load) ?? []),
  );
}

/** Each above 1 where the measured one is better. What autocannon can send says nothing of the rates of these servers. */
interface Ratios {
  readonly cpu: Spread;
  readonly rate?: Spread;
}

function ratiosOf({ rounds }: ScenarioResult, measured: string, against: string, load: LoadName): Ratios | undefined {
  const cpu = ratioOf(rounds, against, measured, cpuOf);
  const rate = load === 'wrk' ? ratioOf(rounds, measured, against, rateOf) : undefined;
  return cpu === undefined ? undefined : { cpu, ...(rate === undefined ? {} : { rate }) };
}

function judgeOne(
  { against, wanted, orOfRaw }: Target,
  result: ScenarioResult,
  load: LoadName,
): TargetResult | undefined {
  const ratios = ratiosOf(result, MEASURED, against, load);
  if (ratios === undefined) return undefined;
  const verdict = verdictOn(ratios, wanted);
  const { cpu: ratio, ...rate } = ratios;
  const row = { target: `vs ${against}`, scenario: result.title, wanted: `>= ${wanted}`, ratio, ...rate, verdict };

  const ofRaw = ratiosOf(result, MEASURED, 'raw', load);
  const rawToo = ratiosOf(result, 'raw', against, load);
  if (verdict === 'met' || orOfRaw === undefined || ofRaw === undefined || rawToo === undefined) return row;
  if (verdictOn(rawToo, wanted) === 'met') return row;
  const remark = `raw itself ${ratioText(rawToo.cpu)}, so >= ${orOfRaw} of raw: ${ratioText(ofRaw.cpu)}`;
  return { ...row, verdict: verdictOn(ofRaw, orOfRaw), remark };
}

function verdictOn({ cpu, rate = cpu }: Ratios, wanted: number): TargetResult['verdict'] {
  if (cpu.median < wanted) return 'missed';
  return rate.median >= wanted ? 'met' : 'met by CPU only';
}
