/** Open streams of a mock, or of one of its sessions: listed, pushed into, ended. docs/mocks-streams.md, "Streams". */
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX } from '../../../limits.ts';
import {
  openStreamsSchema,
  pushedSchema,
  pushSchema,
  type PushInput,
} from '../../../model/mocks/streams/open-stream.ts';
import { checkEvents } from '../../../model/mocks/streams/stream-checks.ts';
import { Type } from '../../../model/schema-type.ts';
import { checkedBody } from '../../checked-reader.ts';
import type { Endpoint } from '../../endpoint.ts';
import { readDeclaredQuery } from '../declared-query.ts';
import { openConnectionsApi, type MockStreams } from './open-connections.ts';
import type { TrafficScope } from './traffic/traffic-scope.ts';

const endQuerySchema = Type.Object({
  cut: Type.Optional(
    Type.Enum(['true', 'false'], { default: 'false', description: 'Closes the connection in the middle of the body.' }),
  ),
});

export function mockStreamsApi(
  scopes: readonly TrafficScope[],
  bodyBytesMax: number,
  dataPlane: MockStreams,
): Endpoint[] {
  return scopes.flatMap((scope) => scopedStreamsApi(scope, bodyBytesMax, dataPlane));
}

function scopedStreamsApi(scope: TrafficScope, bytesMax: number, dataPlane: MockStreams): Endpoint[] {
  const examples = {
    Push: { channel: 'chat', events: [{ data: 'hello' }] },
  };
  const body = checkedBody(pushSchema, 'mockPayloadInvalid', bytesMax, examples, refusePush);
  return openConnectionsApi<PushInput>(scope, dataPlane, {
    segment: 'streams',
    names: { one: 'Stream', many: 'Streams', parameter: 'streamId', text: 'streams' },
    what: 'events',
    end: { verb: 'End', done: 'Stream ended successfully', query: endQuerySchema },
    listSchema: openStreamsSchema,
    pushedSchema,
    notFound: 'streamNotFound',
    body,
    pushOf: ({ events, end, atLeast, withinMs, ...of }) => ({
      of,
      action: { ...(events === undefined ? {} : { events }), ...(end === undefined ? {} : { end }) },
      atLeast,
      withinMs,
    }),
    pushed: ({ delivered, streams }) => ({ delivered, streams }),
    readEnd(query) {
      const given = readDeclaredQuery(query, endQuerySchema);
      return isRefusal(given) ? given : { end: given.cut === 'true' ? 'cut' : 'close' };
    },
  });
}

function refusePush({ events = [] }: PushInput): Refusal | undefined {
  const details: { path: string; message: string }[] = [];
  checkEvents(events, undefined, false, '/events', (path, message) => details.push({ path, message }));
  return details.length === 0 ? undefined : refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
}
