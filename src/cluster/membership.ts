/**
 * This node among the others: its beats, its lease, and the nodes that live.
 *
 * A node may serve mocks until its lease ends: LEASE after the moment before it sent its last beat that was answered, by
 * its own monotonic clock. Every node watches the beats of the others: one that stands still for longer than a lease, by
 * the watcher's clock, belongs to a node that has stopped on its own, and is fenced. So clocks are never compared, but they
 * must run equally fast within LEASE_SLACK.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, processIdentity } from '../base/process-identity.ts';
import { monotonicMs } from '../base/monotonic.ts';
import { OperatorError } from '../base/operator-error.ts';
import { BEATS_PER_LEASE, LEASE_SLACK } from '../limits.ts';
import type { Incarnation, NodeRow, NodeTable } from '../store/postgres/node-table.ts';

interface MembershipOptions {
  readonly nodeId: string;
  readonly address: string;
  readonly leaseMs: number;
  /** Called with the end of the lease, by `monotonicMs`, after each beat. A lease that had ended begins again when it resolves. */
  readonly onLease: (validUntil: number, hadEnded: boolean) => Promise<void> | void;
  /** Which nodes are alive has changed. */
  readonly onPeers: (peers: readonly NodeRow[]) => void;
  /** This incarnation is over, and another has begun: nothing that was served before may be served any more. */
  readonly onFenced: () => void;
  readonly log: { warn(fields: object, message: string): void };
}

/** A beat of another node that was seen, and when first. */
interface Seen {
  readonly row: NodeRow;
  readonly at: number;
}

export class Membership {
  readonly #table: NodeTable;
  readonly #options: MembershipOptions;
  #self: Incarnation;
  #validUntil = 0;
  #peers: ReadonlyMap<string, Seen> = new Map();
  #beating: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** This incarnation is over, and the next has not begun. */
  #isOver = false;
  /** Another server that uses this node's id, as last reported. */
  #toldInUse = '';
  readonly figures = { beats: 0, beatsFailed: 0, fenced: 0 };

  private constructor(table: NodeTable, options: MembershipOptions, self: Incarnation) {
    this.#table = table;
    this.#options = options;
    this.#self = self;
  }

  /**
   * Begins an incarnation, as soon as the one before it cannot serve any more.
   *
   * @throws OperatorError when another server has this node id.
   */
  static async join(table: NodeTable, options: MembershipOptions): Promise<Membership> {
    const membership = new Membership(table, options, await begin(table, options));
    await membership.#beat();
    return membership;
  }

  get self(): Incarnation {
    return this.#self;
  }

  get isValid(): boolean {
    return monotonicMs() < this.#validUntil;
  }

  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  /** The nodes that were alive at the last beat, without this one. */
  get peers(): readonly NodeRow[] {
    return [...this.#peers.values()].map(({ row }) => row);
  }

  /** Whether another node has given a sign of life just now. */
  isBeating({ nodeId, incarnation }: Incarnation): boolean {
    const seen = this.#peers.get(nodeId);
    if (seen?.row.incarnation !== incarnation) return false;
    return monotonicMs() - seen.at < (2 * seen.row.leaseMs) / BEATS_PER_LEASE;
  }

  /** Stops the beats: the lease then expires. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#beating);
  }

  async #beat(): Promise<void> {
    const everyMs = this.#options.leaseMs / BEATS_PER_LEASE;
    const sentAt = monotonicMs();
    try {
      const nodes = await this.#table.beat(this.#self, performance.now() + everyMs);
      if (this.#isStopped) return;
      if (nodes === undefined) await this.#beginAgain();
      else {
        this.figures.beats++;
        const hadEnded = monotonicMs() >= this.#validUntil;
        await this.#options.onLease(sentAt + this.#options.leaseMs, hadEnded);
        this.#validUntil = sentAt + this.#options.leaseMs;
        await this.#watch(nodes);
      }
    } catch (error) {
      this.figures.beatsFailed++;
      if (error instanceof OperatorError) this.#tellInUse(error.message);
      else if (this.#validUntil !== 0 && !this.isValid)
        this.#options.log.warn(
          { err: error },
          'the database has not answered a heartbeat for a lease: this node serves no mocks until it does',
        );
    }
    if (this.#isStopped) return;
    const waitMs = Math.max(0, sentAt + everyMs - monotonicMs());
    this.#beating = setTimeout(() => void this.#beat(), waitMs);
  }

  /** Fences the nodes whose beat stands still for longer than their lease. */
  async #watch(nodes: readonly NodeRow[]): Promise<void> {
    const now = monotonicMs();
    const peers = new Map<string, Seen>();
    for (const row of nodes) {
      if (row.nodeId === this.#self.nodeId) continue;
      const seen = this.#peers.get(row.nodeId);
      const isSame = seen?.row.incarnation === row.incarnation && seen.row.beat === row.beat;
      peers.set(row.nodeId, isSame ? seen : { row, at: now });
    }
    const lives = (of: ReadonlyMap<string, Seen>): string =>
      [...of.values()]
        .map(({ row }) => `${row.nodeId}/${row.incarnation}`)
        .toSorted()
        .join();
    const hasChanged = lives(this.#peers) !== lives(peers);
    this.#peers = peers;
    if (hasChanged) this.#options.onPeers(this.peers);
    for (const { row, at } of peers.values()) {
      if (now - at <= row.leaseMs * LEASE_SLACK || !(await this.#table.fence(row))) continue;
      this.figures.fenced++;
      this.#options.log.warn(
        { node: row.nodeId },
        'a node has missed its heartbeats for longer than its lease and is now fenced',
      );
    }
  }

  async #beginAgain(): Promise<void> {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#validUntil = 0;
      this.#options.onFenced();
      this.#options.log.warn({ node: this.#self.nodeId }, 'this node was fenced: it rejoins without its mocks');
    }
    this.#self = await begin(this.#table, this.#options);
    this.#isOver = false;
    this.#toldInUse = '';
  }

  /** A server that took this node's place while it was not heard. */
  #tellInUse(message: string): void {
    if (message === this.#toldInUse) return;
    this.#toldInUse = message;
    this.#options.log.warn(
      { node: this.#self.nodeId },
      `${message}: this server serves nothing until the other one stops`,
    );
  }
}

async function begin(table: NodeTable, { nodeId, address, leaseMs }: MembershipOptions): Promise<Incarnation> {
  const node = { nodeId, address, leaseMs, process: processIdentity() };
  let first: NodeRow | undefined;
  let since = 0;
  for (;;) {
    const known = await table.find(nodeId);
    const isSame = known?.incarnation === first?.incarnation;
    if (known !== undefined && first !== undefined && isSame && known.beat !== first.beat)
      throw new OperatorError(`the node id ${nodeId} is in use by the server at ${known.address}`);
    if (first === undefined || !isSame) {
      first = known;
      since = monotonicMs();
    }
    const isOver = known === undefined || known.isFenced || (known.process !== undefined && hasEnded(known.process));
    if (isOver || monotonicMs() - since > known.leaseMs * LEASE_SLACK) {
      const begun = await table.begin(node, known);
      if (begun !== undefined) return begun;
    }
    await sleep(leaseMs / BEATS_PER_LEASE / 2);
  }
}
