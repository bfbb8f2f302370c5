/**
 * The mocks of one thread: those that it serves, the ids that it knows not to exist, and the requests that wait for a
 * mock it lacks.
 *
 * A mock that is missing is requested from the main thread of the data plane's process, once, however many requests
 * wait. Answers arrive in the order of publication, so the last one is valid.
 */
import { ABSENT_MOCKS_MAX, LOAD_WAITERS_MAX, MOCK_LOAD_MS } from '../../limits.ts';
import type { ValidHost } from '../../wire/framing.ts';
import type { MockForThread, SharedCounters } from '../shared/messages.ts';
import { ServedMock } from './served-mock.ts';

/** Hosts remembered for one mock. Clients send few different ones: with and without a port. */
const HOSTS_MAX = 8;

/** Called with whether it is known now if the mock exists; false when it could not be loaded in time. */
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
  readonly #whileCompiling: <Made>(compile: () => Made) => Made;
  readonly #sharedDomains: readonly string[];
  readonly #bytesMax: number;
  #waiterCount = 0;
  #bytes = 0;
  #tick = 0;

  /**
   * @param load           Requests a mock; the answer comes by `serve`, `forget` or `fail`.
   * @param whileCompiling Runs a compilation, which may take seconds, but not the requests that waited for it.
   * @param sharedDomains  Domains that no mock may set a cookie for.
   * @param bytesMax       Limit of the estimated memory of compiled mocks.
   */
  constructor(
    load: (mockId: string) => void,
    whileCompiling: <Made>(compile: () => Made) => Made,
    sharedDomains: readonly string[],
    bytesMax: number,
  ) {
    this.#load = load;
    this.#whileCompiling = whileCompiling;
    this.#sharedDomains = sharedDomains;
    this.#bytesMax = bytesMax;
  }

  /** @returns undefined when it is not known yet: use `wait`. */
  find(mockId: string): ServedMock | 'absent' | undefined {
    const served = this.#served.get(mockId);
    if (served !== undefined) {
      served.usedAt = ++this.#tick;
      return served;
    }
    return this.#absent.has(mockId) ? 'absent' : undefined;
  }

  /** @returns The mock remembered for this Host. */
  findByHost({ names }: ValidHost): ServedMock | undefined {
    if (!(names instanceof ServedMock)) return undefined;
    names.usedAt = ++this.#tick;
    return names;
  }

  /** Until the mock changes, or has too many other hosts. */
  rememberHost(host: ValidHost, served: ServedMock): void {
    if (served.hosts.length >= HOSTS_MAX) (served.hosts.shift() as ValidHost).names = undefined;
    served.hosts.push(host);
    host.names = served;
  }

  /** @returns Whether it waits; false when too many requests wait. */
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
    // Compiled before anything changes: a request sees either the old version or the new one.
    const served = this.#whileCompiling(() => new ServedMock(mock, this.#sharedDomains));
    this.#remove(mockId);
    this.#absent.delete(mockId);
    served.usedAt = ++this.#tick;
    this.#served.set(mockId, served);
    this.#bytes += served.bytes;
    if (this.#bytes > this.#bytesMax) this.#evict(served);
    this.#wake(mockId, true);
  }

  /** The mock does not exist, or not any more. */
  forget(mockId: string): void {
    this.#remove(mockId);
    if (this.#absent.size >= ABSENT_MOCKS_MAX) this.#absent.clear();
    this.#absent.add(mockId);
    this.#wake(mockId, true);
  }

  /** The mock could not be loaded: nothing is remembered about it. */
  fail(mockId: string): void {
    this.#wake(mockId, false);
  }

  reset(mockId: string, counters: SharedCounters): void {
    this.#served.get(mockId)?.reset(counters);
  }

  #remove(mockId: string): void {
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

  /**
   * Removes the least recently used mocks, down to nine tenths of the limit, so that not every new mock sorts all of
   * them.
   */
  #evict(newest: ServedMock): void {
    const oldestFirst = [...this.#served.values()].toSorted((one, other) => one.usedAt - other.usedAt);
    for (const served of oldestFirst) {
      if (this.#bytes <= this.#bytesMax * 0.9) return;
      if (served !== newest) this.#remove(served.mockId);
    }
  }
}
