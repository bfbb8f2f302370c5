/**
 * Streams of server-sent events: bounds their number, sends comments while idle, and ends them.
 *
 * Where the events come from, and what happens to those that a slow client does not take, is up to the endpoint.
 */
import { WaitingBytes } from '../base/waiting-bytes.ts';
import { STREAM_SILENCE_MS, STREAMS_MAX, STREAMS_PER_OWNER_MAX } from '../limits.ts';
import type { Call } from './call.ts';

/** Interval at which a stream checks that its key and its mock still exist. */
const STREAM_ALLOWED_MS = 700;

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

const open = new WaitingBytes(STREAMS_MAX, STREAMS_PER_OWNER_MAX);

/**
 * Whether a call may be answered with a stream; it has its answer where not.
 *
 * @param mayContinue Whether its key is still valid, and the service is not stopping.
 */
export function admitStream(call: Call, mayContinue: (call: Call) => boolean): boolean {
  if (call.head.method === 'HEAD') call.send(200, EVENT_STREAM, '');
  else if (open.exceeded(call.caller.ownerId, 1) !== undefined) call.refuse('overloaded');
  else if (!mayContinue(call)) call.refuse('draining');
  else return true;
  return false;
}

/** The events that one call is answered with. */
export class EventStream {
  readonly #call: Call;
  #silentSince = performance.now();
  /** Whether its client takes more. */
  keepsUp = true;

  constructor(call: Call) {
    this.#call = call;
  }

  /** @returns Whether more may be written at once. */
  write(events: string): boolean {
    const call = this.#call;
    this.#silentSince = performance.now();
    this.keepsUp = call.writeStream(events);
    if (!this.keepsUp && call.isStream && !call.aborted) call.onceWritable(() => (this.keepsUp = true));
    return this.keepsUp;
  }

  /**
   * Resolves when the client has disconnected, its access has ended, or the service stops; the stream has ended then.
   *
   * @param isAllowed Whether the key is still valid, and what is followed still there.
   * @param onLook    Called every STREAM_ALLOWED_MS while the stream runs.
   */
  async hold(isAllowed: () => boolean | Promise<boolean>, onLook: () => void): Promise<void> {
    const call = this.#call;
    const { ownerId } = call.caller;
    open.add(ownerId, 1);
    try {
      while ((call.open || call.isStream) && !call.aborted) {
        await new Promise((resolve) => setTimeout(resolve, STREAM_ALLOWED_MS));
        if (!(await isAllowed())) return;
        if (call.isStream) onLook();
        const isSilent = performance.now() - this.#silentSince > STREAM_SILENCE_MS;
        if (call.isStream && this.keepsUp && isSilent) this.write(':\n\n');
      }
    } finally {
      open.release(ownerId, 1);
      if (call.open) call.refuse('overloaded');
      call.endStream();
    }
  }
}
