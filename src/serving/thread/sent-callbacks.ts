/**
 * Hands the callbacks of an answer to the process that sends them, once the answer is written or its fault carried out. What cannot
 * be handed over is lost with that process, which is another one then: its records say that they began anew.
 */
import { DEPTH_HEADER, type CallbackSent, type CallbacksSent } from '../../forward/callbacks-sent.ts';
import type { ConnectToEgress } from './egress-connector.ts';
import type { MockCache } from './mock-cache.ts';
import type { Exchange } from './reply/exchange.ts';
import type { ServedMock } from './served-mock.ts';

interface SentCallbacksOptions {
  readonly cache: MockCache;
  readonly connect: ConnectToEgress;
  readonly onBug: (error: unknown) => void;
}

export class SentCallbacks {
  readonly #options: SentCallbacksOptions;

  constructor(options: SentCallbacksOptions) {
    this.#options = options;
  }

  /** @param requestNumber Of the request that is answered. */
  sendAfter(exchange: Exchange, served: ServedMock, requestNumber: number, callbacks: readonly CallbackSent[]): void {
    const { ownerId, mockId, sessionId, sessionCreatedAt } = served;
    const depth = depthOf(exchange.head.headers);
    const sent = { ownerId, mockId, sessionId, sessionCreatedAt, requestNumber, depth, callbacks };
    // On a later turn: the answer is on its way before anything else is done.
    exchange.whenFinished(() => void setImmediate(() => this.#send(served, sent)));
  }

  #send(served: ServedMock, sent: CallbacksSent): void {
    if (this.#isOver(served)) return;
    this.#options
      .connect()
      .then((client) => client.callBack(sent))
      .catch((error: unknown) => this.#options.onBug(error));
  }

  /** The session has ended, or the mock was stopped, before the answer ended. */
  #isOver({ mockId, sessionId, sessionCreatedAt }: ServedMock): boolean {
    const { cache } = this.#options;
    const mock = cache.newest({ mockId, sessionId: '' });
    // One that had to leave the cache lives on.
    if (mock === undefined) return false;
    if (!mock.isRunning) return true;
    return sessionId !== '' && mock.createdAtOf(sessionId) !== sessionCreatedAt;
  }
}

function depthOf(headers: readonly string[]): number {
  const at = headers.findIndex((each, index) => index % 2 === 0 && each === DEPTH_HEADER);
  const depth = at === -1 ? 0 : Number(headers[at + 1]);
  return Number.isSafeInteger(depth) && depth > 0 ? depth : 0;
}
