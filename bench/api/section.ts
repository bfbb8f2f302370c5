/** The benchmark of the API: its groups of rows as tables, and which of them have a target. */
import type { BenchOptions, Section } from '../section.ts';
import { endAll } from '../processes.ts';
import { progress, ratioText, type SectionResult, type TargetResult } from '../report.ts';
import type { Row } from './comparison.ts';
import { FULL, TINY, type Plan } from './plan.ts';
import * as reading from './reading.ts';
import * as restart from './restart.ts';
import * as underLoad from './under-load.ts';
import * as writing from './writing.ts';

const GROUPS = [reading, writing, restart, underLoad] as const;

export const api: Section = { name: 'api', scenarios: GROUPS.map(({ TITLE }) => TITLE), contenders: [], run };

async function run({ tiny, rounds, seconds, only }: BenchOptions): Promise<SectionResult> {
  const plan: Plan = { ...(tiny ? TINY : FULL), rounds, roundSeconds: seconds };
  const measured: Record<string, readonly Row[]> = {};
  const failures: string[] = [];
  for (const { TITLE, measure } of GROUPS) {
    if (only?.includes(TITLE) === false) continue;
    progress(`API: ${TITLE}`);
    try {
      measured[TITLE] = await measure(plan);
    } catch (error) {
      // A disk that stalled for too long must not cost the rest of the report.
      failures.push(`API, ${TITLE}: ${(error as Error).message}`);
    }
    await endAll();
  }
  const groups = Object.entries(measured);
  return {
    tables: groups.map(([title, rows]) => ({ title: `API: ${title}`, head: HEAD, rows: rows.map(cells) })),
    targets: groups.flatMap(([, rows]) => rows.flatMap(judge)),
    failures,
    versions: {},
    measured,
  };
}

const HEAD = ['', 'measured', 'against', 'ratio', 'target', 'busy'];

function cells(row: Row): string[] {
  const { name, unit, measured, against, ratio, busy = [] } = row;
  const used = busy.map((value) => `${Math.round(value * 100)} %`).join(' / ');
  return [name, amount(measured, unit), amount(against, unit), ratioText(ratio), wantedText(row), used];
}

/** @returns None for a row without a target. */
export function judge(row: Row): TargetResult[] {
  const { name, unit, measured, ratio, target } = row;
  if (target === undefined) return [];
  const { ratioAtLeast = 0, ratioAtMost = Infinity, atMost = Infinity } = target;
  const isMet = measured <= atMost && ratio.median >= ratioAtLeast && ratio.median <= ratioAtMost;
  const remark = target.atMost === undefined ? {} : { remark: amount(measured, unit) };
  const verdict = isMet ? 'met' : 'missed';
  return [{ target: 'API', scenario: name, wanted: wantedText(row), ratio, verdict, ...remark }];
}

function wantedText({ target = {}, unit }: Row): string {
  const { ratioAtLeast, ratioAtMost, atMost } = target;
  if (atMost !== undefined) return `<= ${amount(atMost, unit)}`;
  if (ratioAtMost !== undefined) return `<= ${ratioAtMost}`;
  return ratioAtLeast === undefined ? '' : `>= ${ratioAtLeast}`;
}

function amount(value: number, unit: Row['unit']): string {
  const digits = unit === 'µs' || unit === 'ms' ? 1 : 0;
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text} ${unit}`;
}
