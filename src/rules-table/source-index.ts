/**
 * Finds the rules that may match a URL without trying each: by four characters in a row that the URL must have.
 *
 * Each pair is registered by one such gram: the rarest of the longest text that its source cannot match without
 * (required-text.ts). The grams of a URL are looked up one after the other, and the rules found are matched exactly by who
 * asked. Rules with a pair that has no such text are always found.
 */
import { requiredText } from './required-text.ts';
import type { CompiledRule } from './compile-rule.ts';
import type { WireUrl } from './wire-url.ts';

const GRAM_CHARS = 4;
/** A character takes seven bits; a URL in its wire form has no others. */
const CHAR_BITS = 7;
const GRAM_MASK = 2 ** (CHAR_BITS * GRAM_CHARS) - 1;
/** Counts of grams by their hash, to compare which of two is rarer. */
const COUNT_BITS = 16;
const EMPTY = -1;

export interface SourceIndex {
  readonly rules: readonly CompiledRule[];
  /** Places in `rules` of those that are always found, ascending. */
  readonly always: readonly number[];
  /** Open addressing: grams, and the first entry of each. The length is a power of two. */
  readonly grams: Int32Array;
  readonly first: Int32Array;
  /** Entries: the place of a rule, and the next entry of the same gram. */
  readonly places: Int32Array;
  readonly next: Int32Array;
  /** By place: the look-up that found the rule last, so that it is found once. */
  readonly foundBy: Uint32Array;
  lookUps: number;
}

/** Pauses after some rules: to be run in slices where there are many. */
export function* buildIndex(rules: readonly CompiledRule[]): Generator<void, SourceIndex> {
  const counts = new Uint32Array(2 ** COUNT_BITS);
  const count = (gram: number): void => {
    const at = hashOf(gram, COUNT_BITS);
    counts[at] = (counts[at] as number) + 1;
  };
  const texts: string[][] = [];
  for (const [place, rule] of rules.entries()) {
    const required = textsOf(rule);
    texts.push(required);
    for (const text of required) eachGram(text, count);
    if (place % RULES_PER_STEP === 0) yield;
  }
  const always: number[] = [];
  const entries = texts.reduce((sum, { length }) => sum + length, 0);
  const bits = Math.max(4, Math.ceil(Math.log2(entries + 1)) + 1);
  const index: SourceIndex = {
    rules,
    always,
    grams: new Int32Array(2 ** bits).fill(EMPTY),
    first: new Int32Array(2 ** bits),
    places: new Int32Array(entries),
    next: new Int32Array(entries),
    foundBy: new Uint32Array(rules.length),
    lookUps: 0,
  };
  let entry = 0;
  for (const [place, required] of texts.entries()) {
    if (required.length === 0) always.push(place);
    for (const text of required) {
      const slot = slotOf(index.grams, rarest(text, counts), bits);
      index.places[entry] = place;
      index.next[entry] = index.first[slot] as number;
      index.first[slot] = ++entry;
    }
    if (place % RULES_PER_STEP === 0) yield;
  }
  return index;
}

const RULES_PER_STEP = 64;

/** One for each pair; none when one of them has no text to be found by. */
function textsOf({ pairs }: CompiledRule): string[] {
  const texts: string[] = [];
  for (const { source } of pairs) {
    const text = source === undefined ? '' : requiredText(source);
    // What has a character that no URL has is not found, and could not match.
    if (text.length < GRAM_CHARS) return [];
    texts.push(text);
  }
  return texts;
}

/** Calls back with each four characters in a row. */
function eachGram(text: string, take: (gram: number) => void): void {
  let gram = 0;
  for (let at = 0; at < text.length; at++) {
    gram = ((gram << CHAR_BITS) | (text.charCodeAt(at) & 127)) & GRAM_MASK;
    if (at >= GRAM_CHARS - 1) take(gram);
  }
}

function rarest(text: string, counts: Uint32Array): number {
  let best = 0;
  let least = Infinity;
  eachGram(text, (gram) => {
    const count = counts[hashOf(gram, COUNT_BITS)] as number;
    // The last of equally rare ones: addresses differ in how they end more than in how they begin.
    if (count > least) return;
    least = count;
    best = gram;
  });
  return best;
}

function hashOf(gram: number, bits: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - bits);
}

/** Puts a gram where it is found again. @returns Its place. */
function slotOf(grams: Int32Array, gram: number, bits: number): number {
  let slot = hashOf(gram, bits);
  while (grams[slot] !== EMPTY && grams[slot] !== gram) slot = (slot + 1) & (grams.length - 1);
  grams[slot] = gram;
  return slot;
}

/** @returns In order of creation; more than match, never fewer. */
export function findIndexed(index: SourceIndex, { text }: Pick<WireUrl, 'text'>): CompiledRule[] {
  const { grams, first, places, next, foundBy, always, rules } = index;
  const lookUp = ++index.lookUps >>> 0;
  const found: number[] = [];
  const bits = 31 - Math.clz32(grams.length);
  const last = grams.length - 1;
  let gram = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    gram = ((gram << CHAR_BITS) | (code >= 65 && code <= 90 ? code + 32 : code & 127)) & GRAM_MASK;
    if (at < GRAM_CHARS - 1) continue;
    let slot = hashOf(gram, bits);
    while (grams[slot] !== EMPTY && grams[slot] !== gram) slot = (slot + 1) & last;
    if (grams[slot] === EMPTY) continue;
    for (let entry = first[slot] as number; entry !== 0; entry = next[entry - 1] as number) {
      const place = places[entry - 1] as number;
      if (foundBy[place] === lookUp) continue;
      foundBy[place] = lookUp;
      found.push(place);
    }
  }
  if (found.length > 0 && always.length > 0) found.push(...always);
  const all = found.length === 0 ? always : found.toSorted((one, other) => one - other);
  return all.map((place) => rules[place] as CompiledRule);
}
