/**
 * A stored rule, or a draft of one, as it is evaluated: its pairs parsed once, both dialects in one shape.
 *
 * Patterns are compiled when a URL is first held against them, at the cost of that evaluation: making ten thousand rules ready must not
 * take seconds. A compiled rule holds nothing of its owner's other rules, so a table changes by exchanging single ones.
 */
import { INSTRUCTION_BYTES } from '../limits.ts';
import type { PairObject } from '../model/pairs/pair-kind.ts';
import type { Rule } from '../model/rule.ts';
import { compileFilters, type Filter } from './filters.ts';
import type { Miss } from './outcome.ts';
import type { Pattern } from './pattern.ts';
import type { RuleKind } from './rule-types/rule-kind.ts';
import { RULE_KINDS } from './rule-types/rule-kinds.ts';
import { compileSource, type Source } from './source.ts';

/** What compiling needs of a rule. */
export type RuleToCompile = Pick<Rule, 'id' | 'name' | 'ruleType' | 'status' | 'groupId' | 'pairs'> & {
  /** Its place among the owner's rules; of drafts their index. */
  readonly createdVersion: number;
};

export interface CompiledPair {
  readonly id: string;
  /** Undefined when the pair has every URL. */
  readonly source: Source | undefined;
  readonly filters: readonly Filter[];
  readonly shape: unknown;
  /** That it does not apply because of its source. */
  readonly otherUrl: NearestMiss;
}

/** Why a pair does not apply: nothing but this for the many that have another URL, told in words only when it is shown. */
export type PairMiss = 'source' | 'pattern' | Miss;

/** The pair of a rule that came nearest, of none that applies. */
export interface NearestMiss {
  readonly pair: CompiledPair;
  readonly miss: PairMiss;
}

export interface CompiledRule extends Omit<RuleToCompile, 'pairs'> {
  readonly kind: RuleKind;
  readonly pairs: readonly CompiledPair[];
  /** The pair of a rule that has one, as most do: found with two reads of memory fewer, which is what looking at 10,000 rules takes. */
  readonly only: CompiledPair | undefined;
  /** Memory that it needs with its patterns compiled, estimated high. */
  readonly bytes: number;
}

/** A pattern of a rule and where it stands in the rule. */
export interface PlacedPattern {
  readonly pairId: string;
  /** JSON pointer into the rule. */
  readonly path: string;
  readonly pattern: Pattern;
}

/** A rule and a pair without anything in them, and what a character of their JSON becomes. */
const RULE_BYTES = 600;
const PAIR_BYTES = 700;
const BYTES_PER_CHAR = 6;

export function compileRule(rule: RuleToCompile): CompiledRule {
  const { id, name, ruleType, status, groupId, createdVersion } = rule;
  const kind = RULE_KINDS[ruleType];
  let instructions = 0;
  const pairs = parsePairs(rule).map((pair, index) => {
    for (const { pattern } of patternsOf(pair, index, kind)) instructions += pattern.instructions;
    return compilePair(pair, kind);
  });
  const only = pairs.length === 1 ? pairs[0] : undefined;
  const bytes =
    RULE_BYTES +
    pairs.length * PAIR_BYTES +
    (name.length + rule.pairs.length) * BYTES_PER_CHAR +
    instructions * INSTRUCTION_BYTES;
  return { id, name, ruleType, status, groupId, createdVersion, kind, pairs, only, bytes };
}

/** As it would act if it and its group were active. */
export function asIfActive(rule: CompiledRule): CompiledRule {
  return { ...rule, status: 'Active', groupId: '' };
}

/** Every pattern of a rule, pair by pair: who stops early spares the pairs that follow. */
export function* patternsOfRule(rule: Pick<Rule, 'ruleType' | 'pairs'>): Generator<PlacedPattern> {
  const kind = RULE_KINDS[rule.ruleType];
  for (const [index, pair] of parsePairs(rule).entries()) yield* patternsOf(pair, index, kind);
}

function parsePairs({ pairs }: Pick<Rule, 'pairs'>): readonly PairObject[] {
  return JSON.parse(pairs) as PairObject[];
}

function compilePair(pair: PairObject, kind: RuleKind): CompiledPair {
  const otherUrl = {} as { pair: CompiledPair; miss: PairMiss };
  const compiled: CompiledPair = {
    id: typeof pair.id === 'string' ? pair.id : '',
    source: compileSource(pair.source),
    filters: compileFilters(filtersOf(pair)).filters,
    shape: kind.normalise(pair),
    otherUrl,
  };
  otherUrl.pair = compiled;
  otherUrl.miss = 'source';
  return compiled;
}

function filtersOf({ source }: PairObject): unknown {
  return (source as { filters?: unknown } | null | undefined)?.filters;
}

function patternsOf(pair: PairObject, index: number, kind: RuleKind): PlacedPattern[] {
  const at = `/pairs/${index}`;
  const pairId = typeof pair.id === 'string' ? pair.id : '';
  const own = kind.patterns?.(kind.normalise(pair)) ?? [];
  const source = compileSource(pair.source);
  return [
    ...(source?.pattern === undefined ? [] : [{ path: `${at}/source/value`, pattern: source.pattern }]),
    ...compileFilters(filtersOf(pair)).sources.flatMap(({ pattern }) =>
      pattern === undefined ? [] : [{ path: `${at}/source/filters`, pattern }],
    ),
    ...own.map(({ member, pattern }) => ({ path: `${at}/${member}`, pattern })),
  ].map((placed) => ({ pairId, ...placed }));
}
