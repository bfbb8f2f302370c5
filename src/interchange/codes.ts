/**
 * The catalogue of what an import or an export cannot carry over: what is lost in behaviour, not which field was unknown. docs/interchange.md
 * lists it, and a test compares both.
 */
export const LEVELS = ['exact', 'approximated', 'dropped'] as const;
export type Level = (typeof LEVELS)[number];

interface CodeFacts {
  readonly level: Level;
  /** A sentence without its full stop; details follow after a colon. */
  readonly text: string;
}

const dropped = (text: string): CodeFacts => ({ level: 'dropped', text });
const approximated = (text: string): CodeFacts => ({ level: 'approximated', text });

const CATALOGUE = {
  'import.unknown': dropped('This member is not known to the reader and has no effect'),
  'import.number': approximated('The number is not represented exactly'),
  'import.refused': dropped('A mock cannot hold this'),
  'import.limit': dropped('A limit of mocks is reached'),
} as const satisfies Record<string, CodeFacts>;

export type Code = keyof typeof CATALOGUE;

export const CODES: Readonly<Record<Code, CodeFacts>> = CATALOGUE;
