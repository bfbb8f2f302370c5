/**
 * Whether a recorded history is linearizable: whether each operation can be given one moment between its request and its answer, so that
 * all of them one after the other, on a model, answer as they did.
 *
 * The search of Wing and Gong with what Lowe added: configurations (the model's state, and which of the operations under way have
 * had their moment) are remembered, so that no two ways to the same one are gone twice. It goes through the history in the order of events
 * and keeps all configurations that are possible so far. An operation is given its moment as late as can be: when it answers, or
 * when another that answers needs it. So its cost grows with how many operations are under way at once, not with the history's length.
 */

/** A sequential object. States are immutable. */
export interface Model<State, Call> {
  readonly initial: State;
  /** Equal for equal states, and for these only. */
  readonly keyOf: (state: State) => string;
  /** @returns The state after the call, the same one when it changes nothing, undefined when it could not answer as it did. */
  readonly after: (state: State, call: Call) => State | undefined;
  /** Whether a call with this answer changes no state that it could be asked of. */
  readonly isHarmless: (call: Call) => boolean;
}

export interface Operation<Call> {
  /** What was asked, with what was answered unless it is unknown. */
  readonly call: Call;
  /** Numbers of the events in one order of the whole history; no two that are answered share one. */
  readonly invoked: number;
  /** For an unknown answer: the event after which it can have no effect any more, Infinity if there is none; several may share it. */
  readonly returned: number;
  /** Whether it was answered. One that was not may have had its effect, or none. */
  readonly certain: boolean;
}

/** More configurations than any honest history needs: beyond it a check says that it cannot tell. */
const CONFIGURATIONS_MAX = 1_000_000;

export interface Verdict {
  /** Of what was looked at: all, or what answered before `undecidedFrom`. */
  readonly linearizable: boolean;
  /** Index of the operation at whose answer the time was up. */
  readonly undecidedFrom?: number;
  /** Index of the operation whose answer fits no order. */
  readonly failedAt?: number;
  /** Texts of the states that were possible before it. */
  readonly possible?: readonly string[];
}

interface Configuration<State> {
  readonly state: State;
  /** Indices of the operations under way that have had their moment, ascending. */
  readonly done: readonly number[];
}

/** @param limitMs Now and then a history has so much under way at once, unanswered, that its check takes half a minute and more. */
export function checkHistory<State, Call>(
  model: Model<State, Call>,
  operations: readonly Operation<Call>[],
  limitMs = Infinity,
): Verdict {
  const search = new Search(model, operations, performance.now() + limitMs);
  const events = operations.flatMap(({ invoked, returned }, index) => [
    { at: invoked, index, isReturn: false },
    // What never returns is under way to the end.
    ...(returned === Infinity ? [] : [{ at: returned, index, isReturn: true }]),
  ]);
  for (const { index, isReturn } of events.toSorted((a, b) => a.at - b.at)) {
    if (!isReturn) search.begin(index);
    else {
      const isPossible = search.end(index);
      if (search.isLate) return { linearizable: true, undecidedFrom: index };
      if (!isPossible) return { linearizable: false, failedAt: index, possible: search.states() };
    }
  }
  return { linearizable: true };
}

/** Configurations between two looks at the clock. */
const CLOCK_EVERY = 512;

class Search<State, Call> {
  readonly #model: Model<State, Call>;
  readonly #operations: readonly Operation<Call>[];
  readonly #open = new Set<number>();
  /** Unanswered calls that are equal, and end together, by one of their indices: which of them had its moment makes no difference. */
  readonly #equals = new Map<number, number>();
  #configurations = new Map<string, Configuration<State>>();
  #before: readonly Configuration<State>[] = [];
  readonly #deadline: number;
  #looked = 0;
  /** Whether the time was up: the last `end` then says nothing. */
  isLate = false;

  /** @param deadline As of `performance.now()`. */
  constructor(model: Model<State, Call>, operations: readonly Operation<Call>[], deadline: number) {
    this.#model = model;
    this.#operations = operations;
    this.#deadline = deadline;
    const firsts = new Map<string, number>();
    for (const [index, { call, returned, certain }] of operations.entries()) {
      if (certain) continue;
      const text = `${returned} ${JSON.stringify(call)}`;
      const first = firsts.get(text);
      if (first === undefined) firsts.set(text, index);
      else this.#equals.set(index, first);
    }
    this.#add(this.#configurations, { state: model.initial, done: [] });
  }

  begin(index: number): void {
    this.#open.add(index);
  }

  /** @returns false when no order gives this operation the answer it had. */
  end(index: number): boolean {
    this.#before = [...this.#configurations.values()];
    const next = new Map<string, Configuration<State>>();
    const seen = new Set<string>();
    const { certain } = this.#operations[index] as Operation<Call>;
    for (const start of this.#before) {
      // One that nobody heard of may have had its moment or not: both go on.
      if (!certain) this.#add(next, { state: start.state, done: start.done.filter((each) => each !== index) });
      else this.#reach(start, index, seen, next);
    }
    // Its moment may also be before its end, with others after it.
    if (!certain) for (const start of this.#before) this.#reach(start, index, seen, next);
    this.#open.delete(index);
    this.#configurations = next;
    if (next.size > CONFIGURATIONS_MAX) throw new Error(`more than ${CONFIGURATIONS_MAX} configurations`);
    return next.size > 0;
  }

  /** Those that were possible before the last end. */
  states(): string[] {
    return [...new Set(this.#before.map(({ state }) => this.#model.keyOf(state)))];
  }

  /** Adds every configuration in which `index` has had its moment as the last of a sequence of moments. */
  #reach(start: Configuration<State>, index: number, seen: Set<string>, into: Map<string, Configuration<State>>): void {
    const stack = [start];
    for (let from = stack.pop(); from !== undefined && !this.isLate; from = stack.pop()) {
      if (++this.#looked % CLOCK_EVERY === 0) this.isLate = performance.now() > this.#deadline;
      if (from.done.includes(index)) {
        this.#add(into, { state: from.state, done: from.done.filter((each) => each !== index) });
        continue;
      }
      const key = this.#keyOf(from);
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > CONFIGURATIONS_MAX) throw new Error(`more than ${CONFIGURATIONS_MAX} configurations`);
      stack.push(...this.#successors(from));
    }
  }

  #successors({ state, done }: Configuration<State>): Configuration<State>[] {
    const successors: Configuration<State>[] = [];
    const tried = new Set<number>();
    for (const index of this.#open) {
      if (done.includes(index)) continue;
      const equal = this.#equals.get(index) ?? index;
      if (tried.has(equal)) continue;
      tried.add(equal);
      const { call, certain } = this.#operations[index] as Operation<Call>;
      const after = this.#model.after(state, call);
      if (after === undefined) continue;
      const next = { state: after, done: [...done, index].toSorted((a, b) => a - b) };
      // What never changes anything stands in nobody's way: there is no need to try it later. A write of what is there already does.
      if (after === state && certain && this.#model.isHarmless(call)) return [next];
      successors.push(next);
    }
    return successors;
  }

  #add(to: Map<string, Configuration<State>>, configuration: Configuration<State>): void {
    to.set(this.#keyOf(configuration), configuration);
  }

  #keyOf({ state, done }: Configuration<State>): string {
    return `${done.join()}|${this.#model.keyOf(state)}`;
  }
}
