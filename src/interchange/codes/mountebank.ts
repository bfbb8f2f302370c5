/** The codes of mountebank imposters. */
import { dropped, type CodeFacts } from './facts.ts';

export const MOUNTEBANK_CODES = {
  'mountebank.unknown': dropped('This member is not known to the reader and has no effect'),
} as const satisfies Record<string, CodeFacts>;
