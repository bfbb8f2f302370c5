/** Open WebSockets of a mock, or of one of its sessions: listed, sent to, closed. docs/mocks-streams.md, "WebSockets". */
import { BASE64 } from '../../../base/base64.ts';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX, MOCK_SOCKET_REASON_BYTES_MAX } from '../../../limits.ts';
import {
  openSocketsSchema,
  socketPushSchema,
  socketsPushedSchema,
  type SocketPushInput,
} from '../../../model/mocks/sockets/open-socket.ts';
import { isCloseCode } from '../../../model/mocks/sockets/socket-schema.ts';
import { Type } from '../../../model/schema-type.ts';
import { checkedBody } from '../../checked-reader.ts';
import type { Endpoint } from '../../endpoint.ts';
import { readDeclaredQuery, unexpected } from '../declared-query.ts';
import { openConnectionsApi, type MockStreams } from './open-connections.ts';
import type { TrafficScope } from './traffic/traffic-scope.ts';

const closeQuerySchema = Type.Object({
  code: Type.Optional(Type.Integer({ default: 1_000, description: 'Code of the close frame.' })),
  cut: Type.Optional(
    Type.Enum(['true', 'false'], { default: 'false', description: 'Closes the connection without a close frame.' }),
  ),
});

export function mockSocketsApi(
  scopes: readonly TrafficScope[],
  bodyBytesMax: number,
  dataPlane: MockStreams,
): Endpoint[] {
  return scopes.flatMap((scope) => scopedSocketsApi(scope, bodyBytesMax, dataPlane));
}

function scopedSocketsApi(scope: TrafficScope, bytesMax: number, dataPlane: MockStreams): Endpoint[] {
  const examples = {
    Push: { path: '/prices', messages: [{ data: '{"price": 101}' }] },
  };
  const body = checkedBody(socketPushSchema, 'mockPayloadInvalid', bytesMax, examples, refusePush);
  return openConnectionsApi<SocketPushInput>(scope, dataPlane, {
    sockets: true,
    segment: 'ws',
    names: { one: 'Socket', many: 'Sockets', parameter: 'socketId', text: 'WebSockets' },
    what: 'messages',
    end: { verb: 'Close', done: 'WebSocket closed successfully', query: closeQuerySchema },
    listSchema: openSocketsSchema,
    pushedSchema: socketsPushedSchema,
    notFound: 'socketNotFound',
    body,
    pushOf: ({ messages, close, socketId, atLeast, withinMs, ...only }) => ({
      of: { ...only, ...(socketId === undefined ? {} : { streamId: socketId }) },
      action: {
        ...(messages === undefined ? {} : { events: messages }),
        ...(close === undefined ? {} : { end: 'close' as const, close }),
      },
      atLeast,
      withinMs,
    }),
    pushed: ({ delivered, streams: sockets }) => ({ delivered, sockets }),
    readEnd(query) {
      const asked = readClose(query);
      if (isRefusal(asked)) return asked;
      return asked === 'cut' ? { end: 'cut' } : { end: 'close', close: asked };
    },
  });
}

function readClose(query: string): { readonly code: number } | 'cut' | Refusal {
  const given = readDeclaredQuery(query, closeQuerySchema);
  if (isRefusal(given)) return given;
  const { code = 1_000, cut } = given;
  if (!isCloseCode(code))
    return refuse('badRequest', [unexpected('code', '1000 to 1003, 1007 to 1014, or 3000 to 4999', `${code}`)]);
  return cut === 'true' ? 'cut' : { code };
}

function refusePush({ messages = [], close }: SocketPushInput): Refusal | undefined {
  const details: { path: string; message: string }[] = [];
  for (const [index, { data, encoding }] of messages.entries()) {
    if (encoding === 'base64' && !BASE64.test(data))
      details.push({ path: `/messages/${index}/data`, message: 'is not base64' });
  }
  if (Buffer.byteLength(close?.reason ?? '') > MOCK_SOCKET_REASON_BYTES_MAX)
    details.push({ path: '/close/reason', message: `must have at most ${MOCK_SOCKET_REASON_BYTES_MAX} bytes` });
  return details.length === 0 ? undefined : refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
}
