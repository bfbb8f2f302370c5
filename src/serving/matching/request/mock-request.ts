/** Types of a request to a mock and its answer, shared by the serving thread, the compiled mock and the interpreter. */
import type { FakerSetting } from '../../../model/mocks/definition/faker-schema.ts';
import type { ClientCert } from './client-cert.ts';
import type { CallbackSent } from '../../../forward/callbacks-sent.ts';
import type { Signer } from '../signing/signing-keys.ts';
import type { StoreTurn } from '../stores/store-turn.ts';
import type { StreamFault, StreamToSend } from '../streams/stream-plan.ts';
import type { ReplyHead } from '../compile/answer-head.ts';
import type { ResponseProxy } from '../../../model/mocks/definition/definition.ts';
import type { Delivery } from '../../../model/mocks/behaviour/behaviour-schema.ts';

/** A request as matching and templates read it. */
export interface MockRequest {
  /** Not normalised: methods are case-sensitive. */
  readonly method: string;
  /**
   * Percent-encoded as received; starts with "/", no query. The path within the mock, also when it was reached by
   * `/__mock/<id>`.
   */
  readonly path: string;
  /** Prefix of the path in the URL: `/__mock/<id>`, or nothing; absent if unknown. */
  readonly root?: string;
  /** Not decoded, without "?"; "" when absent. */
  readonly query: string;
  /** Names in lower case and values, alternating, in the order received. */
  readonly headers: readonly string[];
  /** Undefined when it was absent, or when no condition or template of the route reads it. */
  readonly body: Buffer | undefined;
  /** The address of the client; only for routes that look at it. */
  readonly clientIp?: string | undefined;
  /** The client's; undefined without one, and at ports that do not ask. */
  readonly clientCert?: ClientCert | undefined;
  /** Languages of what faker makes; undefined for English. */
  readonly faker?: FakerSetting | undefined;
  /** The port speaks TLS. */
  readonly isSecure?: boolean;
  /** Whose keys its templates use; undefined without the setting `signing`. */
  readonly signer?: Signer | undefined;
}

/** State that the requests of one mock, or one session, share across all threads: exact numbers, and the source of draws. */
export interface RouteCounter {
  /** Decides every draw, with the route and the request's number; null: chance does. */
  readonly seed: number | null;
  /** The states of the scenarios: one word each, in the order of the settings, the index of its state. */
  readonly state: { readonly words: Int32Array };
  /** The stores as the request in hand sees them; undefined where its route uses none. */
  readonly turn?: StoreTurn | undefined;
  /** @returns The number of this request among those of the route since its sequence started, from 1. */
  next(routeIndex: number): number;
  /** @returns The number that the next request gets, which this one does not take. */
  upcoming(routeIndex: number): number;
}

export const NO_PLACE = -1;

/** The outcome of a request, as traffic records it. */
export interface Outcome {
  /** "" when no route answered. */
  readonly routeId: string;
  readonly responseId: string;
  /** Index of the response among all of the mock; NO_PLACE when no route answered. */
  readonly place: number;
  /** Sent status; 0 if the answer has none. */
  readonly status: number;
  /** The fault that struck: 1 and its index among FAULT_KINDS; 0 without one. */
  readonly faultCode: number;
  /** The sum of the mock's latency and the response's. */
  readonly latencyMs: number;
  /** Why the mock answers 500 instead of its response, or 404 although a route matches. */
  readonly problem?: string;
}

/** An answer, ready to be written. */
export interface MockAnswer extends Outcome {
  readonly problem?: never;
  /** A string when headers were rendered for this answer only. */
  readonly head: ReplyHead;
  /**
   * Never sent for HEAD, 204 and 304. A string for a rendered body, an ArrayBuffer for a fixed one: a Buffer costs
   * uWebSockets.js 0.2 µs more.
   */
  readonly body: string | ArrayBuffer;
  /** No other answer shares the body. */
  readonly ownsBody: boolean;
  /** The answer leaves at once and whole: without latency, fault and delivery. */
  readonly isPlain: boolean;
  /** Replaces the whole reply. */
  readonly plan: DeliveryPlan | undefined;
  /** Callbacks after the answer. An answer with callbacks is not plain. */
  readonly callbacks: readonly CallbackSent[] | undefined;
  /**
   * Index of `status` among the other statuses of all responses of the mock (model/mocks/behaviour/fault-statuses.ts); NO_PLACE when it
   * is the response's own.
   */
  readonly otherPlace: number;
}

/** Replaces a whole reply at once: faults.ts makes it, thread/deliver.ts carries it out. */
export type DeliveryPlan =
  /** The connection is closed without a byte. */
  | { readonly kind: 'close' }
  /** Nothing is sent, and the connection is closed after `ms`, or by the client alone. */
  | { readonly kind: 'hang'; readonly ms: number | undefined; readonly refused: MockAnswer }
  /** The head says the length of the whole body, of which so many bytes follow; then the connection is closed. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** These bytes are sent between `HTTP/1.1 ` and a line end, both by uWebSockets.js; then the connection is closed. */
  | { readonly kind: 'raw'; readonly bytes: string | ArrayBuffer }
  /** The upstream answers, that of the mock where `own` names none; `path` with its query, in place of that of the request. */
  | { readonly kind: 'proxy'; readonly own: ResponseProxy; readonly path: string | undefined }
  /** Events are sent over time; a fault may strike in their midst. */
  | {
      readonly kind: 'stream';
      readonly stream: StreamToSend;
      readonly fault: StreamFault | undefined;
      readonly refused: MockAnswer;
    }
  /** It has become a WebSocket: thread/sockets/ has it. */
  | { readonly kind: 'socket' }
  /** The body is sent over time. */
  | { readonly kind: 'paced'; readonly delivery: Delivery; readonly refused: MockAnswer };

/**
 * A response that cannot be sent: it renders something that must not be written, or takes too much work. With the place
 * NO_PLACE and the status 404: no response answers in this state.
 */
export interface RenderProblem extends Outcome {
  readonly problem: string;
}

export function renderProblem(routeId: string, responseId: string, place: number, problem: string): RenderProblem {
  return { routeId, responseId, place, status: 500, faultCode: 0, latencyMs: 0, problem: oneLine(problem) };
}

/** No response answers: in this state of its scenarios, or (507) while there is no memory for the stores. */
export function stateMiss(problem: string, status: 404 | 507 = 404): RenderProblem {
  return {
    routeId: '',
    responseId: '',
    place: NO_PLACE,
    status,
    faultCode: 0,
    latencyMs: 0,
    problem: oneLine(problem),
  };
}

/** Recorded texts must not contain line feeds. */
function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}
