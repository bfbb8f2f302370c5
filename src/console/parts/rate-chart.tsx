/**
 * Requests per second by class of status, newest at the right: one area per class, stacked.
 *
 * The colours follow the scheme, and a table carries the same data for screen readers.
 */
import type { RatePoint } from './rates.ts';
import { Table } from './section.tsx';
import { numberText } from './words.ts';

type ClassRates = readonly (readonly number[])[];

interface RateChartProps {
  /** "Requests of all mocks" */
  readonly label: string;
  /** Oldest first. */
  readonly rates: readonly RatePoint[];
  /** Seconds across the width. Fewer points start further right. */
  readonly seconds: number;
}

const WIDTH = 600;
const HEIGHT = 80;
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'];

/** @returns null while there were no requests. */
export function RateChart({ label, rates, seconds }: RateChartProps): JSX.Element | null {
  const shown = rates.slice(-seconds).map(({ classes }) => classes);
  const totals = shown.map((point) => point.reduce((sum, rate) => sum + rate, 0));
  if (!totals.some((total) => total > 0)) return null;
  const peak = Math.max(1, ...totals);
  const newest = shown.at(-1) ?? [0, 0, 0, 0, 0];
  return (
    <figure class="rate-chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {CLASSES.map((name, index) => (
          <path key={name} class={`rate-${name}`} d={areaOf(shown, index, peak, seconds)} />
        ))}
      </svg>
      <figcaption>
        <span>
          <strong>{perSecond(totals.at(-1) ?? 0)}</strong> now
          {shown.length > 1 && `, peak ${perSecond(Math.max(0, ...totals))} in ${shown.length} s`}
        </span>
        {CLASSES.map((name, index) =>
          shown.some((point) => (point[index] ?? 0) > 0) ? (
            <span key={name} class="rate-key">
              <i class={`rate-${name}`} /> {name} {perSecond(newest[index] ?? 0)}
            </span>
          ) : null,
        )}
      </figcaption>
      <RateTable label={label} rates={shown} />
    </figure>
  );
}

/** Ten rows, each the mean of a tenth of the time: short enough for a screen reader. */
function RateTable({ label, rates }: { readonly label: string; readonly rates: ClassRates }): JSX.Element {
  const step = Math.max(1, Math.ceil(rates.length / 10));
  const rows = Array.from({ length: Math.ceil(rates.length / step) }, (_, row) =>
    rates.slice(row * step, (row + 1) * step),
  );
  const meanOf = (points: ClassRates, index: number): number =>
    Math.round(points.reduce((sum, point) => sum + (point[index] ?? 0), 0) / points.length);
  return (
    <Table
      class="visually-hidden"
      caption={`${label}, requests per second`}
      head={['Seconds', ...CLASSES]}
      rows={rows.map((points, row) => [
        `${row * step + 1} to ${row * step + points.length}`,
        ...CLASSES.map((_, index) => meanOf(points, index)),
      ])}
    />
  );
}

/** "1,204/s"; below ten with a decimal. */
export const perSecond = (rate: number): string =>
  `${rate > 0 && rate < 9.95 ? rate.toFixed(1).replace(/\.0$/, '') : numberText(Math.round(rate))}/s`;

/** The area between the sum of the classes below `index`, and the sum with it. */
function areaOf(rates: ClassRates, index: number, peak: number, seconds: number): string {
  if (!rates.some((point) => (point[index] ?? 0) > 0)) return '';
  const step = WIDTH / Math.max(1, seconds - 1);
  const left = WIDTH - (rates.length - 1) * step;
  const upTo = (point: readonly number[], end: number): number =>
    HEIGHT - (point.slice(0, end).reduce((sum, rate) => sum + rate, 0) / peak) * HEIGHT;
  const at = (place: number, y: number): string => `${(left + place * step).toFixed(1)} ${y.toFixed(1)}`;
  const top = rates.map((point, place) => at(place, upTo(point, index + 1)));
  const bottom = rates.map((point, place) => at(place, upTo(point, index))).toReversed();
  return `M${[...top, ...bottom].join('L')}Z`;
}

interface SparklineProps {
  /** Per second, oldest first. */
  readonly rates: readonly number[];
  readonly points: number;
}

/** A line without axes, beside its number. */
export function Sparkline({ rates, points }: SparklineProps): JSX.Element | null {
  if (!rates.some((rate) => rate > 0)) return null;
  const peak = Math.max(1, ...rates);
  const line = rates.map((rate, place) => {
    const x = ((points - rates.length + place) / Math.max(1, points - 1)) * 80;
    return `${x.toFixed(1)} ${(19 - (rate / peak) * 18).toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox="0 0 80 20" preserveAspectRatio="none" aria-hidden="true">
      <path d={`M${line.join('L')}`} />
    </svg>
  );
}
