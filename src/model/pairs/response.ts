import type { Limits } from '../../limits.ts';
import { Type } from '../schema-type.ts';
import { pairObject, source, text, type PairKind } from './pair-kind.ts';

/**
 * Replaces the response to matching requests, or computes it. `value` is a body or a program, bounded by the request's
 * size rather than as a text field.
 */
export const response: PairKind = {
  spec: (limits) => pairObject({ source: Type.Optional(source(limits)), ...answer(limits) }),
  client: {
    schema: (limits) => pairObject({ source: Type.Optional(source(limits)), response: Type.Object(answer(limits)) }),
    isMeant: (pair) => 'response' in pair,
  },
};

function answer(limits: Limits) {
  return {
    type: Type.Enum(['code', 'static']),
    value: Type.String(),
    serveWithoutRequest: Type.Optional(
      Type.Boolean({ description: 'Serve the response without contacting the target.' }),
    ),
    statusCode: Type.Optional(
      Type.Unsafe<string | number | null>({ type: ['string', 'integer', 'null'], maxLength: limits.textCharsMax }),
    ),
    statusText: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: limits.textCharsMax })),
    resourceType: Type.Optional(text(limits)),
  };
}
