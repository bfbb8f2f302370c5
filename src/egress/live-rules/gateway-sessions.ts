/**
 * The live sessions of the gateway, as the API process sends them: each makes a policy of its own of its owner's, and counts what
 * happens in it.
 *
 * A process that follows another one gets all of them before it answers for any: until then, who asks for one waits.
 */
import { NOT_ATTACHED_HOSTS_MAX } from '../../limits.ts';
import type { ExchangeCounts, ExchangeRecord } from '../../model/gateway/exchange.ts';
import type { GatewayOverlay, GatewaySessionEnd, GatewaySessionUse } from '../../model/gateway/session.ts';
import { compileOverlay, overlaid } from '../../rules-table/rule-overlay.ts';
import type { RuleOverlay } from '../../rules-table/rule-table.ts';
import type { Api, SentGatewaySession } from '../process/gateway-messages.ts';
import { headerValue, type HeaderLines } from '../../rules-table/header-list.ts';
import { countExchange, newCounts, shownCounts } from './exchange-counts.ts';
import { HostTable, hostSet } from './host-table.ts';
import { mockNamedBy, type ExchangePolicy } from './exchange-policy.ts';

export class GatewaySession {
  readonly ownerId: string;
  readonly id: string;
  /** Undefined without one. */
  readonly label: string | undefined;
  readonly createdAt: number;
  /** Mocks that have a session of this id. */
  readonly mocks = new Set<string>();
  counts = newCounts();
  readonly notAttached = new Set<string>();
  /** Milliseconds since 1970; 0 before the first exchange. */
  lastUsedAt = 0;
  #overlay: GatewayOverlay;
  #rules: RuleOverlay | undefined;
  #attached: HostTable<string>;
  #propagated: HostTable<true> | undefined;
  /** Policy of the last request, and its base. */
  #policy: { readonly base: ExchangePolicy; readonly made: ExchangePolicy } | undefined;

  constructor(ownerId: string, { id, label, createdAt, overlay, mocks }: SentGatewaySession) {
    this.ownerId = ownerId;
    this.id = id;
    this.label = label === '' ? undefined : label;
    this.createdAt = createdAt;
    this.#overlay = overlay;
    this.#attached = new HostTable([]);
    this.put(overlay, mocks);
  }

  put(overlay: GatewayOverlay, mocks: readonly string[]): void {
    this.#overlay = overlay;
    this.#rules = compileOverlay(overlay);
    this.#attached = new HostTable(Object.entries(overlay.attach));
    this.#propagated = overlay.propagate && hostSet(overlay.propagate);
    this.#policy = undefined;
    for (const mockId of mocks) this.mocks.add(mockId);
  }

  /** @param base Its owner's. */
  effectivePolicy(base: ExchangePolicy): ExchangePolicy {
    if (this.#policy?.base !== base) this.#policy = { base, made: this.#policyOver(base) };
    return this.#policy.made;
  }

  /** Counts what has happened in it. @param host The one that was asked: that of the URL by default. */
  note(exchange: Pick<ExchangeRecord, 'url' | 'outcome' | 'problem' | 'ruleIds' | 'skipped'>, host?: string): void {
    countExchange(this.counts, exchange);
    if (exchange.problem !== 'notAttached' || exchange.outcome !== 'failed') return;
    if (this.notAttached.size < NOT_ATTACHED_HOSTS_MAX) this.notAttached.add(host ?? new URL(exchange.url).host);
  }

  /** Nothing has happened in it. */
  reset(): void {
    this.counts = newCounts();
    this.notAttached.clear();
  }

  #policyOver(base: ExchangePolicy): ExchangePolicy {
    const attached = this.#attached;
    const propagated = this.#propagated;
    return {
      ...base,
      ...overlaid(base.table, base.find, this.#rules),
      sessionId: this.id,
      attachOf: (host, port) => attached.get(host, port) ?? base.attachOf(host, port),
      mode: this.#overlay.mode ?? base.mode,
      others: this.#overlay.others ?? base.others,
      propagates: propagated === undefined ? base.propagates : (host, port) => propagated.has(host, port),
    };
  }
}

/** A request for a mock of this server. */
interface MockTarget {
  /** The mock that answers for the host. */
  readonly attached: string | undefined;
  readonly hostname: string;
  readonly path: string;
  readonly headers: HeaderLines;
}

type Problem = string | undefined;

export class GatewaySessions {
  readonly #owners = new Map<string, Map<string, GatewaySession>>();
  readonly #api: Api;
  /** By owner, session and mock. */
  readonly #wanted = new Map<string, Promise<Problem>>();
  #hasAll = false;
  #releaseWaiting!: () => void;
  readonly #all = new Promise<void>((resolve) => {
    this.#releaseWaiting = resolve;
  });

  constructor(api: Api) {
    this.#api = api;
  }

  /** It is used by that. @returns Undefined where there is none, or none any more. */
  find(ownerId: string, id: string): GatewaySession | undefined | Promise<GatewaySession | undefined> {
    if (!this.#hasAll) return this.#all.then(() => this.find(ownerId, id));
    const found = this.#owners.get(ownerId)?.get(id);
    if (found !== undefined) found.lastUsedAt = Date.now();
    return found;
  }

  /** Whether the session that an exchange belongs to lives. */
  isOfLive(
    ownerId: string,
    { session = '', sessionMadeAt }: Pick<ExchangeRecord, 'session' | 'sessionMadeAt'>,
  ): boolean {
    return sessionMadeAt !== undefined && this.#owners.get(ownerId)?.get(session)?.createdAt === sessionMadeAt;
  }

  /** @returns Why the mock that will answer has no session of this name; undefined where it is known to have one. */
  problemOf(session: GatewaySession, { attached, hostname, path, headers }: MockTarget): Problem | Promise<Problem> {
    if (attached !== undefined) return this.mockWanted(session, attached);
    const named = mockNamedBy(hostname, path, headerValue(headers, 'x-mock-id'));
    if (named === undefined) return undefined;
    const { mockId, sessionId = session.id } = named;
    if (sessionId !== session.id) return `the request also names the session ${sessionId} of the mock ${mockId}`;
    return this.mockWanted(session, mockId);
  }

  /** Has the session of a mock made, where there is none. @returns Why there is none. */
  mockWanted(session: GatewaySession, mockId: string): undefined | Promise<Problem> {
    if (session.mocks.has(mockId)) return undefined;
    const { ownerId, id: sessionId } = session;
    const key = `${ownerId} ${sessionId} ${mockId}`;
    const wanted =
      this.#wanted.get(key) ??
      this.#api.ask('mockSession', { ownerId, sessionId, mockId }).then((problem = 'the server is stopping') => {
        this.#wanted.delete(key);
        if (problem !== '') return problem;
        session.mocks.add(mockId);
        return undefined;
      });
    this.#wanted.set(key, wanted);
    return wanted;
  }

  /** All sessions that there are at the start of the process are put. */
  gotAll(): void {
    this.#hasAll = true;
    this.#releaseWaiting();
  }

  put(ownerId: string, sent: SentGatewaySession): void {
    const sessions = this.#owners.get(ownerId) ?? new Map<string, GatewaySession>();
    const known = sessions.get(sent.id);
    if (known?.createdAt === sent.createdAt) known.put(sent.overlay, sent.mocks);
    else sessions.set(sent.id, new GatewaySession(ownerId, sent));
    this.#owners.set(ownerId, sessions);
  }

  /** @returns What it leaves; undefined for one that is not here. */
  end(ownerId: string, id: string): GatewaySessionEnd | undefined {
    const sessions = this.#owners.get(ownerId);
    const session = sessions?.get(id);
    sessions?.delete(id);
    if (sessions?.size === 0) this.#owners.delete(ownerId);
    return session && { counts: shownCounts(session.counts), notAttached: [...session.notAttached] };
  }

  /** Those of one owner, or all. */
  uses(ownerId?: string): (GatewaySessionUse & { readonly ownerId: string })[] {
    const owners = ownerId === undefined ? [...this.#owners.values()] : [this.#owners.get(ownerId) ?? new Map()];
    return owners.flatMap((sessions: ReadonlyMap<string, GatewaySession>) =>
      [...sessions.values()].map(({ ownerId: of, id, lastUsedAt, counts }) => ({
        ownerId: of,
        sessionId: id,
        lastUsedAt,
        total: counts.total,
      })),
    );
  }

  /** @returns Undefined for one that does not live. */
  counts(ownerId: string, id: string): ExchangeCounts | undefined {
    const session = this.#owners.get(ownerId)?.get(id);
    return session && shownCounts(session.counts);
  }
}
