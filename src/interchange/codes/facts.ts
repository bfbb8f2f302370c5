/** What a code of a report says: a level, and a sentence. */
export const LEVELS = ['exact', 'approximated', 'dropped'] as const;
export type Level = (typeof LEVELS)[number];

export interface CodeFacts {
  readonly level: Level;
  /** A sentence without its full stop; details follow after a colon. */
  readonly text: string;
}

export const dropped = (text: string): CodeFacts => ({ level: 'dropped', text });
export const approximated = (text: string): CodeFacts => ({ level: 'approximated', text });
/** For classes of members that have no effect on what a mock answers. */
export const exact = (text: string): CodeFacts => ({ level: 'exact', text });
