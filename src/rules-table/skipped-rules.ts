/**
 * Collects the rules that did not act, selects those that are shown, and explains them.
 *
 * Nearly all of ten thousand rules do not match. Nothing is allocated for one of them unless it is among the nearest so
 * far, and explanations are made only for what is shown.
 */
import type { WorkBudget } from '../languages/work-budget.ts';
import type { CompiledPair, CompiledRule, PairMiss } from './compile-rule.ts';
import { excerpt } from '../base/excerpt.ts';
import { rank } from './match-pairs.ts';
import type { Miss, Skipped } from './outcome.ts';
import { patternMiss } from './pattern.ts';
import { expectationOf, subjectOf } from './source.ts';
import type { WireUrl } from './wire-url.ts';

/** Rules that an evaluation shows of those that did not act: all that have the URL, up to some 200 KB, and the nearest of the others. */
const SKIPPED_MATCHING_MAX = 1_000;
export const SKIPPED_NEAREST_MAX = 20;

/**
 * `applied`: those that match the URL, and the nearest of the others. Otherwise a page of all, in order of creation.
 */
export type Details = 'applied' | { readonly offset: number; readonly count: number };

interface Noted {
  readonly rule: CompiledRule;
  readonly pair: CompiledPair | undefined;
  readonly miss: PairMiss;
  /** The URL that the source was matched against: for URL rules the one that earlier rules left. */
  readonly url: WireUrl;
}

interface Near {
  readonly noted: Noted;
  readonly nearness: number;
}

export class SkippedRules {
  readonly #details: Details;
  /** Those that match the URL, as many as are shown; for a page, all. */
  readonly #noted: Noted[] = [];
  /** The nearest of those that do not match, the nearest first. Empty for a page. */
  readonly #nearest: Near[] = [];
  #count = 0;

  constructor(details: Details) {
    this.#details = details;
  }

  note(
    rule: CompiledRule,
    pair: CompiledPair | undefined,
    miss: PairMiss,
    url: WireUrl,
    isMatching = rank(miss) > 0,
  ): void {
    this.#count++;
    if (this.#details !== 'applied') this.#noted.push({ rule, pair, miss, url });
    else if (!isMatching) this.#noteNear(rule, pair, miss, url);
    else if (this.#noted.length < SKIPPED_MATCHING_MAX) this.#noted.push({ rule, pair, miss, url });
  }

  get count(): number {
    return this.#count;
  }

  show(budget: WorkBudget, isOwn: boolean): { skipped: Skipped[]; nextOffset: number | null } {
    const details = this.#details;
    const isPaged = details !== 'applied';
    const shown = isPaged
      ? this.#page(details.offset, details.count)
      : [...this.#noted, ...this.#nearest.map(({ noted }) => noted)];
    const end = isPaged ? details.offset + shown.length : this.count;
    return {
      skipped: shown.map((noted) => describe(noted, budget, isOwn)),
      nextOffset: end < this.count ? end : null,
    };
  }

  #page(offset: number, count: number): Noted[] {
    // They were noted phase by phase.
    const ordered = this.#noted.toSorted((one, other) => one.rule.createdVersion - other.rule.createdVersion);
    return ordered.slice(offset, offset + count);
  }

  #noteNear(rule: CompiledRule, pair: CompiledPair | undefined, miss: PairMiss, url: WireUrl): void {
    const nearest = this.#nearest;
    const isFull = nearest.length === SKIPPED_NEAREST_MAX;
    const nearness = nearnessOf(pair, url);
    if (isFull && (nearest.at(-1) as Near).nearness >= nearness) return;
    // After equally near ones, so that the older of two comes first.
    const at = nearest.findLastIndex((each) => each.nearness >= nearness) + 1;
    nearest.splice(at, 0, { noted: { rule, pair, miss, url }, nearness });
    if (isFull) nearest.pop();
  }
}

/** Added to the length of the common prefix when the source names the URL's host. */
const SAME_HOST = 1_000_000;
/** A source that names a host has it within the first characters. */
const HOST_SEARCH_CHARS = 256;

function nearnessOf(pair: CompiledPair | undefined, url: WireUrl): number {
  const source = pair?.source;
  if (source === undefined) return 0;
  const { compared, key } = source;
  const subject = subjectOf(key, url);
  const end = Math.min(compared.length, subject.length);
  let same = 0;
  while (same < end && compared.charCodeAt(same) === subject.charCodeAt(same)) same++;
  const isOfHost = key !== 'path' && startOf(compared).includes(url.host);
  return same + (isOfHost ? SAME_HOST : 0);
}

function startOf(text: string): string {
  return text.length <= HOST_SEARCH_CHARS ? text : text.slice(0, HOST_SEARCH_CHARS);
}

function describe({ rule, pair, miss, url }: Noted, budget: WorkBudget, isOwn: boolean): Skipped {
  const { reason, expected, actual } = typeof miss === 'object' ? miss : sourceMiss(miss, pair, url, budget, isOwn);
  return {
    ruleId: rule.id,
    reason,
    ...(pair === undefined ? {} : { pairId: pair.id }),
    ...(expected === undefined ? {} : { expected: excerpt(expected) }),
    ...(actual === undefined ? {} : { actual: excerpt(actual) }),
  };
}

function sourceMiss(
  miss: 'source' | 'pattern',
  pair: CompiledPair | undefined,
  url: WireUrl,
  budget: WorkBudget,
  isOwn: boolean,
): Miss {
  if (isOwn) return { reason: 'source', expected: "an address that is not the server's own", actual: url.host };
  const source = pair?.source;
  if (source === undefined) return { reason: 'source' };
  if (miss === 'pattern') return patternMiss(source.pattern, source.value, budget);
  const actual = source.key === 'host' ? url.host : subjectOf(source.key, url);
  return { reason: 'source', expected: expectationOf(source), actual };
}
