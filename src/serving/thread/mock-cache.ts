/**
 * The mocks of one thread: those that it serves, the ids that it knows not to exist, and the requests that wait for a
 * mock it lacks.
 *
 * A mock that is missing is requested from the main thread of the data plane's process, once, however many requests
 * wait. Answers arrive in the order of publication, so the last one is valid. A version is compiled in slices, as work of its owner, and
 * replaces the one before when the main thread says so: requests that lack the mock wait until then.
 */
import type { OwnerTurns } from '../../base/owner-turns.ts';
import { assert } from '../../base/assert.ts';
import { LargestFirst } from '../../base/largest-first.ts';
import { sharedByOwners } from '../../base/waiting-bytes.ts';
import { MOCK_LOAD_MS, SESSIONS_PER_MOCK_MAX } from '../../limits.ts';
import type { ValidHost } from '../../wire/framing.ts';
import type { Elsewhere, MockForThread, MockVersion, SessionForThread, SharedCounters } from '../shared/messages.ts';
import { prepareMock, type PreparedMock } from './prepare-mock.ts';
import { ServedMock } from './served-mock.ts';

/** Requests of one thread that wait for mocks that it does not have, half of them of one owner: of one mock, while its owner is not known. */
export const LOAD_WAITERS_MAX = 10_000;

/** Names that a thread remembers as unknown, so that the next request for one costs nothing. */
export const ABSENT_MOCKS_MAX = 10_000;

/** Mocks whose home elsewhere a thread remembers. */
const ELSEWHERE_MOCKS_MAX = 100_000;

/** A mock that another node serves. */
export class MockElsewhere {
  readonly mockId: string;
  /** The node's address. */
  readonly address: string;
  readonly ownerId: string;

  constructor(mockId: string, { address, ownerId }: Elsewhere) {
    this.mockId = mockId;
    this.address = address;
    this.ownerId = ownerId;
  }
}

/** Hosts remembered for one mock. Clients send few different ones: with and without a port. */
const HOSTS_MAX = 8;

/** Called with whether it is known now if the mock exists; false when it could not be loaded in time. */
type Waiter = (known: boolean, reason?: string) => void;

/** Key of requests that wait for an unknown session: no mock has such an id. */
export function sessionKey(mockId: string, sessionId: string): string {
  return `${mockId}${KEY_SEPARATOR}${sessionId}`;
}

const KEY_SEPARATOR = '/';

interface WaitingLoad {
  /** The owner, or the mock. */
  holder: string;
  readonly waiters: Waiter[];
  /** Undefined while the mock is being compiled. */
  readonly timer: NodeJS.Timeout | undefined;
}

interface MockCacheOptions {
  /** Those of the owners in this thread. */
  readonly turns: OwnerTurns;
  /** Domains that no mock may set a cookie for. */
  readonly sharedDomains: readonly string[];
  /** Limit of the estimated memory of compiled mocks. */
  readonly bytesMax: number;
  /** Whether a mock that does not exist stays so until this cache is notified. */
  readonly remembersAbsent?: boolean;
}

export class MockCache {
  readonly #served = new Map<string, ServedMock>();
  readonly #absent = new Set<string>();
  readonly #elsewhere = new Map<string, MockElsewhere>();
  readonly #remembersAbsent: boolean;
  readonly #waiting = new Map<string, WaitingLoad>();
  /** The version of each mock that is compiled, or is being compiled: undefined as long as it is. */
  readonly #prepared = new Map<string, { readonly ownerId: string; mock: PreparedMock | undefined }>();
  readonly #turns: OwnerTurns;
  readonly #load: (mockId: string, sessionId?: string) => void;
  readonly #whileCompiling: <Made>(compile: () => Made) => Made;
  readonly #sharedDomains: readonly string[];
  readonly #bytesMax: number;
  readonly #waiters = sharedByOwners(LOAD_WAITERS_MAX, 0);
  #bytes = 0;
  #tick = 0;

  /**
   * @param load           Requests a mock; the answer comes by `serve`, `forget` or `fail`. With a session's id, requests the session;
   * the answer comes by `putSession`, or by `fail` with its key.
   * @param whileCompiling Runs a slice of a compilation, but not the requests that waited for it.
   */
  constructor(
    load: (mockId: string, sessionId?: string) => void,
    whileCompiling: <Made>(compile: () => Made) => Made,
    { turns, sharedDomains, bytesMax, remembersAbsent = true }: MockCacheOptions,
  ) {
    this.#remembersAbsent = remembersAbsent;
    this.#load = load;
    this.#turns = turns;
    this.#whileCompiling = whileCompiling;
    this.#sharedDomains = sharedDomains;
    this.#bytesMax = bytesMax;
  }

  /** @returns undefined when it is not known yet: use `wait`. */
  find(mockId: string): ServedMock | MockElsewhere | 'absent' | undefined {
    const served = this.#served.get(mockId);
    if (served !== undefined) {
      served.usedAt = ++this.#tick;
      return served;
    }
    return this.#absent.has(mockId) ? 'absent' : this.#elsewhere.get(mockId);
  }

  /** @returns A live session of a mock, ready for a request. */
  findSession({ sessions }: ServedMock, sessionId: string): ServedMock | undefined {
    const session = sessions?.get(sessionId);
    if (session?.isPrepared === false) this.#whileCompiling(() => session.prepare());
    return session;
  }

  /** @returns The newest version of the mock or session; undefined where this thread has none. */
  newest({ mockId, sessionId }: Pick<ServedMock, 'mockId' | 'sessionId'>): ServedMock | undefined {
    const served = this.#served.get(mockId);
    return sessionId === '' ? served : served?.sessions?.get(sessionId);
  }

  /** The same as `newest`, ready for a request. @returns 'gone' if it is not served here any more; undefined if that is unknown. */
  newestReady({ mockId, sessionId }: Pick<ServedMock, 'mockId' | 'sessionId'>): ServedMock | 'gone' | undefined {
    const served = this.find(mockId);
    if (served === undefined) return undefined;
    if (!(served instanceof ServedMock)) return 'gone';
    const newest = sessionId === '' ? served : this.findSession(served, sessionId);
    return newest ?? (served.unasked?.has(sessionId) === true ? undefined : 'gone');
  }

  /** @returns The mock or session remembered for this Host. */
  findByHost({ names }: ValidHost): ServedMock | undefined {
    if (!(names instanceof ServedMock)) return undefined;
    names.usedAt = ++this.#tick;
    if (names.base !== undefined) names.base.usedAt = this.#tick;
    return names;
  }

  /** Until the mock changes, or has too many other hosts. */
  rememberHost(host: ValidHost, served: ServedMock): void {
    if (served.hosts.length >= HOSTS_MAX) (served.hosts.shift() as ValidHost).names = undefined;
    served.hosts.push(host);
    host.names = served;
  }

  /** @param mockId Or a `sessionKey`. @returns Whether it waits; false when too many requests wait. */
  wait(mockId: string, waiter: Waiter): boolean {
    let waiting = this.#waiting.get(mockId);
    const [id = '', sessionId] = mockId.split(KEY_SEPARATOR);
    const holder = waiting?.holder ?? this.#prepared.get(id)?.ownerId ?? this.#served.get(id)?.ownerId ?? id;
    if (!this.#waiters.take(holder, 1)) return false;
    if (waiting === undefined) {
      const isComing = this.#prepared.has(mockId);
      waiting = {
        holder,
        waiters: [],
        timer: isComing ? undefined : setTimeout(() => this.fail(mockId), MOCK_LOAD_MS),
      };
      this.#waiting.set(mockId, waiting);
      if (!isComing) this.#load(id, sessionId);
    }
    waiting.waiters.push(waiter);
    return true;
  }

  /** @param onCompiled Called once; also when the version is not wanted any more. */
  compile(version: MockVersion, onCompiled: () => void): void {
    const { mockId, ownerId } = version;
    const own: { readonly ownerId: string; mock: PreparedMock | undefined } = { ownerId, mock: undefined };
    this.#prepared.set(mockId, own);
    // However long that takes, its end lets them continue.
    const waiting = this.#waiting.get(mockId);
    clearTimeout(waiting?.timer);
    if (waiting !== undefined && waiting.holder !== ownerId) {
      this.#waiters.release(waiting.holder, waiting.waiters.length);
      this.#waiters.add(ownerId, waiting.waiters.length);
      waiting.holder = ownerId;
    }
    const steps = prepareMock(version, this.#sharedDomains, this.#served.get(mockId)?.prepared);
    const task = (until: number): boolean => {
      while (this.#prepared.get(mockId) === own) {
        const step = steps.next();
        if (step.done === true) {
          own.mock = step.value;
          break;
        }
        if (performance.now() >= until) return true;
      }
      onCompiled();
      return false;
    };
    const slice = (until: number): boolean => {
      try {
        return this.#whileCompiling(() => task(until));
      } catch (error) {
        this.fail(mockId);
        throw error;
      }
    };
    // At once where its owner is within its share: the first slice is all that small mocks and further stubs need.
    this.#turns.begin(this.#turns.account(ownerId), 'loads', slice);
  }

  /** Serves the version that was compiled last. @returns It. */
  serve(mock: MockForThread): ServedMock {
    const { mockId } = mock;
    const prepared = this.#prepared.get(mockId)?.mock;
    assert(prepared !== undefined, 'a version is compiled before it is served');
    this.#prepared.delete(mockId);
    const served = new ServedMock(prepared, mock, this.#sharedDomains);
    served.account = this.#turns.account(served.ownerId);
    this.#remove(mockId);
    this.#absent.delete(mockId);
    this.#elsewhere.delete(mockId);
    served.usedAt = ++this.#tick;
    this.#served.set(mockId, served);
    this.#bytes += served.bytes;
    if (this.#bytes > this.#bytesMax) this.#evict(served);
    this.#wake(mockId, true);
    return served;
  }

  /** The mock does not exist, or not any more. */
  forget(mockId: string): void {
    const woken = this.#giveUp(mockId);
    if (this.#absent.size >= ABSENT_MOCKS_MAX) this.#absent.clear();
    this.#absent.add(mockId);
    this.#elsewhere.delete(mockId);
    for (const key of woken) this.#wake(key, true);
    if (!this.#remembersAbsent) this.#absent.delete(mockId);
  }

  /** Another node serves the mock. */
  setElsewhere(mockId: string, elsewhere: Elsewhere): void {
    const woken = this.#giveUp(mockId);
    if (this.#elsewhere.size >= ELSEWHERE_MOCKS_MAX) this.#elsewhere.clear();
    this.#elsewhere.set(mockId, new MockElsewhere(mockId, elsewhere));
    for (const key of woken) this.#wake(key, true);
  }

  /** It is looked for again with the next request. */
  forgetElsewhere(mock: MockElsewhere): void {
    if (this.#elsewhere.get(mock.mockId) === mock) this.#elsewhere.delete(mock.mockId);
  }

  /** Forgets the homes of mocks elsewhere, which may have changed. */
  forgetAllElsewhere(): void {
    this.#elsewhere.clear();
  }

  /** No mock is served here any more. */
  clear(): void {
    for (const mockId of new Set([...this.#served.keys(), ...this.#prepared.keys()])) {
      for (const key of this.#giveUp(mockId)) this.#wake(key, true);
    }
  }

  /** The mock could not be loaded: nothing is remembered about it. */
  fail(mockId: string, reason?: string): void {
    this.#prepared.delete(mockId);
    this.#wake(mockId, false, reason);
  }

  reset(mockId: string, counters: SharedCounters, storesOf: number): void {
    this.#served.get(mockId)?.reset(counters, storesOf);
  }

  /** Makes a session, or replaces what defines it. Those of a mock that is not here are asked for when it is. */
  putSession(mockId: string, session: SessionForThread): void {
    const { sessionId } = session;
    const served = this.#served.get(mockId);
    const key = sessionKey(mockId, sessionId);
    if (served === undefined) return this.#wake(key, true);
    // A change of what this thread does not have is of no use: it asks for the whole.
    if (session.overlayChange === undefined || served.unasked?.has(sessionId) !== true) {
      const before = served.sessions?.get(sessionId);
      this.#removeSession(served, sessionId);
      this.#bytes += served.putSession(session, before).bytes;
      if (this.#bytes > this.#bytesMax) this.#evict(served);
    }
    if (!this.#waiting.has(key)) return;
    // Its overlay is compiled now: after a save that may be hundreds of sessions at once.
    this.#turns.add(this.#turns.account(served.ownerId), 'steps', () => {
      this.#wake(key, true);
      return false;
    });
  }

  /** Calls `done` when this thread has those of these sessions that are alive, or does not get them in time. */
  whenAsked(mockId: string, sessionIds: ReadonlySet<string>, done: () => void): void {
    const unasked = this.#served.get(mockId)?.unasked;
    let left = 1;
    const one = (): void => void (--left === 0 && done());
    for (const id of sessionIds) {
      if (unasked?.has(id) === true && this.wait(sessionKey(mockId, id), one)) left++;
    }
    one();
  }

  /** @param expiredUntil Until when its requests are answered that it has expired. */
  endSession(mockId: string, sessionId: string, expiredUntil: number | undefined): void {
    const served = this.#served.get(mockId);
    if (served === undefined) return;
    this.#removeSession(served, sessionId);
    served.unasked?.delete(sessionId);
    if (expiredUntil !== undefined) {
      served.expired ??= new Map();
      if (served.expired.size >= SESSIONS_PER_MOCK_MAX) served.expired.clear();
      served.expired.set(sessionId, expiredUntil);
    }
    this.#wake(sessionKey(mockId, sessionId), true);
  }

  /** Forgets all that is served, or compiled, of a mock. @returns What requests may wait for: wake them. */
  #giveUp(mockId: string): string[] {
    const sessionIds = this.#served.get(mockId)?.unasked?.keys() ?? [];
    this.#prepared.delete(mockId);
    this.#remove(mockId);
    return [mockId, ...Array.from(sessionIds, (sessionId) => sessionKey(mockId, sessionId))];
  }

  #remove(mockId: string): void {
    const old = this.#served.get(mockId);
    if (old === undefined) return;
    this.#served.delete(mockId);
    this.#forgetHosts(old);
    this.#bytes -= old.bytes;
    for (const sessionId of old.sessions?.keys() ?? []) this.#removeSession(old, sessionId);
  }

  #removeSession(served: ServedMock, sessionId: string): void {
    const old = served.sessions?.get(sessionId);
    if (old === undefined) return;
    served.sessions?.delete(sessionId);
    this.#forgetHosts(old);
    this.#bytes -= old.bytes;
    old.release();
  }

  #forgetHosts({ hosts }: ServedMock): void {
    for (const host of hosts) host.names = undefined;
  }

  #wake(mockId: string, known: boolean, reason?: string): void {
    const waiting = this.#waiting.get(mockId);
    if (waiting === undefined) return;
    this.#waiting.delete(mockId);
    clearTimeout(waiting.timer);
    this.#waiters.release(waiting.holder, waiting.waiters.length);
    for (const waiter of waiting.waiters) waiter(known, reason);
  }

  /**
   * Removes mocks of the owner that has most, the least recently used first, down to nine tenths of the limit, so that not every new mock
   * sorts all of them.
   */
  #evict(newest: ServedMock): void {
    const shares = new LargestFirst<string>();
    const bytesOf = ({ bytes, sessions }: ServedMock): number =>
      bytes + Array.from(sessions?.values() ?? []).reduce((sum, session) => sum + session.bytes, 0);
    const newestFirst = [...this.#served.values()].toSorted((one, other) => other.usedAt - one.usedAt);
    const ofOwners = new Map<string, ServedMock[]>();
    for (const served of newestFirst) {
      if (served === newest) continue;
      const { ownerId } = served;
      shares.change(ownerId, bytesOf(served));
      const own = ofOwners.get(ownerId) ?? [];
      own.push(served);
      ofOwners.set(ownerId, own);
    }
    while (this.#bytes > this.#bytesMax * 0.9) {
      const served = ofOwners.get(shares.largest() ?? '')?.pop();
      if (served === undefined) return;
      shares.change(served.ownerId, -bytesOf(served));
      this.#remove(served.mockId);
    }
  }
}
