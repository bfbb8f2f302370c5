/**
 * Ticks that all sockets of a route get, whichever threads they are on: counts the time for all of them, and has a thread with such a
 * socket render each tick once. What it renders goes to all of them as other broadcasts do.
 */
import type { SocketTick, TickedSockets } from '../shared/socket-messages.ts';

interface Ticking {
  readonly mockId: string;
  readonly session: string;
  readonly routeId: string;
  tickMs: number;
  /** Those that have sockets of the route. */
  readonly threads: Set<number>;
  /** Ticks so far. */
  number: number;
  /** By `performance.now`. */
  lastAt: number;
  timer: NodeJS.Timeout | undefined;
}

export class SocketTicks {
  readonly #send: (thread: number, tick: SocketTick) => void;
  readonly #byRoute = new Map<string, Ticking>();

  constructor(send: (thread: number, tick: SocketTick) => void) {
    this.#send = send;
  }

  /** Ticks begin with the first socket and are numbered from then on; they end with the last one. */
  note(thread: number, { mockId, session, routeId, tickMs }: TickedSockets): void {
    const key = JSON.stringify([mockId, session, routeId]);
    const known = this.#byRoute.get(key);
    if (tickMs === undefined) {
      known?.threads.delete(thread);
      if (known?.threads.size === 0) {
        clearTimeout(known.timer);
        this.#byRoute.delete(key);
      }
      return;
    }
    const ticking = known ?? {
      mockId,
      session,
      routeId,
      tickMs,
      threads: new Set(),
      number: 0,
      lastAt: performance.now(),
      timer: undefined,
    };
    ticking.threads.add(thread);
    if (known !== undefined && known.tickMs === tickMs) return;
    ticking.tickMs = tickMs;
    this.#byRoute.set(key, ticking);
    this.#schedule(ticking);
  }

  #schedule(ticking: Ticking): void {
    clearTimeout(ticking.timer);
    const at = ticking.lastAt + ticking.tickMs;
    ticking.timer = setTimeout(
      () => {
        const { mockId, session, routeId, threads, tickMs } = ticking;
        const [thread] = threads;
        if (thread === undefined) return;
        this.#send(thread, { kind: 'tick', mockId, session, routeId, number: ++ticking.number });
        // Ticks missed during a pause are not sent later.
        ticking.lastAt = Math.max(at, performance.now() - tickMs);
        this.#schedule(ticking);
      },
      Math.max(0, at - performance.now()),
    );
  }
}
