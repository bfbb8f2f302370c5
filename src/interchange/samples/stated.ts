/** Values that authors state: examples and defaults, where they fit. */
import { fits } from './fits.ts';
import { merge } from './merged.ts';
import type { Parts } from './parts.ts';
import { Cut, isJson, type Json, type SampleRun } from './run.ts';

export function statedValue(run: SampleRun, schema: unknown, parts: Parts): unknown {
  if (run.variant > 0) return undefined;
  for (const [at, part] of parts.all.entries()) {
    const isOwn = at < parts.own;
    for (const value of [
      part.example,
      ...(Array.isArray(part.examples) ? part.examples.slice(0, EXAMPLES_MAX) : []),
      part.default,
    ]) {
      // A null says nothing where tools write it for no example; as a default it is one.
      if (value === undefined || (value === null && part.default !== null)) continue;
      if (value !== null && typeof value === 'object' && (!isOwn || Object.keys(value).length === 0)) continue;
      if (!fits(run, schema, value)) continue;
      const mark = run.mark();
      if (takeWhole(run, value)) return value;
      run.giveUp(mark);
    }
  }
  return undefined;
}

/** Alternatives of one schema that are tried. */
const EXAMPLES_MAX = 10;

/** Takes what a value needs that is shown as it is. @returns Whether there was space for it. */
export function takeWhole(run: SampleRun, value: unknown, level = 0): boolean {
  if (typeof value === 'string') return run.take(value.length) && run.step(Math.ceil(value.length / 100));
  if (typeof value !== 'object' || value === null) return run.take(4) && run.step();
  if (level > 64 || !run.take(2) || !run.step()) return false;
  return Object.entries(value).every(([name, child]) => run.take(name.length, 0) && takeWhole(run, child, level + 1));
}

/** Examples of the schemas that an object takes in are parts of its own. */
export function exampleMembers({ all, own }: Parts): Json | undefined {
  const examples = all.slice(own).flatMap(({ example }) => (isJson(example) ? [example] : []));
  return examples.length === 0 ? undefined : Object.assign(Object.create(null), ...examples.toReversed());
}

/** Notes a text or a number that is stated, and could be something else instead: the path of a request may say. */
export function noteStated(run: SampleRun, parts: readonly Json[], stated: unknown): void {
  if (run.leaves === undefined || typeof stated === 'object' || parts.some(isGuarded)) return;
  const merged = merge(run, parts);
  const type = typeof stated === 'number' && Number.isInteger(stated) ? 'integer' : typeof stated;
  if (!(merged instanceof Cut) && merged.values === undefined) run.leaf = { merged, type, isStated: true };
}

/** Whether another value could fit fewer of its parts, or more. */
export function isGuarded({ not, if: condition, oneOf, anyOf }: Json): boolean {
  return [not, condition, oneOf, anyOf].some((part) => part !== undefined);
}
