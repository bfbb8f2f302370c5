/** The WebSocket part of a record in the traffic. */
import { Type } from '../../schema-type.ts';
import type { Value } from '../../schema-value.ts';

/** Their order is that of the bits in records: 1 and the index. */
export const MESSAGE_DIRECTIONS = ['in', 'out'] as const;
export type MessageDirection = (typeof MESSAGE_DIRECTIONS)[number];

/** By the code of the frame (RFC 6455, 5.2), which stands in place of a status. */
const TYPES = new Map([
  [1, 'text'],
  [2, 'binary'],
  [8, 'close'],
] as const);
export type MessageType = 'text' | 'binary' | 'close';

export function codeOfType(type: MessageType): number {
  return type === 'text' ? 1 : type === 'binary' ? 2 : 8;
}

export function typeOfCode(code: number): MessageType {
  return TYPES.get(code as 1) ?? 'text';
}

export const messageOutcomeSchema = Type.Object(
  {
    direction: Type.Enum(MESSAGE_DIRECTIONS, { description: 'Whether the client or the mock sent the message.' }),
    type: Type.Enum(['text', 'binary', 'close'], {
      description: 'Kind of the message. The body of a close is its code and reason.',
    }),
    requestId: Type.String({ description: 'Id of the handshake of the socket, in the traffic of the mock.' }),
  },
  {
    description: 'Present when the record is a WebSocket message. Path, query and headers are those of the handshake.',
  },
);

export interface MessageOutcome extends Value<typeof messageOutcomeSchema> {}

/** Which records a reader wants: requests alone when nothing is asked. */
export const MESSAGE_CHOICES = [...MESSAGE_DIRECTIONS, 'any', 'also'] as const;
