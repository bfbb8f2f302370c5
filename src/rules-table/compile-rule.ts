/**
 * Compiles a stored rule, or a draft of one, for evaluation: parses its pairs once and brings both dialects into one
 * shape.
 *
 * A pattern is compiled when it is first matched against a URL, at the cost of that evaluation: compiling ten thousand
 * rules must not take seconds. A compiled rule does not depend on the owner's other rules, so a table is edited by
 * replacing single rules.
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

/** The parts of a rule that compiling needs. */
export type RuleToCompile = Pick<Rule, 'id' | 'name' | 'ruleType' | 'status' | 'groupId' | 'pairs'> & {
  /** Orders the owner's rules; for drafts their index. */
  readonly createdVersion: number;
};

export interface CompiledPair {
  readonly id: string;
  /** Undefined when the pair matches every URL. */
  readonly source: Source | undefined;
  readonly filters: readonly Filter[];
  /** Whether a filter reads the body of the request. */
  readonly readsPayload: boolean;
  /** Whether a filter names the method of preflights. */
  readonly namesOptions: boolean;
  readonly shape: unknown;
  /** The result when its source does not match: one object for all requests. */
  readonly otherUrl: NearestMiss;
}

/**
 * Why a pair does not apply. For the many pairs whose source does not match it is only a word; the explanation is built
 * when it is shown.
 */
export type PairMiss = 'source' | 'pattern' | Miss;

/** The pair that came nearest to applying, in a rule of which no pair applies. */
export interface NearestMiss {
  readonly pair: CompiledPair;
  readonly miss: PairMiss;
}

export interface CompiledRule extends Omit<RuleToCompile, 'pairs'> {
  readonly kind: RuleKind;
  readonly pairs: readonly CompiledPair[];
  /**
   * The only pair of a rule that has just one, as most have. It saves two memory reads per rule, which matters when
   * 10,000 rules are searched.
   */
  readonly only: CompiledPair | undefined;
  /** Upper estimate of its memory with its patterns compiled. */
  readonly bytes: number;
}

/** A pattern of a rule with its location in the rule. */
export interface PlacedPattern {
  readonly pairId: string;
  /** JSON pointer into the rule. */
  readonly path: string;
  readonly pattern: Pattern;
}

/** Memory of an empty rule, of an empty pair, and per character of their JSON. */
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

/** The rule as it would act if it and its group were active. */
export function asIfActive(rule: CompiledRule): CompiledRule {
  return { ...rule, status: 'Active', groupId: '' };
}

/** The patterns of each pair of a rule: who stops early spares the pairs that follow. */
export function* patternsByPair(rule: Pick<Rule, 'ruleType' | 'pairs'>): Generator<readonly PlacedPattern[]> {
  const kind = RULE_KINDS[rule.ruleType];
  for (const [index, pair] of parsePairs(rule).entries()) yield patternsOf(pair, index, kind);
}

function parsePairs({ pairs }: Pick<Rule, 'pairs'>): readonly PairObject[] {
  return JSON.parse(pairs) as PairObject[];
}

function compilePair(pair: PairObject, kind: RuleKind): CompiledPair {
  const otherUrl = {} as { pair: CompiledPair; miss: PairMiss };
  const { filters, readsPayload, namesOptions } = compileFilters(filtersOf(pair));
  const compiled: CompiledPair = {
    id: typeof pair.id === 'string' ? pair.id : '',
    source: compileSource(pair.source),
    filters,
    readsPayload,
    namesOptions,
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
