/** The text of `keys create --expires`. */
import { InvalidArgumentError } from 'commander';
import { systemClock } from '../base/clock.ts';
import { keyEndOf } from '../model/key-end.ts';

/**
 * @returns Milliseconds since the Unix epoch.
 * @throws InvalidArgumentError for any other text, and for a moment that has passed.
 */
export function keyEnd(text: string, now = systemClock()): number {
  const end = keyEndOf(text, now);
  if (typeof end === 'number') return end;
  throw new InvalidArgumentError(`${end.charAt(0).toUpperCase()}${end.slice(1)}.`);
}
