/**
 * A store whose disk is a map, and whose every delay and failure is drawn.
 *
 * In one form it stands on the real group commit, as the LMDB store does: one transaction of all owners at a time, and none after the
 * first failure. In another each owner's commits go their own way, overtake those of other owners and fail alone, which is all that
 * the interface promises to an actor. In the third several nodes share the disk, each with a store like this: every read takes its time,
 * a commit may find that another node was first, and a connection may be lost with a commit on its way.
 *
 * What a disk takes is on it whole and at one moment. That may be long before the answer, or although the answer is an error.
 */
import { StoreUnavailableError } from '../../../src/errors.ts';
import { assert } from '../../../src/base/assert.ts';
import type { Later } from '../../../src/base/later.ts';
import type { Group } from '../../../src/model/group.ts';
import {
  emptyOwner,
  putGroup,
  putRule,
  recordCountOf,
  recordOf,
  type Change,
  type Collection,
} from '../../../src/model/owner-state.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { GroupCommit } from '../../../src/store/group-commit.ts';
import {
  CommitSkippedError,
  ConflictError,
  type ApiKeyStore,
  type CaughtUp,
  type Commit,
  type IdempotencyEntry,
  type KnownOwner,
  type LoadedOwner,
  type PreparedCommit,
  type Store,
  type WriteTurn,
} from '../../../src/store/store.ts';
import type { Draws } from './draws.ts';

/** Deliberate bugs, by what they do: a simulation that finds none of them proves nothing. */
export const FLAWS = [
  'acknowledges before it is durable',
  'replies when a command is decided',
  'loads an owner before its commits are settled',
  'calls a commit that is stored untried',
  'keeps no answers for repetitions',
  'stores half of a commit',
  'passivates an owner at work',
  'loses a reply',
  'replies twice',
  'lets dates go back',
  'never asks for the newest version',
  'stores a commit on any version',
  'stores what was built on a conflict',
] as const;
export type Flaw = (typeof FLAWS)[number];

export interface DurableOwner {
  version: number;
  latestDate: number;
  readonly rules: Map<string, Rule>;
  readonly groups: Map<string, Group>;
}

/** Outlives every process. */
export class Disk {
  readonly owners = new Map<string, DurableOwner>();
  readonly recordOwners = new Map<string, string>();
  readonly answers = new Map<string, IdempotencyEntry>();
  readonly #onLanded: (commit: Commit) => void;
  readonly #flaw: Flaw | undefined;

  constructor(onLanded: (commit: Commit) => void, flaw: Flaw | undefined) {
    this.#onLanded = onLanded;
    this.#flaw = flaw;
  }

  owner(ownerId: string): DurableOwner {
    let owner = this.owners.get(ownerId);
    if (owner === undefined) {
      owner = { version: 0, latestDate: 0, rules: new Map(), groups: new Map() };
      this.owners.set(ownerId, owner);
    }
    return owner;
  }

  /** Whether a commit is on the newest version of its owner. */
  takes({ principal, expectedVersion }: Commit): boolean {
    return this.#flaw === 'stores a commit on any version' || this.owner(principal.ownerId).version === expectedVersion;
  }

  /** @returns Whether the owner had the version that the commit expects; otherwise nothing is written. */
  land(commit: Commit): boolean {
    const { ownerId } = commit.principal;
    const owner = this.owner(ownerId);
    if (!this.takes(commit)) return false;
    const halved = this.#flaw === 'stores half of a commit' && commit.changes.length > 1;
    for (const change of halved ? commit.changes.slice(1) : commit.changes) this.#put(owner, ownerId, change);
    owner.version++;
    owner.latestDate = commit.date;
    const { idempotency } = commit;
    if (idempotency !== undefined && this.#flaw !== 'keeps no answers for repetitions') {
      this.answers.set(idempotency.key, idempotency);
    }
    this.#onLanded(commit);
    return true;
  }

  #put(owner: DurableOwner, ownerId: string, change: Change): void {
    switch (change.kind) {
      case 'putRule':
        owner.rules.set(change.rule.id, { ...change.rule });
        this.recordOwners.set(change.rule.id, ownerId);
        break;
      case 'putGroup':
        owner.groups.set(change.group.id, { ...change.group });
        this.recordOwners.set(change.group.id, ownerId);
        break;
      case 'removeRule':
        owner.rules.delete(change.rule.id);
        this.recordOwners.delete(change.rule.id);
        break;
      case 'removeGroup':
        owner.groups.delete(change.group.id);
        this.recordOwners.delete(change.group.id);
        break;
      default:
        assert(false, 'the simulation has no mocks');
    }
  }
}

/** How often something goes wrong or takes its time, in percent. */
export interface Rates {
  readonly failedWrite: number;
  readonly hungWrite: number;
  readonly failedLoad: number;
  readonly slowPrepare: number;
  readonly failedPrepare: number;
  /** Reads of a shared store. */
  readonly failedRead: number;
}

/** Which promises of the interface a store stands on. */
export type StoreForm = 'grouped' | 'alone' | 'shared';

/** Something the engine will do when the run says so. */
interface Work {
  readonly what: string;
  readonly run: () => void;
  /** A write that hangs: it goes on only after everybody has given it up. */
  readonly hung?: true;
}

interface Prepared extends PreparedCommit {
  readonly commit: Commit;
}

interface Submitted {
  readonly commit: Commit;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** One owner's commits, where owners go their own ways. */
interface OwnQueue {
  waiting: Submitted[];
  busy: boolean;
  /** Whether a commit has conflicted since the owner was loaded. */
  isOutdated: boolean;
  settled: Promise<unknown>;
}

export interface SimulatedStoreOptions {
  readonly disk: Disk;
  readonly draws: Draws;
  readonly rates: Rates;
  readonly form: StoreForm;
  readonly flaw: Flaw | undefined;
  /** Called with every fault that is made. */
  readonly onFault: (what: string) => void;
}

export class SimulatedStore implements Store {
  readonly isShared: boolean;
  readonly isAvailable = true;
  readonly isWriting = false;
  readonly failed: Promise<Error>;
  readonly figures;
  readonly diskSpace = { diskBytes: Infinity, reusableBytes: 0, isFull: false };
  hasFailed = false;
  /** The last phase of a run makes no faults. */
  faultless = false;
  readonly #options: SimulatedStoreOptions;
  readonly #groupCommit: GroupCommit<Commit>;
  readonly #queues = new Map<string, OwnQueue>();
  #reading: { readonly fails: boolean; answer: Promise<void> | undefined } | undefined;
  #work: Work[] = [];
  #killed = false;

  constructor(options: SimulatedStoreOptions) {
    this.#options = options;
    this.isShared = options.form === 'shared';
    this.#groupCommit = new GroupCommit((commits) => this.#write(commits));
    this.failed = this.#groupCommit.failed;
    this.figures = this.#groupCommit.figures;
    void this.failed.then((error) => {
      this.hasFailed = true;
      options.onFault(error.message);
    });
  }

  hasSpaceFor(): boolean {
    return true;
  }

  /** What the engine could do next. */
  get workCount(): number {
    return this.#ready().length;
  }

  /** Does one thing of those it could. @returns What. */
  step(): string {
    const work = this.#options.draws.of(this.#ready());
    if (work === undefined) return 'nothing';
    this.#work.splice(this.#work.indexOf(work), 1);
    work.run();
    return work.what;
  }

  /** The process dies: a transaction on its way to the disk arrives or does not, and nobody hears of it. */
  kill(): void {
    this.#killed = true;
    for (const { what, run } of this.#work.splice(0)) {
      if (what.startsWith('land') && this.#options.draws.percent(50)) run();
    }
    this.#work = [];
  }

  ownerOf(recordId: string): Later<string | undefined> {
    return this.#read(() => this.#options.disk.recordOwners.get(recordId));
  }

  idempotencyEntry(key: string): Later<IdempotencyEntry | undefined> {
    return this.#read(() => this.#options.disk.answers.get(key));
  }

  async newestVersion(ownerId: string): Promise<number> {
    if (this.#options.flaw === 'never asks for the newest version') return 0;
    return this.#read(() => this.#options.disk.owner(ownerId).version);
  }

  /** As of the moment at which the disk answers. */
  #read<T>(read: () => T): Later<T> {
    if (!this.isShared) return read();
    // One query of many reads is on its way at a time.
    this.#reading ??= { fails: this.#draw(this.#options.rates.failedRead), answer: undefined };
    const reading = this.#reading;
    reading.answer ??= this.#later('read').then(() => {
      this.#reading = undefined;
    });
    return reading.answer.then(() => {
      if (!reading.fails) return read();
      this.#options.onFault('a read fails');
      throw new StoreUnavailableError('a simulated read fails');
    });
  }

  async loadOwner(ownerId: string): Promise<LoadedOwner> {
    const { form, flaw, draws, rates, onFault, disk } = this.#options;
    if (flaw !== 'loads an owner before its commits are settled') {
      await (form === 'grouped' ? this.#groupCommit.settled() : this.#queue(ownerId).settled);
    }
    this.#queue(ownerId).isOutdated = false;
    const fails = this.#draw(rates.failedLoad);
    for (let slice = draws.below(3); slice > 0; slice--) await this.#later(`load a slice of ${ownerId}`);
    if (fails) {
      onFault('a load fails');
      if (this.isShared && draws.percent(50)) throw new StoreUnavailableError('a simulated load fails');
      throw new Error('a simulated load fails');
    }
    const { version, latestDate, rules, groups } = disk.owner(ownerId);
    const state = emptyOwner(ownerId);
    state.version = version;
    state.latestDate = latestDate;
    const byCreation = (a: Rule | Group, b: Rule | Group): number => a.createdVersion - b.createdVersion;
    for (const group of [...groups.values()].toSorted(byCreation)) putGroup(state, { ...group });
    for (const rule of [...rules.values()].toSorted(byCreation)) putRule(state, { ...rule });
    await this.#later(`load ${ownerId}`);
    return { state, answerBytes: [] };
  }

  /** What was written since, and what the caller says is not stored: nothing else is right by chance. */
  async changesSince({ state, version, unstored }: KnownOwner): Promise<CaughtUp | undefined> {
    const { state: stored } = await this.loadOwner(state.ownerId);
    if (this.#options.draws.percent(10)) return undefined;
    const unstoredPlaces = new Set(
      unstored.flatMap((prepared) =>
        (prepared as Prepared).commit.changes.map((change) => recordOf(change).createdVersion),
      ),
    );
    const changed = <R extends Rule | Group>(known: Collection<R>, now: Collection<R>): Map<number, R | undefined> => {
      const written = now
        .ordered()
        .filter((record) => record.modifiedVersion > version || unstoredPlaces.has(record.createdVersion));
      const gone = known
        .ordered()
        .filter(({ createdVersion }) => createdVersion <= version || unstoredPlaces.has(createdVersion))
        .filter(({ createdVersion }) => now.at(createdVersion) === undefined);
      return new Map([
        ...gone.map((record) => [record.createdVersion, undefined] as const),
        ...written.map((record) => [record.createdVersion, record] as const),
      ]);
    };
    const rules = changed(state.rules, stored.rules);
    const groups = changed(state.groups, stored.groups);
    const { version: newest, latestDate } = stored;
    // No command of the simulation changes any of these.
    const others = { mocks: new Map(), gateway: new Map() };
    const changes = { version: newest, latestDate, rules, groups, ...others };
    return { changes, recordCount: recordCountOf(stored), answerBytes: [] };
  }

  /** A turn makes no commit any surer. */
  async takeTurn(known: KnownOwner): Promise<WriteTurn> {
    await this.#later(`take a turn at ${known.state.ownerId}`);
    let isOver = false;
    return {
      caughtUp: await this.changesSince(known),
      commit: (prepared) => {
        assert(!isOver, 'a turn that is over is not used');
        return this.commit(prepared);
      },
      end: () => {
        assert(!isOver, 'a turn ends once');
        isOver = true;
      },
    };
  }

  prepare(commit: Commit): PreparedCommit | Promise<PreparedCommit> {
    const { rates, onFault } = this.#options;
    const { ownerId } = commit.principal;
    const { expectedVersion } = commit;
    const prepared: Prepared = { ownerId, expectedVersion, answerBytes: 0, commit: structuredClone(commit) };
    if (this.#draw(rates.failedPrepare)) {
      onFault('a commit cannot be encoded');
      throw new Error('a simulated commit cannot be encoded');
    }
    return this.#draw(rates.slowPrepare) ? this.#later(`encode for ${ownerId}`).then(() => prepared) : prepared;
  }

  async commit(prepared: PreparedCommit): Promise<boolean> {
    await this.#commit(prepared);
    return this.isShared && this.#options.draws.percent(20);
  }

  #commit(prepared: PreparedCommit): Promise<void> {
    const { form, flaw } = this.#options;
    const { commit } = prepared as Prepared;
    const durable = form === 'grouped' ? this.#groupCommit.submit(commit) : this.#submitAlone(commit);
    if (flaw === 'acknowledges before it is durable') {
      durable.catch(() => undefined);
      return Promise.resolve();
    }
    return durable;
  }

  #submitAlone(commit: Commit): Promise<void> {
    const queue = this.#queue(commit.principal.ownerId);
    if (queue.isOutdated) return Promise.reject(new ConflictError('built on a commit that was not stored'));
    if (!queue.busy && this.#draw(this.#options.rates.failedWrite / 2)) {
      this.#options.onFault('a commit is not tried');
      // Nor is what is built on it, also where others have meanwhile made its version.
      queue.isOutdated = this.isShared;
      return Promise.reject(new CommitSkippedError(new Error('a simulated refusal')));
    }
    const durable = new Promise<void>((resolve, reject) => queue.waiting.push({ commit, resolve, reject }));
    queue.settled = Promise.allSettled([queue.settled, durable]);
    if (!queue.busy) this.#writeNext(queue);
    return durable;
  }

  /** Writes some of what waits for one owner; what waits behind a failed write is not tried. */
  #writeNext(queue: OwnQueue): void {
    if (queue.waiting.length === 0) return;
    queue.busy = true;
    const batch = queue.waiting.splice(0, 1 + this.#options.draws.below(3));
    this.#write(batch.map(({ commit }) => commit)).then(
      () => {
        queue.busy = false;
        for (const { resolve } of batch) resolve();
        this.#writeNext(queue);
      },
      (error: Error) => {
        queue.busy = false;
        const isConflict = error instanceof ConflictError;
        const keepsOn = isConflict && this.#options.flaw === 'stores what was built on a conflict';
        queue.isOutdated = isConflict && !keepsOn;
        for (const { reject } of batch) reject(error);
        if (keepsOn) return this.#writeNext(queue);
        for (const { reject } of queue.waiting.splice(0)) reject(isConflict ? error : new CommitSkippedError(error));
        return undefined;
      },
    );
  }

  /** The engine's transaction, with what becomes of it. */
  async #write(commits: readonly Commit[]): Promise<void> {
    const { rates, form, draws, flaw, onFault } = this.#options;
    const whose = commits.map(({ principal, expectedVersion }) => `${principal.ownerId} ${expectedVersion + 1}`).join();
    const fails = this.#draw(rates.failedWrite);
    const hung = form === 'grouped' && !fails && this.#draw(rates.hungWrite);
    const lands = !(fails || hung) || draws.percent(50);
    if (hung) onFault('a write hangs');
    if (lands) await this.#later(`land ${whose}`, hung);
    else if (hung) await new Promise(() => undefined);
    let held = !lands || this.#landAll(commits);
    await this.#later(`answer ${whose}`);
    if (fails && this.isShared && draws.percent(70)) {
      onFault(`the connection is lost with ${whose}, and made again`);
      // What was stored is found by the number of its batch.
      if (!lands) held = this.#landAll(commits);
      await this.#later(`answer ${whose}`);
      if (held) return;
    }
    if (!held)
      throw this.isShared ? new ConflictError('another node was first') : new Error('changed by another process');
    if (!fails) return;
    // Given up, it may still be on its way.
    if (this.isShared && !lands && draws.percent(50))
      void this.#later(`land ${whose}`).then(() => this.#landAll(commits));
    onFault(`a write of ${whose} fails, ${lands ? 'though' : 'and'} it is ${lands ? '' : 'not '}stored`);
    const error = new Error('a simulated write fails');
    throw lands && flaw === 'calls a commit that is stored untried' ? new CommitSkippedError(error) : error;
  }

  /** All of one owner, or none. */
  #landAll(commits: readonly Commit[]): boolean {
    const { disk } = this.#options;
    const [first] = commits;
    if (this.isShared && first !== undefined && !disk.takes(first)) return false;
    return commits.map((commit) => disk.land(commit)).every(Boolean);
  }

  #later(what: string, hung = false): Promise<void> {
    if (this.#killed) return new Promise(() => undefined);
    return new Promise((resolve) => this.#work.push({ what, run: resolve, ...(hung && { hung }) }));
  }

  #ready(): readonly Work[] {
    return this.hasFailed ? this.#work : this.#work.filter(({ hung }) => hung === undefined);
  }

  #draw(percent: number): boolean {
    return !this.faultless && this.#options.draws.percent(percent);
  }

  #queue(ownerId: string): OwnQueue {
    let queue = this.#queues.get(ownerId);
    if (queue === undefined) {
      queue = { waiting: [], busy: false, isOutdated: false, settled: Promise.resolve() };
      this.#queues.set(ownerId, queue);
    }
    return queue;
  }

  routeRevisions(): undefined {
    return undefined;
  }

  publishedMock(): undefined {
    return undefined;
  }

  publishedMocks(): [] {
    return [];
  }

  fileMocks(): [] {
    return [];
  }

  history(): [] {
    return [];
  }

  historyBefore(): [] {
    return [];
  }

  get keys(): ApiKeyStore {
    throw new Error('the simulation has no keys');
  }

  exchangeCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  prune(): Promise<number> {
    return Promise.resolve(0);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
