import { Type } from '../schema-type.ts';
import { EXPECTED } from '../validate.ts';
import { pairObject, source, type PairKind } from './pair-kind.ts';

/** Delays matching requests. Milliseconds, as a number or as the digits that published clients send. */
export const delay: PairKind = {
  spec: (limits) =>
    pairObject({
      source: source(limits),
      delay: Type.Unsafe<number | string>({
        type: ['number', 'string'],
        minimum: 0,
        pattern: '^[0-9]+$',
        maxLength: limits.textCharsMax,
        [EXPECTED]: 'a number of milliseconds, or a string of digits',
        description: 'Milliseconds, 0 or more; a string of digits is kept as sent.',
      }),
    }),
};
