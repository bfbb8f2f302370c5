/** Collects the log record of a running exchange. */
import { STATUS_CODES } from 'node:http';
import type { ExchangeRecord } from '../../model/gateway/exchange.ts';
import { SESSION_ID } from '../../model/mocks/sessions/session.ts';
import type { RequestHalf } from '../../rules-table/evaluate.ts';
import type { HeaderLine } from '../../rules-table/header-list.ts';
import type { GatewayCaller } from '../process/gateway-messages.ts';
import type { ExchangeLog } from './exchange-log.ts';
import type { GatewaySession } from './gateway-sessions.ts';
import type { GivenExchange } from './packed-exchange.ts';
import type { ExchangePolicy } from './exchange-policy.ts';

/** Whose exchange it is, and in which session. */
export interface ExchangeCaller {
  readonly caller: GatewayCaller;
  readonly session: GatewaySession | undefined;
  /** Session that the request names and that does not exist: it is refused. */
  readonly missing?: string | undefined;
}

/** @param missing As above. @returns The name, where a session may have it: other texts are not kept. */
export function missingSession(missing = ''): string | undefined {
  return SESSION_ID.test(missing) ? missing : undefined;
}

/** The reason for its client. */
export function sessionHint(missing: string | undefined): string {
  const name = missingSession(missing);
  const what =
    name === undefined
      ? 'the request does not name a valid session id'
      : `the gateway has no session "${name}", or it has ended`;
  return `${what}; outside of sessions the user name is "key"`;
}

/** The result of an exchange. */
type ExchangeResult = Pick<
  GivenExchange,
  | 'outcome'
  | 'status'
  | 'statusText'
  | 'responseHeaders'
  | 'steps'
  | 'location'
  | 'delayMs'
  | 'problem'
  | 'reason'
  | 'written'
  | 'ended'
>;

interface ReceivedHead {
  readonly method: string;
  readonly url: string;
  readonly lines: readonly HeaderLine[];
}

export class ExchangeNote {
  policy: ExchangePolicy | undefined;
  skipped: ExchangeRecord['skipped'] = [];
  upstream: ExchangeRecord['upstream'];
  upstreamMs: number | undefined;
  /** The mock that answers for the host. */
  attached: string | undefined;
  /** Its number where bodies are recorded. */
  recording: number | undefined;
  readonly #log: Pick<ExchangeLog, 'add'>;
  readonly #of: ExchangeCaller;
  readonly #asked: ReceivedHead;
  readonly #startedAt = performance.now();
  readonly #time = Date.now();
  /** Takes when the answer was sent as a whole. */
  #noteEnd: ((totalMs: number) => void) | undefined;

  constructor(log: Pick<ExchangeLog, 'add'>, of: ExchangeCaller, asked: ReceivedHead) {
    this.#log = log;
    this.#of = of;
    this.#asked = asked;
  }

  /** @param host The one that was asked, where rules may have changed it. */
  keep(half: RequestHalf | undefined, answered: ExchangeResult, host?: string): void {
    const { caller, session, missing } = this.#of;
    const { method, url, lines } = this.#asked;
    const { policy } = this;
    const problems = half?.run.problems ?? [];
    // Each member by its name: spread, they take a microsecond.
    const exchange: Required<GivenExchange> = {
      outcome: answered.outcome,
      status: answered.status,
      statusText: answered.statusText,
      responseHeaders: answered.responseHeaders,
      steps: answered.steps,
      location: answered.location,
      delayMs: answered.delayMs,
      problem: answered.problem,
      reason: answered.reason,
      written: answered.written,
      ended: answered.ended,
      time: this.#time,
      user: caller.userId,
      method,
      url,
      ruleIds: [...new Set(answered.steps.map(({ ruleId }) => ruleId))],
      ms: performance.now() - this.#startedAt,
      requestHeaders: lines,
      upstream: this.upstream,
      skipped: problems.length === 0 ? this.skipped : [...this.skipped, ...problems],
      console: half?.run.console,
      version: policy?.version ?? 0,
      attached: this.attached,
      session: session?.id ?? missingSession(missing),
      sessionLabel: session?.label,
      sessionMadeAt: session?.createdAt,
      upstreamMs: this.upstreamMs,
      recording: this.recording,
    };
    session?.note(exchange, host);
    this.#noteEnd = this.#log.add(caller.ownerId, exchange, policy?.redact);
  }

  /** @param answer What its client gets in place of the upstream's. */
  fail(
    half: RequestHalf | undefined,
    problem: string,
    reason: string,
    answer: { readonly status: number; readonly headers: readonly HeaderLine[]; readonly host: string | undefined },
  ): void {
    const { status, headers, host } = answer;
    const answered = {
      outcome: 'failed' as const,
      status,
      statusText: STATUS_CODES[status] ?? '',
      responseHeaders: headers,
      steps: half?.run.steps ?? [],
      location: null,
      delayMs: half?.delayMs ?? 0,
      problem,
      reason,
    };
    this.keep(half, answered, host);
  }

  /** The answer was sent as a whole. */
  end(): void {
    this.#noteEnd?.(performance.now() - this.#startedAt);
  }

  /** The client has left. */
  leave(half: RequestHalf | undefined): void {
    if (this.#noteEnd !== undefined) return;
    const { outcome = 'failed', delayMs = 0, run } = half ?? {};
    const reply = { status: 0, statusText: '', responseHeaders: [], location: null };
    this.keep(half, { ...reply, outcome, delayMs, steps: run?.steps ?? [], ended: 'client' });
  }
}
