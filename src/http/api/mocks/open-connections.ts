/** Open streams (streams.ts) and WebSockets (sockets.ts) of a mock or session: lists them, sends to them, ends them. */
import type { TObject } from 'typebox';
import { isRefusal, type Refusal, type RefusalKind } from '../../../errors.ts';
import type {
  StreamAction,
  StreamsAnswer,
  StreamSelection,
  StreamsQuestion,
} from '../../../model/mocks/streams/open-stream.ts';
import { Type } from '../../../model/schema-type.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../endpoint.ts';
import { scopeFilter, type Scoped, type TrafficScope } from './traffic/traffic-scope.ts';

export interface MockStreams {
  /** @returns undefined when the data plane does not answer in time. */
  readonly streams: (asked: StreamsQuestion) => Promise<StreamsAnswer | undefined>;
}

/** The items to send, their receivers, and how many receivers to wait for. */
interface Push {
  readonly of: StreamSelection;
  readonly action: StreamAction;
  readonly atLeast: number | undefined;
  readonly withinMs: number | undefined;
}

/** A kind of open connection, streams or sockets, with its names. */
interface OpenKind<Asked> {
  readonly sockets?: true;
  readonly segment: string;
  /** In operation ids and messages; and in paths and texts. */
  readonly names: { readonly one: string; readonly many: string; readonly parameter: string; readonly text: string };
  readonly what: string;
  readonly end: { readonly verb: string; readonly done: string; readonly query: TObject };
  readonly listSchema: TObject;
  readonly pushedSchema: TObject;
  readonly notFound: RefusalKind;
  readonly body: EndpointBody<Asked>;
  readonly pushOf: (asked: Asked) => Push;
  readonly pushed: (answer: StreamsAnswer) => object;
  readonly readEnd: (query: string) => StreamAction | Refusal;
}

/** Interval at which a push looks for those that it waits for. */
const LOOK_MS = 20;

export function openConnectionsApi<Asked>(
  { kind, path, suffix, refusals, enter }: TrafficScope,
  dataPlane: MockStreams,
  open: OpenKind<Asked>,
): Endpoint[] {
  const { segment, names, what, end } = open;
  const which = open.sockets === true ? { sockets: true } : {};
  return [
    endpoint({
      method: 'GET',
      path: `${path}/${segment}`,
      access: 'read',
      doc: {
        operationId: `list${names.many}${suffix}`,
        tag: 'Traffic',
        summary: `List the open ${names.text} of a ${kind}`,
        answer: open.listSchema,
        refusals,
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const of = scopeFilter(scoped);
          const answer = await dataPlane.streams({ mockId: scoped.mock.id, ...which, of, lists: true });
          if (answer === undefined) return call.refuse('overloaded');
          const json = JSON.stringify(answer.list);
          return call.answer(json.length, () => call.succeed(`"data":${json},"total":${answer.streams}`));
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${path}/${segment}/send`,
      access: 'write',
      doc: {
        operationId: `sendTo${names.many}${suffix}`,
        tag: 'Traffic',
        summary: `Send ${what} to the open ${names.text} of a ${kind}`,
        answer: Type.Object({ data: open.pushedSchema }),
        untagged: true,
        refusals: [...refusals, 'mockPayloadInvalid'],
      },
      body: open.body,
      handle: (call, asked) =>
        enter(call, async (scoped) => {
          if (isRefusal(asked)) return call.refuse(asked);
          const answer = await pushOnceOpen(dataPlane, scoped, which, open.pushOf(asked));
          if (answer === undefined) return call.refuse('overloaded');
          return call.succeed(`"data":${JSON.stringify(open.pushed(answer))}`);
        }),
    }),
    endpoint({
      method: 'DELETE',
      path: `${path}/${segment}/:${names.parameter}`,
      access: 'write',
      doc: {
        operationId: `${end.verb.toLowerCase()}${names.one}${suffix}`,
        tag: 'Traffic',
        summary: `${end.verb} one of the open ${names.text} of a ${kind}`,
        query: end.query,
        answer: Type.Object({ message: Type.Literal(end.done) }),
        untagged: true,
        refusals: [...refusals, open.notFound, 'badRequest'],
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const action = open.readEnd(call.head.query);
          if (isRefusal(action)) return call.refuse(action);
          const of = { ...scopeFilter(scoped), streamId: call.params.at(-1) ?? '' };
          const answer = await dataPlane.streams({ mockId: scoped.mock.id, ...which, of, action });
          if (answer === undefined) return call.refuse('overloaded');
          return answer.streams === 0
            ? call.refuse(open.notFound)
            : call.succeed(`"message":${JSON.stringify(end.done)}`);
        }),
    }),
  ];
}

/** Waits until enough of them are open, or the time is over. Outside of a session it reaches those outside of all sessions. */
async function pushOnceOpen(
  dataPlane: MockStreams,
  { mock, live, isLive }: Scoped,
  which: Pick<StreamsQuestion, 'sockets'>,
  { of, action, atLeast = 0, withinMs = 0 }: Push,
): Promise<StreamsAnswer | undefined> {
  const looked = { ...which, mockId: mock.id, of: { session: live?.session.id ?? '', ...of } };
  const until = performance.now() + withinMs;
  for (;;) {
    const found = atLeast === 0 ? undefined : await dataPlane.streams(looked);
    if (atLeast > 0 && found === undefined) return undefined;
    if ((found?.streams ?? 0) >= atLeast || performance.now() >= until || !isLive()) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return dataPlane.streams({ ...looked, action });
}
