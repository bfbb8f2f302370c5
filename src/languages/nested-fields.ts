/** Fields whose names nest in brackets, as objects and lists: `tags[]=a&user[name]=b` is `{"tags": ["a"], "user": {"name": "b"}}`. */
import { take, type WorkBudget } from './work-budget.ts';

/** Work of a step of a name. In units of RULE_WORK_MAX. */
const STEP_WORK = 220;
/** Steps further in are one name, brackets included. */
const DEPTH_MAX = 10;
/** A list has no place beyond: with one, its places are names. */
const PLACE_MAX = 20;

type Node = Map<string, Node | string[]>;

/** @param pairs Names and values, alternating. Those beyond the budget are left out. */
export function nestedFields(pairs: readonly string[], budget: WorkBudget): Readonly<Record<string, unknown>> {
  const root: Node = new Map();
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at] as string;
    const steps = stepsOf(name);
    if (!take(budget, steps.length * STEP_WORK + (name.length >> 1))) break;
    insert(root, steps, pairs[at + 1] as string);
  }
  // A field named __proto__ becomes a member like any other.
  return Object.fromEntries([...root].map(([name, node]) => [name, valueOf(node)]));
}

/** "a[b][]" is a, b and "". */
function stepsOf(name: string): readonly string[] {
  const open = name.indexOf('[');
  if (open === -1 || !name.endsWith(']')) return [name];
  const steps = open === 0 ? [] : [name.slice(0, open)];
  let at = open;
  while (at < name.length && steps.length < DEPTH_MAX) {
    const close = name[at] === '[' ? name.indexOf(']', at) : -1;
    if (close === -1) return [name];
    steps.push(name.slice(at + 1, close));
    at = close + 1;
  }
  return at < name.length ? [...steps, name.slice(at)] : steps;
}

function insert(root: Node, steps: readonly string[], value: string): void {
  let node = root;
  for (const [index, step] of steps.entries()) {
    const name = step === '' && index > 0 ? String(node.size) : step;
    const found = node.get(name);
    if (index === steps.length - 1) {
      if (found instanceof Map) found.set(String(found.size), [value]);
      else if (found === undefined) node.set(name, [value]);
      else found.push(value);
      return;
    }
    const next = found instanceof Map ? found : new Map(found?.map((each, place) => [String(place), [each]]));
    if (next !== found) node.set(name, next);
    node = next;
  }
}

function valueOf(node: Node | string[]): unknown {
  if (Array.isArray(node)) return node.length === 1 ? node[0] : node;
  const members = [...node].map(([name, inner]) => [name, valueOf(inner)] as const);
  if (!members.every(([name]) => /^\d{1,2}$/.test(name) && Number(name) <= PLACE_MAX))
    return Object.fromEntries(members);
  return members.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, value]) => value);
}
