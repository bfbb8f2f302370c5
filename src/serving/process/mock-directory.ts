/**
 * The mocks as the main thread of the data plane's process knows them: which exist, what is published, and how often
 * each was hit.
 *
 * Definitions are not kept here: they pass through to the threads. When a thread lacks a mock, the API process is asked
 * for it, once for all threads. The API process never answers such a question with an older version than it has
 * published since.
 */
import type { MockTotals } from '../../model/mocks/traffic.ts';
import { Tally } from '../shared/counters.ts';
import type {
  DataPlaneFigures,
  ProcessToApi,
  ProcessToThread,
  ApiToProcess,
  MockBytes,
  MockForThread,
  ThreadDone,
} from '../shared/messages.ts';
import { mergePages } from './merge-pages.ts';

interface ServingThreads {
  send(thread: number, message: ProcessToThread): void;
  sendToAll(message: ProcessToThread): void;
  /** Of each thread, modulo 2^32. */
  requestsTaken(): number[];
  askThreads(make: (id: number) => ProcessToThread, done: (answers: ThreadDone[]) => void): void;
}

interface Served {
  state: 'running' | 'stopped';
  version: number;
  tally: Tally;
  /** How often its traffic and counts were reset. */
  resets: number;
}

export class MockDirectory {
  readonly #threads: ServingThreads;
  readonly #sendToApi: (message: ProcessToApi) => void;
  /** Every mock that exists; complete once the API process has sent all ids (`#knowsAll`). */
  readonly #known = new Set<string>();
  #knowsAll = false;
  /** Mocks served since this process started. */
  readonly #served = new Map<string, Served>();
  /** Threads that wait for a mock, by the id that the API process was asked for. */
  readonly #loading = new Map<string, Set<number>>();
  /** What waits until a mock is served, or is known to be absent. */
  readonly #awaiting = new Map<string, (() => void)[]>();

  constructor(threads: ServingThreads, sendToApi: (message: ProcessToApi) => void) {
    this.#threads = threads;
    this.#sendToApi = sendToApi;
  }

  /** A thread lacks a mock. */
  load(mockId: string, thread: number): void {
    if (this.#knowsAll && !this.#known.has(mockId)) {
      return this.#threads.send(thread, { kind: 'absent', id: undefined, mockId });
    }
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

  onMessage(message: Exclude<ApiToProcess, { kind: 'start' | 'stop' | 'renewCertificate' }>): void {
    switch (message.kind) {
      case 'known':
        for (const mockId of message.mockIds) this.#known.add(mockId);
        this.#knowsAll ||= message.complete;
        return;
      case 'publish':
        return this.#publish(message.mock, message.keepsSequences, () => this.#done(message.id));
      case 'remove':
        return this.#remove(message.mockId, () => this.#done(message.id));
      case 'loaded':
        return this.#loaded(message.mockId, message.result);
      case 'ask':
        return this.#answer(message);
    }
  }

  #publish(mock: MockBytes, keepsSequences: boolean, done: () => void): void {
    const { mockId, state, version, routes, stateLayout } = mock;
    this.#known.add(mockId);
    this.#loading.delete(mockId);
    const served = this.#served.get(mockId);
    const finishSupersede = served?.tally.supersede(routes, stateLayout, keepsSequences);
    const { tally, resets } = served ?? { tally: new Tally(routes, stateLayout), resets: 0 };
    this.#served.set(mockId, { state, version, tally, resets });
    this.#endWait(mockId);
    const forThread = toThread(mock, tally);
    this.#threads.askThreads(
      (id) => ({ kind: 'serve', id, mock: forThread }),
      () => {
        finishSupersede?.();
        done();
      },
    );
  }

  #remove(mockId: string, done: () => void): void {
    this.#known.delete(mockId);
    this.#loading.delete(mockId);
    this.#served.delete(mockId);
    this.#endWait(mockId);
    this.#threads.askThreads((id) => ({ kind: 'absent', id, mockId }), done);
  }

  #loaded(mockId: string, result: MockBytes | 'absent' | 'failed'): void {
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
    const { state, version, routes, stateLayout } = result;
    this.#known.add(mockId);
    const served = this.#served.get(mockId);
    if (served !== undefined && (served.state !== state || served.version !== version)) {
      // Its publish is still on its way: other threads may serve the previous version, so all get this one.
      return this.#publish(result, false, () => undefined);
    }
    const tally = served?.tally ?? new Tally(routes, stateLayout);
    if (served === undefined) this.#served.set(mockId, { state, version, tally, resets: 0 });
    this.#endWait(mockId);
    if (waiting.size > 0) answerWaiting({ kind: 'serve', id: undefined, mock: toThread(result, tally) });
  }

  #figures(busiestMax: number): DataPlaneFigures {
    const mocks = [...this.#served].map(([mockId, { tally }]) => ({ mockId, ...tally.figures }));
    const busiest = mocks.toSorted((one, other) => other.total - one.total).slice(0, busiestMax);
    return { threads: this.#threads.requestsTaken(), busiest };
  }

  #answer({ id, question }: Extract<ApiToProcess, { kind: 'ask' }>): void {
    if (question.kind === 'figures') {
      return this.#sendToApi({ kind: 'done', id, result: this.#figures(question.busiestMax) });
    }
    if (question.kind === 'allCounts') {
      const mocks = question.mockIds.map((mockId) => ({
        mockId,
        ...(this.#served.get(mockId)?.tally.totals() ?? NO_TOTALS),
      }));
      return this.#sendToApi({ kind: 'done', id, result: { mocks } });
    }
    const { mockId } = question;
    switch (question.kind) {
      case 'counts':
        return this.#sendToApi({
          kind: 'done',
          id,
          result: this.#served.get(mockId)?.tally.counts() ?? { ...NO_TOTALS, routes: [] },
        });
      case 'upcoming': {
        const requestNumber = this.#served.get(mockId)?.tally.upcoming(question.routeId) ?? 1;
        return this.#sendToApi({ kind: 'done', id, result: { requestNumber } });
      }
      case 'reset': {
        const served = this.#served.get(mockId);
        if (served !== undefined) {
          served.tally = served.tally.fresh();
          served.resets++;
        }
        const counters = served?.tally.counters;
        return this.#threads.askThreads(
          (askId) => ({ kind: 'reset', id: askId, mockId, counters }),
          () => this.#done(id),
        );
      }
      case 'scenarios':
        return this.#whenServed(mockId, (served) => {
          const { state } = served?.tally ?? {};
          const isMoved = question.move === undefined || state?.set(question.move.name, question.move.state) === true;
          const result = state !== undefined && isMoved ? { states: state.states() } : undefined;
          this.#sendToApi({ kind: 'done', id, ...(result === undefined ? {} : { result }) });
        });
      case 'requests': {
        // Read before asking: records read during a reset belong to the time before it, and every thread has recorded
        // what was counted.
        const { resets = 0, tally } = this.#served.get(mockId) ?? {};
        const newestNumber = tally?.figures.total ?? 0;
        const { afterNumber, upToNumber = newestNumber, countsStatuses } = question.filter;
        const filter = afterNumber === undefined ? question.filter : { ...question.filter, upToNumber };
        const totals = countsStatuses === true ? { totals: tally?.totals() ?? NO_TOTALS } : {};
        return this.#threads.askThreads(
          (askId) => ({ kind: 'requests', id: askId, mockId, filter }),
          (answers) => {
            const pages = answers.flatMap(({ page }) => page ?? []);
            this.#sendToApi({
              kind: 'done',
              id,
              result: { ...mergePages(pages, filter), resets, newestNumber, ...totals },
            });
          },
        );
      }
    }
  }

  #done(id: number): void {
    this.#sendToApi({ kind: 'done', id });
  }
}

const NO_TOTALS: MockTotals = { total: 0, unmatched: 0, statuses: [] };

/** Copied once for all threads: shared memory cannot cross from the API process, so `toBytes` cannot fill it there. */
function toThread({ mockId, ownerId, state, version, definition }: MockBytes, { counters }: Tally): MockForThread {
  const shared = new SharedArrayBuffer(definition.byteLength);
  new Uint8Array(shared).set(definition);
  return { mockId, ownerId, state, version, definition: shared, counters };
}
