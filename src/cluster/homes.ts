/**
 * Which node serves a mock, and how an edit reaches it.
 *
 * A mock has one home, claimed with the first request to it on any node: its sequences, counts, traffic and sessions are
 * there. A home is claimed before the mock's definition is read, and a publish reads the home after its commit: so a node
 * that was not notified of an edit reads it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BEATS_PER_LEASE, LEASE_SLACK, PUBLISH_MS } from '../limits.ts';
import { monotonicMs } from '../base/monotonic.ts';
import { gatewayKey, ownerOfGateway, rulesKey } from '../model/gateway/home-key.ts';
import type { PublishedMock } from '../model/mocks/definition/definition.ts';
import { BatchedRead } from '../store/postgres/batched-read.ts';
import type { Home, Incarnation, NodeTable, PublishedState } from '../store/postgres/node-table.ts';
import type { Membership } from './membership.ts';
import { PeerError } from '../forward/peers.ts';

/** How often a publish asks a home that does not answer again. */
const HOME_POLL_MS = 200;

interface HerePublish {
  /** Whether this node is still the home. */
  readonly isCurrent: () => boolean;
  /** Whether what is served already is not published again. */
  readonly isRepeated: boolean;
}

/** How a mock is published by the node that is its home, or the rules of an owner. */
interface HomeActions {
  /** Whether this node has a gateway, which can be the home of owners. */
  readonly hasGateway: boolean;
  /** On this node: `LocalPublisher`. */
  readonly publish: (mockId: string, how: HerePublish) => Promise<boolean>;
  /** The same at another node; undefined when it is not the home there. @throws PeerError when it does not answer. */
  readonly publishAt: (address: string, mockId: string, isRepeated: boolean) => Promise<boolean | undefined>;
}

/** For which a publish asks a home again that lives and cannot be reached. */
const UNREACHABLE_MS = 3_000;

export class Homes {
  readonly #table: NodeTable;
  readonly #membership: Membership;
  readonly #actions: HomeActions;
  /** Published states of the data plane of this node, of the mocks whose home it is. */
  readonly #own = new Map<string, PublishedState>();
  /** Owners whose rules are applied here, and whose edits of rules are therefore published to this node. */
  readonly #rulesOf = new Set<string>();
  readonly #reads: BatchedRead<Home>;
  /** Rises when the homes of this node are over: what was read for them before is not used. */
  #era = 0;
  /** Set when this node gives its homes away; resolves when it has none. */
  #leaving: Promise<void> | undefined;

  constructor(table: NodeTable, membership: Membership, actions: HomeActions) {
    this.#table = table;
    this.#membership = membership;
    this.#actions = actions;
    this.#reads = new BatchedRead((mockIds) => this.#findOrClaim(mockIds));
  }

  /** How many mocks, and gateways of owners, have their home here. */
  get count(): number {
    return this.#own.size;
  }

  /** Whether this node is known to be the home of a mock, without asking. */
  isOwn(mockId: string): boolean {
    return this.#own.has(mockId) && this.#leaving === undefined && this.#membership.isValid;
  }

  /**
   * The home of a mock, claimed for this node if there is none.
   *
   * @returns undefined when no such mock is published.
   * @throws StoreUnavailableError
   */
  async of(mockId: string): Promise<'own' | Home | undefined> {
    await this.#leaving;
    const home = await this.#reads.get(mockId);
    return home !== undefined && this.#isSelf(home) ? 'own' : home;
  }

  /** Whether the homes that this node has now are still its own, whenever that is called. */
  sameHomes(): () => boolean {
    const era = this.#era;
    return () => era === this.#era;
  }

  /** Whether the data plane has got this state and version of a mock. */
  knows(mock: PublishedMock): boolean {
    return isSame(this.#own.get(mock.mockId), mock);
  }

  /** The data plane gets a mock of which this node is the home. */
  note(mockId: string, mock: PublishedMock | undefined): void {
    if (mock === undefined) {
      // What stays of it when the store is away ends with this node.
      if (this.#own.delete(mockId)) this.#table.release(mockId).catch(() => undefined);
    } else {
      const { ownerId, createdVersion, state, version } = mock;
      this.#own.set(mockId, { ownerId, createdVersion, state, version });
    }
  }

  /** This node has the gateway of an owner. */
  noteGateway(ownerId: string): void {
    this.#own.set(gatewayKey(ownerId), { ownerId, createdVersion: 0, state: 'running', version: 0 });
  }

  /**
   * To be called before the rules of an owner are read for this node: from then on, edits at other nodes are published to it.
   *
   * @throws StoreUnavailableError, Error when this node is not alive for the others.
   */
  async holdRules(ownerId: string): Promise<void> {
    if (this.#rulesOf.has(ownerId)) return;
    const isCurrent = this.sameHomes();
    const { self } = this.#membership;
    const key = rulesKey(ownerId, self.nodeId);
    await this.#table.claim([key], self);
    const home = await this.#find(key);
    if (home === undefined || !this.#isSelf(home) || !isCurrent()) throw new Error('this node was fenced');
    this.#rulesOf.add(ownerId);
  }

  /** The homes of this node are over. */
  forget(): void {
    this.#era++;
    this.#own.clear();
    this.#rulesOf.clear();
  }

  /**
   * Makes the home of a mock serve what was just committed.
   *
   * @param isRepeated Whether that may have been done before: sequences go on where the home serves it already.
   * @returns Whether it does: true also when it has no home, since a node that becomes it reads what is committed. False when its data plane
   * does not confirm in time, and is replaced. Undefined when its home lives and does not answer.
   * @throws StoreUnavailableError
   */
  async publish(mockId: string, isRepeated = false): Promise<boolean | undefined> {
    const began = monotonicMs();
    let asked: { readonly home: Home; readonly answer: Promise<boolean | undefined> } | undefined;
    do {
      const isCurrent = this.sameHomes();
      const home = await this.#find(mockId);
      if (home === undefined) return true;
      if (this.#isSelf(home)) {
        const isPublished = await this.#publishHere(mockId, { isCurrent, isRepeated });
        if (isPublished !== undefined) return isPublished;
        continue;
      }
      if (asked?.home.incarnation !== home.incarnation || asked.home.nodeId !== home.nodeId)
        asked = { home, answer: this.#ask(home, isRepeated) };
      // While it does not answer, its home may end.
      const isPublished = await Promise.race([asked.answer, sleep(HOME_POLL_MS, 'waiting' as const)]);
      if (isPublished === 'waiting') continue;
      if (isPublished !== undefined) return isPublished;
      asked = undefined;
      // It lives, and cannot be reached: it will not be fenced.
      if (monotonicMs() - began > UNREACHABLE_MS && this.#membership.isBeating(home)) return undefined;
      await sleep(HOME_POLL_MS);
    } while (monotonicMs() - began < this.#patienceMs);
    return undefined;
  }

  /** Makes the other nodes that apply rules of an owner apply what was just committed. @returns As `publish`. @throws StoreUnavailableError */
  async publishRules(ownerId: string): Promise<boolean | undefined> {
    const others = (await this.#table.rulesAt(ownerId)).filter((home) => !this.#isSelf(home));
    const keys = new Map(others.map(({ nodeId, mockId }) => [nodeId, mockId]));
    const published = await Promise.all([...keys.values()].map((key) => this.publish(key)));
    return published.includes(undefined) ? undefined : published.every(Boolean);
  }

  /** For another node, which takes this one for the home. @returns undefined when it is not. */
  async publishAsHome(mockId: string, isRepeated = false): Promise<boolean | undefined> {
    const isCurrent = this.sameHomes();
    const home = await this.#find(mockId);
    if (home === undefined || !this.#isSelf(home)) return undefined;
    return this.#publishHere(mockId, { isCurrent, isRepeated });
  }

  /** The mocks by the address of their home; undefined for this node, and for those without a home. */
  async addressesOf(mockIds: readonly string[]): Promise<ReadonlyMap<string | undefined, readonly string[]>> {
    const homes = await this.#table.homesOf(mockIds);
    const byAddress = new Map<string | undefined, string[]>([[undefined, []]]);
    for (const mockId of mockIds) {
      const home = homes.get(mockId);
      const address = home === undefined || this.#isSelf(home) ? undefined : home.address;
      const others = byAddress.get(address);
      if (others === undefined) byAddress.set(address, [mockId]);
      else others.push(mockId);
    }
    return byAddress;
  }

  /** Serves what was published and this node has not heard of: while it could not serve, or by a node that has ended. */
  async catchUp(): Promise<void> {
    const isCurrent = this.sameHomes();
    const own = [...this.#own];
    const published = await this.#table.publishedAt(this.#membership.self);
    for (const ownerId of this.#rulesOf) {
      await this.#actions.publish(rulesKey(ownerId, this.#membership.self.nodeId), { isCurrent, isRepeated: false });
    }
    for (const [mockId, known] of own) {
      // It was read again since, or has nothing that is published of its own.
      if (ownerOfGateway(mockId) !== undefined || this.#own.get(mockId) !== known) continue;
      if (!isSame(known, published.get(mockId))) await this.#actions.publish(mockId, { isCurrent, isRepeated: false });
    }
  }

  /** Gives all homes away. @param release Makes the data plane forget its mocks. */
  leave(release: () => Promise<unknown>): Promise<void> {
    this.#leaving ??= (async () => {
      this.#era++;
      await release();
      this.#own.clear();
      this.#rulesOf.clear();
      this.#membership.stop();
      await this.#table.end(this.#membership.self);
      this.#era++;
    })();
    return this.#leaving;
  }

  #isSelf({ nodeId, incarnation }: Incarnation): boolean {
    const { self } = this.#membership;
    return nodeId === self.nodeId && incarnation === self.incarnation;
  }

  /** Time in which a node that has ended is noticed by its beats. */
  get #patienceMs(): number {
    const { leaseMs } = this.#membership;
    return leaseMs * LEASE_SLACK + (3 * leaseMs) / BEATS_PER_LEASE + PUBLISH_MS;
  }

  async #find(mockId: string): Promise<Home | undefined> {
    return (await this.#table.homesOf([mockId])).get(mockId);
  }

  /** @returns undefined when the homes of this node have ended in the meantime. */
  async #publishHere(mockId: string, how: HerePublish): Promise<boolean | undefined> {
    const { isCurrent } = how;
    // The data plane has been made to forget it.
    await this.#leaving;
    if (!isCurrent()) return undefined;
    const isPublished = await this.#actions.publish(mockId, how);
    return isCurrent() ? isPublished : undefined;
  }

  /** @returns undefined when it does not answer, or is not the home any more. */
  async #ask({ address, mockId }: Home, isRepeated: boolean): Promise<boolean | undefined> {
    try {
      return await this.#actions.publishAt(address, mockId, isRepeated);
    } catch (error) {
      if (error instanceof PeerError) return undefined;
      throw error;
    }
  }

  async #findOrClaim(mockIds: readonly string[]): Promise<ReadonlyMap<string, Home>> {
    const homes = await this.#table.homesOf(mockIds);
    for (const claimant of this.#claimants()) {
      const homeless = mockIds.filter((mockId) => !homes.has(mockId) && this.#canClaim(mockId));
      if (homeless.length === 0) break;
      await this.#table.claim(homeless, claimant);
      for (const [mockId, home] of await this.#table.homesOf(homeless)) homes.set(mockId, home);
    }
    return homes;
  }

  #canClaim(key: string): boolean {
    return this.#actions.hasGateway || ownerOfGateway(key) === undefined;
  }

  /** A node that stops claims for those that went on when it did, which answer what this one still receives. Some may have ended since. */
  #claimants(): readonly Incarnation[] {
    const { self, peers } = this.#membership;
    return this.#leaving === undefined ? [self] : peers.toSorted(() => Math.random() - 0.5);
  }
}

/** A mock that was deleted and created again has the same versions. */
function isSame(one: PublishedState | undefined, other: PublishedState | undefined): boolean {
  return (
    one?.version === other?.version &&
    one?.state === other?.state &&
    one?.createdVersion === other?.createdVersion &&
    one?.ownerId === other?.ownerId
  );
}
