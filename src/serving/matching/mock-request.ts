/** A request to a mock, and what is answered: the words that the worker, the compiled mock and the interpreter share. */
import type { ReplyHead } from './answer-head.ts';

/** What matching and templates see of a request. */
export interface MockRequest {
  /** As received: methods are case-sensitive. */
  readonly method: string;
  /** Percent-encoded as received; starts with "/", no query. Below the mock's own root, also when reached by `/__mock/<id>`. */
  readonly path: string;
  /** As received, without "?"; "" when absent. */
  readonly query: string;
  /** Names in lower case and values, alternating, in the order received. */
  readonly headers: readonly string[];
  /** Undefined when there was none, or when no rule or template of the route looks at it. */
  readonly body: Buffer | undefined;
}

/** Numbers requests of one mock, exactly across all threads. */
export interface RouteCounter {
  /** @returns The number of this request among those of the route since the sequence's start, from 1. */
  next(routeIndex: number): number;
}

export const NO_PLACE = -1;

/** What became of a request, as traffic records it. */
export interface Outcome {
  /** "" when no route answered. */
  readonly routeId: string;
  readonly responseId: string;
  /** Of the response among all of the mock, from 0; NO_PLACE when no route answered. */
  readonly place: number;
  readonly status: number;
  /** Settings and response together. */
  readonly latencyMs: number;
  /** Why the mock answers 500 instead of its response. */
  readonly problem?: string;
}

/** An answer, ready to be written. */
export interface MockAnswer extends Outcome {
  readonly problem?: never;
  /** A text where headers were rendered for this answer alone. */
  readonly head: ReplyHead;
  /**
   * Never sent for HEAD, 204 and 304. As uWebSockets.js takes it: of a rendered body its text, of a fixed one an ArrayBuffer of its own,
   * since a Buffer costs it 0.2 µs more.
   */
  readonly body: string | ArrayBuffer;
  /** Whether the body was made for this answer alone. */
  readonly ownsBody: boolean;
}

/** A response that cannot be sent: what it renders may not be written, or takes too much. */
export interface RenderProblem extends Outcome {
  readonly problem: string;
}

export function renderProblem(routeId: string, responseId: string, place: number, problem: string): RenderProblem {
  // Traffic keeps texts line by line.
  return { routeId, responseId, place, status: 500, latencyMs: 0, problem: problem.replaceAll('\n', ' ') };
}
