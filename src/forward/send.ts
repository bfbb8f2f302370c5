/**
 * Sends one request over a pool of undici, and reports the outcome. The only file that reads undici's events.
 *
 * A request is never repeated here. Whether it can be is the caller's decision: `wasSent` says whether any byte of it may
 * have left.
 */
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

export interface Outgoing {
  readonly method: string;
  /** Where to, for a dispatcher that reaches several origins. */
  readonly origin?: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body: Buffer | Readable | null;
  /** The protocol that is asked for: undici writes the lines that ask. The answer may refuse it. */
  readonly upgrade?: string | undefined;
  /** How the headers of the answer are read. */
  readonly encoding?: 'utf8' | 'latin1';
  /** Until the head of the answer, and between two parts of its body; 0 for no limit. */
  readonly headMs: number;
  readonly silenceMs: number;
}

/** Called in this order; nothing but `onGone` is called after `cancel`. */
export interface Incoming {
  /** @param headers Names and values, alternating, as received. */
  onHead(status: number, reason: string, headers: readonly string[]): void;
  onData(chunk: Buffer): void;
  /** The answer is complete. */
  onEnd(): void;
  /** In place of all of these: the connection has another protocol from now on. What has come of it is still to be read. */
  onUpgrade?(headers: readonly string[], socket: Socket): void;
  /** There is no answer, or the rest of it is missing when `onHead` was called. */
  onLost(wasSent: boolean, error: Error): void;
  /** Called when a cancelled request has left the dispatcher, which keeps those that wait for a connection until there is one. */
  onGone?(): void;
}

export interface Flow {
  /** Whether any byte of the request may have left. */
  readonly wasSent: boolean;
  pause(): void;
  /** Nothing comes before the caller's own work is done. */
  resume(): void;
  /** Ends the request, and its connection if it was sent. */
  cancel(): void;
}

export function send(to: Dispatcher, outgoing: Outgoing, incoming: Incoming): Flow {
  const { method, origin, path, headers, body, upgrade, headMs, silenceMs, encoding = 'utf8' } = outgoing;
  const sent = new OutgoingRequest(incoming, encoding);
  to.dispatch(
    {
      method,
      path,
      body,
      // Undefined for a dispatcher of one origin.
      origin: origin as string,
      upgrade: upgrade ?? null,
      // It is read, and not written to.
      headers: (headers ?? []) as string[],
      headersTimeout: headMs,
      bodyTimeout: silenceMs,
    },
    sent,
  );
  return sent;
}

/**
 * A class rather than an object literal: a literal with a getter has a shape of its own each time, which keeps all that the getter can
 * reach alive until the next full garbage collection. That took two fifths of the processor time of a request.
 */
class OutgoingRequest implements Flow, Dispatcher.DispatchHandler {
  readonly #incoming: Incoming;
  readonly #encoding: 'utf8' | 'latin1';
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;
  #isPaused = false;

  constructor(incoming: Incoming, encoding: 'utf8' | 'latin1') {
    this.#incoming = incoming;
    this.#encoding = encoding;
  }

  get wasSent(): boolean {
    return this.#controller !== undefined;
  }

  pause(): void {
    this.#isPaused = true;
    this.#controller?.pause();
  }

  /** undici goes on within the call, ahead of bytes that its caller holds, and fails while it reads another answer. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    queueMicrotask(() => {
      if (!this.#isPaused && !this.#isOver) this.#controller?.resume();
    });
  }

  cancel(): void {
    if (this.#end()) this.#controller?.abort(new Error('cancelled'));
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    this.#controller = started;
    // It was cancelled while it waited for a connection.
    if (this.#isOver) started.abort(new Error('cancelled'));
  }

  onResponseStart({ rawHeaders }: Dispatcher.DispatchController, status: number, _headers: unknown, reason = ''): void {
    // One that names no protocol.
    if (status === 101) this.#controller?.abort(new Error('bad upgrade'));
    else if (!this.#isOver && status >= 200) this.#incoming.onHead(status, reason, this.#linesOf(rawHeaders));
  }

  onRequestUpgrade(
    { rawHeaders }: Dispatcher.DispatchController,
    _status: number,
    _headers: unknown,
    socket: Duplex,
  ): void {
    if (this.#end()) this.#incoming.onUpgrade?.(this.#linesOf(rawHeaders), socket as Socket);
    else socket.destroy();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // An empty one is of undici's resuming, at the end of what has come: a pause there would outlast the connection.
    if (!this.#isOver && chunk.length > 0) this.#incoming.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#end()) this.#incoming.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#end()) this.#incoming.onLost(this.wasSent, error);
    else this.#incoming.onGone?.();
  }

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    return true;
  }

  #linesOf(raw: unknown): string[] {
    const lines: string[] = [];
    for (const line of (raw ?? []) as Buffer[]) lines.push(line.toString(this.#encoding));
    return lines;
  }
}
