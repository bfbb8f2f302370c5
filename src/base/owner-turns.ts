/**
 * Shares the event loop of a thread among owners.
 *
 * Work runs where it arrives while its owner is within its share, at the cost of two clock readings, or of a count for plain answers. An
 * owner beyond it waits in a queue of its own. The queues are served in rotation, in slices behind the poll of connections, so that every
 * other owner is answered between two slices (deficit round robin, light owners first: RFC 8290). While only one owner is active it
 * hardly ever waits: nobody is there to wait for.
 *
 * Work that has begun is not interrupted: the work bound of one request (RULE_WORK_MAX) bounds it, and long loops are tasks that stop at
 * a given time.
 */
import { Fifo } from './fifo.ts';
import { Account, type Lane, type Task } from './owner-account.ts';
import type { OwnerWaits } from './owner-waits.ts';

/** Estimated time of an answer that reads no clock: its system calls included. */
export const PLAIN_MS = 0.005;
/** An owner's work in one iteration of the event loop beside other owners. */
const USED_MS_MAX = 8;
/** The same of strangers: their requests are also read, and their connections accepted. */
const STRANGER_MS_MAX = 3;
/** The same alone, and how long the iteration may have taken then on a busy machine: pipelined requests hardly ever wait. */
const USED_ALONE_MS_MAX = 100;
const ITERATION_ALONE_MS_MAX = 500;
/** Work of all owners in one iteration that has not waited: a hundred owners within their own shares would hold the loop for a second. */
const ALL_USED_MS_MAX = 20;
/** Below these the end of an iteration is not noticed: an immediate for each request would cost more than the request. */
const UNNOTICED_MS = 1.25;
const ALL_UNNOTICED_MS = 5;
/** Pieces of work from this time on count as debt, which falls by a quarter of the time that passes. Beyond the maximum an owner waits. */
const HEAVY_MS = 0.2;
const DEBT_MS_MAX = 10;
const DEBT_FALL = 0.25;
/**
 * An owner is light after so many requests, unless it had a piece of work of this length: then after so many for each millisecond of it. Light
 * owners pass others, and the rest between slices. A pause of garbage collection counts as a piece, too.
 */
const LONG_PIECE_MS = 4;
const SHORTS_FOR_MS = 20;
const SHORTS_AT_FIRST = 10;
/** How long a slice of the queue lasts, and how much of it an owner gets at a visit. */
const SLICE_MS = 4;
const CREDIT_MS = 2;
/** A longer slice is followed by a rest of the same length: beside requests of 60 ms others find the thread idle half of the time. */
const LONG_SLICE_MS = 15;
const REST_MS_MAX = 60;
/**
 * Polls of connections between two slices, for each millisecond of the slice. A poll accepts one connection of a port of node:net: with one
 * poll a slice, a flood of new connections keeps those of other owners waiting. An idle poll takes some 0.02 ms.
 */
const POLLS_FOR_MS = 2;
const POLLS_MAX = 32;
/** Polls beyond those, each behind one that has accepted a connection: those of others wait behind it in the kernel's queue. */
const ACCEPTING_POLLS_MAX = 128;
/** How long after its last work an owner counts as active. */
const ACTIVE_MS = 2_000;
/** Requests to mocks of one owner that wait in a thread; then 503. (shown: Shared capacity) Each is one connection. */
export const OWNER_WAITING_MAX = 4_096;
/** Accounts of owners from which on idle ones are forgotten. */
const ACCOUNTS_MAX = 10_000;

export class OwnerTurns {
  readonly #accounts = new Map<string, Account>();
  /** Accounts whose use is reset with the next iteration. */
  readonly #used = new Set<Account>();
  /** Owners with work: light ones, those that nothing is known of, and the others. */
  readonly #light = new Fifo<Account>();
  readonly #fresh = new Fifo<Account>();
  readonly #rotation = new Fifo<Account>();
  readonly #waitingMax: number;
  readonly #onFault: (error: unknown) => void;
  #last: Account | undefined;
  /** Whether another owner than the one before has worked since contention was last looked at. */
  #hasChanged = false;
  #contendedUntil = 0;
  #allUsedMs = 0;
  #lightUsedMs = 0;
  #noticesEnd = false;
  #noticedFrom = 0;
  #isSlicing = false;
  /** Whether what a task has begun goes on behind this slice, in promises. */
  #hasBegunPromises = false;
  #restsUntil = 0;
  #pollsLeft = 0;
  #acceptingPolls = 0;
  #rest: NodeJS.Timeout | undefined;

  /** @param onFault Gets what waiting work throws: the rest goes on. @param waitingMax Requests of an owner that wait. */
  constructor(onFault: (error: unknown) => void, waitingMax = OWNER_WAITING_MAX) {
    this.#onFault = onFault;
    this.#waitingMax = waitingMax;
  }

  /** Keep it as long as the owner is served: finding it costs more than a plain answer's count. @param ownerId Or a stranger's name. */
  account(ownerId: string): Account {
    let account = this.#accounts.get(ownerId);
    if (account === undefined) {
      if (this.#accounts.size >= ACCOUNTS_MAX) this.#forgetIdle();
      this.#accounts.set(ownerId, (account = new Account(ownerId)));
    }
    return account;
  }

  /** Lists owners that have waited. @param ownerId Only this one. */
  waits(ownerId?: string): OwnerWaits[] {
    const accounts = ownerId === undefined ? this.#accounts.values() : [this.#accounts.get(ownerId)];
    return [...accounts].flatMap((account) => {
      if (account === undefined || account.waited + account.refused === 0) return [];
      const { waiting, waited, refused, longestWaitMs } = account;
      return [{ ownerId: account.ownerId, waiting, waited, refused, longestWaitMs: Math.round(longestWaitMs) }];
    });
  }

  /** Counts an answer that costs as much as a plain one. @param ms Estimated. */
  count(account: Account, ms = PLAIN_MS): void {
    noteShort(account);
    this.#use(account, ms);
  }

  #use(account: Account, ms: number): void {
    account.usedMs += ms;
    this.#allUsedMs += ms;
  }

  /** Notes that a poll has accepted a connection: the next one may accept another, before the next slice. */
  noteConnection(): void {
    if (this.#acceptingPolls++ < ACCEPTING_POLLS_MAX) this.#pollsLeft = Math.max(1, this.#pollsLeft);
  }

  /** Whether work of an owner may run where it arrives; else call `wait`. */
  mayRun(account: Account): boolean {
    if (account !== this.#last && !account.isStranger) {
      this.#hasChanged = this.#last !== undefined;
      this.#last = account;
    }
    const isUnnoticed = account.usedMs <= UNNOTICED_MS && this.#allUsedMs <= ALL_UNNOTICED_MS;
    return (isUnnoticed && account.shortsToLight === 0 && !account.isQueued) || this.#isWithinShare(account);
  }

  #isWithinShare(account: Account): boolean {
    if (account.waiting > 0) return false;
    if (account.usedMs > UNNOTICED_MS || this.#allUsedMs > ALL_UNNOTICED_MS) this.#noticeEnd(account);
    const now = performance.now();
    // Plain answers to a client that does not read take ten times as long as they count.
    const tookMs = account.usedMs > UNNOTICED_MS ? now - this.#noticedFrom : 0;
    if (!this.#isContended(now) && !account.isStranger)
      return account.usedMs <= USED_ALONE_MS_MAX && tookMs <= ITERATION_ALONE_MS_MAX;
    const usedMs = Math.max(account.usedMs, tookMs);
    if (usedMs > (account.isStranger ? STRANGER_MS_MAX : USED_MS_MAX) || debtOf(account, now) > DEBT_MS_MAX)
      return false;
    if (account.shortsToLight === 0 && this.#lightUsedMs <= ALL_USED_MS_MAX) return true;
    return this.#allUsedMs <= ALL_USED_MS_MAX && now >= this.#restsUntil;
  }

  /** Runs work now and charges it. */
  run(account: Account, work: () => void): void {
    const startedAt = performance.now();
    try {
      work();
    } finally {
      this.charge(account, startedAt);
    }
  }

  /** Charges a request or message that has run where it arrived. @param startedAt By `performance.now()`. */
  charge(account: Account, startedAt: number): void {
    noteShort(account);
    this.#charge(account, startedAt);
  }

  #charge(account: Account, startedAt: number): void {
    const now = performance.now();
    const ms = now - startedAt;
    if (account.shortsToLight === 0) this.#lightUsedMs += ms;
    this.#use(account, ms);
    note(account, ms, now);
    if (ms > LONG_SLICE_MS) this.#restAfter(ms, now);
    if (account.usedMs > UNNOTICED_MS) this.#noticeEnd(account);
  }

  /** Runs work when its owner has a turn. @returns false where too much waits; then it will not run. */
  wait(account: Account, run: () => void): boolean {
    if (account.waiting >= this.#waitingMax) {
      account.refused++;
      return false;
    }
    account.waited++;
    const since = performance.now();
    this.add(account, 'requests', () => {
      account.longestWaitMs = Math.max(account.longestWaitMs, performance.now() - since);
      run();
    });
    return true;
  }

  /** Runs a task when its owner has a turn. */
  add(account: Account, lane: Lane, task: Task): void {
    account.lanes[lane].push(task);
    this.#enqueue(account);
  }

  /**
   * Begins work that goes on in promises, as the last of its slice: promises run behind it, those of many tasks without a pause. What they do
   * before they wait for something is charged.
   */
  beginPromises(account: Account, work: () => void): void {
    this.add(account, 'reads', () => {
      this.#hasBegunPromises = true;
      work();
      const startedAt = performance.now();
      // A tick that a promise sets runs behind all promises that can go on.
      queueMicrotask(() => {
        process.nextTick(() => {
          account.creditMs -= performance.now() - startedAt;
          this.#charge(account, startedAt);
        });
      });
    });
  }

  /** Begins a task at once where its owner is within its share and nothing is before it in its lane. */
  begin(account: Account, lane: Lane, task: Task): void {
    if (account.lanes[lane].count > 0 || !this.mayRun(account)) return this.add(account, lane, task);
    const startedAt = performance.now();
    let isLeft: boolean | void = false;
    try {
      isLeft = task(startedAt + CREDIT_MS);
    } catch (error) {
      this.#onFault(error);
    }
    this.#charge(account, startedAt);
    if (isLeft === true) this.add(account, lane, task);
  }

  /** Calls `each` for all items, in turns of the owner. @param list Called at its first turn. */
  forEach<Item>(
    account: Account,
    lane: Lane,
    list: () => readonly Item[],
    each: (item: Item) => void,
    done?: () => void,
  ): void {
    let items: readonly Item[] | undefined;
    let next = 0;
    this.begin(account, lane, (until) => {
      items ??= list();
      while (next < items.length) {
        each(items[next++] as Item);
        if (performance.now() >= until) break;
      }
      if (next < items.length) return true;
      done?.();
      return false;
    });
  }

  /** Reads in turns of the owner. @param steps Pauses now and then. @returns What they return. */
  read<Result>(ownerId: string, steps: Generator<void, Result>): Promise<Result> {
    const account = this.account(ownerId);
    return new Promise((resolve, reject) => {
      const goOn = (until: number): void => {
        try {
          let step = steps.next();
          while (step.done !== true && performance.now() < until) step = steps.next();
          if (step.done === true) resolve(step.value);
          else this.add(account, 'reads', goOn);
        } catch (error) {
          reject(error);
        }
      };
      this.begin(account, 'reads', goOn);
    });
  }

  #isContended(now: number): boolean {
    if (this.#hasChanged) {
      this.#hasChanged = false;
      this.#contendedUntil = now + ACTIVE_MS;
    }
    return now < this.#contendedUntil;
  }

  /** Notices the end of this iteration of the event loop. */
  #noticeEnd(account: Account): void {
    this.#used.add(account);
    if (this.#noticesEnd) return;
    this.#noticesEnd = true;
    this.#noticedFrom = performance.now();
    setImmediate(() => {
      this.#noticesEnd = false;
      this.#allUsedMs = 0;
      this.#lightUsedMs = 0;
      for (const each of this.#used) each.usedMs = 0;
      this.#used.clear();
    });
  }

  #enqueue(account: Account): void {
    if (account.isQueued) return;
    account.isQueued = true;
    if (account.shortsToLight === 0) this.#light.push(account);
    else if (account.shortsToLight === undefined) this.#fresh.push(account);
    else this.#rotation.push(account);
    this.#next();
  }

  /** Sets the next slice. */
  #next(): void {
    if (this.#isSlicing) return;
    const restMs = this.#light.count > 0 ? 0 : this.#restsUntil - performance.now();
    clearTimeout(this.#rest);
    if (restMs > 0) {
      this.#rest = setTimeout(() => this.#next(), restMs);
      return;
    }
    this.#isSlicing = true;
    setImmediate(() => this.#poll());
  }

  #poll(): void {
    if (this.#pollsLeft-- > 0 && this.#light.count === 0) setImmediate(() => this.#poll());
    else this.#slice();
  }

  #slice(): void {
    const startedAt = performance.now();
    let now = startedAt;
    this.#hasBegunPromises = false;
    while (now - startedAt < SLICE_MS && !this.#hasBegunPromises) {
      const others = this.#fresh.count > 0 ? this.#fresh : this.#rotation;
      const account = this.#light.shift() ?? (now < this.#restsUntil ? undefined : others.shift());
      if (account === undefined) break;
      account.creditMs = Math.min(CREDIT_MS, account.creditMs + CREDIT_MS);
      if (account.creditMs > 0) now = this.#visit(account, now, startedAt + SLICE_MS);
      account.isQueued = account.hasWork;
      if (account.isQueued) this.#rotation.push(account);
    }
    this.#isSlicing = false;
    this.#acceptingPolls = 0;
    const tookMs = now - startedAt;
    this.#pollsLeft = Math.min(POLLS_MAX, tookMs * POLLS_FOR_MS);
    if (tookMs > LONG_SLICE_MS) this.#restAfter(tookMs, now);
    if (this.#light.count + this.#fresh.count + this.#rotation.count > 0) this.#next();
  }

  #restAfter(ms: number, now: number): void {
    if (this.#isContended(now)) this.#restsUntil = now + Math.min(ms, REST_MS_MAX);
  }

  /** @returns The time at its end. */
  #visit(account: Account, startedAt: number, sliceEnd: number): number {
    const until = Math.min(startedAt + account.creditMs, sliceEnd);
    let now = startedAt;
    while (now < until && account.hasWork && !this.#hasBegunPromises) {
      const lane = account.nextLane();
      const begun = now;
      this.#runTask(account.lanes[lane], until);
      now = performance.now();
      if (lane === 'requests' || lane === 'messages') noteShort(account);
      note(account, now - begun, now);
    }
    account.creditMs -= now - startedAt;
    return now;
  }

  #runTask(lane: Fifo<Task>, until: number): void {
    let isLeft: boolean | void = false;
    try {
      isLeft = (lane.peek() as Task)(until);
    } catch (error) {
      this.#onFault(error);
    }
    if (isLeft !== true) lane.shift();
  }

  #forgetIdle(): void {
    const now = performance.now();
    for (const [ownerId, account] of this.#accounts) {
      if (!account.isQueued && debtOf(account, now) === 0) this.#accounts.delete(ownerId);
    }
  }
}

function debtOf(account: Account, now: number): number {
  account.debtMs = Math.max(0, account.debtMs - (now - account.debtAt) * DEBT_FALL);
  account.debtAt = now;
  return account.debtMs;
}

/** Notes a request or message, which counts as short unless `note` says otherwise. */
function noteShort(account: Account): void {
  if (account.shortsToLight !== 0) account.shortsToLight = (account.shortsToLight ?? SHORTS_AT_FIRST) - 1;
}

/** Notes a piece of work that has run. */
function note(account: Account, ms: number, now: number): void {
  if (ms >= HEAVY_MS) account.debtMs = debtOf(account, now) + ms;
  if (ms >= LONG_PIECE_MS) account.shortsToLight = Math.ceil(ms * SHORTS_FOR_MS);
}
