/** The replies of one WebSocket that wait for their time, or are sent over time. What they do is up to the socket. */
import { MOCK_SOCKET_MESSAGE_BYTES_MAX, MOCK_SOCKET_REPLIES_MAX } from '../../../limits.ts';
import type { SocketClose } from '../../../model/mocks/definition/definition.ts';
import type { StreamEnd } from '../../../model/mocks/streams/stream-record.ts';
import type { MockAnswer } from '../../matching/request/mock-request.ts';
import type { SocketReply } from '../../matching/compile/compiled-mock.ts';
import type { EventScript, StreamFault, StreamToSend } from '../../matching/streams/stream-plan.ts';

/** Messages that one step sends before requests are looked at. */
const MESSAGES_PER_STEP = 64;

const TOO_LONG = `a message may have at most ${MOCK_SOCKET_MESSAGE_BYTES_MAX} bytes`;

export interface ReplySender {
  readonly sendTo: (to: SocketReply['to'], message: string | Buffer, responseId: string) => void;
  /** The reply cannot be rendered: closes with 1011. */
  readonly fail: (problem: string, responseId: string) => void;
  readonly sendInvalid: () => void;
  readonly cutInMidst: (message: string | Buffer, bytes: number | undefined) => void;
  readonly endByFault: (code: number | undefined) => void;
  readonly refuseMore: () => void;
  /** Takes memory for the message that a reply may still read. @returns Whether there is any. */
  readonly hold: (bytes: number) => boolean;
  readonly release: (bytes: number) => void;
  readonly end: (why: StreamEnd, close?: SocketClose) => void;
  readonly cut: (why: StreamEnd) => void;
}

interface Running {
  readonly responseId: string;
  readonly reply: SocketReply;
  readonly stream: StreamToSend;
  readonly begunAt: number;
  readonly bytes: number;
  script: EventScript;
  fault: StreamFault | undefined;
  /** The script of the fault has replaced the script. */
  hasFailed: boolean;
  sent: number;
}

export class SocketReplies {
  readonly #sender: ReplySender;
  readonly #soon: (step: () => void) => void;
  readonly #timers = new Set<NodeJS.Timeout>();
  /** Those that are not over. */
  #count = 0;
  /** Bytes of the messages that these answer. */
  #bytes = 0;
  #isStopped = false;
  /** Nothing is sent any more, and the socket stays open. */
  isStalled = false;

  /** @param soon Runs a step in a turn of the owner. */
  constructor(sender: ReplySender, soon: (step: () => void) => void) {
    this.#sender = sender;
    this.#soon = soon;
  }

  get isFull(): boolean {
    return this.#count >= MOCK_SOCKET_REPLIES_MAX;
  }

  /** Those of equal times keep their order. @param bytes Of the message that it answers. */
  add(answer: MockAnswer, reply: SocketReply, bytes = 0): void {
    if (this.isStalled) return;
    if (this.isFull || !this.#sender.hold(bytes)) return this.#sender.refuseMore();
    this.#count++;
    this.#bytes += bytes;
    if (answer.latencyMs <= 0) this.#begin(answer, reply, bytes);
    else this.#later(answer.latencyMs, () => this.#begin(answer, reply, bytes));
  }

  stop(): void {
    this.#isStopped = true;
    this.#sender.release(this.#bytes);
    this.#bytes = 0;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #later(ms: number, step: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#soon(() => {
        if (!this.#isStopped && !this.isStalled) step();
      });
    }, ms);
    this.#timers.add(timer);
  }

  #over(bytes: number): void {
    this.#count--;
    if (this.#isStopped) return;
    this.#bytes -= bytes;
    this.#sender.release(bytes);
  }

  #begin({ plan, responseId }: MockAnswer, reply: SocketReply, bytes: number): void {
    switch (plan?.kind) {
      case 'stream': {
        const { stream, fault } = plan;
        const script = stream.begin();
        const begunAt = performance.now();
        return this.#step({ responseId, reply, stream, begunAt, bytes, script, fault, hasFailed: false, sent: 0 });
      }
      case 'hang':
        return this.#stall(plan.ms);
      case 'raw':
        this.#over(bytes);
        return this.#sender.sendInvalid();
      case undefined:
        return this.#sender.endByFault(reply.faultCode);
      default:
        return this.#sender.cut('fault');
    }
  }

  #step(running: Running): void {
    const now = performance.now() - running.begunAt;
    for (let left = MESSAGES_PER_STEP; !this.#isStopped && !this.isStalled; left--) {
      const { dueMs, problem } = running.script;
      if (dueMs !== undefined && dueMs > now) return this.#later(dueMs - now, () => this.#step(running));
      if (left === 0) return this.#later(0, () => this.#step(running));
      const { fault } = running;
      if (fault !== undefined && running.sent >= fault.afterEvents) {
        running.fault = undefined;
        if (this.#strike(running, fault, now)) return undefined;
        continue;
      }
      if (dueMs === undefined) return this.#finish(running, problem);
      const message = running.script.next();
      if (message === undefined) continue;
      if (Buffer.byteLength(message) > MOCK_SOCKET_MESSAGE_BYTES_MAX) return this.#finish(running, TOO_LONG);
      running.sent++;
      this.#sender.sendTo(running.reply.to, message, running.responseId);
    }
  }

  /** @returns Whether nothing of the reply follows. */
  #strike(running: Running, { kind, bytes, ms }: StreamFault, now: number): boolean {
    switch (kind) {
      case 'ended':
        this.#sender.endByFault(running.reply.faultCode);
        return true;
      case 'hang':
        this.#stall(ms);
        return true;
      case 'truncated':
        this.#sender.cutInMidst(running.script.dueMs === undefined ? '' : (running.script.next() ?? ''), bytes);
        return true;
      case 'events':
        running.hasFailed = true;
        running.script = running.stream.beginFault(running.script.dueMs ?? now);
        return false;
    }
  }

  #finish({ responseId, reply, bytes, hasFailed }: Running, problem: string | undefined): void {
    this.#over(bytes);
    if (problem !== undefined) return this.#sender.fail(problem, responseId);
    if (reply.close !== undefined && !hasFailed) this.#sender.end('script', reply.close);
    return undefined;
  }

  #stall(ms: number | undefined): void {
    this.stop();
    this.isStalled = true;
    if (ms === undefined) return;
    const timer = setTimeout(() => this.#sender.cut('fault'), ms);
    this.#timers.add(timer);
  }
}
