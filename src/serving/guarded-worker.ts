/** What runs in a guarded thread: work on untrusted input that could take long. The thread may be ended at any point. */
import { patternProblem } from '../model/pairs/source-pattern.ts';

/** @returns The problem of each pattern, in their order. */
export default function checkPatterns(patterns: readonly string[]): (string | undefined)[] {
  return patterns.map(patternProblem);
}
