import { Type } from '../schema-type.ts';
import { pairObject, source, type PairKind } from './pair-kind.ts';

/**
 * Replaces the body of matching requests, or computes it. `value` is a body or a program, bounded by the request's size
 * rather than as a text field.
 */
export const request: PairKind = {
  spec: (limits) =>
    pairObject({ source: Type.Optional(source(limits)), type: Type.Enum(['code', 'static']), value: Type.String() }),
  client: {
    schema: (limits) =>
      pairObject({
        source: Type.Optional(source(limits)),
        request: Type.Object({ type: Type.Enum(['code', 'static']), value: Type.String() }),
      }),
    isMeant: (pair) => 'request' in pair,
  },
};
