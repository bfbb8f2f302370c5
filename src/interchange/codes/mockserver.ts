/** The codes of MockServer expectations. */
import { dropped, type CodeFacts } from './facts.ts';

export const MOCKSERVER_CODES = {
  'mockserver.unknown': dropped('This member is not known to the reader and has no effect'),
} as const satisfies Record<string, CodeFacts>;
