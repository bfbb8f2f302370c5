/**
 * One exchange with an upstream while it is under way: what is to be recorded of it, seen on its way to the client. All of it is passed on
 * first.
 */
import type { Readable } from 'node:stream';
import type { InBag } from '../../base/bag.ts';
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import type { CallRecording, UpstreamCall, UpstreamFailure } from '../../forward/upstream-call.ts';
import { headerValue } from '../forward/lines.ts';
import type { UpstreamSink } from '../forward/upstreams.ts';
import { RecordedBody } from './recorded-body.ts';
import type { MockRecording } from './ring.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';

/** Answers of this type do not end on purpose: their beginning is worth keeping. */
const ENDLESS = /^\s*text\/event-stream\s*(?:;|$)/i;

/** Request of a recorded call. */
export interface RecordedCall extends Pick<
  UpstreamCall,
  'ownerId' | 'method' | 'upstream' | 'path' | 'query' | 'root' | 'requestHeaders'
> {
  /** Undefined where it is not to be recorded. */
  readonly recording?: CallRecording;
}

interface CaptureParts {
  readonly recording: MockRecording;
  readonly waiting: WaitingBytes;
  readonly finish: (capture: Capture) => void;
  /** Where the answer goes. */
  readonly sink: UpstreamSink;
}

export class Capture implements UpstreamSink, InBag {
  place = -1;
  readonly call: RecordedCall;
  readonly of: CallRecording;
  readonly recording: MockRecording;
  readonly number: number;
  readonly time = Date.now();
  readonly requestBody: RecordedBody;
  /** Names and values, alternating. */
  requestLines: readonly string[] = [];
  head: ReplyHeadSent | undefined = undefined;
  readonly responseBody: RecordedBody;
  failed: { readonly kind: UpstreamFailure | 'aborted'; readonly reason: string } | undefined = undefined;
  headMs: number | undefined = undefined;
  /** Undefined until it is over. */
  durationMs: number | undefined = undefined;
  /** The answer has not ended. */
  isOpen = false;
  /** Called when it is kept. */
  whenKept: (() => void)[] | undefined = undefined;
  readonly #sink: UpstreamSink;
  readonly #began = performance.now();
  readonly #finish: (capture: Capture) => void;
  #request: Readable | undefined;

  constructor(call: RecordedCall, of: CallRecording, body: Buffer, { recording, waiting, finish, sink }: CaptureParts) {
    this.call = call;
    this.of = of;
    this.recording = recording;
    this.number = ++recording.newest;
    this.#finish = finish;
    this.#sink = sink;
    this.requestBody = new RecordedBody(waiting, call.ownerId);
    this.responseBody = new RecordedBody(waiting, call.ownerId);
    this.requestBody.push(body);
  }

  /** Milliseconds until its end, or so far. */
  get ms(): number {
    return this.durationMs ?? performance.now() - this.#began;
  }

  /** The body of the request comes as it is sent on. */
  follow(request: Readable): void {
    this.#request = request;
    request.on('data', (chunk: Buffer) => {
      if (this.durationMs === undefined) this.requestBody.push(chunk);
    });
  }

  onSending(lines: readonly string[]): void {
    this.requestLines = lines;
  }

  onHead(head: ReplyHeadSent): void {
    this.#sink.onHead(head);
    this.head = head;
    this.headMs = performance.now() - this.#began;
    this.responseBody.keepsBeginning = ENDLESS.test(headerValue(head.headers, 'content-type') ?? '');
  }

  onData(chunk: Buffer): void {
    this.#sink.onData(chunk);
    this.responseBody.push(chunk);
    // What is kept of it is complete, and the rest may never end.
    if (this.responseBody.isFull) this.#cut();
  }

  onEnd(): void {
    this.#sink.onEnd();
    this.#end();
  }

  onCut(): void {
    this.#sink.onCut();
    this.#cut();
  }

  onFailure(kind: UpstreamFailure, reason: string): void {
    this.#sink.onFailure(kind, reason);
    this.failed = { kind, reason };
    this.#end();
  }

  /** The client went away. */
  abort(): void {
    if (this.durationMs !== undefined) return;
    if (this.head !== undefined) return this.#cut();
    this.failed = { kind: 'aborted', reason: 'the client disconnected before the upstream answered' };
    return this.#end();
  }

  #cut(): void {
    if (this.durationMs !== undefined) return;
    this.isOpen = this.responseBody.keepsBeginning;
    if (!this.isOpen) this.responseBody.omit('cut');
    this.#end();
  }

  #end(): void {
    if (this.durationMs !== undefined) return;
    this.durationMs = performance.now() - this.#began;
    // It was answered, or given up, before its end.
    if (this.#request?.readableEnded === false) this.requestBody.omit('cut');
    this.#finish(this);
  }
}
