/**
 * Sends one request over a pool of undici, and reports the outcome. The only file that reads undici's events.
 *
 * A request is never repeated here. Whether it can be is the caller's decision: `wasSent` says whether any byte of it may
 * have left.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
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
  /** What was cancelled has left the dispatcher, which keeps what waits for a connection until there is one. */
  onGone?(): void;
}

export interface Flow {
  /** Whether any byte of the request may have left. */
  readonly wasSent: boolean;
  pause(): void;
  resume(): void;
  /** Ends the request, and its connection if it was sent. */
  cancel(): void;
}

export function send(
  to: Dispatcher,
  { headMs, silenceMs, headers, encoding = 'utf8', method, upgrade, ...rest }: Outgoing,
  incoming: Incoming,
): Flow {
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  const linesOf = (raw: unknown): string[] => {
    const lines: string[] = [];
    for (const line of (raw ?? []) as Buffer[]) lines.push(line.toString(encoding));
    return lines;
  };
  const end = (): boolean => {
    if (isOver) return false;
    isOver = true;
    return true;
  };
  const abort = (why: Error): void => controller?.abort(why);
  to.dispatch(
    {
      ...rest,
      method,
      upgrade: upgrade ?? null,
      // It is read, and not written to.
      headers: (headers ?? []) as string[],
      headersTimeout: headMs,
      bodyTimeout: silenceMs,
    },
    {
      onRequestStart(started) {
        controller = started;
        // It was cancelled while it waited for a connection.
        if (isOver) started.abort(new Error('cancelled'));
      },
      onResponseStart({ rawHeaders }, status, _headers, reason = '') {
        // One that names no protocol.
        if (status === 101) return abort(new Error('bad upgrade'));
        if (isOver || status < 200) return undefined;
        return incoming.onHead(status, reason, linesOf(rawHeaders));
      },
      onRequestUpgrade({ rawHeaders }, _status, _headers, socket) {
        if (end()) incoming.onUpgrade?.(linesOf(rawHeaders), socket as Socket);
        else socket.destroy();
      },
      onResponseData(_controller, chunk) {
        if (!isOver) incoming.onData(chunk);
      },
      onResponseEnd() {
        if (end()) incoming.onEnd();
      },
      onResponseError(_controller, error) {
        if (end()) incoming.onLost(controller !== undefined, error);
        else incoming.onGone?.();
      },
    },
  );
  return {
    get wasSent() {
      return controller !== undefined;
    },
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
    cancel: () => {
      if (end()) controller?.abort(new Error('cancelled'));
    },
  };
}
