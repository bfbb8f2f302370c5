/**
 * State that requests to one mock, or to one session, change beside its counters: the states of its scenarios and its rate limit. One
 * shared 32-bit word each, changed by compare-and-exchange, so that all threads see one order of changes.
 */
import { RATE_STATUS, type MockSettings, type Scenario } from '../../model/mocks/definition/definition.ts';
import { increment, read, WORDS } from './shared-words.ts';
import { keepClosest, rateOf, sharedClockMs, unitsOf, type Rate } from './rate-limit.ts';

/** Words of a rate limit by header, a power of two: each value has the one that its hash names. */
export const RATE_SLOTS = 4_096;

/** Plain data: sent to the data plane's process with each publication. */
export interface StateLayout {
  /** Each takes one word: the index of its state. */
  readonly scenarios: readonly Scenario[];
  /** 0 without a rate limit. */
  readonly rateSlots: number;
  /** The mock may proxy requests, so the statuses of its upstreams count; absent otherwise. */
  readonly proxies?: true;
  /** The rate limit: what its words mean, and the status of its refusals. */
  readonly rate?: Rate & { readonly by: string; readonly status: number };
}

export function stateLayoutOf(
  { scenarios = [], rateLimit }: Pick<MockSettings, 'scenarios' | 'rateLimit'>,
  proxies = false,
): StateLayout {
  const proxied = proxies ? ({ proxies } as const) : {};
  if (rateLimit === undefined) return { scenarios, rateSlots: 0, ...proxied };
  const { by = 'mock', status = RATE_STATUS } = rateLimit;
  return {
    scenarios,
    rateSlots: by === 'mock' ? 1 : RATE_SLOTS,
    rate: { ...rateOf(rateLimit), by, status },
    ...proxied,
  };
}

/** @param states By scenario, where they are not the initial ones; unknown ones are ignored. */
export function newState(
  { scenarios, rateSlots, rate, proxies }: StateLayout,
  states: Readonly<Record<string, string>> = {},
): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(
    (scenarios.length + rateSlots + (proxies === true ? PROXIED_WORDS : 0) + REFUSED_WORDS) *
      Int32Array.BYTES_PER_ELEMENT,
  );
  const words = new Int32Array(buffer);
  for (const [index, scenario] of scenarios.entries()) {
    const state = Object.hasOwn(states, scenario.name) ? scenario.states.indexOf(states[scenario.name] as string) : -1;
    words[index] = state === -1 ? initialOf(scenario) : state;
  }
  if (rate !== undefined) words.fill(nowIn(rate), scenarios.length, scenarios.length + rateSlots);
  return buffer;
}

/** Words of the count of refused requests, the last of all: the low one first. */
const REFUSED_WORDS = 2;

/** Answers of upstreams have statuses below it. */
const STATUSES = 600;
/** Two words for each status, for the requests among them that no route answered, and for those that the mock answered itself. */
const PROXIED_WORDS = (STATUSES + 2) * WORDS;

function nowIn({ unitMs }: Rate): number {
  return unitsOf(sharedClockMs(), unitMs);
}

function initialOf({ states, initial }: Scenario): number {
  return initial === undefined ? 0 : Math.max(0, states.indexOf(initial));
}

/** The words of one mock or session. */
export class MockState {
  /** Scenarios first, in the order of the layout; then the slots of the rate limit, the counts of upstreams, and what the limit refused. */
  readonly words: Int32Array;
  readonly layout: StateLayout;

  constructor(layout: StateLayout, buffer: SharedArrayBuffer) {
    this.layout = layout;
    this.words = new Int32Array(buffer);
  }

  /** Moves a scenario. @returns false when it has no such scenario or state. */
  set(scenario: string, state: string): boolean {
    const index = this.layout.scenarios.findIndex(({ name }) => name === scenario);
    const next = this.layout.scenarios[index]?.states.indexOf(state) ?? -1;
    if (next === -1) return false;
    Atomics.store(this.words, index, next);
    return true;
  }

  /** Index of the first slot of the rate limit. */
  get rateStart(): number {
    return this.layout.scenarios.length;
  }

  /** Requests that the rate limit refused. */
  get refused(): number {
    const [low, high] = [this.words.length - REFUSED_WORDS, this.words.length - 1];
    return (Atomics.load(this.words, high) >>> 0) * 2 ** 32 + (Atomics.load(this.words, low) >>> 0);
  }

  countRefused(): void {
    const low = Atomics.add(this.words, this.words.length - REFUSED_WORDS, 1);
    if (low === -1) Atomics.add(this.words, this.words.length - 1, 1);
  }

  get countsProxied(): boolean {
    return this.layout.proxies === true;
  }

  /** @param isUnmatched Whether no route answered. */
  countProxied(status: number, isUnmatched: boolean): void {
    increment(this.#proxied, status);
    if (isUnmatched) increment(this.#proxied, STATUSES);
  }

  /** A response of the mock answers in place of an upstream, and counts itself. */
  countAnsweredItself(): void {
    increment(this.#proxied, STATUSES + 1);
  }

  /**
   * How often an upstream answered with each status, how many of these requests no route answered, and how many a response of the mock
   * answered in place of an upstream.
   */
  proxied(): {
    readonly statuses: readonly (readonly [status: number, count: number])[];
    readonly unmatched: number;
    readonly answeredItself: number;
  } {
    if (!this.countsProxied) return { statuses: [], unmatched: 0, answeredItself: 0 };
    const words = this.#proxied;
    const statuses: [number, number][] = [];
    for (let status = 0; status < STATUSES; status++) {
      const count = read(words, status);
      if (count > 0) statuses.push([status, count]);
    }
    return { statuses, unmatched: read(words, STATUSES), answeredItself: read(words, STATUSES + 1) };
  }

  get #proxied(): Uint32Array {
    const start = this.rateStart + this.layout.rateSlots;
    return new Uint32Array(this.words.buffer, start * Uint32Array.BYTES_PER_ELEMENT, PROXIED_WORDS);
  }

  /** Takes over what clients have used, if the limit is the same. */
  keepRate(from: MockState): void {
    const { rateSlots, rate } = this.layout;
    if (JSON.stringify(from.layout.rate) !== JSON.stringify(rate)) return;
    this.words.set(from.words.subarray(from.rateStart, from.rateStart + rateSlots), this.rateStart);
  }

  /** To be called every few minutes: rate-limit.ts. */
  keepClosest(): void {
    const { rateSlots, rate } = this.layout;
    if (rate === undefined) return;
    keepClosest(this.words.subarray(0, this.rateStart + rateSlots), this.rateStart, nowIn(rate));
  }

  /** The states of all scenarios, by name. */
  states(): Record<string, string> {
    return Object.fromEntries(
      this.layout.scenarios.map(({ name, states }, index) => [name, states[Atomics.load(this.words, index)] as string]),
    );
  }
}
