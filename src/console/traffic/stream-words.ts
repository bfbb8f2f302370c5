/** Outcomes of streams in words. Pure. */
import type { StreamEnd, StreamOutcome } from '../../model/mocks/streams/stream-record.ts';
import { choices, countText } from '../parts/words.ts';
import { durationText } from './durations.ts';

const ENDS: Readonly<Record<StreamEnd, string>> = {
  script: 'completed',
  client: 'ended by the client',
  fault: 'ended by its fault',
  push: 'ended manually or by a push',
  slowReader: 'cut: the client read too slowly',
  stop: 'ended when the mock, session or server stopped',
  problem: 'cut: an event could not be rendered',
};

/** Shorter, for a filter; "" for any request. */
export const STREAM_END_CHOICES = choices<StreamEnd | ''>({
  '': 'Stream outcome: any',
  script: 'completed',
  client: 'ended by the client',
  fault: 'ended by its fault',
  push: 'ended by a push',
  stop: 'ended by a stop',
  slowReader: 'cut: slow client',
  problem: 'cut: failed event',
});

/** "stream of 3 events, 120 bytes, in 1.2 s; ended by the client" */
export function streamWords({ events, bytes, ms, ended }: StreamOutcome): string {
  const sent = `stream of ${countText(events, 'event')}, ${countText(bytes, 'byte')}, in ${durationText(ms)}`;
  return `${sent}; ${ended === null ? 'still open' : ENDS[ended]}`;
}
