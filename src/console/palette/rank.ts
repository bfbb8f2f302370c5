/** Scores a fuzzy match: the query's letters in order, best at the starts of words. */

/** Only this much of a text is compared. */
const CHARS_MAX = 200;

/**
 * @param query In any case; spaces are ignored.
 * @returns Higher is better; undefined without a match.
 */
export function rank(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase().replaceAll(/\s+/g, '');
  const shown = text.slice(0, CHARS_MAX).toLowerCase();
  const whole = shown.indexOf(query.trim().toLowerCase());
  if (whole !== -1) return 1_000 - whole - shown.length / CHARS_MAX + (startsWord(shown, whole) ? 500 : 0);
  const score = scoreOf(wanted, shown, atWord) ?? scoreOf(wanted, shown, first);
  return score === undefined ? undefined : score - shown.length / CHARS_MAX;
}

type Find = (text: string, letter: string, from: number) => number;

function scoreOf(wanted: string, shown: string, find: Find): number | undefined {
  let at = -1;
  let score = 0;
  for (const letter of wanted) {
    const next = find(shown, letter, at + 1);
    if (next === -1) return undefined;
    score += next === at + 1 ? 3 : startsWord(shown, next) ? 2 : 0;
    at = next;
  }
  return score;
}

const first: Find = (text, letter, from) => text.indexOf(letter, from);

/** Prefers the start of a word, and may skip letters that the rest of the query needs. */
const atWord: Find = (text, letter, from) => {
  const next = text.indexOf(letter, from);
  if (next === from) return next;
  for (let at = next; at !== -1; at = text.indexOf(letter, at + 1)) {
    if (startsWord(text, at)) return at;
  }
  return next;
};

const startsWord = (text: string, at: number): boolean => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? '');

/** The matches, best first; all items in their order for an empty query. */
export function ranked<Item>(query: string, items: readonly Item[], textOf: (item: Item) => string): readonly Item[] {
  if (query.trim() === '') return items;
  return items
    .flatMap((item) => {
      const score = rank(query, textOf(item));
      return score === undefined ? [] : [{ item, score }];
    })
    .toSorted((one, other) => other.score - one.score)
    .map(({ item }) => item);
}
