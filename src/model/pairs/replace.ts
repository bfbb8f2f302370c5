import { pairObject, source, text, type PairKind } from './pair-kind.ts';

/** Replaces text in the URL of matching requests. `from` that does not compile as `/.../flags` is a literal, so any text fits. */
export const replace: PairKind = {
  spec: (limits) => pairObject({ source: source(limits), from: text(limits), to: text(limits) }),
};
