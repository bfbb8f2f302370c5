/** The benchmark of the API as a section of `npm run bench`: its groups of rows as tables, and what of them is aimed at. */
import { endAll } from '../processes.ts';
import type { BenchOptions, Section, SectionResult, TargetResult, Watcher } from '../section.ts';
import { aimText, cells, HEAD, type Row } from '../table.ts';
import { GROUPS } from './groups.ts';
import { FULL, TINY, type Plan } from './plan.ts';

export const api: Section = {
  name: 'api',
  scenarios: () => GROUPS.map(({ TITLE }) => TITLE),
  contenders: [],
  plannedSeconds: (options) => chosen(options).reduce((sum, group) => sum + group.plannedSeconds(planOf(options)), 0),
  run,
};

async function run(options: BenchOptions, watcher: Watcher): Promise<SectionResult> {
  const plan = planOf(options);
  const measured: Record<string, readonly Row[]> = {};
  const failures: string[] = [];
  for (const { TITLE, plannedSeconds, measure } of chosen(options)) {
    watcher.step(`API: ${TITLE}`, plannedSeconds(plan));
    try {
      measured[TITLE] = await measure(plan);
    } catch (error) {
      // A disk that stalled for too long must not cost the rest of the report.
      failures.push(`API, ${TITLE}: ${(error as Error).message}`);
      await endAll();
    }
  }
  const groups = Object.entries(measured);
  return {
    tables: groups.map(([title, rows]) => ({
      title: `API: ${title}`,
      head: HEAD,
      rows: rows.map((row) => cells(row)),
    })),
    targets: groups.flatMap(([, rows]) => rows.flatMap(judge)),
    failures,
    versions: {},
    measured,
  };
}

function chosen({ only }: BenchOptions) {
  return GROUPS.filter(({ TITLE }) => only?.includes(TITLE) ?? true);
}

function planOf({ isTiny, rounds, seconds }: BenchOptions): Plan {
  return { ...(isTiny ? TINY : FULL), pairsOfRounds: rounds, roundSeconds: seconds };
}

/** @returns None for a row that nothing is wanted of. */
export function judge(row: Row): TargetResult[] {
  const { name, measured, ratio, ratioRange, aim, ratioAtMost = Infinity, atMost = Infinity } = row;
  const wanted = aimText(row);
  if (wanted === '') return [];
  const isMet = measured <= atMost && (ratio === undefined || (ratio >= (aim ?? 0) && ratio <= ratioAtMost));
  const [low, high] = ratioRange ?? [ratio, ratio];
  const spread = ratio === undefined ? {} : { ratio: { median: ratio, low: low ?? ratio, high: high ?? ratio } };
  const [, amount = ''] = cells(row);
  const remark = row.atMost === undefined ? {} : { remark: amount };
  return [{ target: 'API', scenario: name, wanted, ...spread, verdict: isMet ? 'met' : 'missed', ...remark }];
}
