/**
 * The mocks as the main thread of the data plane's process knows them: which exist, what is published, and how often
 * each was hit.
 *
 * Definitions are not kept here: they pass through to the threads. When a thread lacks a mock, the API process is asked
 * for it, once for all threads. The API process never answers such a question with an older version than it has
 * published since.
 */
import type { Later } from '../../base/later.ts';
import { OwnerTurns } from '../../base/owner-turns.ts';
import { STRANGER } from '../../base/owner-account.ts';
import { sumOfWaits } from '../../base/owner-waits.ts';
import type { Answers } from '../../children/questions.ts';
import type { SentSession, SessionDefinition } from '../../model/mocks/sessions/session.ts';
import type { AllCounts, TrafficFilter } from '../../model/mocks/traffic.ts';
import type { Tally } from '../shared/counters.ts';
import type {
  DataPlaneCommands,
  DataPlaneFigures,
  DataPlaneQuestions,
  ProcessToApi,
  ProcessToThread,
  ProcessTraffic,
  ApiToProcess,
  Elsewhere,
  MockBytes,
  MockFigures,
  PackedEnd,
} from '../shared/messages.ts';
import { homeThread } from '../shared/home-thread.ts';
import { layRoutes } from '../shared/route-slots.ts';
import { sumOfSlow } from '../shared/slow-requests.ts';
import { NO_RECORDS } from '../shared/packed-records.ts';
import { mergePages, mergeStreams } from './merge-pages.ts';
import { newGeneration } from './mock-sessions.ts';
import { Publishing, type Publish, type Version } from './publishing.ts';
import {
  countsOf,
  isSession,
  MISSES,
  newServed,
  NO_COUNTS,
  NO_TOTALS,
  sharedCopy,
  togetherOf,
  totalsOf,
  type PublishedMock,
} from './served.ts';
import { CONFIRMED, type Threads } from './threads.ts';

type ServingThreads = Pick<Threads, 'send' | 'sendToAll' | 'ask' | 'count' | 'requestsTaken' | 'open'>;

type MessageForDirectory = Extract<ApiToProcess, { kind: 'known' | 'loaded' | 'refuseSession' | 'peers' }>;

export class MockDirectory {
  /** Questions and commands of the API process. */
  readonly answers: Answers<Omit<DataPlaneQuestions, 'renewCertificate'> & DataPlaneCommands> = {
    publish: (publish) => new Promise((resolve) => this.#publish({ ...publish, done: () => resolve(true) })),
    remove: ({ mockId }) => this.#remove(mockId),
    reset: ({ mockId }) => this.#reset(mockId),
    session: ({ mockId, session, isNew }) => this.#putSession(mockId, session, isNew),
    resetSession: ({ mockId, sessionId }) => {
      const session = this.#served.get(mockId)?.sessions.reset(sessionId);
      return session === undefined || this.#threads.ask('session', { mockId, session, isNew: true }, CONFIRMED);
    },
    releaseAll: () => this.#releaseAll(),
    requests: ({ mockId, filter }) => this.#requests(mockId, filter),
    counts: ({ mockId, session, sessions }) => {
      const served = this.#served.get(mockId);
      const tally = tallyOf(served, session);
      const live = sessions === true && session === undefined ? (served?.sessions.tallies() ?? []) : [];
      return this.#turns.read(served?.ownerId ?? '', countsOf(tally, live));
    },
    allCounts: (mockIds) => {
      const served = mockIds.map((mockId) => this.#served.get(mockId)).find((each) => each !== undefined);
      return this.#turns.read(served?.ownerId ?? '', this.#allCounts(mockIds));
    },
    upcoming: ({ mockId, session, routeId }) => tallyOf(this.#served.get(mockId), session)?.upcoming(routeId) ?? 1,
    endSession: ({ mockId, sessionId, isExpired }) => this.#endSession(mockId, sessionId, isExpired),
    sessionUses: (mockIds) => ({
      sessions: mockIds.flatMap((mockId) => this.#served.get(mockId)?.sessions.uses(mockId) ?? []),
    }),
    scenarios: ({ mockId, session, move }) =>
      this.#whenServed(mockId, (served) => {
        const state = tallyOf(served, session)?.state;
        const isMoved = move === undefined || state?.set(move.name, move.state) === true;
        return isMoved ? state?.states() : undefined;
      }),
    streams: (question) => this.#threads.ask('streams', question, mergeStreams),
    stores: (question) =>
      this.#whenServed(question.mockId, (served) => {
        const { mockId, session } = question;
        const isThere = isSession(session) ? served?.sessions.has(session) === true : served !== undefined;
        if (!isThere) return undefined;
        const home = homeThread(mockId, session ?? '', this.#threads.count);
        return this.#threads.ask('stores', question, ([stores]) => stores, new Set([home]));
      }),
    figures: ({ busiestMax }) => this.#turns.read(STRANGER, this.#figures(busiestMax)),
    waits: (question) => this.#threads.ask('waits', question, (waits) => sumOfWaits(waits.flat())),
  };
  readonly #threads: ServingThreads;
  readonly #sendToApi: (message: ProcessToApi) => void;
  /** Every mock that exists; complete once the API process has sent all ids (`#knowsAll`). */
  readonly #known = new Set<string>();
  #knowsAll = false;
  /** Mocks served since this process started. */
  readonly #served = new Map<string, PublishedMock>();
  readonly #publishing: Publishing;
  /** Sessions that threads ask for after a publish are laid out in slices, and so are counts read. */
  readonly #turns: OwnerTurns;
  /** Threads that wait for a mock, by the id that the API process was asked for. */
  readonly #loading = new Map<string, Set<number>>();
  /** Callers that wait until a mock is served, or known to be absent. */
  readonly #awaiting = new Map<string, (() => void)[]>();

  constructor(threads: ServingThreads, sendToApi: (message: ProcessToApi) => void) {
    this.#threads = threads;
    this.#sendToApi = sendToApi;
    this.#publishing = new Publishing(threads, (publish) => this.#begin(publish));
    this.#turns = new OwnerTurns((error) => sendToApi({ kind: 'bug', text: String((error as Error).stack) }));
  }

  /** A thread lacks a mock. */
  load(mockId: string, thread: number): void {
    if (this.#knowsAll && !this.#known.has(mockId)) {
      return void this.#threads.ask('absent', { mockId }, CONFIRMED, new Set([thread]));
    }
    if (this.#publishing.has(mockId)) return;
    const waiting = this.#loading.get(mockId);
    if (waiting !== undefined) return void waiting.add(thread);
    this.#loading.set(mockId, new Set([thread]));
    this.#sendToApi({ kind: 'load', mockId });
  }

  /** Calls `use` once the mock is served, at once if it is: `undefined` when there is none, or it cannot be loaded. */
  #whenServed<Result>(mockId: string, use: (served: PublishedMock | undefined) => Later<Result>): Later<Result> {
    const served = this.#served.get(mockId);
    if (served !== undefined || (this.#knowsAll && !this.#known.has(mockId))) return use(served);
    const waiting = this.#awaiting.get(mockId) ?? [];
    this.#awaiting.set(mockId, waiting);
    const used = new Promise<Result>((resolve) => waiting.push(() => resolve(use(this.#served.get(mockId)))));
    if (this.#loading.has(mockId)) return used;
    this.#loading.set(mockId, new Set());
    this.#sendToApi({ kind: 'load', mockId });
    return used;
  }

  #endWait(mockId: string): void {
    const waiting = this.#awaiting.get(mockId) ?? [];
    this.#awaiting.delete(mockId);
    for (const use of waiting) use();
  }

  onMessage(message: MessageForDirectory): void {
    switch (message.kind) {
      case 'known':
        for (const mockId of message.mockIds) this.#known.add(mockId);
        this.#knowsAll ||= message.complete;
        return;
      case 'loaded':
        return this.#loaded(message.mockId, message.result, message.sessions);
      case 'refuseSession':
      case 'peers':
        return this.#threads.sendToAll(message);
    }
  }

  /** A thread does not have a session that a request names. */
  wantSession(mockId: string, sessionId: string, thread: number): void {
    const served = this.#served.get(mockId);
    if (served?.sessions.has(sessionId) !== true) return this.#sendToApi({ kind: 'wantSession', mockId, sessionId });
    this.#turns.add(this.#turns.account(served.ownerId), 'steps', () => {
      const session = this.#served.get(mockId)?.sessions.forThread(sessionId);
      // If it has ended, threads know that.
      if (session !== undefined)
        void this.#threads.ask('session', { mockId, session, isNew: false }, CONFIRMED, new Set([thread]));
      return false;
    });
  }

  #publish(publish: Publish): void {
    // Its owner deleted the one before: what is known of that is not shown to the next owner of the id.
    if (this.#isAnother(publish.mock)) void this.#remove(publish.mock.mockId);
    this.#publishing.publish(publish);
  }

  #begin({ mock, sessions }: Publish): Version {
    const { mockId } = mock;
    this.#known.add(mockId);
    this.#loading.delete(mockId);
    const definition = sharedCopy(mock.definition);
    const known = this.#served.get(mockId);
    const served = known ?? newServed(mock, definition, sessions ?? []);
    const laid = known === undefined ? served.laid : layRoutes(mock.routes, mock.parts.revisions && known.laid.routes);
    this.#served.set(mockId, served);
    this.#endWait(mockId);
    return { served, laid, definition };
  }

  /** The served mock of this id is another one, which was deleted. */
  #isAnother({ mockId, ownerId, createdVersion }: MockBytes): boolean {
    const known = this.#served.get(mockId);
    return known !== undefined && (known.ownerId !== ownerId || known.createdVersion !== createdVersion);
  }

  /** A mock that is not served is loaded with all of its sessions. */
  #putSession(mockId: string, sent: SentSession, isNew: boolean): Later<true> {
    const put = this.#served.get(mockId)?.sessions.put(sent, isNew);
    if (put === undefined) return true;
    return this.#threads.ask('session', { mockId, session: put.session, isNew }, () => {
      put.finish();
      return true;
    });
  }

  #remove(mockId: string): Promise<true> {
    this.#known.delete(mockId);
    this.#loading.delete(mockId);
    this.#publishing.cancel(mockId);
    this.#served.delete(mockId);
    this.#endWait(mockId);
    return this.#threads.ask('absent', { mockId }, CONFIRMED);
  }

  #loaded(
    mockId: string,
    result: MockBytes | Elsewhere | 'absent' | 'failed',
    sessions: readonly SessionDefinition[] | undefined,
  ): void {
    const waiting = this.#loading.get(mockId);
    // A publish or a removal in the meantime has already answered the question.
    if (waiting === undefined) return;
    this.#loading.delete(mockId);
    const answerWaiting = (message: ProcessToThread): void => {
      for (const thread of waiting) this.#threads.send(thread, message);
    };
    if (result === 'failed') {
      this.#endWait(mockId);
      return answerWaiting({ kind: 'failed', mockId });
    }
    if (result === 'absent') {
      this.#known.delete(mockId);
      this.#endWait(mockId);
      return void this.#threads.ask('absent', { mockId }, CONFIRMED, waiting);
    }
    if ('address' in result) {
      this.#served.delete(mockId);
      this.#endWait(mockId);
      return answerWaiting({ kind: 'elsewhere', mockId, elsewhere: result });
    }
    const { state, version } = result;
    this.#known.add(mockId);
    const known = this.#served.get(mockId);
    const isOutdated = known !== undefined && (known.state !== state || known.version !== version);
    if (isOutdated || this.#isAnother(result)) {
      // Its publish is still on its way: other threads may serve the previous version, so all get this one.
      return this.#publish({ mock: result, keepsSequences: false, sessions, done: () => undefined });
    }
    const definition = sharedCopy(result.definition);
    const served = known ?? newServed(result, definition, sessions ?? []);
    this.#served.set(mockId, served);
    this.#endWait(mockId);
    if (waiting.size === 0) return;
    const { laid } = served;
    this.#publishing.load(result, { served, laid, definition }, waiting, () => this.#served.get(mockId) === served);
  }

  #releaseAll(): Promise<true> {
    this.#served.clear();
    this.#publishing.cancelAll();
    return this.#threads.ask('releaseAll', null, CONFIRMED);
  }

  /** To be called every few minutes: words of rate limits that nobody uses must not fall behind. */
  keepClosest(): void {
    for (const { tally, sessions } of this.#served.values()) {
      for (const each of [tally, ...sessions.tallies()]) each.keepClosest();
    }
  }

  *#allCounts(mockIds: readonly string[]): Generator<void, AllCounts> {
    const mocks: AllCounts['mocks'][number][] = [];
    for (const mockId of mockIds) {
      mocks.push({ mockId, ...(this.#served.get(mockId)?.tally.totals() ?? NO_TOTALS) });
      yield;
    }
    return { mocks };
  }

  *#figures(busiestMax: number): Generator<void, DataPlaneFigures> {
    const mocks = [...this.#served].map(([mockId, served]) => {
      const { tally, numbersFrom, sessions } = served;
      const { total, unmatched } = tally.figures;
      const inSessions = sessions.uses(mockId).reduce((sum, use) => sum + use.unmatched, 0);
      return { mockId, served, total: total - numbersFrom, unmatched: unmatched + inSessions };
    });
    const sorted = mocks.toSorted((one, other) => other.total - one.total);
    const figures: MockFigures[] = [];
    for (const { served, ...each } of sorted) {
      const { tally, sessions } = served;
      const slow = sumOfSlow([tally, ...sessions.tallies()].map((counted) => counted.slow));
      figures.push({ ...each, statuses: (yield* totalsOf(served, undefined)).statuses, slow });
      yield;
    }
    const rest = figures.slice(busiestMax);
    return {
      threads: this.#threads.requestsTaken(),
      ...this.#threads.open(),
      busiest: [...figures.slice(0, busiestMax), ...(rest.length > 0 ? [togetherOf(rest)] : [])],
      memoryBytes: process.memoryUsage.rss(),
    };
  }

  /** Resets what is outside of sessions. Those go on with their numbers, so the mock does, too. */
  #reset(mockId: string): Promise<true> {
    const served = this.#served.get(mockId);
    if (served !== undefined) {
      const { tally, sessions } = served;
      served.tally = tally.fresh(!sessions.isEmpty);
      served.numbersFrom = served.tally.newestNumber;
      sessions.rebase(served.tally.numbers);
      served.resets = newGeneration();
      served.storesOf = served.resets;
    }
    const counters = served?.tally.counters;
    return this.#threads.ask('reset', { mockId, counters, storesOf: served?.storesOf ?? 0 }, CONFIRMED);
  }

  /** Its counts are read when no thread knows it any more, so they are exact. */
  #endSession(mockId: string, sessionId: string, isExpired: boolean): Later<PackedEnd> {
    const served = this.#served.get(mockId);
    if (served === undefined) return { counts: NO_COUNTS, unmatched: NO_RECORDS };
    const { session, expiredUntil } = served.sessions.end(sessionId, isExpired);
    return this.#threads.ask('endSession', { mockId, sessionId, expiredUntil, filter: MISSES }, (pages) => {
      if (session !== undefined) served.tally.settle(session.tally);
      return { counts: session?.tally.counts() ?? NO_COUNTS, unmatched: mergePages(pages, MISSES).records };
    });
  }

  async #requests(mockId: string, sent: TrafficFilter): Promise<ProcessTraffic> {
    // Read before asking: records read during a reset belong to the time before it, and every thread has recorded what
    // was counted.
    const served = this.#served.get(mockId);
    const session = isSession(sent.session) ? served?.sessions.get(sent.session) : undefined;
    const resets = session?.life ?? served?.resets ?? 0;
    const numbersFrom = session?.numbersFrom ?? served?.numbersFrom ?? 0;
    const newestNumber = served?.tally.newestNumber ?? 0;
    const { afterNumber, upToNumber = newestNumber, countsStatuses } = sent;
    const filter = afterNumber === undefined ? sent : { ...sent, upToNumber };
    const totals =
      countsStatuses === true ? this.#turns.read(served?.ownerId ?? '', totalsOf(served, sent.session)) : undefined;
    const page = await this.#threads.ask('requests', { mockId, filter }, (pages) => mergePages(pages, filter));
    // The numbers of all requests of a mock have no gaps.
    const passed = sent.session === undefined ? upToNumber : page.passed;
    return { ...page, passed, resets, numbersFrom, newestNumber, ...(totals && { totals: await totals }) };
  }
}

function tallyOf(served: PublishedMock | undefined, session: string | undefined): Tally | undefined {
  return isSession(session) ? served?.sessions.get(session)?.tally : served?.tally;
}
