/** What threads say of WebSockets to the main thread of the data plane's process, and it to them. */
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

/** One of the ticks that all sockets of a route get, to a thread that has one of them. */
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
