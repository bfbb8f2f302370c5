import { pairObject, source, text, type PairKind } from './pair-kind.ts';

/** Sets the User-Agent header. */
export const userAgent: PairKind = {
  spec: (limits) => pairObject({ source: source(limits), userAgent: text(limits) }),
};
