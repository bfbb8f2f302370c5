/** Answers the calls of one serving thread, which come over one socket (forward/frames.ts), by what upstreams answer. */
import type { Socket } from 'node:net';
import { unpack } from '../../forward/envelope.ts';
import { FRAME, Frames, type FrameKind } from '../../forward/frames.ts';
import type { Flow } from '../../forward/send.ts';
import type { UpstreamCall } from '../../forward/upstream-call.ts';
import type { Upstreams } from '../forward/upstreams.ts';

export function answerCalls(socket: Socket, token: string, upstreams: Upstreams): void {
  const calls = new Map<number, Call>();
  let isKnown = false;
  const frames = new Frames(socket, (number, kind, content) => {
    if (kind === FRAME.hello) isKnown = content.toString() === token;
    if (!isKnown) return void socket.destroy();
    if (kind === FRAME.call) return begin(number, content);
    const call = calls.get(number);
    if (call === undefined) return undefined;
    if (kind === FRAME.flow) return mayGoOn(call, 'client', content.toString() === '1');
    if (kind !== FRAME.cancel) return undefined;
    calls.delete(number);
    return call.flow?.cancel();
  });

  const begin = (number: number, bytes: Buffer): void => {
    const sent = unpack(bytes);
    if (sent === undefined) return void socket.destroy();
    const call: Call = { flow: undefined, waits: { client: false, socket: false } };
    calls.set(number, call);
    const end = (kind: FrameKind, text = ''): void => {
      calls.delete(number);
      frames.sendText(number, kind, text);
    };
    call.flow = upstreams.forward(sent.head as UpstreamCall, sent.body, {
      onHead: (head) => frames.sendText(number, FRAME.head, JSON.stringify(head)),
      onData(chunk) {
        if (!frames.send(number, FRAME.data, chunk)) mayGoOn(call, 'socket', false);
      },
      onEnd: () => end(FRAME.end),
      onCut: () => end(FRAME.cut),
      onFailure: (unanswered, reason) => end(FRAME.failure, JSON.stringify({ unanswered, reason })),
    });
    return undefined;
  };

  socket.on('drain', () => {
    for (const call of calls.values()) if (call.waits.socket) mayGoOn(call, 'socket', true);
  });
  // `close` follows.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    for (const { flow } of calls.values()) flow?.cancel();
  });
}

interface Call {
  flow: Pick<Flow, 'pause' | 'resume' | 'cancel'> | undefined;
  /** Who takes no more for now. */
  readonly waits: { client: boolean; socket: boolean };
}

function mayGoOn({ flow, waits }: Call, who: keyof Call['waits'], may: boolean): void {
  waits[who] = !may;
  if (waits.client || waits.socket) flow?.pause();
  else flow?.resume();
}
