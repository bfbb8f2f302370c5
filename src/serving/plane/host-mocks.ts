/**
 * What the data plane's main thread knows of mocks: which exist, what is published, and how often each was hit.
 *
 * Definitions are not kept here: they pass through to the threads. A mock that a thread lacks is asked of the main process, once
 * for all threads. The main process never answers such a question with less than it has published since.
 */
import { Tally } from '../counters.ts';
import type {
  DataPlaneFigures,
  HostToMain,
  HostToThread,
  MainToHost,
  MockBytes,
  MockForThread,
  ThreadDone,
} from '../protocol.ts';
import { mergePages } from '../thread/traffic.ts';

interface ThreadsOfHost {
  tell(thread: number, message: HostToThread): void;
  tellAll(message: HostToThread): void;
  /** Of each thread, modulo 2^32. */
  requestsTaken(): number[];
  askAll(make: (id: number) => HostToThread, done: (answers: ThreadDone[]) => void): void;
}

interface Served {
  state: 'running' | 'stopped';
  version: number;
  tally: Tally;
  /** How often its traffic and counts were forgotten. */
  resets: number;
}

export class HostMocks {
  readonly #threads: ThreadsOfHost;
  readonly #tellMain: (message: HostToMain) => void;
  /** Every mock that exists; complete once the main process has told them all. */
  readonly #known = new Set<string>();
  #knowsAll = false;
  /** Those that were served since this process began. */
  readonly #served = new Map<string, Served>();
  /** Threads that wait for a mock which the main process was asked for. */
  readonly #loading = new Map<string, Set<number>>();

  constructor(threads: ThreadsOfHost, tellMain: (message: HostToMain) => void) {
    this.#threads = threads;
    this.#tellMain = tellMain;
  }

  /** A thread lacks a mock. */
  load(mockId: string, thread: number): void {
    if (this.#knowsAll && !this.#known.has(mockId)) {
      return this.#threads.tell(thread, { kind: 'absent', id: undefined, mockId });
    }
    const waiting = this.#loading.get(mockId);
    if (waiting !== undefined) return void waiting.add(thread);
    this.#loading.set(mockId, new Set([thread]));
    this.#tellMain({ kind: 'load', mockId });
  }

  hear(message: Exclude<MainToHost, { kind: 'start' | 'stop' | 'renewCertificate' }>): void {
    switch (message.kind) {
      case 'known':
        for (const mockId of message.mockIds) this.#known.add(mockId);
        this.#knowsAll ||= message.complete;
        return;
      case 'publish':
        return this.#publish(message.mock, () => this.#done(message.id));
      case 'remove':
        return this.#remove(message.mockId, () => this.#done(message.id));
      case 'loaded':
        return this.#loaded(message.mockId, message.result);
      case 'ask':
        return this.#answer(message);
    }
  }

  #publish(mock: MockBytes, done: () => void): void {
    const { mockId, state, version, routes } = mock;
    this.#known.add(mockId);
    this.#loading.delete(mockId);
    const served = this.#served.get(mockId);
    const settle = served?.tally.supersede(routes);
    const { tally, resets } = served ?? { tally: new Tally(routes), resets: 0 };
    this.#served.set(mockId, { state, version, tally, resets });
    const forThread = toThread(mock, tally);
    this.#threads.askAll(
      (id) => ({ kind: 'serve', id, mock: forThread }),
      () => {
        settle?.();
        done();
      },
    );
  }

  #remove(mockId: string, done: () => void): void {
    this.#known.delete(mockId);
    this.#loading.delete(mockId);
    this.#served.delete(mockId);
    this.#threads.askAll((id) => ({ kind: 'absent', id, mockId }), done);
  }

  #loaded(mockId: string, result: MockBytes | 'absent' | 'failed'): void {
    const waiting = this.#loading.get(mockId);
    // What was published or removed meanwhile has answered the question.
    if (waiting === undefined) return;
    this.#loading.delete(mockId);
    const tellWaiting = (message: HostToThread): void => {
      for (const thread of waiting) this.#threads.tell(thread, message);
    };
    if (result === 'failed') return tellWaiting({ kind: 'failed', mockId });
    if (result === 'absent') {
      this.#known.delete(mockId);
      return tellWaiting({ kind: 'absent', id: undefined, mockId });
    }
    const { state, version, routes } = result;
    this.#known.add(mockId);
    const served = this.#served.get(mockId);
    if (served !== undefined && (served.state !== state || served.version !== version)) {
      // Committed, and its publish is on its way: other threads may still serve the version before, so all get it.
      return this.#publish(result, () => undefined);
    }
    const tally = served?.tally ?? new Tally(routes);
    if (served === undefined) this.#served.set(mockId, { state, version, tally, resets: 0 });
    tellWaiting({ kind: 'serve', id: undefined, mock: toThread(result, tally) });
  }

  #figures(busiestMax: number): DataPlaneFigures {
    const mocks = [...this.#served].map(([mockId, { tally }]) => ({ mockId, ...tally.figures }));
    const busiest = mocks.toSorted((one, other) => other.total - one.total).slice(0, busiestMax);
    return { threads: this.#threads.requestsTaken(), busiest };
  }

  #answer({ id, question }: Extract<MainToHost, { kind: 'ask' }>): void {
    if (question.kind === 'figures') {
      return this.#tellMain({ kind: 'done', id, result: this.#figures(question.busiestMax) });
    }
    const { mockId } = question;
    switch (question.kind) {
      case 'counts':
        return this.#tellMain({
          kind: 'done',
          id,
          result: this.#served.get(mockId)?.tally.counts() ?? { total: 0, unmatched: 0, routes: [] },
        });
      case 'reset': {
        const served = this.#served.get(mockId);
        if (served !== undefined) {
          served.tally = served.tally.fresh();
          served.resets++;
        }
        const counters = served?.tally.counters;
        return this.#threads.askAll(
          (askId) => ({ kind: 'reset', id: askId, mockId, counters }),
          () => this.#done(id),
        );
      }
      case 'requests': {
        const { filter } = question;
        // As of before: what is read while it is reset belongs to the time before the reset.
        const resets = this.#served.get(mockId)?.resets ?? 0;
        return this.#threads.askAll(
          (askId) => ({ kind: 'requests', id: askId, mockId, filter }),
          (answers) => {
            const pages = answers.flatMap(({ page }) => page ?? []);
            this.#tellMain({ kind: 'done', id, result: { ...mergePages(pages, filter.limit), resets } });
          },
        );
      }
    }
  }

  #done(id: number): void {
    this.#tellMain({ kind: 'done', id });
  }
}

/** The definition is copied once, for all threads together. */
function toThread({ mockId, state, version, definition }: MockBytes, { counters }: Tally): MockForThread {
  const shared = new SharedArrayBuffer(definition.byteLength);
  new Uint8Array(shared).set(definition);
  return { mockId, state, version, definition: shared, counters };
}
