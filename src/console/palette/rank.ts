/** How well a text fits what was typed: its letters in order, best at the beginnings of words. */

/** Beyond it a text is not looked at. */
const CHARS_MAX = 200;

/**
 * @param query What was typed, in any case; spaces are ignored.
 * @returns Higher is better; undefined when the letters do not stand in the text in this order.
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

/** The beginning of a word is taken before a place in its midst, and may skip what later letters need. */
const atWord: Find = (text, letter, from) => {
  const next = text.indexOf(letter, from);
  if (next === from) return next;
  for (let at = next; at !== -1; at = text.indexOf(letter, at + 1)) {
    if (startsWord(text, at)) return at;
  }
  return next;
};

const startsWord = (text: string, at: number): boolean => at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? '');

/** Those that fit, the best first; all of them, as they are, when nothing is typed. */
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
