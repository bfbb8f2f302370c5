/** One exchange with an upstream while it is under way: what is to be recorded of it, seen on its way to the client. */
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import {
  upstreamUrl,
  type CallRecording,
  type UpstreamCall,
  type UpstreamFailure,
} from '../../forward/upstream-call.ts';
import { targetPath } from '../forward/lines.ts';
import type { UpstreamSink } from '../forward/upstreams.ts';
import { RecordedBody } from './recorded-body.ts';
import type { MockRecording } from './ring.ts';
import type { WaitingBytes } from './waiting-bytes.ts';

/** Answers of this type do not end on purpose: their beginning is worth keeping. */
const ENDLESS = /^\s*text\/event-stream\s*(?:;|$)/i;

export class Capture {
  readonly call: UpstreamCall;
  readonly of: CallRecording;
  readonly recording: MockRecording;
  readonly number: number;
  readonly time = Date.now();
  readonly requestBody: RecordedBody;
  /** Names and values, alternating. */
  requestLines: readonly string[] = [];
  head: ReplyHeadSent | undefined;
  responseBody: RecordedBody;
  failed: { readonly kind: UpstreamFailure | 'aborted'; readonly reason: string } | undefined;
  headMs: number | undefined;
  /** Undefined until it is over. */
  durationMs: number | undefined;
  /** The answer has not ended. */
  isOpen = false;
  /** Waits until it is kept. */
  whenKept: (() => void)[] | undefined;
  readonly #waiting: WaitingBytes;
  readonly #began = performance.now();
  readonly #finish: (capture: Capture) => void;
  #isEndless = false;

  constructor(call: UpstreamCall, of: CallRecording, body: Buffer, { recording, waiting, finish }: CaptureParts) {
    this.call = call;
    this.of = of;
    this.recording = recording;
    this.number = ++recording.newest;
    this.#waiting = waiting;
    this.#finish = finish;
    this.requestBody = new RecordedBody(waiting, of.mockId);
    this.responseBody = new RecordedBody(waiting, of.mockId);
    this.requestBody.push(body);
  }

  get url(): string {
    const { upstream, path, query } = this.call;
    const target = upstreamUrl(upstream);
    return `${target.origin}${targetPath(target, path, query)}`;
  }

  /** Milliseconds until its end, or so far. */
  get ms(): number {
    return this.durationMs ?? performance.now() - this.#began;
  }

  /** @returns What sees the answer first, and passes all on to `sink`. */
  before(sink: UpstreamSink): UpstreamSink {
    return {
      onSending: (lines) => {
        this.requestLines = lines;
      },
      onHead: (head) => {
        this.#begin(head);
        sink.onHead(head);
      },
      onData: (chunk) => {
        this.responseBody.push(chunk);
        // What is kept of it is complete, and the rest may never end.
        if (this.responseBody.isFull) this.#cut();
        sink.onData(chunk);
      },
      onEnd: () => {
        this.#end();
        sink.onEnd();
      },
      onCut: () => {
        this.#cut();
        sink.onCut();
      },
      onFailure: (kind, reason) => {
        this.failed = { kind, reason };
        this.#end();
        sink.onFailure(kind, reason);
      },
    };
  }

  /** The client went away. */
  abort(): void {
    if (this.head === undefined) {
      this.failed = { kind: 'aborted', reason: 'the client went away before the upstream answered' };
      this.#end();
    } else this.#cut();
  }

  #begin(head: ReplyHeadSent): void {
    this.head = head;
    this.headMs = performance.now() - this.#began;
    const at = head.headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
    this.#isEndless = at !== -1 && ENDLESS.test(head.headers[at + 1] ?? '');
    if (this.#isEndless) this.responseBody = new RecordedBody(this.#waiting, this.of.mockId, true);
  }

  #cut(): void {
    if (this.durationMs !== undefined) return;
    this.isOpen = this.#isEndless;
    if (!this.isOpen) this.responseBody.omit('cut');
    this.#end();
  }

  #end(): void {
    if (this.durationMs !== undefined) return;
    this.durationMs = performance.now() - this.#began;
    this.#finish(this);
  }
}

interface CaptureParts {
  readonly recording: MockRecording;
  readonly waiting: WaitingBytes;
  readonly finish: (capture: Capture) => void;
}
