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
import { checkedReader } from '../../checked-reader.ts';
import type { Endpoint, EndpointBody } from '../../endpoint.ts';
import { onlyValue } from '../list-query.ts';
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
  const read = checkedReader(pushSchema, 'mockPayloadInvalid');
  const body: EndpointBody<PushInput> = {
    schema: pushSchema,
    examples: { Push: { channel: 'chat', events: [{ data: 'hello' }] } },
    bytesMax,
    invalid: 'mockPayloadInvalid',
    read: (bytes) => {
      const asked = read(bytes);
      return isRefusal(asked) ? asked : (refusePush(asked) ?? asked);
    },
  };
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
      const cut = readCut(query);
      return isRefusal(cut) ? cut : { end: cut ? 'cut' : 'close' };
    },
  });
}

function readCut(query: string): boolean | Refusal {
  const details: { path: string; message: string }[] = [];
  const cut = onlyValue(new URLSearchParams(query), 'cut', details);
  if (cut !== undefined && cut !== 'true' && cut !== 'false')
    details.push({ path: 'cut', message: 'expected true or false' });
  return details.length === 0 ? cut === 'true' : refuse('badRequest', details);
}

function refusePush({ events = [] }: PushInput): Refusal | undefined {
  const details: { path: string; message: string }[] = [];
  checkEvents(events, undefined, false, '/events', (path, message) => details.push({ path, message }));
  return details.length === 0 ? undefined : refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
}
