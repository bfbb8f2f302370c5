/** Facts of a code of a report: a level, a sentence, and what to do instead. */
export const LEVELS = ['exact', 'approximated', 'dropped'] as const;
export type Level = (typeof LEVELS)[number];

export interface CodeFacts {
  readonly level: Level;
  /** Level that it gives its item: an item of which a part alone is dropped stays, and is approximated. */
  readonly itemLevel: Level;
  /** A sentence without its full stop; details follow after a colon. */
  readonly text: string;
  /** Remedy: a sentence without its full stop. */
  readonly instead: string;
}

/** The whole item is left out. */
export const dropped = (text: string, instead: string): CodeFacts => facts('dropped', 'dropped', text, instead);
/** A part is left out, of an item that stays; also for classes. */
export const droppedPart = (text: string, instead: string): CodeFacts =>
  facts('dropped', 'approximated', text, instead);
export const approximated = (text: string, instead: string): CodeFacts =>
  facts('approximated', 'approximated', text, instead);
/** For classes of members that have no effect on what a mock answers. */
export const exact = (text: string, instead = 'Nothing to do'): CodeFacts => facts('exact', 'exact', text, instead);

function facts(level: Level, itemLevel: Level, text: string, instead: string): CodeFacts {
  return { level, itemLevel, text, instead };
}
