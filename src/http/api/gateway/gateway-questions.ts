/** What the API asks the gateway, and what it answers where that does not run. */
import type { ExchangeCounts, ExchangeFilter, ExchangePage, ExchangeRecord } from '../../../model/gateway/exchange.ts';
import type { Call } from '../../call.ts';

/** What the gateway answers to the API. Each resolves with undefined when it does not run at the moment. */
export interface GatewayQuestions {
  /** Undefined for a server without a gateway. */
  readonly state: () =>
    | { readonly port: number; readonly epoch: string | undefined; readonly restarts: number }
    | undefined;
  /** The certificate as PEM, and what clients compare; undefined without one. */
  readonly authority: () =>
    | {
        readonly certificate: string;
        readonly facts: { readonly fingerprint: string; readonly spkiSha256: string; readonly expiresAt: string };
      }
    | undefined;
  /** The address for clients. */
  readonly serverAt: (port: number) => string;
  readonly exchanges: (ownerId: string, filter: ExchangeFilter) => Promise<ExchangePage | undefined>;
  readonly exchange: (ownerId: string, number: number) => Promise<ExchangeRecord | null | undefined>;
  readonly counts: (ownerId: string) => Promise<ExchangeCounts | undefined>;
  readonly reset: (ownerId: string) => Promise<true | undefined>;
  /** Null for a session that does not live. */
  readonly sessionCounts: (ownerId: string, session: string) => Promise<ExchangeCounts | null | undefined>;
}

/** Answers when the gateway has; refuses where there is none. */
export function ask<Answer>(
  call: Call,
  { state }: GatewayQuestions,
  asked: Promise<Answer | undefined>,
  answer: (found: Answer, epoch: string) => void,
): void {
  if (state() === undefined) {
    asked.catch(() => undefined);
    return call.refuse('gatewayNotRunning');
  }
  return void call.later(
    asked.catch(() => undefined),
    (found) => {
      const epoch = state()?.epoch;
      // It restarts.
      if (found === undefined || epoch === undefined) return call.refuse('overloaded');
      return answer(found, epoch);
    },
  );
}
