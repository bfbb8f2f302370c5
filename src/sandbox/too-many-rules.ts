/** The refusals of stored rules that are too many to be evaluated together. */
import { Refusal } from '../errors.ts';
import { EVALUATED_SOURCES_MAX } from '../limits.ts';

const FEWER = { path: '', message: 'evaluate fewer: send them as `rules`, or name one with `ruleId`' };

export function tooManySources(): Refusal {
  return new Refusal('limitReached', [FEWER], `${EVALUATED_SOURCES_MAX} sources of active rules per evaluation`);
}

/** @param bytesMax Estimated high: rules of so many bytes in memory. */
export function tooManyBytes(bytesMax: number): Refusal {
  return new Refusal('limitReached', [FEWER], `${bytesMax} bytes of compiled rules per evaluation`);
}
