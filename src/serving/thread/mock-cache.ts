/**
 * The mocks of one thread: those it serves, the names it knows to be no mock's, and the requests that wait for one it lacks.
 *
 * What it lacks is asked of the data plane's main thread, once, however many requests wait. Answers come in the order of what
 * was published, so whatever comes last holds.
 */
import { ABSENT_MOCKS_MAX, COMPILED_BYTES_MAX, LOAD_WAITERS_MAX, MOCK_LOAD_MS } from '../../limits.ts';
import type { GoodHost } from '../../wire/framing.ts';
import type { MockForThread, SharedCounters } from '../protocol.ts';
import { ServedMock } from './served-mock.ts';

/** Hosts that are remembered of one mock: with and without a port there are few that a client sends. */
const HOSTS_MAX = 8;

/** Called with whether the mock is now known, to be served or to be absent. */
export type Waiter = (known: boolean) => void;

interface Waiting {
  readonly waiters: Waiter[];
  readonly timer: NodeJS.Timeout;
}

export class MockCache {
  readonly #served = new Map<string, ServedMock>();
  readonly #absent = new Set<string>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #load: (mockId: string) => void;
  readonly #compiling: <Made>(compile: () => Made) => Made;
  readonly #sharedDomains: readonly string[];
  #waiterCount = 0;
  #bytes = 0;
  #tick = 0;

  /**
   * @param load      Asks for a mock; the answer comes by `serve`, `forget` or `fail`.
   * @param compiling Runs what may take seconds. Not the requests that waited for it.
   * @param sharedDomains No mock may set a cookie for them.
   */
  constructor(
    load: (mockId: string) => void,
    compiling: <Made>(compile: () => Made) => Made,
    sharedDomains: readonly string[],
  ) {
    this.#load = load;
    this.#compiling = compiling;
    this.#sharedDomains = sharedDomains;
  }

  /** @returns undefined when it must be waited for. */
  find(mockId: string): ServedMock | 'absent' | undefined {
    const served = this.#served.get(mockId);
    if (served !== undefined) {
      served.usedAt = ++this.#tick;
      return served;
    }
    return this.#absent.has(mockId) ? 'absent' : undefined;
  }

  /** @returns The mock that this Host was remembered to name. */
  findByHost({ names }: GoodHost): ServedMock | undefined {
    if (!(names instanceof ServedMock)) return undefined;
    names.usedAt = ++this.#tick;
    return names;
  }

  /** Until the mock changes, or is named by too many others. */
  rememberHost(host: GoodHost, served: ServedMock): void {
    if (served.hosts.length >= HOSTS_MAX) (served.hosts.shift() as GoodHost).names = undefined;
    served.hosts.push(host);
    host.names = served;
  }

  /** @returns Whether it waits; false when too many do. */
  wait(mockId: string, waiter: Waiter): boolean {
    if (this.#waiterCount >= LOAD_WAITERS_MAX) return false;
    let waiting = this.#waiting.get(mockId);
    if (waiting === undefined) {
      waiting = { waiters: [], timer: setTimeout(() => this.fail(mockId), MOCK_LOAD_MS) };
      this.#waiting.set(mockId, waiting);
      this.#load(mockId);
    }
    waiting.waiters.push(waiter);
    this.#waiterCount++;
    return true;
  }

  serve(mock: MockForThread): void {
    const { mockId } = mock;
    // Compiled before anything changes: requests see the old version or the new one.
    const served = this.#compiling(() => new ServedMock(mock, this.#sharedDomains));
    this.#take(mockId);
    this.#absent.delete(mockId);
    served.usedAt = ++this.#tick;
    this.#served.set(mockId, served);
    this.#bytes += served.bytes;
    if (this.#bytes > COMPILED_BYTES_MAX) this.#evict(served);
    this.#wake(mockId, true);
  }

  /** It exists no more, or never did. */
  forget(mockId: string): void {
    this.#take(mockId);
    if (this.#absent.size >= ABSENT_MOCKS_MAX) this.#absent.clear();
    this.#absent.add(mockId);
    this.#wake(mockId, true);
  }

  /** It could not be told whether it exists: nothing is remembered of that. */
  fail(mockId: string): void {
    this.#wake(mockId, false);
  }

  reset(mockId: string, counters: SharedCounters): void {
    this.#served.get(mockId)?.reset(counters);
  }

  #take(mockId: string): void {
    const old = this.#served.get(mockId);
    if (old === undefined) return;
    this.#served.delete(mockId);
    for (const host of old.hosts) host.names = undefined;
    this.#bytes -= old.bytes;
  }

  #wake(mockId: string, known: boolean): void {
    const waiting = this.#waiting.get(mockId);
    if (waiting === undefined) return;
    this.#waiting.delete(mockId);
    clearTimeout(waiting.timer);
    this.#waiterCount -= waiting.waiters.length;
    for (const waiter of waiting.waiters) waiter(known);
  }

  /** Down to nine tenths, so that not every new mock looks for the oldest among all. */
  #evict(newest: ServedMock): void {
    const oldestFirst = [...this.#served.values()].toSorted((one, other) => one.usedAt - other.usedAt);
    for (const served of oldestFirst) {
      if (this.#bytes <= COMPILED_BYTES_MAX * 0.9) return;
      if (served !== newest) this.#take(served.mockId);
    }
  }
}
