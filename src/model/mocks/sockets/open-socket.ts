/** Open WebSockets: what is listed of them, and what is sent to them. docs/mocks.md, "WebSockets". */
import type { Static } from 'typebox';
import { LATENCY_MS_MAX, MOCK_STREAM_EVENTS_MAX, VERIFY_MS_MAX } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';
import { OPEN_STREAMS_LISTED_MAX } from '../streams/open-stream.ts';
import { socketCloseShape } from './socket-schema.ts';

const openSocketSchema = Type.Object({
  id: Type.String(),
  requestId: Type.String({ description: 'Of its handshake, in the traffic.' }),
  session: Type.Optional(Type.String({ description: 'Of which session; absent outside of sessions.' })),
  routeId: Type.String(),
  path: Type.String({ description: 'Of its handshake.' }),
  protocol: Type.String({ description: 'The subprotocol that was agreed on; empty without one.' }),
  openedAt: Type.Integer({ description: 'In milliseconds since the Unix epoch.' }),
  received: Type.Integer({ description: 'Messages of the client so far.' }),
  sent: Type.Integer({ description: 'Messages to the client so far.' }),
  waitingBytes: Type.Integer({ description: 'What waits for its reader, which is slower than what it is sent.' }),
});
export type OpenSocketRecord = Static<typeof openSocketSchema>;

export const openSocketsSchema = Type.Object({
  data: Type.Array(openSocketSchema, { description: `Newest first; at most ${OPEN_STREAMS_LISTED_MAX}.` }),
  total: Type.Integer({ description: 'How many are open.' }),
});

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description }));

const socketMessageShape = Type.Object(
  {
    data: Type.String({ description: 'A text, or base64 where `encoding` says so.' }),
    encoding: Type.Optional(
      Type.Enum(['text', 'base64'], { default: 'text', description: '`base64`: sent as a binary message.' }),
    ),
  },
  { additionalProperties: false, title: 'Message of a WebSocket' },
);

export const socketPushSchema = Type.Object(
  {
    routeId: text('Only sockets of this route.'),
    path: text('Only sockets whose handshake had this path.'),
    socketId: text('Only this socket.'),
    messages: Type.Optional(
      Type.Array(socketMessageShape, { maxItems: MOCK_STREAM_EVENTS_MAX, description: 'Sent at once, in this order.' }),
    ),
    close: Type.Optional({ ...socketCloseShape, description: 'Closes the sockets after the messages.' }),
    atLeast: Type.Optional(
      Type.Integer({
        default: 0,
        minimum: 0,
        maximum: LATENCY_MS_MAX,
        description: 'Waits until so many such sockets are open, at most `withinMs`.',
      }),
    ),
    withinMs: Type.Optional(Type.Integer({ default: 0, minimum: 0, maximum: VERIFY_MS_MAX })),
  },
  { additionalProperties: false, title: 'Push to WebSockets' },
);
export type SocketPushInput = Static<typeof socketPushSchema>;

export const socketsPushedSchema = Type.Object({
  delivered: Type.Integer({ description: 'Sockets that have taken all of it.' }),
  sockets: Type.Integer({ description: 'Sockets that were open and are asked for.' }),
});
export type SocketsPushed = Static<typeof socketsPushedSchema>;
