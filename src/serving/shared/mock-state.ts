/**
 * What requests to one mock, or to one session, change beside its counters: the states of its scenarios and its rate limit. One
 * shared 32-bit word each, changed by compare-and-exchange, so that all threads see one order of changes.
 */
import type { MockSettings, Scenario } from '../../model/mocks/definition.ts';

/** Words of a rate limit by address or header: each client has the one that its hash names. */
const RATE_SLOTS = 4_096;

/** Plain data: sent to the data plane's process with each publication. */
export interface StateLayout {
  /** One word each: the index of its state. */
  readonly scenarios: readonly Scenario[];
  /** 0 without a rate limit. */
  readonly rateSlots: number;
}

export function stateLayoutOf({
  scenarios = [],
  rateLimit,
}: Pick<MockSettings, 'scenarios' | 'rateLimit'>): StateLayout {
  const { by = 'mock' } = rateLimit ?? {};
  return { scenarios, rateSlots: rateLimit === undefined ? 0 : by === 'mock' ? 1 : RATE_SLOTS };
}

/** @param states By scenario, where they are not the initial ones; unknown ones are ignored. */
export function newState(
  { scenarios, rateSlots }: StateLayout,
  states: Readonly<Record<string, string>> = {},
): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer((scenarios.length + rateSlots) * Int32Array.BYTES_PER_ELEMENT);
  const words = new Int32Array(buffer);
  for (const [index, scenario] of scenarios.entries()) {
    const state = Object.hasOwn(states, scenario.name) ? scenario.states.indexOf(states[scenario.name] as string) : -1;
    words[index] = state === -1 ? initialOf(scenario) : state;
  }
  return buffer;
}

function initialOf({ states, initial }: Scenario): number {
  return initial === undefined ? 0 : Math.max(0, states.indexOf(initial));
}

/** The words of one mock or session. */
export class MockState {
  /** Scenarios first, in the order of the layout; then the slots of the rate limit. */
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

  /** The states of all scenarios, by name. */
  states(): Record<string, string> {
    return Object.fromEntries(
      this.layout.scenarios.map(({ name, states }, index) => [name, states[Atomics.load(this.words, index)] as string]),
    );
  }
}
