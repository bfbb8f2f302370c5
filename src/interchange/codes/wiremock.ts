/** The codes of WireMock stubs. */
import { dropped, type CodeFacts } from './facts.ts';

export const WIREMOCK_CODES = {
  'wiremock.unknown': dropped('This member is not known to the reader and has no effect'),
} as const satisfies Record<string, CodeFacts>;
