/** Labels by which requests name the responses of one route (docs/mocks-matching.md, "Forced responses"): the first with a label has it. */

const LABEL_CHARS_MAX = 1_000;
/** Space for a number. */
const STEM_CHARS_MAX = LABEL_CHARS_MAX - 20;

export class LabelNames {
  readonly #all: Set<string>;
  /** Those of the responses so far. */
  readonly #taken = new Set<string>();
  /** By label, the number that was tried last. */
  readonly #numbers = new Map<string, number>();

  /** @param labels Of all responses of the route. */
  constructor(labels: readonly string[]) {
    this.#all = new Set(labels.map((label) => label.trim()));
  }

  /** @returns The label itself: it does not matter whether an earlier response has it. */
  keep(label: string): string {
    this.#taken.add(label.trim());
    return label;
  }

  /** @returns The label, with a number behind it unless it is the first of its kind. */
  distinct(label: string): string {
    const name = label.trim();
    const own = name === '' || this.#taken.has(name) ? this.#numbered(name) : name;
    this.#taken.add(own);
    return own;
  }

  #numbered(name: string): string {
    for (;;) {
      const number = (this.#numbers.get(name) ?? 1) + 1;
      this.#numbers.set(name, number);
      const numbered = `${name.slice(0, STEM_CHARS_MAX)} (${number})`.trim();
      if (this.#all.has(numbered)) continue;
      this.#all.add(numbered);
      return numbered;
    }
  }
}
