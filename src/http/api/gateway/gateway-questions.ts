/** The questions of the API to the gateway, and the answers when it does not run. */
import type { ExchangeCounts, ExchangeFilter, ExchangePage, ExchangeRecord } from '../../../model/gateway/exchange.ts';
import type { Call } from '../../call.ts';

/** Answers of the gateway. Each resolves with undefined while the gateway does not run. */
export interface GatewayQuestions {
  /** Undefined for a server without a gateway. */
  readonly state: () =>
    | {
        readonly port: number;
        readonly epoch: string | undefined;
        readonly restarts: number;
        /** Whether its process starts with the first request. */
        readonly isWaiting: boolean;
      }
    | undefined;
  /** The certificate as PEM, and what clients compare; undefined without one. */
  readonly authority: () =>
    | {
        readonly certificate: string;
        readonly facts: {
          readonly fingerprint: string;
          readonly spkiSha256: string;
          readonly expiresAt: string;
          readonly warning?: string;
        };
      }
    | undefined;
  /** Whether it runs the code of rules. */
  readonly runsCode: boolean;
  /** Whether rules serve files of it. */
  readonly readsFiles: boolean;
  /** In a cluster: the node that has the gateway of the owner, as far as that is known. */
  readonly home: (ownerId: string) => Promise<
    | {
        readonly nodeId: string;
        readonly life: { readonly epoch: string | null; readonly restarts: number } | undefined;
      }
    | undefined
  >;
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
