/** Messages about WebSockets between the threads and the main thread of the data plane's process. */
import type { StreamAction, StreamSelection } from '../../model/mocks/streams/open-stream.ts';

/** A reply on one WebSocket that others get: all threads have it by way of the main thread, so all sockets in one order. */
export interface SocketBroadcast {
  readonly kind: 'broadcast';
  readonly id?: undefined;
  /** The thread that sends it. */
  readonly from: number;
  readonly ownerId: string;
  readonly mockId: string;
  readonly of: StreamSelection;
  readonly action: StreamAction;
}

/** A tick for all sockets of a route, sent to a thread that has some of them. */
export interface SocketTick extends Omit<TickedSockets, 'tickMs'> {
  readonly kind: 'tick';
  readonly id?: undefined;
  readonly number: number;
}

/** A thread has sockets of a route whose ticks go to all of them. */
export interface TickedSockets {
  readonly mockId: string;
  /** "" outside of sessions. */
  readonly session: string;
  readonly routeId: string;
  /** Undefined: the thread has none any more. */
  readonly tickMs: number | undefined;
}
