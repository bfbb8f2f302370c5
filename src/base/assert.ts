/**
 * Assertions: a bug fails the turn in which it occurs, and never corrupts data.
 *
 * Expected failures are not asserted: they are `Refusal` values (errors.ts).
 */

/** Throws when `condition` is false. `message` names the invariant that no longer holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant: ${message}`);
}
