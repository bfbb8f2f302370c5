/** The questions of the API to the gateway, and the answers when it does not run. */
import type { ExchangeCounts, ExchangeFilter, ExchangePage, ExchangeRecord } from '../../../model/gateway/exchange.ts';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import type { GatewayBook, LiveGatewaySession } from '../../../sessions/gateway-book.ts';
import type { Subject } from '../operation.ts';

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

/** Waits for an answer of the gateway; refuses where there is none. */
export async function ask<Answer>(
  { state }: GatewayQuestions,
  asking: Promise<Answer | undefined>,
): Promise<{ readonly answer: Answer; readonly epoch: string } | Refusal> {
  const answer = await asking;
  const now = state();
  if (now === undefined) return refuse('gatewayNotRunning');
  // It restarts.
  return answer === undefined || now.epoch === undefined ? refuse('overloaded') : { answer, epoch: now.epoch };
}

/** A page of an owner's exchanges, for those who ask again. @returns Undefined while the gateway restarts. */
export async function pollExchanges(
  { exchanges, state }: GatewayQuestions,
  ownerId: string,
  filter: ExchangeFilter,
): Promise<(ExchangePage & { readonly epoch: string }) | undefined> {
  const page = await exchanges(ownerId, filter).catch(() => undefined);
  const epoch = state()?.epoch;
  return page && epoch !== undefined ? { ...page, epoch } : undefined;
}

/** The gateway of a server that has one. */
export function ofGateway({ state }: GatewayQuestions): Subject<undefined> {
  return {
    path: '/v1/gateway',
    enter: (call, use) =>
      state() === undefined ? call.refuse('gatewayNotRunning') : void call.later(Promise.resolve(undefined), use),
  };
}

/** A live session of the caller's gateway. The call counts as use of the session. */
export function ofGatewaySession(
  gateway: GatewayQuestions,
  book: Pick<GatewayBook, 'find'>,
): Subject<LiveGatewaySession> {
  const { path, enter } = ofGateway(gateway);
  return {
    path: `${path}/sessions/:sid`,
    enter: (call, use) =>
      enter(call, () => {
        const live = book.find(call.caller.ownerId, call.params[0] ?? '');
        return isRefusal(live) ? call.refuse(live) : use(live);
      }),
  };
}
