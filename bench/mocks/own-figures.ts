/** What has no other server beside it: figures of Switchyard alone, each measured by a file of its own. */
import { median } from '../compare.ts';
import { ratioText, spreadOf } from '../report/spread.ts';
import type { Table, TargetResult } from '../section.ts';

export interface OwnFigures {
  /** As in `--only` and in the results. */
  readonly name: string;
  readonly measure: (isTiny: boolean) => Promise<OwnFigure[]>;
}

export interface OwnFigure {
  readonly name: string;
  readonly unit: 'ms' | 'B';
  readonly values: readonly number[];
  /** What they are held against, in the same unit. Less than it is better. */
  readonly against?: { readonly what: string; readonly value: number };
  /** The most that is wanted, in `unit`. */
  readonly atMost?: number;
}

/** One after the other. */
export async function inTurn<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < count; index++) results.push(await run(index));
  return results;
}

export async function milliseconds(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

export function ownFiguresTable(figures: readonly OwnFigure[]): Table {
  return {
    title: 'Switchyard alone',
    head: ['', 'ratio', 'median', 'p99', 'against'],
    rows: figures.map(({ name, unit, values, against }) => [
      name,
      against === undefined ? '' : ratioText(spreadOf(values.map((value) => value / against.value))),
      amount(median(values), unit),
      values.length < 100 ? '' : amount(p99(values), unit),
      against === undefined ? '' : `${against.what}, ${amount(against.value, unit)}`,
    ]),
  };
}

export function judgeOwnFigures(figures: readonly OwnFigure[]): TargetResult[] {
  return figures.flatMap(({ name, unit, values, against, atMost }) => {
    if (atMost === undefined || against === undefined) return [];
    const wanted = `<= ${amount(atMost, unit)}`;
    const ratio = spreadOf(values.map((value) => value / against.value));
    return [{ target: 'alone', scenario: name, wanted, ratio, verdict: median(values) <= atMost ? 'met' : 'missed' }];
  });
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] as number;
}

function amount(value: number, unit: OwnFigure['unit']): string {
  return `${value.toLocaleString('en', { maximumFractionDigits: unit === 'ms' ? 1 : 0 })} ${unit}`;
}
