/** Open streams: what is listed of them, what is pushed into them, and what is asked of the data plane. docs/mocks-streams.md, "Streams". */
import type { Static } from 'typebox';
import { LATENCY_MS_MAX, MOCK_STREAM_EVENTS_MAX, VERIFY_MS_MAX } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';
import type { SocketClose, StreamEvent } from '../definition/definition.ts';
import type { StreamEnd } from './stream-record.ts';
import { pushedEventShape } from './stream-schema.ts';

const openStreamSchema = Type.Object({
  id: Type.String(),
  requestId: Type.String({ description: 'Id of the request, in the traffic.' }),
  session: Type.Optional(Type.String({ description: 'Id of the session; absent without a session.' })),
  routeId: Type.String(),
  channel: Type.String({ description: 'The channel of the stream, or the label of its response.' }),
  openedAt: Type.Integer({ description: 'In milliseconds since the Unix epoch.' }),
  events: Type.Integer({ description: 'Events sent so far.' }),
  waitingBytes: Type.Integer({ description: 'Bytes buffered because the client reads too slowly.' }),
});
export type OpenStreamRecord = Static<typeof openStreamSchema>;

/** Streams of one answer; the others are counted. */
export const OPEN_STREAMS_LISTED_MAX = 1_000;

export const openStreamsSchema = Type.Object({
  data: Type.Array(openStreamSchema, { description: `Newest first; at most ${OPEN_STREAMS_LISTED_MAX}.` }),
  total: Type.Integer({ description: 'Count of open streams.' }),
});

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description }));

export const pushSchema = Type.Object(
  {
    channel: text('Only streams with this channel, or whose response has this label.'),
    routeId: text('Only streams of this route.'),
    streamId: text('Only this stream.'),
    events: Type.Optional(
      Type.Array(pushedEventShape, {
        maxItems: MOCK_STREAM_EVENTS_MAX,
        description: 'Events to send at once, in this order.',
      }),
    ),
    end: Type.Optional(
      Type.Enum(['close', 'cut'], {
        description: 'Ends the streams after the events: normally, or by closing the connection.',
      }),
    ),
    atLeast: Type.Optional(
      Type.Integer({
        default: 0,
        minimum: 0,
        maximum: LATENCY_MS_MAX,
        description: 'Waits until this many matching streams are open, at most `withinMs`.',
      }),
    ),
    withinMs: Type.Optional(Type.Integer({ default: 0, minimum: 0, maximum: VERIFY_MS_MAX })),
  },
  { additionalProperties: false, title: 'Push' },
);
export type PushInput = Static<typeof pushSchema>;

export const pushedSchema = Type.Object({
  delivered: Type.Integer({ description: 'Streams that received everything.' }),
  streams: Type.Integer({ description: 'Matching open streams.' }),
});
export type Pushed = Static<typeof pushedSchema>;

/** Selects open streams of a mock: those that fit every member. */
export interface StreamSelection {
  /** "" for streams outside of sessions. */
  readonly session?: string;
  readonly channel?: string;
  readonly routeId?: string;
  readonly streamId?: string;
  /** For WebSockets: the path of the handshake, and the id of one that is left out. */
  readonly path?: string;
  readonly except?: string;
}

/** Actions on the selected streams, in this order. */
export interface StreamAction {
  readonly events?: readonly StreamEvent[];
  readonly end?: 'close' | 'cut';
  /** For WebSockets: how they are closed, and the response that the events belong to. */
  readonly close?: SocketClose;
  readonly responseId?: string;
  /** Recorded cause of the end. Default: a push. */
  readonly why?: StreamEnd;
  /** Bytes of the only event that are sent of it, or null for a text that is not UTF-8. */
  readonly brokenAt?: number | null;
}

export interface StreamsQuestion {
  readonly mockId: string;
  /** Whether WebSockets are asked for, in place of streams. */
  readonly sockets?: boolean;
  readonly of: StreamSelection;
  readonly action?: StreamAction;
  /** Whether the streams themselves are asked for, beside their count. */
  readonly lists?: boolean;
}

export interface StreamsAnswer extends Pushed {
  /** Newest first. */
  readonly list: readonly OpenStreamRecord[];
}
