/** Members of routes and responses of WebSockets. What their schemas cannot express is in socket-checks.ts. docs/mocks.md, "WebSockets". */
import {
  LATENCY_MS_MAX,
  MOCK_SOCKET_PROTOCOLS_MAX,
  MOCK_SOCKET_REASON_BYTES_MAX,
  MOCK_SOCKET_TICK_MS_MIN,
} from '../../../limits.ts';
import { Type } from '../../schema-type.ts';
import { EXPECTED } from '../../validate.ts';
import { SOCKET_EVENTS, SOCKET_RECEIVERS } from '../definition/definition.ts';

/** Codes that an endpoint may send (RFC 6455, 7.4). */
const CODES = [
  [1_000, 1_003],
  [1_007, 1_014],
  [3_000, 4_999],
] as const;

export function isCloseCode(code: number): boolean {
  return CODES.some(([least, most]) => code >= least && code <= most);
}

export const closeCodeShape = Type.Integer({
  anyOf: CODES.map(([minimum, maximum]) => ({ minimum, maximum })),
  [EXPECTED]: 'a code that may be sent: 1000 to 1003, 1007 to 1014, or 3000 to 4999',
});

export const socketCloseShape = Type.Object(
  {
    code: Type.Optional({ ...closeCodeShape, default: 1_000 }),
    reason: Type.Optional(Type.String({ default: '', maxLength: MOCK_SOCKET_REASON_BYTES_MAX })),
  },
  { additionalProperties: false, title: 'Close of a WebSocket' },
);

export const socketResponseMembers = {
  when: Type.Optional(
    Type.Enum([...SOCKET_EVENTS], {
      default: 'message',
      description:
        'Of a WebSocket route: whether it answers a message, a handshake, or each `tickMs`. With `open`, a `status` of 300 or above refuses the handshake.',
    }),
  ),
  to: Type.Optional(
    Type.Enum([...SOCKET_RECEIVERS], {
      default: 'sender',
      description: 'Of a WebSocket route: which open sockets of the route get it.',
    }),
  ),
  close: Type.Optional({
    ...socketCloseShape,
    description: 'Of a WebSocket route: closes the socket after the reply.',
  }),
  silent: Type.Optional(Type.Boolean({ default: false, description: 'Of a WebSocket route: sends nothing.' })),
};

export const socketRouteMembers = {
  kind: Type.Optional(
    Type.Enum(['ws', 'crud'], {
      description:
        '`ws`: WebSocket handshakes, and the messages on its sockets. Its method is `GET`; ordinary requests go to other routes. `crud`: lists, reads and changes the items of `store` at the path and below it.',
    }),
  ),
  protocols: Type.Optional(
    Type.Array(
      Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", [EXPECTED]: 'the name of a subprotocol' }),
      {
        minItems: 1,
        maxItems: MOCK_SOCKET_PROTOCOLS_MAX,
        description:
          'Of `ws`: the first that the client offers is agreed on, or none; without these the first that it offers.',
      },
    ),
  ),
  compress: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Of `ws`: whether messages are compressed where the client offers it.',
    }),
  ),
  tickMs: Type.Optional(
    Type.Integer({
      minimum: MOCK_SOCKET_TICK_MS_MIN,
      maximum: LATENCY_MS_MAX,
      description: 'Of `ws`: how often one of the responses to ticks is sent.',
    }),
  ),
  tickTo: Type.Optional(
    Type.Enum(['each', 'all'], {
      default: 'each',
      description:
        'Of `ws`: whether each socket has ticks of its own, or all sockets of the route get the same message at once.',
    }),
  ),
};
