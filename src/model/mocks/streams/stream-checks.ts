/** Checks of streams that their schema cannot express, and warnings of likely mistakes. docs/mocks-streams.md, "Streams". */
import { BASE64 } from '../../../base/base64.ts';
import { MOCK_STREAM_RUN_MS_MIN } from '../../../limits.ts';
import { templateProblem } from '../../../languages/templates/template-checks.ts';
import { checkLatency, type Report } from '../behaviour/behaviour-checks.ts';
import type { Fault, MockResponse, MockRoute, MockStream, StreamEvent } from '../definition/definition.ts';
import { eventsOf, eventTexts } from './stream.ts';
import type { Latency } from '../behaviour/latency-schema.ts';
import { STREAM_DEFAULTS } from './stream-schema.ts';

/** Undefined where it is not known yet. */
type Templated = MockResponse['templated'] | undefined;
type Format = NonNullable<MockStream['format']>;

/**
 * @param isPart Whether it is merged into responses that may have a stream. @param isSocket Whether its events are messages of a
 * WebSocket, as its body is.
 */
export function checkStream(response: MockResponse, isPart: boolean, report: Report, isSocket = false): void {
  const { status, body, delivery, proxy, stream, fault } = response;
  const templated = isPart ? undefined : response.templated;
  if (stream === undefined) {
    if (!isPart && !isSocket) checkStreamless(fault, report);
    if (fault?.events !== undefined)
      checkEvents(fault.events, isSocket ? 'raw' : undefined, templated, '/fault/events', report);
    return;
  }
  if (body !== '') report('/body', 'cannot be combined with stream, whose events are the body');
  if (delivery !== undefined) report('/delivery', 'cannot be combined with stream, whose events have their own delays');
  if (proxy !== undefined)
    report('/stream', 'cannot be combined with proxy, which returns the response of the upstream');
  if (status === 204 || status === 304)
    report('/stream', `needs a body, and a response with the status ${status} has none`);
  if (fault?.kind === 'malformedChunk' && !isSocket)
    report('/fault/kind', 'malformedChunk needs a body that is sent as a whole');
  const { format = isSocket ? 'raw' : STREAM_DEFAULTS.format, events, repeat } = stream;
  if (format !== 'sse' && !isSocket) {
    for (const name of ['keepAliveMs', 'ids', 'resume'] as const)
      if (stream[name] !== undefined) report(`/stream/${name}`, 'is only for the format sse');
  }
  checkEvents(events, format, templated, '/stream/events', report);
  if (fault?.events !== undefined) checkEvents(fault.events, format, templated, '/fault/events', report);
  if (repeat === 'forever' && meanRunMs(events) < MOCK_STREAM_RUN_MS_MIN)
    report('/stream/repeat', `forever needs an average of at least ${MOCK_STREAM_RUN_MS_MIN} ms of delays per run`);
}

function checkStreamless(fault: Fault | undefined, report: Report): void {
  if (fault === undefined) return;
  if (fault.kind === 'ended' || fault.kind === 'events') report('/fault/kind', `${fault.kind} needs a stream`);
  else if (fault.afterEvents !== undefined) report('/fault/afterEvents', 'needs a stream');
}

/** @param format undefined where it is not known yet. */
export function checkEvents(
  events: readonly StreamEvent[],
  format: Format | undefined,
  templated: Templated,
  at: string,
  report: Report,
): void {
  for (const [index, event] of events.entries()) {
    checkEvent(event, format, templated, (path, problem) => report(`${at}/${index}${path}`, problem));
  }
}

function checkEvent(event: StreamEvent, format: Format | undefined, templated: Templated, report: Report): void {
  const { data, encoding, forEach, delay } = event;
  if (format !== 'raw' && format !== undefined && encoding !== undefined)
    report('/encoding', 'is only for the format raw');
  if (format === 'ndjson' || format === 'raw') {
    for (const name of ['event', 'id', 'retry', 'comment'] as const)
      if (event[name] !== undefined) report(`/${name}`, 'is only for the format sse');
    if (data === undefined) report('/data', 'is required');
  } else if (data === undefined && Object.keys(event).every((name) => name === 'delay' || name === 'forEach')) {
    report('', 'must have data, a comment, an event, an id or a retry');
  }
  if (encoding === 'base64' && data !== undefined && !BASE64.test(data)) report('/data', 'is not base64');
  for (const name of ['event', 'id', 'comment'] as const) {
    const problem = lineProblem(name, event[name]);
    if (problem !== undefined) report(`/${name}`, problem);
  }
  if (format === 'ndjson' && data !== undefined) {
    const problem = ndjsonProblem(data, templated !== false);
    if (problem !== undefined) report('/data', problem);
  }
  if (delay !== undefined) checkLatency(delay, (path, problem) => report(`/delay${path}`, problem));
  if (templated === undefined) return;
  if (templated === false) {
    if (forEach !== undefined) report('/forEach', 'needs a response that is templated');
    return;
  }
  for (const { text, scope, name, isData } of eventTexts(event)) {
    const isJson = isData && templated === 'json' && text.includes('{{');
    const problem = templateProblem(text, isJson ? 'json' : 'text', scope);
    if (problem !== undefined) report(`/${name}`, problem);
  }
}

/** Beyond it a client would read other fields, or ignore the id. */
function lineProblem(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/[\r\n]/.test(text)) return 'must be one line';
  return name === 'id' && text.includes('\0') ? 'must not contain NUL: clients ignore such an id' : undefined;
}

function ndjsonProblem(data: string, isTemplate: boolean): string | undefined {
  if (isTemplate && data.includes('{{')) return undefined;
  if (/[\r\n]/.test(data)) return 'must be one line';
  try {
    JSON.parse(data);
    return undefined;
  } catch {
    return 'must be JSON';
  }
}

/** The mean delay of a run of the events; those with `forEach` count once. */
function meanRunMs(events: readonly StreamEvent[]): number {
  return events.reduce((sum, { delay = 0 }) => sum + meanMs(delay), 0);
}

function meanMs(latency: Latency): number {
  if (typeof latency === 'number') return latency;
  // The mean of a lognormal one is above its median.
  if ('median' in latency) return Math.min(latency.median, latency.max ?? Infinity);
  if ('mean' in latency) return Math.min(Math.max(latency.mean, latency.min ?? 0), latency.max ?? Infinity);
  return (latency.min + latency.max) / 2;
}

/** UTF-8 bytes of the texts of all its events. */
export function streamBytes(response: Pick<MockResponse, 'stream' | 'fault'>): number {
  return eventsOf(response).reduce(
    (sum, event) => sum + eventTexts(event).reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0),
    0,
  );
}

/** Each completes a sentence that begins with the response. */
export function streamWarnings({ responses }: MockRoute, response: MockResponse): string[] {
  const { stream, fault, templated } = response;
  if (stream === undefined) return [];
  const { events, resume = STREAM_DEFAULTS.resume, repeat = STREAM_DEFAULTS.repeat, ids } = stream;
  const channel = channelOf(response);
  const sent =
    repeat === 'forever' || events.some(({ forEach }) => forEach !== undefined) ? Infinity : repeat * events.length;
  const hasTemplatedId = templated !== false && events.some(({ id = '' }) => id.includes('{{'));
  return [
    ...(resume && hasTemplatedId && ids === undefined
      ? ['has a stream with templated ids: a client that reconnects gets it from the start']
      : []),
    ...(fault?.afterEvents !== undefined && stream.end !== 'open' && fault.afterEvents > sent
      ? [`has a fault after ${fault.afterEvents} events, but its stream has ${sent}: the fault never strikes`]
      : []),
    ...(channel !== '' && responses.some((other) => other !== response && channelOf(other) === channel)
      ? [`shares the channel ${JSON.stringify(channel)} with another stream of its route: pushes reach both`]
      : []),
  ];
}

/** Name of its stream for pushes; "" without a stream or a name. */
function channelOf({ stream, label }: MockResponse): string {
  return stream === undefined ? '' : (stream.channel ?? label);
}
