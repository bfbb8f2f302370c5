/** A stream as it is served: what compile-stream.ts makes of a response, once per version. */
import type { RequestView } from '../request/request-view.ts';
import type { TemplateRun } from '../templates/template-run.ts';
import type { EventParts, StreamFormat } from '../../../model/mocks/streams/event-text.ts';

/** Identifies a repetition of an event: each draws for itself. */
export interface Occurrence {
  /** Index of the run of the events. */
  readonly run: number;
  /** Index in the event's list. */
  readonly item: number;
}

export interface CompiledEvent {
  /** Milliseconds since the event before. */
  readonly delay: (view: RequestView, occurrence: Occurrence) => number;
  /** The items that it is sent for; undefined: it is sent once. Not an array: none. */
  readonly list: ((run: TemplateRun, occurrence: Occurrence) => readonly unknown[]) | undefined;
  /** Undefined for a template. */
  readonly fixedId: string | undefined;
  readonly hasId: boolean;
  /** @param locals What its names stand for: templates/template-tree.ts. */
  readonly parts: (run: TemplateRun, occurrence: Occurrence) => EventParts;
  /** Bytes that are not text. */
  readonly bytes: Buffer | undefined;
}

export interface CompiledStream {
  readonly format: StreamFormat;
  readonly events: readonly CompiledEvent[];
  /** Infinity: forever. */
  readonly repeat: number;
  readonly staysOpen: boolean;
  /** 0: never. */
  readonly keepAliveMs: number;
  readonly numbersEvents: boolean;
  readonly resumes: boolean;
  readonly channel: string;
  /** Events of the fault, instead of the next event. */
  readonly faultEvents: readonly CompiledEvent[];
}

/** The next event of a stream. */
export interface StreamPlace extends Occurrence {
  /** The event's. */
  readonly index: number;
  /** Events that were sent before, on other connections. */
  readonly sent: number;
}

export const STREAM_BEGIN: StreamPlace = { run: 0, index: 0, item: 0, sent: 0 };
