import type { Limits } from '../../limits.ts';
import { Type } from '../schema-type.ts';
import { modificationValue, pairObject, source, text, valueRequiredWhen, type PairKind } from './pair-kind.ts';

/** Adds and removes query parameters. `Remove All` removes the whole query, so its `param` may be empty. */
export const queryParam: PairKind = {
  spec: (limits) =>
    pairObject({ source: source(limits), modifications: Type.Array(modification(limits), { minItems: 1 }) }),
};

function modification(limits: Limits) {
  return Type.Object(
    { param: text(limits), type: Type.Enum(['Add', 'Remove', 'Remove All']), value: modificationValue(limits) },
    {
      allOf: [
        valueRequiredWhen(['Add']),
        {
          if: { properties: { type: { enum: ['Add', 'Remove'] } }, required: ['type'] },
          then: { properties: { param: { minLength: 1 } } },
        },
      ],
    },
  );
}
