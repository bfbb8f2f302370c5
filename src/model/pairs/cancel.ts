import { pairObject, source, type PairKind } from './pair-kind.ts';

/** Blocks matching requests. */
export const cancel: PairKind = {
  spec: (limits) => pairObject({ source: source(limits) }),
};
