/** Open streams of a mock, or of one of its sessions: listed, pushed into, ended. docs/mocks.md, "Streams". */
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX } from '../../../limits.ts';
import {
  openStreamsSchema,
  pushedSchema,
  pushSchema,
  type PushInput,
  type StreamsAnswer,
  type StreamsQuestion,
} from '../../../model/mocks/streams/open-stream.ts';
import { checkEvents } from '../../../model/mocks/streams/stream-checks.ts';
import { Type } from '../../../model/schema-type.ts';
import { checkedReader } from '../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../endpoint.ts';
import { onlyValue } from '../list-query.ts';
import { scopeFilter, type Scoped, type TrafficScope } from './traffic/traffic-scope.ts';

export interface MockStreams {
  /** @returns undefined when the data plane does not answer in time. */
  readonly streams: (asked: StreamsQuestion) => Promise<StreamsAnswer | undefined>;
}

/** Interval at which a push looks for the streams that it waits for. */
const LOOK_MS = 20;

const endQuerySchema = Type.Object({
  cut: Type.Optional(
    Type.Enum(['true', 'false'], { default: 'false', description: 'Closes the connection in the midst of the body.' }),
  ),
});

export function mockStreamsApi(
  scopes: readonly TrafficScope[],
  bodyBytesMax: number,
  dataPlane: MockStreams,
): Endpoint[] {
  return scopes.flatMap((scope) => scopedStreamsApi(scope, bodyBytesMax, dataPlane));
}

function scopedStreamsApi(
  { kind, path, suffix, refusals, enter }: TrafficScope,
  bytesMax: number,
  dataPlane: MockStreams,
): Endpoint[] {
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
  return [
    endpoint({
      method: 'GET',
      path: `${path}/streams`,
      access: 'read',
      doc: {
        operationId: `listStreams${suffix}`,
        tag: 'Traffic',
        summary: `List the open streams of a ${kind}`,
        answer: openStreamsSchema,
        refusals,
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const answer = await dataPlane.streams({ mockId: scoped.mock.id, of: scopeFilter(scoped), lists: true });
          if (answer === undefined) return call.refuse('overloaded');
          const json = JSON.stringify(answer.list);
          return call.answer(json.length, () => call.succeed(`"data":${json},"total":${answer.streams}`));
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${path}/streams/send`,
      access: 'write',
      doc: {
        operationId: `sendToStreams${suffix}`,
        tag: 'Traffic',
        summary: `Send events to the open streams of a ${kind}`,
        answer: Type.Object({ data: pushedSchema }),
        untagged: true,
        refusals: [...refusals, 'mockPayloadInvalid'],
      },
      body,
      handle: (call, asked) =>
        enter(call, async (scoped) => {
          if (isRefusal(asked)) return call.refuse(asked);
          const answer = await push(dataPlane, scoped, asked);
          if (answer === undefined) return call.refuse('overloaded');
          const { delivered, streams } = answer;
          return call.succeed(`"data":${JSON.stringify({ delivered, streams })}`);
        }),
    }),
    endpoint({
      method: 'DELETE',
      path: `${path}/streams/:streamId`,
      access: 'write',
      doc: {
        operationId: `endStream${suffix}`,
        tag: 'Traffic',
        summary: `End one of the open streams of a ${kind}`,
        query: endQuerySchema,
        answer: Type.Object({ message: Type.Literal('Stream ended successfully') }),
        untagged: true,
        refusals: [...refusals, 'streamNotFound', 'badRequest'],
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const cut = readCut(call.head.query);
          if (isRefusal(cut)) return call.refuse(cut);
          const of = { ...scopeFilter(scoped), streamId: call.params.at(-1) ?? '' };
          const action = { end: cut ? ('cut' as const) : ('close' as const) };
          const answer = await dataPlane.streams({ mockId: scoped.mock.id, of, action });
          if (answer === undefined) return call.refuse('overloaded');
          return answer.streams === 0
            ? call.refuse('streamNotFound')
            : call.succeed('"message":"Stream ended successfully"');
        }),
    }),
  ];
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

/** Outside of a session it reaches the streams outside of all sessions. */
function push(
  dataPlane: MockStreams,
  scoped: Scoped,
  { events, end, atLeast, withinMs, ...only }: PushInput,
): Promise<StreamsAnswer | undefined> {
  const action = { ...(events === undefined ? {} : { events }), ...(end === undefined ? {} : { end }) };
  return pushOnceOpen(dataPlane, scoped, { of: only, action }, { atLeast, withinMs });
}

/** Waits until enough of them are open, or the time is over. */
export async function pushOnceOpen(
  dataPlane: MockStreams,
  { mock, live, isLive }: Scoped,
  asked: Omit<StreamsQuestion, 'mockId'>,
  { atLeast = 0, withinMs = 0 }: { readonly atLeast: number | undefined; readonly withinMs: number | undefined },
): Promise<StreamsAnswer | undefined> {
  const { action, ...which } = asked;
  const looked = { ...which, mockId: mock.id, of: { session: live?.session.id ?? '', ...asked.of } };
  const until = performance.now() + withinMs;
  for (;;) {
    const open = atLeast === 0 ? undefined : await dataPlane.streams(looked);
    if (atLeast > 0 && open === undefined) return undefined;
    if ((open?.streams ?? 0) >= atLeast || performance.now() >= until || !isLive()) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return dataPlane.streams(action === undefined ? looked : { ...looked, action });
}
