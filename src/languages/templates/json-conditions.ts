/**
 * What is known of a template's conditions at one place of it, so that branches of the same condition are not combined: in
 * `{{#if a}}[{{/if}}1{{#if a}}]{{/if}}` both brackets are there, or none.
 *
 * A condition is the same as another one that is written in the same way, unless it is drawn or reads a variable. `@first`, `@last` and
 * comparisons of `@index` with the first one are known from the turn of a loop.
 */
import { SIGNATURES, type HelperName } from './signatures.ts';
import { FIRST_OF_EACH, INDEX_OF_EACH, SLOTS_OF_EACH, type Expression, type Part } from './template-tree.ts';

/** Conditions by their text, and whether each holds. Equal ones are one object. */
export interface Facts {
  readonly key: string;
  readonly known: ReadonlyMap<string, boolean>;
}

/** A condition, or what it is the opposite of. */
interface Plain {
  readonly expression: Expression;
  readonly isInverted: boolean;
}

interface Loop {
  readonly slot: number;
  /** The greatest offset of a part in it. */
  readonly end: number;
}

export class Conditions {
  readonly #facts = new Map<string, Facts>();
  readonly #keys = new Map<Expression, string | undefined>();
  /** How often conditions have an expression. What is asked once need not be known. */
  readonly #counts = new Map<string, number>();
  /** By key, the offset behind which no condition has the expression: that of the end of a loop, when a later turn asks again. */
  readonly #lastAsked = new Map<string, number>();
  /** By key, the highest slot that the expression reads; -1 without one. */
  readonly #slots = new Map<string, number>();
  readonly none: Facts;

  constructor(parts: readonly Part[]) {
    this.none = this.#of([]);
    this.#countIn(parts, []);
  }

  /** @returns undefined when it may hold or not. */
  holds(condition: Expression, facts: Facts): boolean | undefined {
    const { expression, isInverted } = plain(condition);
    const holds = this.#joined(expression, facts) ?? facts.known.get(this.#keyOf(expression) ?? '');
    return holds === undefined ? undefined : holds !== isInverted;
  }

  /** The facts where a condition holds, or does not. */
  assume(condition: Expression, isTrue: boolean, facts: Facts): Facts {
    const { expression, isInverted } = plain(condition);
    const holds = isTrue !== isInverted;
    const key = this.#keyOf(expression);
    const own = key === undefined || !this.#isAsked(expression, key) ? facts : this.#with(facts, key, holds);
    if (expression.kind !== 'call' || (expression.helper !== 'and' && expression.helper !== 'or')) return own;
    if (this.#joined(expression, facts) !== undefined) return own;
    const isEach = holds === (expression.helper === 'and');
    const unknown = expression.args.filter((each) => this.holds(each, facts) === undefined);
    // One that decides is the only one left, or all of them are so.
    return isEach || unknown.length === 1 ? unknown.reduce((all, each) => this.assume(each, holds, all), own) : own;
  }

  /** Without what no condition behind this offset asks. */
  asked(at: number, facts: Facts): Facts {
    return facts.known.size === 0 ? facts : this.#kept(facts, (key) => (this.#lastAsked.get(key) ?? -1) >= at);
  }

  /** Without what a block with this slot knows of its items, and the blocks in it. */
  outside(slot: number, facts: Facts): Facts {
    return this.#kept(facts, (key) => (this.#slots.get(key) ?? -1) < slot);
  }

  /** The facts where one of both is so; undefined when they cannot say it. */
  either(one: Facts, other: Facts): Facts | undefined {
    const [fewer, more] = one.known.size <= other.known.size ? [one, other] : [other, one];
    const differing = [...fewer.known].filter(([key, holds]) => more.known.get(key) !== holds);
    if (differing.length === 0) return fewer;
    const [[key] = ['']] = differing;
    const isOpposite = differing.length === 1 && fewer.known.size === more.known.size && more.known.has(key);
    return isOpposite ? this.#kept(fewer, (each) => each !== key) : undefined;
  }

  #joined(expression: Expression, facts: Facts): boolean | undefined {
    if (expression.kind !== 'call' || (expression.helper !== 'and' && expression.helper !== 'or')) return undefined;
    const decides = expression.helper === 'or';
    const all = new Set(expression.args.map((each) => this.holds(each, facts)));
    if (all.has(decides)) return decides;
    return all.has(undefined) ? undefined : !decides;
  }

  #isAsked(expression: Expression, key: string): boolean {
    const isPlace = expression.kind === 'local' && expression.slot % SLOTS_OF_EACH >= FIRST_OF_EACH;
    return (this.#counts.get(key) ?? 0) >= (isPlace ? 1 : 2);
  }

  #countIn(parts: readonly Part[], loops: readonly Loop[]): void {
    for (const part of parts) {
      if (part.kind === 'if') this.#count(part.condition, part.at, loops);
      if (part.kind === 'with') this.#count(part.value, part.at, loops);
      if (part.kind === 'each') this.#count(part.list, part.at, loops);
      if (part.kind === 'switch') for (const each of part.cases) this.#countIn(each.parts, loops);
      const isLoop = part.kind === 'each' || part.kind === 'repeat';
      const inside = isLoop ? [...loops, { slot: part.slot, end: endOf(part.parts) }] : loops;
      if ('parts' in part) this.#countIn(part.parts, inside);
      if ('otherwise' in part) this.#countIn(part.otherwise, loops);
    }
  }

  #count(condition: Expression, at: number, loops: readonly Loop[]): void {
    const { expression } = plain(condition);
    const key = this.#keyOf(expression);
    if (key !== undefined) {
      const slot = this.#slots.get(key) ?? -1;
      const again = loops.filter((loop) => loop.slot > slot).map(({ end }) => end);
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
      this.#lastAsked.set(key, Math.max(this.#lastAsked.get(key) ?? -1, at, ...again));
    }
    if (expression.kind === 'call' && (expression.helper === 'and' || expression.helper === 'or'))
      for (const each of expression.args) this.#count(each, at, loops);
  }

  #with({ known }: Facts, key: string, holds: boolean): Facts {
    return this.#of([...new Map(known).set(key, holds)]);
  }

  #kept(facts: Facts, keeps: (key: string) => boolean): Facts {
    const kept = [...facts.known].filter(([key]) => keeps(key));
    return kept.length === facts.known.size ? facts : this.#of(kept);
  }

  #of(known: readonly (readonly [string, boolean])[]): Facts {
    const sorted = known.toSorted(([one], [other]) => (one < other ? -1 : 1));
    const key = JSON.stringify(sorted);
    let facts = this.#facts.get(key);
    if (facts === undefined) this.#facts.set(key, (facts = { key, known: new Map(sorted) }));
    return facts;
  }

  /** undefined for what may differ each time it is asked. */
  #keyOf(expression: Expression): string | undefined {
    if (this.#keys.has(expression)) return this.#keys.get(expression);
    const { text, slot } = textOf(expression);
    this.#keys.set(expression, text);
    if (text !== undefined) this.#slots.set(text, slot);
    return text;
  }
}

/** Takes `not` and opposites away, and turns comparisons of `@index` with the first one into `@first`. */
function plain(condition: Expression): Plain {
  let expression = condition;
  let isInverted = false;
  while (expression.kind === 'call' && (expression.helper === 'not' || expression.helper === 'ne')) {
    isInverted = !isInverted;
    if (expression.helper === 'not') expression = expression.args[0] as Expression;
    else expression = { ...expression, helper: 'eq' };
  }
  const index = indexIn(expression);
  if (index === undefined) return { expression, isInverted };
  const first: Expression = { kind: 'local', slot: index.slot - INDEX_OF_EACH + FIRST_OF_EACH, steps: [] };
  return { expression: first, isInverted: isInverted !== index.isLater };
}

/** `@index`, which holds but in the first turn, or its comparison with 0 or 1. */
function indexIn(expression: Expression): { readonly slot: number; readonly isLater: boolean } | undefined {
  if (isIndex(expression)) return { slot: expression.slot, isLater: true };
  if (expression.kind !== 'call') return undefined;
  const [index, limit] = expression.args;
  if (index === undefined || !isIndex(index) || limit?.kind !== 'literal') return undefined;
  const comparison = `${expression.helper} ${limit.value}`;
  if (comparison === 'eq 0' || comparison === 'lt 1' || comparison === 'lte 0')
    return { slot: index.slot, isLater: false };
  return comparison === 'gt 0' || comparison === 'gte 1' ? { slot: index.slot, isLater: true } : undefined;
}

function isIndex(expression: Expression): expression is Expression & { kind: 'local' } {
  return (
    expression.kind === 'local' && expression.slot % SLOTS_OF_EACH === INDEX_OF_EACH && expression.steps.length === 0
  );
}

function endOf(parts: readonly Part[]): number {
  return parts.reduce((end, part) => {
    const cases = part.kind === 'switch' ? part.cases.map((each) => endOf(each.parts)) : [];
    const own = 'parts' in part ? endOf(part.parts) : -1;
    const otherwise = 'otherwise' in part ? endOf(part.otherwise) : -1;
    return Math.max(end, part.at, own, otherwise, ...cases);
  }, -1);
}

interface Text {
  readonly text: string | undefined;
  readonly slot: number;
}

function textOf(expression: Expression): Text {
  switch (expression.kind) {
    case 'literal':
      return { text: JSON.stringify(expression.value) ?? '', slot: -1 };
    case 'request':
    case 'response':
      return { text: `${expression.kind} ${JSON.stringify(expression.steps)}`, slot: -1 };
    case 'local':
      return { text: `${expression.slot} ${JSON.stringify(expression.steps)}`, slot: expression.slot };
    case 'variable':
      return { text: undefined, slot: -1 };
    case 'call': {
      const args = expression.args.map((each) => textOf(each));
      const named = Object.entries(expression.named).map(([name, each]) => ({ name, ...textOf(each) }));
      const all = [...args, ...named];
      if (isChanging(expression.helper) || all.some(({ text }) => text === undefined))
        return { text: undefined, slot: -1 };
      const written = [args.map(({ text }) => text), named.map(({ name, text }) => [name, text])];
      return {
        text: `${expression.helper} ${JSON.stringify(written)}`,
        slot: Math.max(-1, ...all.map(({ slot }) => slot)),
      };
    }
  }
}

function isChanging(helper: HelperName): boolean {
  const { group } = SIGNATURES[helper];
  return group === 'random' || group === 'time' || helper === 'var' || helper === 'setVar';
}
