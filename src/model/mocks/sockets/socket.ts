/**
 * WebSocket routes and their parts. docs/mocks-streams.md, "WebSockets".
 *
 * Replies to messages, to handshakes and to ticks are chosen separately, each like the responses of a route: so each of the
 * three is a route of its own for what serves and explains, a part. Whatever a part sends is a stream of messages.
 */
import type {
  Fault,
  MockDefinition,
  MockResponse,
  MockRoute,
  MockSettings,
  SocketEvent,
  StreamEvent,
} from '../definition/definition.ts';

/** The method of WebSocket routes among those of a mock: no request can have it, since it has a space. */
export const UPGRADE_METHOD = 'WebSocket upgrade';

/** Closed so where a fault ends a socket, unless that says otherwise: an internal error of the server. */
export const FAULT_CLOSE_CODE = 1_011;

/** From this status on a response to the handshake refuses it. */
const REFUSAL_STATUS_MIN = 300;

/** The method that finds a route: its own, or that of an upgrade. */
export function routingMethod({ kind, method }: Pick<MockRoute, 'kind' | 'method'>): string {
  return kind === 'ws' ? UPGRADE_METHOD : method;
}

export function whenOf({ when = 'message' }: Pick<MockResponse, 'when'>): SocketEvent {
  return when;
}

/** Whether it answers a handshake in place of a socket. */
export function refusesHandshake({ when, status }: Pick<MockResponse, 'when' | 'status'>): boolean {
  return when === 'open' && status >= REFUSAL_STATUS_MIN;
}

/** The responses of a route to one of the three. */
export interface SocketPart {
  readonly route: MockRoute;
  /** The indexes of its responses in the whole route. */
  readonly at: readonly number[];
}

/** @returns undefined where the route answers nothing of the kind. */
export function socketPart(route: MockRoute, when: SocketEvent): SocketPart | undefined {
  const placed = [...route.responses.entries()].filter(([, response]) => whenOf(response) === when);
  if (placed.length === 0) return undefined;
  const { protocols: _protocols, compress: _compress, tickMs: _tickMs, tickTo: _tickTo, ...common } = route;
  const responses = placed.map(([, response]) => asMessages(response));
  const isFallback = responses.some((each) => each.default || each.rules.length === 0);
  return {
    route: {
      ...common,
      // Each part draws for itself.
      method: when === 'message' ? UPGRADE_METHOD : `${UPGRADE_METHOD}: ${when}`,
      responses,
      // A message that no response is for gets none.
      ...(route.selection === 'rules' && !isFallback ? { otherwise: 'next' } : {}),
    },
    at: placed.map(([index]) => index),
  };
}

/** A mock as it answers messages, handshakes or ticks: each WebSocket route is one of its parts, or disabled where it has none. */
export function definitionOfParts(definition: MockDefinition, when: SocketEvent): MockDefinition {
  const routes = definition.routes.map((route) => {
    if (route.kind !== 'ws') return route;
    return socketPart(route, when)?.route ?? { ...route, enabled: false };
  });
  return { ...definition, settings: socketSettings(definition.settings), routes };
}

/** Settings as they hold for a part. Headers that pick a response would be those of the handshake, and pick it for every message. */
export function socketSettings(settings: MockSettings): MockSettings {
  const { faults } = settings;
  return { ...settings, forced: false, ...(faults === undefined ? {} : { faults: faults.map(inMessages) }) };
}

function asMessages(response: MockResponse): MockResponse {
  if (refusesHandshake(response)) return response;
  const { body, bodyEncoding, stream, fault, silent, when } = response;
  const whole: StreamEvent = bodyEncoding === 'base64' ? { data: body, encoding: 'base64' } : { data: body };
  const isNothing = silent === true || (body === '' && stream === undefined && when === 'open');
  const events = isNothing ? [] : (stream?.events ?? [whole]);
  const repeat = stream?.repeat === undefined || isNothing ? {} : { repeat: stream.repeat };
  return {
    ...response,
    body: '',
    bodyEncoding: 'text',
    stream: { format: 'raw', events, ...repeat },
    ...(fault === undefined ? {} : { fault: inMessages(fault) }),
  };
}

const IN_MIDST: ReadonlySet<Fault['kind']> = new Set(['truncated', 'ended', 'hang', 'events']);
const converted = new WeakMap<Fault, Fault>();

/** These strike among the messages of a reply: before the first one unless it says otherwise. The same object each time. */
function inMessages(fault: Fault): Fault {
  if (!IN_MIDST.has(fault.kind) || fault.afterEvents !== undefined) return fault;
  const known = converted.get(fault) ?? { ...fault, afterEvents: 0 };
  converted.set(fault, known);
  return known;
}
