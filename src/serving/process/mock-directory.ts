/**
 * The mocks as the main thread of the data plane's process knows them: which exist, what is published, and how often
 * each was hit.
 *
 * Definitions are not kept here: they pass through to the threads. When a thread lacks a mock, the API process is asked
 * for it, once for all threads. The API process never answers such a question with an older version than it has
 * published since.
 */
import { OwnerTurns, sumOfWaits } from '../../base/owner-turns.ts';
import type { SentSession, SessionDefinition } from '../../model/mocks/sessions/session.ts';
import type { TrafficFilter } from '../../model/mocks/traffic.ts';
import type {
  DataPlaneFigures,
  ProcessToApi,
  ProcessToThread,
  ApiToProcess,
  Elsewhere,
  MockBytes,
  MockFigures,
  ProcessQuestion,
  ThreadDone,
} from '../shared/messages.ts';
import { homeThread } from '../shared/home-thread.ts';
import { layRoutes } from '../shared/route-slots.ts';
import { sumOfSlow } from '../shared/slow-requests.ts';
import { NO_RECORDS } from '../shared/packed-records.ts';
import { mergePages, mergeStreams } from './merge-pages.ts';
import { newGeneration } from './mock-sessions.ts';
import { Publishing, type Publish, type Version } from './publishing.ts';
import {
  isSession,
  MISSES,
  newServed,
  NO_COUNTS,
  NO_TOTALS,
  pagesOf,
  sharedCopy,
  togetherOf,
  totalsOf,
  type Served,
} from './served.ts';

interface ServingThreads {
  send(thread: number, message: ProcessToThread): void;
  sendToAll(message: ProcessToThread): void;
  /** For each thread, modulo 2^32. */
  requestsTaken(): number[];
  open(): Pick<DataPlaneFigures, 'streams' | 'sockets' | 'stores'>;
  askThreads(
    make: (id: number) => ProcessToThread,
    done: (answers: ThreadDone[]) => void,
    of?: ReadonlySet<number>,
  ): void;
  readonly count: number;
  askThread(thread: number, make: (id: number) => ProcessToThread, done: (answer: ThreadDone) => void): void;
}

type MockQuestion = Extract<ProcessQuestion, { readonly mockId: string }>;

type ForDirectory = Exclude<ApiToProcess, { kind: 'start' | 'stop' | 'renewCertificate' | 'lease' }>;

export class MockDirectory {
  readonly #threads: ServingThreads;
  readonly #sendToApi: (message: ProcessToApi) => void;
  /** Every mock that exists; complete once the API process has sent all ids (`#knowsAll`). */
  readonly #known = new Set<string>();
  #knowsAll = false;
  /** Mocks served since this process started. */
  readonly #served = new Map<string, Served>();
  readonly #publishing: Publishing;
  /** Sessions that threads ask for after a publish are laid out in slices. */
  readonly #turns: OwnerTurns;
  /** Threads that wait for a mock, by the id that the API process was asked for. */
  readonly #loading = new Map<string, Set<number>>();
  /** Callers that wait until a mock is served, or known to be absent. */
  readonly #awaiting = new Map<string, (() => void)[]>();

  constructor(threads: ServingThreads, sendToApi: (message: ProcessToApi) => void) {
    this.#threads = threads;
    this.#sendToApi = sendToApi;
    this.#publishing = new Publishing(
      (...asked) => threads.askThreads(...asked),
      (publish) => this.#begin(publish),
    );
    this.#turns = new OwnerTurns((error) => sendToApi({ kind: 'bug', text: String((error as Error).stack) }));
  }

  /** A thread lacks a mock. */
  load(mockId: string, thread: number): void {
    if (this.#knowsAll && !this.#known.has(mockId)) {
      return this.#threads.send(thread, { kind: 'absent', id: undefined, mockId });
    }
    if (this.#publishing.has(mockId)) return;
    const waiting = this.#loading.get(mockId);
    if (waiting !== undefined) return void waiting.add(thread);
    this.#loading.set(mockId, new Set([thread]));
    this.#sendToApi({ kind: 'load', mockId });
  }

  /** Calls `use` once the mock is served, at once if it is: `undefined` when there is none, or it cannot be loaded. */
  #whenServed(mockId: string, use: (served: Served | undefined) => void): void {
    const served = this.#served.get(mockId);
    if (served !== undefined || (this.#knowsAll && !this.#known.has(mockId))) return use(served);
    const waiting = this.#awaiting.get(mockId) ?? [];
    this.#awaiting.set(mockId, waiting);
    waiting.push(() => use(this.#served.get(mockId)));
    if (this.#loading.has(mockId)) return;
    this.#loading.set(mockId, new Set());
    this.#sendToApi({ kind: 'load', mockId });
  }

  #endWait(mockId: string): void {
    const waiting = this.#awaiting.get(mockId) ?? [];
    this.#awaiting.delete(mockId);
    for (const use of waiting) use();
  }

  onMessage(message: ForDirectory): void {
    switch (message.kind) {
      case 'known':
        for (const mockId of message.mockIds) this.#known.add(mockId);
        this.#knowsAll ||= message.complete;
        return;
      case 'publish':
        return this.#publish({ ...message, done: () => this.#done(message.id) });
      case 'remove':
        return this.#remove(message.mockId, () => this.#done(message.id));
      case 'loaded':
        return this.#loaded(message.mockId, message.result, message.sessions);
      case 'session':
        return this.#putSession(message.mockId, message.session, message.isNew, () => this.#done(message.id));
      case 'refuseSession':
        return this.#threads.sendToAll({ ...message, id: undefined });
      case 'peers':
        return this.#threads.sendToAll({ ...message, id: undefined });
      case 'releaseAll':
        return this.#releaseAll(() => this.#done(message.id));
      case 'ask':
        return this.#answer(message);
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
        this.#threads.send(thread, { kind: 'session', id: undefined, mockId, session, isNew: false });
      return false;
    });
  }

  #publish(publish: Publish): void {
    // Its owner deleted the one before: what is known of that is not shown to the next owner of the id.
    if (this.#isAnother(publish.mock)) this.#remove(publish.mock.mockId, () => undefined);
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
  #putSession(mockId: string, sent: SentSession, isNew: boolean, done: () => void): void {
    const put = this.#served.get(mockId)?.sessions.put(sent, isNew);
    if (put === undefined) return done();
    const { session, finish } = put;
    this.#threads.askThreads(
      (id) => ({ kind: 'session', id, mockId, session, isNew }),
      () => {
        finish();
        done();
      },
    );
  }

  #remove(mockId: string, done: () => void): void {
    this.#known.delete(mockId);
    this.#loading.delete(mockId);
    this.#publishing.cancel(mockId);
    this.#served.delete(mockId);
    this.#endWait(mockId);
    this.#threads.askThreads((id) => ({ kind: 'absent', id, mockId }), done);
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
      return answerWaiting({ kind: 'absent', id: undefined, mockId });
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

  #releaseAll(done: () => void): void {
    this.#served.clear();
    this.#publishing.cancelAll();
    this.#threads.askThreads((id) => ({ kind: 'releaseAll', id }), done);
  }

  /** To be called every few minutes: words of rate limits that nobody uses must not fall behind. */
  keepClosest(): void {
    for (const { tally, sessions } of this.#served.values()) {
      for (const each of [tally, ...sessions.tallies()]) each.keepClosest();
    }
  }

  #figures(busiestMax: number): DataPlaneFigures {
    const mocks = [...this.#served].map(([mockId, served]) => {
      const { tally, numbersFrom, sessions } = served;
      const { total, unmatched } = tally.figures;
      const inSessions = sessions.uses(mockId).reduce((sum, use) => sum + use.unmatched, 0);
      return { mockId, served, total: total - numbersFrom, unmatched: unmatched + inSessions };
    });
    const sorted = mocks.toSorted((one, other) => other.total - one.total);
    const figures = sorted.map(({ served, ...each }): MockFigures => {
      const { tally, sessions } = served;
      const slow = sumOfSlow([tally, ...sessions.tallies()].map((counted) => counted.slow));
      return { ...each, statuses: totalsOf(served, undefined).statuses, slow };
    });
    const rest = figures.slice(busiestMax);
    return {
      threads: this.#threads.requestsTaken(),
      ...this.#threads.open(),
      busiest: [...figures.slice(0, busiestMax), ...(rest.length > 0 ? [togetherOf(rest)] : [])],
      memoryBytes: process.memoryUsage.rss(),
    };
  }

  #answer({ id, question }: Extract<ApiToProcess, { kind: 'ask' }>): void {
    if (question.kind === 'figures') {
      return this.#sendToApi({ kind: 'done', id, result: this.#figures(question.busiestMax) });
    }
    if (question.kind === 'waits') {
      return this.#threads.askThreads(
        (askId) => ({ ...question, id: askId }),
        (answers) => {
          const owners = sumOfWaits(answers.flatMap(({ waits = [] }) => waits));
          this.#sendToApi({ kind: 'done', id, result: { owners } });
        },
      );
    }
    if (question.kind === 'allCounts') {
      const mocks = question.mockIds.map((mockId) => ({
        mockId,
        ...(this.#served.get(mockId)?.tally.totals() ?? NO_TOTALS),
      }));
      return this.#sendToApi({ kind: 'done', id, result: { mocks } });
    }
    if (question.kind === 'sessionUses') {
      const sessions = question.mockIds.flatMap((mockId) => this.#served.get(mockId)?.sessions.uses(mockId) ?? []);
      return this.#sendToApi({ kind: 'done', id, result: { sessions } });
    }
    return this.#answerOf(id, question, this.#served.get(question.mockId));
  }

  #answerOf(id: number, question: MockQuestion, served: Served | undefined): void {
    const { mockId } = question;
    switch (question.kind) {
      case 'counts': {
        const { session, sessions } = question;
        const tally = isSession(session) ? served?.sessions.get(session)?.tally : served?.tally;
        const live = sessions === true && session === undefined ? (served?.sessions.tallies() ?? []) : [];
        const result = tally === undefined ? NO_COUNTS : live.length === 0 ? tally.counts() : tally.with(live);
        return this.#sendToApi({ kind: 'done', id, result });
      }
      case 'upcoming': {
        const { session, routeId } = question;
        const tally = isSession(session) ? served?.sessions.get(session)?.tally : served?.tally;
        return this.#sendToApi({ kind: 'done', id, result: { requestNumber: tally?.upcoming(routeId) ?? 1 } });
      }
      case 'reset':
        return this.#reset(mockId, served, () => this.#done(id));
      case 'resetSession': {
        const session = served?.sessions.reset(question.sessionId);
        if (session === undefined) return this.#done(id);
        return this.#threads.askThreads(
          (askId) => ({ kind: 'session', id: askId, mockId, session, isNew: true }),
          () => this.#done(id),
        );
      }
      case 'endSession':
        return this.#endSession(id, mockId, question.sessionId, question.isExpired);
      case 'scenarios':
        return this.#whenServed(mockId, (known) => {
          const { session } = question;
          const { state } = (isSession(session) ? known?.sessions.get(session)?.tally : known?.tally) ?? {};
          const isMoved = question.move === undefined || state?.set(question.move.name, question.move.state) === true;
          const result = state !== undefined && isMoved ? { states: state.states() } : undefined;
          this.#sendToApi({ kind: 'done', id, ...(result === undefined ? {} : { result }) });
        });
      case 'streams':
        return this.#threads.askThreads(
          (askId) => ({ ...question, id: askId }),
          (answers) => this.#sendToApi({ kind: 'done', id, result: mergeStreams(answers) }),
        );
      case 'stores':
        return this.#whenServed(mockId, (known) => {
          const { session } = question;
          const isThere = isSession(session) ? known?.sessions.has(session) === true : known !== undefined;
          if (!isThere) return this.#done(id);
          const home = homeThread(mockId, session ?? '', this.#threads.count);
          return this.#threads.askThread(
            home,
            (askId) => ({ ...question, id: askId }),
            ({ stores }) => this.#sendToApi({ kind: 'done', id, ...(stores === undefined ? {} : { result: stores }) }),
          );
        });
      case 'requests':
        return this.#requests(id, mockId, question.filter, served);
    }
  }

  /** Resets what is outside of sessions. Those go on with their numbers, so the mock does, too. */
  #reset(mockId: string, served: Served | undefined, done: () => void): void {
    if (served !== undefined) {
      const { tally, sessions } = served;
      served.tally = tally.fresh(!sessions.isEmpty);
      served.numbersFrom = served.tally.newestNumber;
      sessions.rebase(served.tally.numbers);
      served.resets = newGeneration();
      served.storesOf = served.resets;
    }
    const counters = served?.tally.counters;
    const storesOf = served?.storesOf ?? 0;
    this.#threads.askThreads((askId) => ({ kind: 'reset', id: askId, mockId, counters, storesOf }), done);
  }

  /** Its counts are read when no thread knows it any more, so they are exact. */
  #endSession(id: number, mockId: string, sessionId: string, isExpired: boolean): void {
    const served = this.#served.get(mockId);
    if (served === undefined) {
      return this.#sendToApi({ kind: 'done', id, result: { counts: NO_COUNTS, unmatched: NO_RECORDS } });
    }
    const { session, expiredUntil } = served.sessions.end(sessionId, isExpired);
    this.#threads.askThreads(
      (askId) => ({ kind: 'endSession', id: askId, mockId, sessionId, expiredUntil, filter: MISSES }),
      (answers) => {
        const { records } = mergePages(pagesOf(answers), MISSES);
        if (session !== undefined) served.tally.settle(session.tally);
        const counts = session?.tally.counts() ?? NO_COUNTS;
        this.#sendToApi({ kind: 'done', id, result: { counts, unmatched: records } });
      },
    );
  }

  #requests(id: number, mockId: string, asked: TrafficFilter, served: Served | undefined): void {
    // Read before asking: records read during a reset belong to the time before it, and every thread has recorded what
    // was counted.
    const session = isSession(asked.session) ? served?.sessions.get(asked.session) : undefined;
    const resets = session?.life ?? served?.resets ?? 0;
    const numbersFrom = session?.numbersFrom ?? served?.numbersFrom ?? 0;
    const newestNumber = served?.tally.newestNumber ?? 0;
    const { afterNumber, upToNumber = newestNumber, countsStatuses } = asked;
    const filter = afterNumber === undefined ? asked : { ...asked, upToNumber };
    const totals = countsStatuses === true ? { totals: totalsOf(served, asked.session) } : {};
    this.#threads.askThreads(
      (askId) => ({ kind: 'requests', id: askId, mockId, filter }),
      (answers) => {
        const page = mergePages(pagesOf(answers), filter);
        // The numbers of all requests of a mock have no gaps.
        const passed = asked.session === undefined ? upToNumber : page.passed;
        const result = { ...page, passed, resets, numbersFrom, newestNumber, ...totals };
        this.#sendToApi({ kind: 'done', id, result });
      },
    );
  }

  #done(id: number): void {
    this.#sendToApi({ kind: 'done', id });
  }
}
