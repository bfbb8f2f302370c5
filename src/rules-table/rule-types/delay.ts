/** Delays the exchange. Of several matching rules the longest delay counts. */
import type { RuleKind } from './rule-kind.ts';

export const delay: RuleKind<number> = {
  phases: ['delay'],
  acting: 'first',
  normalise: ({ delay: given }) => Math.round(Number(given)),
  apply(milliseconds, stage) {
    if (!(milliseconds > 0)) return false;
    stage.delayMs = Math.max(stage.delayMs, Math.min(milliseconds, stage.options.delayMsMax));
    return true;
  },
  explain: (milliseconds) => ({ reason: 'noChange', expected: 'more than 0 ms', actual: `${milliseconds}` }),
};
