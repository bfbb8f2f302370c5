/** Rates of the last ten minutes by status class, and the durations of the listed requests. */
import { useEffect, useState } from 'preact/hooks';
import { RateChart } from '../parts/rate-chart.tsx';
import { missedIn, RATE_SECONDS } from '../parts/rates.ts';
import { Table } from '../parts/section.tsx';
import { countText, numberText } from '../parts/words.ts';
import { BUCKET_ENDS, durationsOf, durationText } from './durations.ts';
import type { MockFeed } from './mock-feed.ts';

/** Seconds across the chart: it grows to ten minutes. */
const SPANS = [60, 120, 300, RATE_SECONDS];

export function RatePanel({ feed }: { readonly feed: MockFeed }): JSX.Element {
  const { points } = feed.rates.value;
  // Read once a second, with the counts, and not at every frame.
  const durations = feed.log.peek().shown.flatMap((row) => (row.kind === 'request' ? [row.request.durationMs] : []));
  return (
    <div class="traffic-figures">
      <RateChart label="Requests of this mock" rates={points} seconds={spanOf(points.length)} />
      <Durations durations={durations} />
    </div>
  );
}

const spanOf = (seconds: number): number => SPANS.find((span) => span >= seconds) ?? RATE_SECONDS;

const EVERY_SECONDS = 10;

/** Announces misses to screen readers: the list itself is not a live region. */
export function MissesStatus({ feed }: { readonly feed: MockFeed }): JSX.Element {
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setInterval(() => {
      const missed = missedIn(feed.rates.peek(), EVERY_SECONDS);
      setText(missed === 0 ? '' : `${countText(missed, 'miss', 'misses')} in 10 s`);
    }, EVERY_SECONDS * 1_000);
    return () => clearInterval(timer);
  }, [feed]);
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}

const BAR = 12;
const HEIGHT = 64;

/** Durations of the listed requests: percentiles, and a small histogram. */
function Durations({ durations }: { readonly durations: readonly number[] }): JSX.Element | null {
  const found = durationsOf(durations);
  if (found === undefined) return null;
  const { buckets, count, p50, p95, p99, max } = found;
  const peak = Math.max(...buckets);
  return (
    <figure class="durations from-1024">
      <svg viewBox={`0 0 ${BAR * buckets.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {buckets.map((number, index) => {
          const height = number === 0 ? 0 : Math.max(2, (number / peak) * (HEIGHT - 4));
          return <rect key={index} x={index * BAR + 1} y={HEIGHT - height} width={BAR - 2} height={height} />;
        })}
      </svg>
      <figcaption>
        p50 <strong>{durationText(p50)}</strong> · p95 {durationText(p95)} · p99 {durationText(p99)} · max{' '}
        {durationText(max)}
      </figcaption>
      <Table
        class="visually-hidden"
        caption={`Durations of the ${count} requests in the list`}
        head={['Below', 'Requests']}
        rows={buckets.map((number, index) => [
          BUCKET_ENDS[index] === undefined ? 'longer' : `${numberText(BUCKET_ENDS[index])} ms`,
          number,
        ])}
      />
    </figure>
  );
}
