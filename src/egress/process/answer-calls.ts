/**
 * Answers the calls of one serving thread, which come over one socket (forward/frames.ts), by what upstreams answer; and takes the callbacks
 * that it hands over.
 */
import type { Socket } from 'node:net';
import type { CallbacksSent } from '../../forward/callbacks-sent.ts';
import { unpack } from '../../forward/envelope.ts';
import { FRAME, Frames, type FrameKind } from '../../forward/frames.ts';
import type { Flow } from '../../forward/send.ts';
import type { UpstreamCall } from '../../forward/upstream-call.ts';
import type { Callbacks } from '../callbacks/callbacks.ts';
import type { Upstreams, UpstreamSink } from '../forward/upstreams.ts';
import { RuledCall } from '../live-rules/ruled-calls.ts';
import type { RulingParts } from '../live-rules/rule-exchange.ts';
import type { Recorder } from '../recording/recorder.ts';

export interface CallParts {
  readonly token: string;
  readonly upstreams: Upstreams;
  readonly recorder: Recorder;
  readonly callbacks: Callbacks;
  readonly ruling: RulingParts;
}

export function answerCalls(socket: Socket, parts: CallParts): void {
  const { token, upstreams, recorder, callbacks } = parts;
  const calls = new Map<number, Call>();
  let isKnown = false;
  const frames = new Frames(socket, (number, kind, content) => {
    if (kind === FRAME.hello) isKnown = content.toString() === token;
    if (!isKnown) return void socket.destroy();
    if (kind === FRAME.call) return begin(number, content);
    if (kind === FRAME.callbacks) return callbacks.take(JSON.parse(content.toString()) as CallbacksSent);
    const call = calls.get(number);
    if (call === undefined) return undefined;
    if (kind === FRAME.flow) return mayGoOn(call, 'client', content.toString() === '1');
    if (kind !== FRAME.cancel) return undefined;
    calls.delete(number);
    giveUp(call);
    return forget(call);
  });

  const begin = (number: number, bytes: Buffer): void => {
    const sent = unpack(bytes);
    if (sent === undefined) return void socket.destroy();
    const call: Call = { flow: undefined, capture: undefined, waits: { client: false, socket: false } };
    calls.set(number, call);
    const end = (kind: FrameKind, text = ''): void => {
      calls.delete(number);
      forget(call);
      frames.sendText(number, kind, text);
    };
    const sink: UpstreamSink = {
      onHead: (head) => frames.sendText(number, FRAME.head, JSON.stringify(head)),
      onData(chunk) {
        if (!frames.send(number, FRAME.data, chunk)) mayGoOn(call, 'socket', false);
      },
      onEnd: () => end(FRAME.end),
      onCut: () => end(FRAME.cut),
      onFailure: (unanswered, reason, rules) => end(FRAME.failure, JSON.stringify({ unanswered, reason, rules })),
    };
    const head = sent.head as UpstreamCall;
    if (head.rules !== undefined) {
      const ruled = new RuledCall(parts.ruling, recorder, head, sent.body, sink);
      call.flow = ruled;
      ruled.begin().catch((error: unknown) => sink.onFailure('lost', String(error)));
      return undefined;
    }
    call.capture = recorder.begin(head, sent.body, sink);
    call.flow = upstreams.forward(head, sent.body, call.capture ?? sink);
    return undefined;
  };

  socket.on('drain', () => {
    for (const call of calls.values()) if (call.waits.socket) mayGoOn(call, 'socket', true);
  });
  // `close` follows.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const call of calls.values()) giveUp(call);
  });
}

interface Call {
  flow: Pick<Flow, 'pause' | 'resume' | 'cancel'> | undefined;
  /** Present when it is recorded. */
  capture: ReturnType<Recorder['begin']>;
  /** Who takes no more for now. */
  readonly waits: { client: boolean; socket: boolean };
}

/** The client has gone, or its thread. */
function giveUp({ flow, capture }: Call): void {
  flow?.cancel();
  capture?.abort();
}

/** Clears a call that was taken out of a Map, which may refer to it for a while (base/bag.ts). */
function forget(call: Call): void {
  call.flow = undefined;
  call.capture = undefined;
}

function mayGoOn({ flow, waits }: Call, who: keyof Call['waits'], may: boolean): void {
  waits[who] = !may;
  if (waits.client || waits.socket) flow?.pause();
  else flow?.resume();
}
