/** Open WebSockets of a mock, or of one of its sessions: listed, sent to, closed. docs/mocks.md, "WebSockets". */
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
import type { StreamSelection } from '../../../model/mocks/streams/open-stream.ts';
import { Type } from '../../../model/schema-type.ts';
import { checkedReader } from '../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../endpoint.ts';
import { onlyValue } from '../list-query.ts';
import { pushOnceOpen, type MockStreams } from './streams.ts';
import { scopeFilter, type TrafficScope } from './traffic/traffic-scope.ts';

const closeQuerySchema = Type.Object({
  code: Type.Optional(Type.Integer({ default: 1_000, description: 'Of the close frame.' })),
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

function scopedSocketsApi(
  { kind, path, suffix, refusals, enter }: TrafficScope,
  bytesMax: number,
  dataPlane: MockStreams,
): Endpoint[] {
  const read = checkedReader(socketPushSchema, 'mockPayloadInvalid');
  const body: EndpointBody<SocketPushInput> = {
    schema: socketPushSchema,
    examples: { Push: { path: '/prices', messages: [{ data: '{"price": 101}' }] } },
    bytesMax,
    invalid: 'mockPayloadInvalid',
    read: (bytes) => {
      const asked = read(bytes);
      return isRefusal(asked) ? asked : (refusePush(asked) ?? asked);
    },
  };
  return [
    endpoint({
      method: 'GET',
      path: `${path}/ws`,
      access: 'read',
      doc: {
        operationId: `listSockets${suffix}`,
        tag: 'Traffic',
        summary: `List the open WebSockets of a ${kind}`,
        answer: openSocketsSchema,
        refusals,
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const of = scopeFilter(scoped);
          const answer = await dataPlane.streams({ mockId: scoped.mock.id, sockets: true, of, lists: true });
          if (answer === undefined) return call.refuse('overloaded');
          const json = JSON.stringify(answer.list);
          return call.answer(json.length, () => call.succeed(`"data":${json},"total":${answer.streams}`));
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${path}/ws/send`,
      access: 'write',
      doc: {
        operationId: `sendToSockets${suffix}`,
        tag: 'Traffic',
        summary: `Send messages to the open WebSockets of a ${kind}`,
        answer: Type.Object({ data: socketsPushedSchema }),
        untagged: true,
        refusals: [...refusals, 'mockPayloadInvalid'],
      },
      body,
      handle: (call, asked) =>
        enter(call, async (scoped) => {
          if (isRefusal(asked)) return call.refuse(asked);
          const { messages, close, socketId, atLeast, withinMs, ...only } = asked;
          const of: StreamSelection = { ...only, ...(socketId === undefined ? {} : { streamId: socketId }) };
          const action = {
            ...(messages === undefined ? {} : { events: messages }),
            ...(close === undefined ? {} : { end: 'close' as const, close }),
          };
          const answer = await pushOnceOpen(dataPlane, scoped, { sockets: true, of, action }, { atLeast, withinMs });
          if (answer === undefined) return call.refuse('overloaded');
          const { delivered, streams: sockets } = answer;
          return call.succeed(`"data":${JSON.stringify({ delivered, sockets })}`);
        }),
    }),
    endpoint({
      method: 'DELETE',
      path: `${path}/ws/:socketId`,
      access: 'write',
      doc: {
        operationId: `closeSocket${suffix}`,
        tag: 'Traffic',
        summary: `Close one of the open WebSockets of a ${kind}`,
        query: closeQuerySchema,
        answer: Type.Object({ message: Type.Literal('WebSocket closed successfully') }),
        untagged: true,
        refusals: [...refusals, 'socketNotFound', 'badRequest'],
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const asked = readClose(call.head.query);
          if (isRefusal(asked)) return call.refuse(asked);
          const of = { ...scopeFilter(scoped), streamId: call.params.at(-1) ?? '' };
          const action = asked === 'cut' ? { end: 'cut' as const } : { end: 'close' as const, close: asked };
          const answer = await dataPlane.streams({ mockId: scoped.mock.id, sockets: true, of, action });
          if (answer === undefined) return call.refuse('overloaded');
          return answer.streams === 0
            ? call.refuse('socketNotFound')
            : call.succeed('"message":"WebSocket closed successfully"');
        }),
    }),
  ];
}

function readClose(query: string): { readonly code: number } | 'cut' | Refusal {
  const details: { path: string; message: string }[] = [];
  const given = new URLSearchParams(query);
  const code = onlyValue(given, 'code', details) ?? '1000';
  const cut = onlyValue(given, 'cut', details);
  if (cut !== undefined && cut !== 'true' && cut !== 'false')
    details.push({ path: 'cut', message: 'expected true or false' });
  if (!/^\d{4}$/.test(code) || !isCloseCode(Number(code)))
    details.push({
      path: 'code',
      message: 'expected a code that may be sent: 1000 to 1003, 1007 to 1014, or 3000 to 4999',
    });
  if (details.length > 0) return refuse('badRequest', details);
  return cut === 'true' ? 'cut' : { code: Number(code) };
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
