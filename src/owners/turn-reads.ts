/**
 * Reads of one turn from an asynchronous store.
 *
 * Commands and queries decide at once, on what is in memory and, seldom, on what they read of the store. Where that takes a
 * round trip, ReadNotReady is thrown, which leaves the turn, and runs again once the answer is there.
 */
import type { Later } from '../base/later.ts';
import type { QueryContext } from '../model/command.ts';
import type { Store } from '../store/store.ts';

/** Leaves a turn that asked for what is not there yet. */
export class ReadNotReady extends Error {
  /** Settles when the turn may run again. */
  readonly reading: Promise<unknown>;
  /** Whether no other turn may run until then. */
  readonly isExclusive: boolean;

  constructor(reading: Promise<unknown>, isExclusive: boolean) {
    super('the store answers later');
    this.reading = reading;
    this.isExclusive = isExclusive;
  }
}

/** The store as decisions and queries may read it. */
export type StoreReads = Omit<QueryContext, 'principal'>;

export class TurnReads implements StoreReads {
  readonly #found = new Map<string, unknown>();
  readonly #store: Store;
  readonly #ownerId: string;
  readonly #isExclusive: boolean;

  /** @param isExclusive Whether no other turn may run while it reads. */
  constructor(store: Store, ownerId: string, isExclusive: boolean) {
    this.#store = store;
    this.#ownerId = ownerId;
    this.#isExclusive = isExclusive;
  }

  /** Whether anything was read. */
  get hasFound(): boolean {
    return this.#found.size > 0;
  }

  readonly ownerOf: QueryContext['ownerOf'] = (id) => this.now(`record ${id}`, () => this.#store.ownerOf(id));

  readonly ownersOf: QueryContext['ownersOf'] = (ids) =>
    this.now(`records ${ids.join()}`, () => allOf(ids.map((id) => this.#store.ownerOf(id))));

  readonly routeRevisions: QueryContext['routeRevisions'] = (mockCreatedVersion, revisions) =>
    this.now(`routes ${mockCreatedVersion} ${revisions.join()}`, () =>
      this.#store.routeRevisions(this.#ownerId, mockCreatedVersion, revisions),
    );

  readonly historyBefore: QueryContext['historyBefore'] = (before, countMax) =>
    this.#store.historyBefore(this.#ownerId, before, countMax);

  /** @throws ReadNotReady when it is not there yet. */
  now<T>(name: string, read: () => Later<T>, isExclusive = this.#isExclusive): T {
    if (this.#found.has(name)) return this.#found.get(name) as T;
    const answer = read();
    if (!(answer instanceof Promise)) return answer;
    throw new ReadNotReady(
      answer.then((found) => this.#found.set(name, found)),
      isExclusive,
    );
  }
}

/** The same of a store whose answers are there at once. */
export function readsAtOnce(store: Store, ownerId: string): StoreReads {
  return {
    ownerOf: (id) => atOnce(store.ownerOf(id)),
    ownersOf: (ids) => ids.map((id) => atOnce(store.ownerOf(id))),
    routeRevisions: (mockCreatedVersion, revisions) =>
      atOnce(store.routeRevisions(ownerId, mockCreatedVersion, revisions)),
    historyBefore: (before, countMax) => store.historyBefore(ownerId, before, countMax),
  };
}

function atOnce<T>(answer: Later<T>): T {
  if (answer instanceof Promise) throw new Error('only a shared store may answer later');
  return answer;
}

function allOf<T>(answers: readonly Later<T>[]): Later<readonly T[]> {
  return answers.some((answer) => answer instanceof Promise) ? Promise.all(answers) : (answers as readonly T[]);
}
