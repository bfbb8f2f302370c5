import { isObject } from '../../base/json-object.ts';
import type { Limits } from '../../limits.ts';
import { Type } from '../schema-type.ts';
import { EXPECTED } from '../validate.ts';
import { modificationValue, pairObject, source, text, valueRequiredWhen, type PairKind } from './pair-kind.ts';

/** Adds, removes and modifies headers. The published clients distinguish request and response headers. */
export const headers: PairKind = {
  spec: (limits) =>
    pairObject({ source: source(limits), modifications: Type.Array(modification(limits), { minItems: 1 }) }),
  client: {
    schema: (limits) =>
      pairObject({
        source: source(limits),
        modifications: Type.Object(
          {
            Request: Type.Optional(Type.Array(modification(limits))),
            Response: Type.Optional(Type.Array(modification(limits))),
          },
          {
            [EXPECTED]: 'at least one modification in Request or Response',
            anyOf: [
              { required: ['Request'], properties: { Request: { minItems: 1 } } },
              { required: ['Response'], properties: { Response: { minItems: 1 } } },
            ],
          },
        ),
      }),
    isMeant: ({ modifications }) => isObject(modifications),
  },
};

function modification(limits: Limits) {
  return Type.Object(
    { header: text(limits), type: Type.Enum(['Add', 'Remove', 'Modify']), value: modificationValue(limits) },
    valueRequiredWhen(['Add', 'Modify']),
  );
}
