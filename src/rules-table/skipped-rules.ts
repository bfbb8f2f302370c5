/**
 * Collects the rules that did not act, selects those that are shown, and explains them.
 *
 * Of ten thousand rules nearly all do not match. They are recorded cheaply during evaluation; ranking and explanations
 * are computed only for what is shown.
 */
import { SKIPPED_MATCHING_MAX, SKIPPED_NEAREST_MAX } from '../limits.ts';
import type { WorkBudget } from '../languages/work-budget.ts';
import type { CompiledPair, CompiledRule, PairMiss } from './compile-rule.ts';
import { excerpt } from './excerpt.ts';
import { rank } from './match-pairs.ts';
import type { Miss, Skipped } from './outcome.ts';
import { patternMiss } from './pattern.ts';
import { expectationOf, subjectOf } from './source.ts';
import type { WireUrl } from './wire-url.ts';

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
  /** Whether one of its pairs matches the URL. */
  readonly isMatching: boolean;
}

export class SkippedRules {
  readonly #noted: Noted[] = [];

  note(
    rule: CompiledRule,
    pair: CompiledPair | undefined,
    miss: PairMiss,
    url: WireUrl,
    isMatching = rank(miss) > 0,
  ): void {
    this.#noted.push({ rule, pair, miss, url, isMatching });
  }

  get count(): number {
    return this.#noted.length;
  }

  show(details: Details, budget: WorkBudget, isOwn: boolean): { skipped: Skipped[]; nextOffset: number | null } {
    const isPaged = details !== 'applied';
    const shown = isPaged ? this.#page(details.offset, details.count) : this.#useful();
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

  #useful(): Noted[] {
    const matching = this.#noted.filter(({ isMatching }) => isMatching).slice(0, SKIPPED_MATCHING_MAX);
    return [...matching, ...this.#nearest()];
  }

  #nearest(): Noted[] {
    const nearest: { noted: Noted; nearness: number }[] = [];
    for (const noted of this.#noted) {
      if (noted.isMatching) continue;
      const nearness = nearnessOf(noted);
      const least = nearest.at(-1);
      if (nearest.length === SKIPPED_NEAREST_MAX && least !== undefined && least.nearness >= nearness) continue;
      // After equally near ones, so that the older of two comes first.
      const at = nearest.findLastIndex((each) => each.nearness >= nearness) + 1;
      nearest.splice(at, 0, { noted, nearness });
      if (nearest.length > SKIPPED_NEAREST_MAX) nearest.pop();
    }
    return nearest.map(({ noted }) => noted);
  }
}

/** Added to the length of the common prefix when the source names the URL's host. */
const SAME_HOST = 1_000_000;
/** A source that names a host has it within the first characters. */
const HOST_SEARCH_CHARS = 256;

function nearnessOf({ pair, url }: Noted): number {
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
