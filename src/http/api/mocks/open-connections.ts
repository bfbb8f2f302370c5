/** Open streams (streams.ts) and WebSockets (sockets.ts) of a mock or session: lists them, sends to them, ends them. */
import type { TObject } from 'typebox';
import { refuse, type Refusal, type RefusalKind } from '../../../errors.ts';
import type {
  StreamAction,
  StreamsAnswer,
  StreamSelection,
  StreamsQuestion,
} from '../../../model/mocks/streams/open-stream.ts';
import type { Endpoint, EndpointBody } from '../../endpoint.ts';
import { nextLook } from '../journal/next-look.ts';
import { operationsOf } from '../operation.ts';
import { scopeFilter, type TrafficSubject, type TrafficScope } from './traffic/traffic-scope.ts';

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
  scope: TrafficScope,
  dataPlane: MockStreams,
  open: OpenKind<Asked>,
): Endpoint[] {
  const operation = operationsOf('Traffic', scope);
  const { segment, names, end } = open;
  const which = open.sockets === true ? { sockets: true } : {};
  const those = `open ${names.text} of a ${scope.kind}`;
  return [
    operation(`list${names.many}`, `GET /${segment}`, {
      summary: `List the ${those}`,
      answer: open.listSchema,
      async run(call, { found }) {
        const of = scopeFilter(found);
        const answer = await dataPlane.streams({ mockId: found.mock.id, ...which, of, lists: true });
        if (answer === undefined) return refuse('overloaded');
        const json = JSON.stringify(answer.list);
        return call.answer(json.length, () => call.succeed(`"data":${json},"total":${answer.streams}`));
      },
    }),
    operation(`sendTo${names.many}`, `POST /${segment}/send`, {
      summary: `Send ${open.what} to the ${those}`,
      data: open.pushedSchema,
      body: open.body,
      async run({ caller }, { found, body }) {
        const answer = await pushOnceOpen(dataPlane, found, { ...which, ownerId: caller.ownerId }, open.pushOf(body));
        return answer === undefined ? refuse('overloaded') : open.pushed(answer);
      },
    }),
    operation(`${end.verb.toLowerCase()}${names.one}`, `DELETE /${segment}/:${names.parameter}`, {
      summary: `${end.verb} one of the ${those}`,
      query: end.query,
      message: end.done,
      readQuery: open.readEnd,
      async run(call, { found, query: action }) {
        const of = { ...scopeFilter(found), streamId: call.params.at(-1) ?? '' };
        const answer = await dataPlane.streams({ mockId: found.mock.id, ...which, of, action });
        if (answer === undefined) return refuse('overloaded');
        return answer.streams === 0 ? refuse(open.notFound) : undefined;
      },
    }),
  ];
}

/** Waits until enough of them are open, or the time is over. Outside of a session it reaches those outside of all sessions. */
async function pushOnceOpen(
  dataPlane: MockStreams,
  { mock, live, isLive }: TrafficSubject,
  { ownerId, ...which }: Pick<StreamsQuestion, 'sockets'> & { readonly ownerId: string },
  { of, action, atLeast = 0, withinMs = 0 }: Push,
): Promise<StreamsAnswer | undefined> {
  const looked = { ...which, mockId: mock.id, of: { session: live?.session.id ?? '', ...of } };
  const until = performance.now() + withinMs;
  for (;;) {
    const found = atLeast === 0 ? undefined : await dataPlane.streams(looked);
    if (atLeast > 0 && found === undefined) return undefined;
    if ((found?.streams ?? 0) >= atLeast || performance.now() >= until || !isLive()) break;
    await nextLook(ownerId, LOOK_MS);
  }
  return dataPlane.streams({ ...looked, action });
}
