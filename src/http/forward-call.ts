/**
 * Calls about what only a mock's home knows, or that of an owner's gateway: traffic, sessions and scenarios. Any node takes them; one that is not the
 * home sends them on, and the home's answer back.
 */
import type { MockHomes } from '../cluster/mock-homes.ts';
import { isRefusal, type RefusalKind } from '../errors.ts';
import { gatewayKey } from '../model/gateway/home-key.ts';
import type { ReplyHeadSent, NoAnswerReason } from '../forward/envelope.ts';
import type { AnswerSink } from '../forward/forwarding.ts';
import type { Flow } from '../forward/send.ts';
import { FORWARDS_MAX } from '../limits.ts';
import type { HttpRequest } from '../wire/uws.ts';
import { receiveBody, refuseByHead } from './body.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import { EVENT_STREAM } from './event-stream.ts';

/** Headers of an answer that every answer has of its own. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['content-type', 'vary', 'x-request-id']);

const REFUSALS: Readonly<Record<NoAnswerReason, RefusalKind>> = {
  busy: 'overloaded',
  moved: 'overloaded',
  unreachable: 'overloaded',
  // It may have been done.
  lost: 'serverError',
  broken: 'serverError',
};

/**
 * Answers a call here, or at the home of its mock. Call it inside the handler of uWebSockets.js.
 *
 * @param run Answers it here. `received` is the body, where it had to be received before that was known.
 */
export function answerAtHome(
  call: Call,
  req: HttpRequest | undefined,
  { body, atHomeOf }: Endpoint,
  homes: Pick<MockHomes, 'isOwn' | 'elsewhere' | 'forward'>,
  run: (received?: Buffer) => void,
): void {
  const mockId = homeKey(call, atHomeOf);
  if (homes.isOwn(mockId)) return run();
  // What another node has sent on is not sent on again.
  if (req === undefined) {
    return void call.later(homes.elsewhere(mockId), (address) =>
      address === undefined ? run() : call.refuse('overloaded'),
    );
  }
  const headers = forwardedHeaders(req, call.requestId);
  // A chunked body that is refused unread has no known length.
  const unreadBytes = call.head.contentLength ?? Number(call.head.chunked);
  const proceed = (received?: Buffer, bodyBytes = received?.length ?? unreadBytes, tries = 1): void =>
    void call.later(homes.elsewhere(mockId), (address) => {
      if (address === undefined) return run(received);
      // Its client has left, and would not end it any more.
      if (!call.open) return undefined;
      const { method, path, query } = call.head;
      const head = { client: '', method, path, query, headers, bodyBytes };
      const answer = new CallAnswer(call, (why) => {
        const isAskedAgain = (why === 'moved' || why === 'unreachable') && tries < FORWARDS_MAX;
        return isAskedAgain ? proceed(received, bodyBytes, tries + 1) : call.refuse(REFUSALS[why]);
      });
      call.onFinished = homes.forward({ address, ownerId: call.caller.ownerId }, 'api', head, received, answer);
      return undefined;
    });
  // The home refuses a body as here: by the head, or when it is too large.
  const isTaken = body !== undefined && call.head.hasBody && refuseByHead(call, body) === undefined;
  if (!isTaken) return proceed();
  return receiveBody(call, body.bytesMax, (received) => {
    if (!isRefusal(received)) return proceed(Buffer.from(received));
    return received.kind === 'payloadTooLarge' ? proceed(undefined, body.bytesMax + 1) : call.refuse(received);
  });
}

function homeKey({ caller, params }: Call, atHomeOf: Endpoint['atHomeOf']): string {
  return atHomeOf === 'gateway' ? gatewayKey(caller.ownerId) : (params[0] ?? '');
}

function forwardedHeaders(req: HttpRequest, requestId: string): string[] {
  const headers = ['x-request-id', requestId];
  req.forEach((name, value) => {
    if (name !== 'x-request-id') headers.push(name, value);
  });
  return headers;
}

/** The answer of the home as that of a call. */
class CallAnswer implements AnswerSink {
  readonly #call: Call;
  readonly onUnanswered: (why: NoAnswerReason) => void;
  readonly #chunks: Buffer[] = [];
  readonly #decoder = new TextDecoder();
  #head: ReplyHeadSent | undefined;
  #flow: Pick<Flow, 'pause' | 'resume'> | undefined;

  constructor(call: Call, onUnanswered: (why: NoAnswerReason) => void) {
    this.#call = call;
    this.onUnanswered = onUnanswered;
  }

  onHead(head: ReplyHeadSent, flow: Pick<Flow, 'pause' | 'resume'>): void {
    this.#head = head;
    this.#flow = flow;
    if (this.#isStream) this.#call.startStream(EVENT_STREAM);
  }

  onData(chunk: Buffer): void {
    if (!this.#isStream) return void this.#chunks.push(chunk);
    const call = this.#call;
    if (call.writeStream(this.#decoder.decode(chunk, { stream: true })) || call.aborted) return undefined;
    this.#flow?.pause();
    return call.onceWritable(() => this.#flow?.resume());
  }

  onEnd(): void {
    const call = this.#call;
    if (this.#isStream) return call.endStream();
    const { status, headers, bodyBytes = 0 } = this.#head as ReplyHeadSent;
    let lines = '';
    let type: string | undefined;
    for (let index = 0; index < headers.length; index += 2) {
      const name = (headers[index] as string).toLowerCase();
      if (name === 'content-type') type = headers[index + 1];
      if (!OWN_HEADERS.has(name) && !name.startsWith('access-control-')) lines += `\r\n${name}: ${headers[index + 1]}`;
    }
    // For a HEAD only its length counts.
    const body = call.head.method === 'HEAD' ? Buffer.alloc(bodyBytes) : Buffer.concat(this.#chunks);
    return call.send(status, type, body, lines);
  }

  /** A client of a stream connects again, and goes on where this one ends. */
  onCut(): void {
    if (this.#isStream) this.#call.endStream();
    else this.#call.refuse('serverError');
  }

  get #isStream(): boolean {
    return this.#call.head.method !== 'HEAD' && this.#head?.headers.includes(EVENT_STREAM) === true;
  }
}
