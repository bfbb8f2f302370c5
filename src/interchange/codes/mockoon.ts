/** The codes of Mockoon environments. */
import { dropped, type CodeFacts } from './facts.ts';

export const MOCKOON_CODES = {
  'mockoon.unknown': dropped('This member is not known to the reader and has no effect'),
} as const satisfies Record<string, CodeFacts>;
