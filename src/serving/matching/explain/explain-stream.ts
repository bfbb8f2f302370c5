/** The events that a stream would send, for explain.ts: the same script as it is served by, without waiting. */
import { STREAM_OVER } from '../../../model/mocks/behaviour/fault-statuses.ts';
import type { PlacedResponse } from '../compile/placed-response.ts';
import { placeOf } from '../compile/with-stream.ts';
import type { RequestView } from '../request/request-view.ts';
import { compileStream } from '../streams/compile-stream.ts';
import { StreamScript } from '../streams/stream-script.ts';

/** Events that are shown, and steps of the script that are taken for them: lists may have no items. */
export const EVENTS_SHOWN_MAX = 100;
const STEPS_MAX = 1_000;

export interface StreamShown {
  /** Another than that of the response, where the client has got all events. */
  readonly status?: number;
  /** The first ones, with milliseconds since the head. */
  readonly events?: readonly { readonly atMs: number; readonly text: string; readonly encoding?: 'base64' }[];
  /** Why no further event can be rendered. */
  readonly eventsProblem?: string;
}

/** @returns Nothing without a stream. */
export function explainStream(placed: PlacedResponse, view: RequestView): StreamShown {
  const compiled = compileStream(placed);
  if (compiled === undefined) return {};
  const from = placeOf(compiled.stream, view);
  if (from === 'over') return { status: STREAM_OVER };
  const script = new StreamScript(compiled.stream, view, from);
  const events = [];
  for (let step = 0; step < STEPS_MAX && events.length < EVENTS_SHOWN_MAX; step++) {
    const { dueMs } = script;
    if (dueMs === undefined) break;
    const event = script.next();
    if (typeof event === 'string') events.push({ atMs: dueMs, text: event });
    else if (event !== undefined)
      events.push({ atMs: dueMs, text: event.toString('base64'), encoding: 'base64' as const });
  }
  return { events, ...(script.problem === undefined ? {} : { eventsProblem: script.problem }) };
}
