/** What is wanted of mock servers, as data, and whether a run meets it. */
import { ratioText } from '../report/spread.ts';
import type { LoadName, TargetResult, Verdict } from '../section.ts';
import type { ScenarioResult } from './measure-scenario.ts';
import { judgedLoad, ratiosOf, type Ratios } from './ratios.ts';

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
  { against: 'guarded', wanted: 0.97, scenarios: PLAIN },
  { against: 'guarded', wanted: 0.8, scenarios: PLAIN.map((name) => `${name}-pipelined`) },
  // Raw reads and parses the same body.
  { against: 'raw', wanted: 0.9, scenarios: ['body', 'jsonpath'] },
  { against: 'guarded', wanted: 0.85, scenarios: ['regex', 'template'] },
  { against: 'switchyard-one-mock', wanted: 0.95, scenarios: ['many-mocks'] },
  { against: 'nginx', wanted: 1.2, scenarios: PLAIN },
  { against: 'wiremock', wanted: 5, orOfRaw: 0.9 },
  { against: 'mockoon', wanted: 40, orOfRaw: 0.9 },
  { against: 'mountebank', wanted: 40, orOfRaw: 0.9 },
];

/** Those for which there are figures. */
export function judge(results: readonly ScenarioResult[], loads: readonly LoadName[]): TargetResult[] {
  return TARGETS.flatMap((target) =>
    results
      .filter(({ scenario }) => target.scenarios?.includes(scenario) ?? true)
      .flatMap((result) => judgeOne(target, result, judgedLoad(loads)) ?? []),
  );
}

function judgeOne(
  { against, wanted, orOfRaw }: Target,
  result: ScenarioResult,
  load: LoadName,
): TargetResult | undefined {
  const ratios = ratiosOf(result, MEASURED, against, load);
  if (ratios === undefined) return undefined;
  const verdict = verdictOn(ratios, wanted, load);
  const named = { target: `vs ${against}`, scenario: result.title };
  const row = { ...named, wanted: `>= ${wanted}`, ratio: ratios.cpu, ...rateOf(ratios, load), verdict };

  const ofRaw = orOfRaw === undefined ? undefined : ratiosOf(result, MEASURED, 'raw', load);
  const rawToo = ratiosOf(result, 'raw', against, load);
  if (verdict === 'met' || orOfRaw === undefined || ofRaw === undefined || rawToo === undefined) return row;
  if (verdictOn(rawToo, wanted, load) === 'met') return row;
  const remark = `raw itself ${ratioText(rawToo.cpu)}, so >= ${orOfRaw} of raw: ${ratioText(ofRaw.cpu)}`;
  return { ...row, verdict: verdictOn(ofRaw, orOfRaw, load), remark };
}

/** What autocannon can send is less than what these servers can answer: its rates say nothing of them. */
function rateOf({ rate }: Ratios, load: LoadName) {
  return load === 'wrk' ? { rate } : {};
}

function verdictOn({ cpu, rate }: Ratios, wanted: number, load: LoadName): Verdict {
  if (cpu.median < wanted) return 'missed';
  return load !== 'wrk' || rate.median >= wanted ? 'met' : 'met by CPU only';
}
