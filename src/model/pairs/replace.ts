import { pairObject, source, text, type PairKind } from './pair-kind.ts';

/**
 * Replaces text in the URL of matching requests. A `from` that does not compile as `/.../flags` is a literal, so any
 * text is valid.
 */
export const replace: PairKind = {
  spec: (limits) => pairObject({ source: source(limits), from: text(limits), to: text(limits) }),
};
