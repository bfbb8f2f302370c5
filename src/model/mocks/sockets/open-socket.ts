/** Open WebSockets: what is listed of them, and what is sent to them. docs/mocks-streams.md, "WebSockets". */
import type { Static } from 'typebox';
import { LATENCY_MS_MAX, MOCK_STREAM_EVENTS_MAX, VERIFY_MS_MAX } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';
import { OPEN_STREAMS_LISTED_MAX } from '../streams/open-stream.ts';
import { socketCloseShape } from './socket-schema.ts';

const openSocketSchema = Type.Object({
  id: Type.String(),
  requestId: Type.String({ description: 'Id of the handshake, in the traffic.' }),
  session: Type.Optional(Type.String({ description: 'Id of the session; absent without a session.' })),
  routeId: Type.String(),
  path: Type.String({ description: 'Path of the handshake.' }),
  protocol: Type.String({ description: 'The negotiated subprotocol; empty without one.' }),
  openedAt: Type.Integer({ description: 'In milliseconds since the Unix epoch.' }),
  received: Type.Integer({ description: 'Messages received from the client.' }),
  sent: Type.Integer({ description: 'Messages sent to the client.' }),
  waitingBytes: Type.Integer({ description: 'Bytes buffered because the client reads too slowly.' }),
});
export type OpenSocketRecord = Static<typeof openSocketSchema>;

export const openSocketsSchema = Type.Object({
  data: Type.Array(openSocketSchema, { description: `Newest first; at most ${OPEN_STREAMS_LISTED_MAX}.` }),
  total: Type.Integer({ description: 'Count of open sockets.' }),
});

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description }));

const socketMessageShape = Type.Object(
  {
    data: Type.String({ description: 'Text, or base64 with `encoding`.' }),
    encoding: Type.Optional(
      Type.Enum(['text', 'base64'], { default: 'text', description: '`base64`: sent as a binary message.' }),
    ),
  },
  { additionalProperties: false, title: 'Message of a WebSocket' },
);

export const socketPushSchema = Type.Object(
  {
    routeId: text('Only sockets of this route.'),
    path: text('Only sockets with this handshake path.'),
    socketId: text('Only this socket.'),
    messages: Type.Optional(
      Type.Array(socketMessageShape, {
        maxItems: MOCK_STREAM_EVENTS_MAX,
        description: 'Messages to send at once, in this order.',
      }),
    ),
    close: Type.Optional({ ...socketCloseShape, description: 'Closes the sockets after the messages.' }),
    atLeast: Type.Optional(
      Type.Integer({
        default: 0,
        minimum: 0,
        maximum: LATENCY_MS_MAX,
        description: 'Waits until this many matching sockets are open, at most `withinMs`.',
      }),
    ),
    withinMs: Type.Optional(Type.Integer({ default: 0, minimum: 0, maximum: VERIFY_MS_MAX })),
  },
  { additionalProperties: false, title: 'Push to WebSockets' },
);
export type SocketPushInput = Static<typeof socketPushSchema>;

export const socketsPushedSchema = Type.Object({
  delivered: Type.Integer({ description: 'Sockets that received everything.' }),
  sockets: Type.Integer({ description: 'Matching open sockets.' }),
});
export type SocketsPushed = Static<typeof socketsPushedSchema>;
