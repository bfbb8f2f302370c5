/** Weaves the stream of a response into it: what thread/streams carries out, in place of a body. Faults in its midst: faults.ts. */
import { NO_STATUS, otherStatusesOf, STREAM_OVER } from '../../../model/mocks/behaviour/fault-statuses.ts';
import type { MockAnswer, RenderProblem } from '../request/mock-request.ts';
import type { CountedResponse } from './placed-response.ts';
import type { RequestView } from '../request/request-view.ts';
import { compileStream } from '../streams/compile-stream.ts';
import { STREAM_BEGIN, type CompiledStream, type StreamPlace } from '../streams/compiled-stream.ts';
import { resumedAt, StreamScript } from '../streams/stream-script.ts';
import type { StreamToSend } from '../streams/stream-plan.ts';
import type { PreparedResponse } from './compiled-mock.ts';
import { gone, replaced } from './faults.ts';

/** @returns The same response where it has no stream. */
export function withStream(prepared: PreparedResponse, placed: CountedResponse): PreparedResponse {
  const { response, settings, route, otherPlace: firstOtherPlace } = placed;
  const compiled = compileStream(placed);
  if (compiled === undefined) return prepared;
  const { stream, uses } = compiled;
  const others = otherStatusesOf(settings, route, response) ?? [];
  const [noPlace, overPlace] = [NO_STATUS, STREAM_OVER].map((status) => firstOtherPlace + others.indexOf(status));
  const answer = (view: RequestView): MockAnswer | RenderProblem => {
    const whole = prepared.answer(view);
    if (whole.problem !== undefined) return whole;
    const from = placeOf(stream, view);
    if (from === 'over') {
      const head = typeof whole.head === 'string' ? whole.head : Buffer.from(whole.head).toString();
      return replaced(whole, {
        status: STREAM_OVER,
        otherPlace: overPlace as number,
        head: head.replace(/^[^\r]*/, '204 No Content'),
      });
    }
    const refused = gone(whole, 'empty', noPlace as number);
    return replaced(whole, { plan: { kind: 'stream', stream: toSend(stream, view, from), fault: undefined, refused } });
  };
  return {
    id: prepared.id,
    place: prepared.place,
    readsBody: prepared.readsBody || uses.readsBody,
    readsNumber: prepared.readsNumber || uses.readsNumber,
    readsIp: prepared.readsIp || uses.readsIp,
    usesStores: prepared.usesStores,
    draws: prepared.draws || uses.draws,
    fixed: undefined,
    answer,
  };
}

function toSend(stream: CompiledStream, view: RequestView, from: StreamPlace): StreamToSend {
  const { format, staysOpen, keepAliveMs, channel, faultEvents: events } = stream;
  return {
    format,
    staysOpen,
    keepAliveMs,
    channel,
    begin: () => new StreamScript(stream, view, from),
    beginFault: (since) =>
      new StreamScript({ format, events, repeat: 1, numbersEvents: false }, view, STREAM_BEGIN, since),
    requestBody: view.request.body,
    keepBody: (copy) => view.keepBody(copy),
  };
}

/** Finds the place at which a request continues its stream: it names the last event that it got. */
export function placeOf(stream: CompiledStream, view: RequestView): StreamPlace | 'over' {
  if (!stream.resumes) return STREAM_BEGIN;
  const lastId = view.header('last-event-id') ?? view.queryValues('lastEventId')[0];
  if (lastId === undefined || lastId === '') return STREAM_BEGIN;
  const place = resumedAt(stream, view, lastId);
  // What was too much has it begin anew: it is answered nevertheless.
  view.work = Math.max(0, view.work);
  if (place === 'over') return stream.staysOpen ? { ...STREAM_BEGIN, run: Infinity } : 'over';
  return place;
}
