/** The codes of every import. */
import { approximated, dropped, exact, type CodeFacts } from './facts.ts';

export const IMPORT_CODES = {
  'import.unknown': dropped('Unknown field, ignored'),
  'import.number': approximated('The number is not represented exactly'),
  'import.refused': dropped('A mock cannot hold this'),
  'import.limit': dropped('A limit of mocks is reached'),
  'import.other-file': exact('No reference leads to this file of the bundle: it has no effect'),
  'import.json-template': exact('As asked, the template keeps its body JSON, whatever a request sends'),
  'import.sequence': approximated('Another response of the sequence is left out, so that this one may come earlier'),
} as const satisfies Record<string, CodeFacts>;
