/**
 * The API process's side of the gateway, and of rules on requests of mocks to their upstreams: checks the keys that it asks about,
 * and publishes rules and settings to it.
 *
 * An owner is published when the gateway asks for it, and after each edit from then on: the reply to the edit waits, so that
 * every exchange that begins after it sees the edit. A gateway that does not confirm is replaced; the next one holds nothing.
 */
import type { Refusal } from '../../errors.ts';
import { isRefusal, StoreUnavailableError } from '../../errors.ts';
import { EVALUATED_SOURCES_MAX, KEYS_POLL_MS, PUBLISH_MS } from '../../limits.ts';
import { answerQuestion, Asker, type AnswerMessage, type Answers } from '../../children/questions.ts';
import { followNumber } from '../../base/follow-number.ts';
import type { StoredRules } from '../../model/evaluated-rules.ts';
import type { GatewaySessionEnd } from '../../model/gateway/session.ts';
import { sendChanges, type KnownRules } from '../../rules-table/rule-changes.ts';
import type { Authority } from '../../ca/authority.ts';
import type {
  ApiQuestions,
  FromGateway,
  GatewayCaller,
  GatewayQuestions,
  SentGatewaySession,
  ToGateway,
} from '../process/gateway-messages.ts';

/** Parts of the service that it needs, once that is open. */
export interface GatewayService {
  readonly authenticate: (key: string) => GatewayCaller | undefined;
  /** Whether the key with this id exists and is not revoked. */
  readonly isValid: (keyId: string) => boolean;
  /** Rises when keys change. */
  readonly keysGeneration: () => number;
  /** A text says why there is none. */
  readonly authority: Authority | string;
  readonly storedRules: (ownerId: string) => Promise<StoredRules | Refusal>;
  /** In a cluster, called before those are read for the first time: other nodes publish their edits here from then on. @throws Error */
  readonly holdRules?: ((ownerId: string) => Promise<void>) | undefined;
  /** In a cluster: 'own' where this node has the gateway of an owner, or the address of the one that has. Undefined where that cannot be known. */
  readonly ownerNode?: ((ownerId: string) => Promise<string | undefined>) | undefined;
}

/** The book of live sessions of gateways. */
export interface GatewaySessionsSource {
  readonly sessions: () => Iterable<{ readonly ownerId: string; readonly session: SentGatewaySession }>;
  /** Asks like `mockWanted` of sessions/gateway-book.ts. */
  readonly mockWanted: (ownerId: string, sessionId: string, mockId: string) => Promise<string | undefined>;
}

interface PublishedOwner {
  known: KnownRules | undefined;
  /** How often the gateway has asked for all. */
  loads: number;
  running: Promise<void> | undefined;
  /** Begins when that has ended: it sends what is stored then. */
  next: Promise<void> | undefined;
}

export class GatewayLink {
  /** Returns false when there is nobody to send to. */
  readonly #send: (message: ToGateway) => boolean;
  readonly #gateway: Asker<GatewayQuestions>;
  readonly #answers: Answers<ApiQuestions> = {
    credential: async ({ key }) => this.#callerOf(await this.#attached, key),
    home: async ({ ownerId }) => (await this.#attached).ownerNode?.(ownerId).catch(() => undefined),
    rules: async ({ ownerId }) => this.#load(await this.#attached, ownerId),
    mockSession: async ({ ownerId, sessionId, mockId }) =>
      (await this.#sessions?.mockWanted(ownerId, sessionId, mockId).catch(String)) ?? '',
  };
  readonly #owners = new Map<string, PublishedOwner>();
  /** Keys with which something may be under way. */
  readonly #keyIds = new Set<string>();
  #service: GatewayService | undefined;
  #sessions: GatewaySessionsSource | undefined;
  #attach!: (service: GatewayService) => void;
  readonly #attached = new Promise<GatewayService>((resolve) => {
    this.#attach = resolve;
  });
  #following: ReturnType<typeof followNumber> | undefined;
  /** Until when this node may be the home of owners. */
  #validUntil = 0;
  #peers: readonly string[] | undefined;

  /** @param replace Ends the process, which has not answered. */
  constructor(send: (message: ToGateway) => boolean, replace: (why: string) => void) {
    this.#send = send;
    const onLate = (): void => replace('it has not confirmed an edit');
    this.#gateway = new Asker(send, { withinMs: PUBLISH_MS, onLate });
  }

  /** Until then, who asks waits. */
  attach(service: GatewayService): void {
    this.#service = service;
    this.onReady();
    this.#attach(service);
  }

  /** To be called before a process is started. */
  attachSessions(source: GatewaySessionsSource): void {
    this.#sessions = source;
  }

  /** @returns Whether it has it: it gets it with its next start otherwise. */
  async putSession(ownerId: string, session: SentGatewaySession): Promise<boolean> {
    return (await this.#gateway.ask('putSession', { ownerId, session })) === true;
  }

  /** @returns What it leaves; undefined when that was lost with the process. */
  endSession(ownerId: string, sessionId: string): Promise<GatewaySessionEnd | undefined> {
    return this.#gateway.ask('endSession', { ownerId, sessionId });
  }

  /** A process listens, and knows nothing yet. */
  onReady(): void {
    const authority = this.#service?.authority;
    if (authority !== undefined) this.#send({ kind: 'authority', authority });
    for (const each of this.#sessions?.sessions() ?? []) this.#send({ kind: 'session', ...each });
    this.#send({ kind: 'sessionsSent' });
    if (this.#validUntil !== 0) this.setLease(this.#validUntil);
    if (this.#peers !== undefined) this.setPeers(this.#peers);
  }

  /** @param addresses Of the other nodes that are alive. */
  setPeers(addresses: readonly string[]): void {
    this.#peers = addresses;
    this.#send({ kind: 'peers', addresses });
  }

  /** @param validUntil By `monotonicMs`. */
  setLease(validUntil: number): void {
    this.#validUntil = validUntil;
    this.#send({ kind: 'lease', validUntil });
  }

  /** Resolves when this node is no longer home to any owner. */
  async release(): Promise<void> {
    this.#validUntil = 0;
    await this.#gateway.ask('release', null);
  }

  get authority(): Authority | undefined {
    const authority = this.#service?.authority;
    return typeof authority === 'string' ? undefined : authority;
  }

  /** Whether those of any owner may be applied. */
  get hasRules(): boolean {
    return this.#owners.size > 0;
  }

  /** @returns Undefined when the gateway does not hold the owner: it sees the edit when it loads the owner. */
  publish(ownerId: string): Promise<void> | undefined {
    const owner = this.#owners.get(ownerId);
    return owner && this.#run(ownerId, owner);
  }

  /** @param reply Sends to the process that the message is of. */
  take(message: FromGateway, reply: (answer: AnswerMessage) => void): void {
    if (message.kind === 'answer') this.#gateway.take(message);
    else answerQuestion(this.#answers, message, reply);
  }

  /** The process has ended, and what it held. */
  reset(): void {
    this.#owners.clear();
    this.#keyIds.clear();
    this.#gateway.endAll();
  }

  stop(): void {
    this.#following?.stop();
  }

  #callerOf(service: GatewayService, key: string): GatewayCaller | undefined {
    const known = service.authenticate(key);
    // That may be remembered from before a revocation, whose connections have ended already.
    const caller = known !== undefined && service.isValid(known.keyId) ? known : undefined;
    if (caller !== undefined) this.#keyIds.add(caller.keyId);
    this.#following ??= followNumber(service.keysGeneration, KEYS_POLL_MS, () => this.#endRevoked());
    return caller;
  }

  async #load(service: GatewayService, ownerId: string): Promise<true> {
    try {
      await service.holdRules?.(ownerId);
    } catch (error) {
      const reason = error instanceof StoreUnavailableError ? 'the database is unreachable' : (error as Error).message;
      this.#send({ kind: 'refuseRules', ownerId, reason, lasts: false });
      return true;
    }
    const owner = this.#owners.get(ownerId) ?? { known: undefined, loads: 0, running: undefined, next: undefined };
    owner.known = undefined;
    owner.loads++;
    this.#owners.set(ownerId, owner);
    await this.#run(ownerId, owner);
    return true;
  }

  #run(ownerId: string, owner: PublishedOwner): Promise<void> {
    if (owner.next !== undefined) return owner.next;
    const begin = (): Promise<void> => {
      owner.next = undefined;
      owner.running = this.#sendRules(ownerId, owner).finally(() => {
        owner.running = undefined;
      });
      return owner.running;
    };
    if (owner.running === undefined) return begin();
    owner.next = owner.running.then(begin);
    return owner.next;
  }

  async #sendRules(ownerId: string, owner: PublishedOwner): Promise<void> {
    const { known, loads } = owner;
    const stored = await (this.#service as GatewayService).storedRules(ownerId);
    if (isRefusal(stored)) return this.#refuse(ownerId, owner, stored.message, false);
    if (known?.version === stored.version) return undefined;
    const { gateway } = stored;
    const answer = await sendChanges(stored, known, {
      put: (rules, isFirst) => this.#gateway.ask('put', { ownerId, rules, isFirst }),
      commit: (commit) => {
        const isChanged = gateway !== undefined && gateway.modifiedVersion > (commit.from ?? -1);
        return this.#gateway.ask('commit', { ownerId, commit, settings: isChanged ? gateway.settings : undefined });
      },
    });
    switch (answer) {
      case 'done':
        // It may have left there again, and been asked for.
        if (owner.loads === loads) owner.known = { version: stored.version, count: stored.rules.length };
        return undefined;
      case 'tooMany':
        return this.#refuse(ownerId, owner, `the active rules have more than ${EVALUATED_SOURCES_MAX} sources`);
      case 'tooLarge':
        return this.#refuse(ownerId, owner, 'the rules need more memory than the gateway has left');
      default:
        // It has left there in the meantime, unless it was asked for again.
        owner.known = undefined;
        if (owner.next === undefined && this.#owners.get(ownerId) === owner) this.#owners.delete(ownerId);
        return undefined;
    }
  }

  #refuse(ownerId: string, owner: PublishedOwner, reason: string, lasts = true): void {
    owner.known = undefined;
    this.#send({ kind: 'refuseRules', ownerId, reason, lasts });
  }

  #endRevoked(): void {
    for (const keyId of this.#keyIds) {
      if (this.#service?.isValid(keyId) !== false) continue;
      this.#keyIds.delete(keyId);
      this.#send({ kind: 'endKey', keyId });
    }
  }
}
