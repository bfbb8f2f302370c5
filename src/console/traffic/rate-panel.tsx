/** Rates of the last ten minutes by class of status, and how long the requests in the list took. */
import type { JSX } from 'preact';
import { RateChart } from '../parts/rate-chart.tsx';
import { DurationsLine } from './durations-line.tsx';
import { RATE_SECONDS } from '../parts/rates.ts';
import type { TrafficFeed } from './traffic-feed.ts';

/** Seconds that the chart's width stands for: it grows to ten minutes. */
const SPANS = [60, 120, 300, RATE_SECONDS];

export function RatePanel({ feed }: { readonly feed: TrafficFeed }): JSX.Element {
  const { points } = feed.rates.value;
  // Read once a second, with the counts, and not at every frame.
  const durations = feed.log.peek().shown.flatMap((row) => (row.kind === 'request' ? [row.request.durationMs] : []));
  return (
    <div class="traffic-figures">
      <RateChart label="Requests of this mock" rates={points} seconds={spanOf(points.length)} />
      <DurationsLine durations={durations} />
    </div>
  );
}

const spanOf = (seconds: number): number => SPANS.find((span) => span >= seconds) ?? RATE_SECONDS;
