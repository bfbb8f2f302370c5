/** Durations of the shown requests: percentiles, and a small histogram. */
import type { JSX } from 'preact';
import { BUCKET_ENDS, durationsOf, durationText } from './durations.ts';

const BAR = 12;
const HEIGHT = 64;

export function DurationsLine({ durations }: { readonly durations: readonly number[] }): JSX.Element {
  const found = durationsOf(durations);
  if (found === undefined) {
    return (
      <figure class="durations">
        <svg aria-hidden="true" />
        <figcaption>No durations yet</figcaption>
      </figure>
    );
  }
  const { buckets, count, p50, p95, p99, max } = found;
  const peak = Math.max(...buckets);
  return (
    <figure class="durations">
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
      <table class="visually-hidden">
        <caption>Durations of the {count} requests in the list</caption>
        <thead>
          <tr>
            <th scope="col">Below</th>
            <th scope="col">Requests</th>
          </tr>
        </thead>
        <tbody>
          {buckets.map((number, index) => (
            <tr key={index}>
              <th scope="row">
                {BUCKET_ENDS[index] === undefined ? 'longer' : `${BUCKET_ENDS[index].toLocaleString('en')} ms`}
              </th>
              <td>{number}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
