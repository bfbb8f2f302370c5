/**
 * The way between a thread that has received a request and the one that is the home of its mock: one message for all requests of a turn of
 * the event loop, and one for all answers. A message for each took twice the processor time with eight requests in flight.
 */
import type { MessagePort } from 'node:worker_threads';
import type { RequestHeadSent } from '../../../forward/envelope.ts';
import { homeThread } from '../../shared/home-thread.ts';
import type { MockAnswer } from '../../matching/request/mock-request.ts';
import type { PassedRoute } from '../../matching/explain/explain-miss.ts';
import type { ServedMock } from '../served-mock.ts';

export interface HandedRequest {
  readonly head: RequestHeadSent;
  readonly body: Uint8Array | undefined;
  /** `Date.now()` when it started to wait. */
  readonly waitsSince: number;
}

/** Decision of the home, which has recorded what it has counted. */
export type Decision =
  /** The home has another version, or none: it is asked again. */
  | { readonly kind: 'again' }
  /** No route answers. */
  | { readonly kind: 'miss'; readonly passedOn: readonly PassedRoute[] }
  /** None of the responses answers: see `stateMiss`. */
  | { readonly kind: 'state'; readonly problem: string; readonly status: number }
  /** Counted. */
  | { readonly kind: 'problem'; readonly problem: string }
  /** Counted. */
  | { readonly kind: 'answer'; readonly answer: MockAnswer; readonly number: number }
  /** The receiving thread renders, counts and sends streams and proxied answers itself. */
  | {
      readonly kind: 'chosen';
      readonly routeId: string;
      readonly responseId: string;
      readonly requestNumber: number;
    }
  | { readonly kind: 'failed' };

interface Batch {
  readonly requests: (readonly [id: number, request: HandedRequest])[];
  readonly decisions: (readonly [id: number, decision: Decision])[];
}

type Decide = (request: HandedRequest, reply: (decision: Decision) => void) => void;

export class HomeThreads {
  readonly #index: number;
  readonly #peers: readonly (MessagePort | undefined)[];
  readonly #outgoing: (Batch | undefined)[];
  readonly #pending = new Map<number, { readonly peer: number; readonly onDecision: (decision: Decision) => void }>();
  #lastId = 0;
  #decide: Decide = (_request, reply) => reply({ kind: 'failed' });

  /** @param index Of this thread. @param peers Ports to the others, by their index; empty for a thread alone. */
  constructor(index: number, peers: readonly (MessagePort | undefined)[]) {
    this.#index = index;
    this.#peers = peers;
    this.#outgoing = peers.map(() => undefined);
    for (const [peer, port] of peers.entries()) {
      port?.on('message', (batch: Batch) => this.#receive(peer, batch));
      port?.on('close', () => this.#lose(peer));
    }
  }

  /** Handles what other threads hand over: it must not throw. */
  onRequest(decide: Decide): void {
    this.#decide = decide;
  }

  /** @returns The thread to hand its requests to; undefined when it is this one. */
  homeOf({ mockId, sessionId }: Pick<ServedMock, 'mockId' | 'sessionId'>): number | undefined {
    if (this.#peers.length <= 1) return undefined;
    const home = homeThread(mockId, sessionId, this.#peers.length);
    return home === this.#index ? undefined : home;
  }

  /** @param onDecision Called once, on a later turn of the event loop. */
  hand(home: number, request: HandedRequest, onDecision: (decision: Decision) => void): void {
    const id = ++this.#lastId;
    this.#pending.set(id, { peer: home, onDecision });
    this.#batchFor(home).requests.push([id, request]);
  }

  #batchFor(peer: number): Batch {
    const waiting = this.#outgoing[peer];
    if (waiting !== undefined) return waiting;
    const batch: Batch = { requests: [], decisions: [] };
    this.#outgoing[peer] = batch;
    setImmediate(() => {
      this.#outgoing[peer] = undefined;
      this.#peers[peer]?.postMessage(batch);
    });
    return batch;
  }

  #receive(peer: number, { requests, decisions }: Batch): void {
    for (const [id, decision] of decisions) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      pending?.onDecision(decision);
    }
    for (const [id, request] of requests) {
      this.#decide(request, (decision) => this.#batchFor(peer).decisions.push([id, decision]));
    }
  }

  /** The other thread has crashed. One that stops answers until the process ends. */
  #lose(peer: number): void {
    for (const [id, pending] of this.#pending) {
      if (pending.peer !== peer) continue;
      this.#pending.delete(id);
      pending.onDecision({ kind: 'failed' });
    }
  }
}
