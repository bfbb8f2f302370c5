/** Outcomes of streams in words. Pure. */
import type { StreamEnd, StreamOutcome } from '../../model/mocks/streams/stream-record.ts';
import { countText } from '../parts/words.ts';
import { durationText } from './durations.ts';

const ENDS: Readonly<Record<StreamEnd, string>> = {
  script: 'ended by its script',
  client: 'ended by the client',
  fault: 'ended by its fault',
  push: 'ended by a push, or by hand',
  slowReader: 'cut: its reader was too slow',
  stop: 'ended by a stop of the mock, the session or the server',
  problem: 'cut: an event could not be rendered',
};

/** Shorter, for a filter; "" for any request. */
export const STREAM_END_CHOICES: readonly (readonly [end: StreamEnd | '', label: string])[] = [
  ['', 'Any stream end'],
  ['script', 'ended by its script'],
  ['client', 'ended by the client'],
  ['fault', 'ended by its fault'],
  ['push', 'ended by a push'],
  ['stop', 'ended by a stop'],
  ['slowReader', 'cut: a slow reader'],
  ['problem', 'cut: a failed event'],
];

/** "stream of 3 events, 120 bytes, in 1.2 s; ended by the client" */
export function streamWords({ events, bytes, ms, ended }: StreamOutcome): string {
  const sent = `stream of ${countText(events, 'event')}, ${countText(bytes, 'byte')}, in ${durationText(ms)}`;
  return `${sent}; ${ended === null ? 'still open' : ENDS[ended]}`;
}
