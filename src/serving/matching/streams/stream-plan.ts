/** A stream as an answer plans it: what thread/streams/carry-stream.ts needs of it. */
import type { StreamFormat } from '../../../model/mocks/streams/event-text.ts';

/** The events of a stream, one after the other. */
export interface EventScript {
  /** Milliseconds since the head at which the next event is due; undefined when none is left. */
  readonly dueMs: number | undefined;
  /** Why an event cannot be rendered: the stream ends there. */
  readonly problem: string | undefined;
  /** The share of a request's work that the last event took. */
  readonly work: number;
  /** Renders the event that is due, and goes on to the next. @returns undefined for one whose list has no items, or with a `problem`. */
  readonly next: () => string | Buffer | undefined;
  /** Counts an event that is sent beside the script. @returns Its id where events are numbered. */
  readonly takeNumber: () => string | undefined;
}

/** A fault that strikes within a stream, after this many events on its connection. */
export interface StreamFault {
  readonly kind: 'truncated' | 'ended' | 'hang' | 'events';
  readonly afterEvents: number;
  /** For `truncated`: how much of the next event is sent; half of it when undefined. */
  readonly bytes: number | undefined;
  readonly ms: number | undefined;
}

export interface StreamToSend {
  readonly format: StreamFormat;
  readonly staysOpen: boolean;
  /** 0: never. */
  readonly keepAliveMs: number;
  readonly channel: string;
  readonly begin: () => EventScript;
  /** Events of the fault instead of the next event. @param since Time at which that was due, in milliseconds since the head. */
  readonly beginFault: (since: number) => EventScript;
  /** The request's body, which events that are rendered later may read; undefined without one. */
  readonly requestBody: Buffer | undefined;
  /** Replaces it by a copy that stays valid. */
  readonly keepBody: (copy: Buffer | undefined) => void;
}
