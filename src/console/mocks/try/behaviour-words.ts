/** Faults, delivery, limits, scenarios and GraphQL in words. */
import type { GraphqlReading } from '../../../model/mocks/definition/body-reading.ts';
import type {
  Fault,
  FaultKind,
  RateLimit,
  Scenario,
  ScenarioStep,
} from '../../../model/mocks/definition/definition.ts';
import type { Delivery } from '../../../model/mocks/behaviour/behaviour-schema.ts';

/** Effects of faults on a client. */
export const FAULT_WORDS: Readonly<Record<FaultKind, string>> = {
  empty: 'the connection is closed without an answer',
  reset: 'the connection is reset',
  hang: 'no answer',
  truncated: 'the body is truncated',
  malformedChunk: 'a chunk has an invalid size',
  garbage: 'invalid HTTP',
  status: 'another status',
  ended: 'the stream ends early, as if complete',
  events: 'other events, then the end',
};

/** "reset (the connection is closed, as by empty), with a probability of 0.2, for the first 2 requests" */
export function faultWords(fault: Fault): string {
  const { kind, probability, first, after, status, retryAfter, bytes, ms, body, afterEvents, events } = fault;
  return [
    `${kind} (${FAULT_WORDS[kind]})`,
    status !== undefined && `status ${status}`,
    body !== undefined && `body ${JSON.stringify(body)}`,
    retryAfter !== undefined && `retry after ${retryAfter} s`,
    bytes !== undefined && `after ${bytes} bytes`,
    afterEvents !== undefined && `after ${afterEvents} events`,
    events !== undefined && `${events.length} events instead`,
    ms !== undefined && `closed after ${ms} ms`,
    probability !== undefined && `with a probability of ${probability}`,
    first !== undefined && `for the first ${first} requests`,
    after !== undefined && `not for the first ${after} requests`,
  ]
    .filter((words) => words !== false)
    .join(', ');
}

export function deliveryWords(delivery: Delivery): string {
  if ('chunks' in delivery) return `in ${delivery.chunks} chunks over ${delivery.overMs} ms`;
  if ('bytesPerSecond' in delivery) return `${delivery.bytesPerSecond} bytes per second`;
  return `the body ${delivery.firstByteMs} ms after the headers`;
}

export function rateLimitWords({ requests, perMs, burst, by, status, body }: RateLimit): string {
  return [
    `${requests} requests per ${perMs} ms`,
    burst !== undefined && `${burst} at once`,
    by !== undefined && `by ${by}`,
    status !== undefined && `refused with ${status}`,
    body !== undefined && `body ${JSON.stringify(body)}`,
  ]
    .filter((words) => words !== false)
    .join(', ');
}

/** "order: new, paid; begins as new" */
export const scenarioWords = ({ name, states, initial }: Scenario): string =>
  `${name}: ${states.join(', ')}; initially ${initial ?? states[0]}`;

/** "order: answers in new, moves to paid" */
export function stepWords({ name, requires, moveTo }: ScenarioStep): string {
  const where = requires === undefined ? 'every state' : [requires].flat().join(', ');
  return `${name}: answers in ${where}${moveTo === undefined ? '' : `, moves to ${moveTo}`}`;
}

/** "GraphQL: mutation AddItem; fields addItem; variables {"id":"1"}" */
export function graphqlWords(reading: GraphqlReading | null): string {
  if (reading === null) return 'Not a GraphQL request';
  const { type, operation, fields = [], variables, hash, batch, problem } = reading;
  const parts = [
    problem ?? [type, operation].filter((word) => word !== undefined).join(' '),
    fields.length === 0 ? '' : `fields ${fields.join(', ')}`,
    variables === undefined ? '' : `variables ${variables}`,
    hash === undefined ? '' : `persisted query ${hash}`,
    batch === undefined ? '' : `the first of ${batch} requests`,
  ];
  return `GraphQL: ${parts.filter((part) => part !== '').join('; ')}`;
}
