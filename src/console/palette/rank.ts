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
  let at = -1;
  let score = 0;
  for (const letter of wanted) {
    const next = nextOf(shown, letter, at + 1);
    if (next === -1) return undefined;
    score += next === at + 1 ? 3 : startsWord(shown, next) ? 2 : 0;
    at = next;
  }
  return score - shown.length / CHARS_MAX;
}

/** The next place of the letter; the beginning of a word is taken before one in its midst. */
function nextOf(text: string, letter: string, from: number): number {
  const first = text.indexOf(letter, from);
  if (first === from) return first;
  for (let at = first; at !== -1; at = text.indexOf(letter, at + 1)) {
    if (startsWord(text, at)) return at;
  }
  return first;
}

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
