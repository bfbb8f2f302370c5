/** Members of routes and responses of WebSockets. What their schemas cannot express is in socket-checks.ts. docs/mocks-streams.md, "WebSockets". */
import {
  LATENCY_MS_MAX,
  MOCK_SOCKET_PROTOCOLS_MAX,
  MOCK_SOCKET_REASON_BYTES_MAX,
  MOCK_SOCKET_TICK_MS_MIN,
} from '../../../limits.ts';
import { Type, EXPECTED } from '../../schema-type.ts';

/** Events that a response of a WebSocket route answers. */
export const SOCKET_EVENTS = ['message', 'open', 'tick'] as const;

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
  when: Type.Implicit(
    Type.Enum(SOCKET_EVENTS, {
      default: 'message',
      description:
        'For WebSocket routes: answers messages, handshakes (`open`) or every `tickMs`. With `open`, a `status` of 300 or above refuses the handshake.',
    }),
  ),
  to: Type.Implicit(
    Type.Enum(['sender', 'all', 'others'], {
      default: 'sender',
      description: 'For WebSocket routes: which open sockets of the route receive it.',
    }),
  ),
  close: Type.Optional({
    ...socketCloseShape,
    description: 'For WebSocket routes: closes the socket after the reply.',
  }),
  silent: Type.Implicit(Type.Boolean({ default: false, description: 'For WebSocket routes: sends nothing.' })),
};

export const socketRouteMembers = {
  kind: Type.Optional(
    Type.Enum(['ws', 'crud'], {
      description:
        '`ws`: answers WebSocket handshakes and messages. Its method is `GET`; ordinary requests go to other routes. `crud`: lists, reads and changes the items of `store` at the path and below it.',
    }),
  ),
  protocols: Type.Optional(
    Type.Array(
      Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", [EXPECTED]: 'the name of a subprotocol' }),
      {
        minItems: 1,
        maxItems: MOCK_SOCKET_PROTOCOLS_MAX,
        description: 'For `ws`: accepted subprotocols. The first one that the client offers is chosen; by default any.',
      },
    ),
  ),
  compress: Type.Implicit(
    Type.Boolean({
      default: false,
      description: 'For `ws`: compresses messages if the client offers it.',
    }),
  ),
  tickMs: Type.Optional(
    Type.Integer({
      minimum: MOCK_SOCKET_TICK_MS_MIN,
      maximum: LATENCY_MS_MAX,
      description: 'For `ws`: interval at which a tick response is sent.',
    }),
  ),
  tickTo: Type.Implicit(
    Type.Enum(['each', 'all'], {
      default: 'each',
      description:
        'For `ws`: whether each socket has its own ticks, or all sockets of the route receive the same message.',
    }),
  ),
};
