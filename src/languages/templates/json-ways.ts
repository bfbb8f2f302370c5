/** The ways through a template of JSON as a graph: where they meet, which of them end as JSON, and where the others cannot go on. */
import type { Facts } from './json-conditions.ts';
import type { JsonState } from './json-states.ts';

/** A place that a way through the template comes to. */
export interface Step {
  readonly state: JsonState;
  readonly facts: Facts;
  /** The steps before: several where ways meet. */
  readonly from: Step[];
  /** Whether a way goes on from here to the end of JSON. */
  endsWell: boolean;
}

/** What a way cannot go on with. */
export interface DeadEnd {
  readonly step: Step;
  /** The state in the midst of a text. */
  readonly state: JsonState;
  readonly at: number;
  readonly found: string;
}

/** Marks all steps that lead to one at the end. */
export function endWell(end: Step): void {
  const open = [end];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (step.endsWell) continue;
    step.endsWell = true;
    open.push(...step.from);
  }
}

/** The first dead end that ways from the entries come to. @param ends In the order of the text. */
export function firstReached(entries: readonly Step[], ends: readonly DeadEnd[]): DeadEnd {
  const starts = new Set(entries);
  // Looked at before, in vain.
  const others = new Set<Step>();
  const isReached = ({ step }: DeadEnd): boolean => {
    const open = [step];
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      if (starts.has(each)) return true;
      if (others.has(each)) continue;
      others.add(each);
      open.push(...each.from);
    }
    return false;
  };
  return ends.find(isReached) as DeadEnd;
}
