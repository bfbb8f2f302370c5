/**
 * Parses the body of a rule's POST, PUT or PATCH to a draft of the record, or to a refusal with details.
 *
 * Owns the defaults of docs/api.md, "Choices". Checks that need the owner's other records are in decide-rule.ts.
 */
import type { Static } from 'typebox';
import { randomId } from '../base/random-id.ts';
import { isRefusal, refuse, refuseLimit, type Detail, type Refusal } from '../errors.ts';
import { DETAILS_MAX, type Limits } from '../limits.ts';
import type { PairObject } from './pairs/pair-kind.ts';
import { PAIR_KINDS } from './pairs/pair-kinds.ts';
import { isHeavyPattern, patternProblem, type CheckedPatterns } from './pairs/source-pattern.ts';
import { RULE_TYPES, type RuleType } from './record-id.ts';
import { rulePatchSchema, rulePayloadSchema, type Rule } from './rule.ts';
import type { Status } from './status.ts';
import { compileCheck, refuseText, type Check, type Problems } from './validate.ts';

/** The members of a rule that clients set. */
export interface RuleDraft {
  readonly name: string;
  readonly description: string;
  readonly ruleType: RuleType;
  readonly status: Status;
  /** JSON text; each pair has an id. */
  readonly pairs: string;
  readonly groupId: string;
}

/**
 * @param checked The heavy patterns of the body (pairs/source-pattern.ts).
 * @param newPairId Names a pair that has no id of its own, by its index. Absent: a random id.
 */
export type ParseRulePayload = (
  body: PairObject,
  checked: CheckedPatterns,
  newPairId?: (index: number) => string,
) => RuleDraft | Refusal;

/** Parses a body that changes a rule. The type of both is the same, where the body has one. */
export type ParseRuleChange = (body: PairObject, checked: CheckedPatterns, stored: Rule) => RuleDraft | Refusal;

const PAIR_ID_CHARS = 12;
const randomPairId = (): string => randomId(PAIR_ID_CHARS);

/** Compiles the validators, one per rule type and dialect. The returned parser runs once per write. */
export function ruleParser(limits: Limits): ParseRulePayload {
  const checkPayload = compileCheck(rulePayloadSchema(limits));
  const checkPair = pairChecks(limits);

  return (body, checked, newPairId = randomPairId) => {
    const problems = checkPayload(body, '');
    const tooLong = problems?.limit;
    if (problems !== undefined && tooLong === undefined) return refuse('rulePayloadInvalid', problems.details);

    const payload = body as unknown as RulePayload;
    const pairs = parsePairs(payload.pairs, checkPair[payload.ruleType], { limits, checked, newPairId });
    // Limits come last: a smaller body would not help a malformed one.
    if (isRefusal(pairs) && pairs.kind !== 'limitReached') return pairs;
    if (tooLong !== undefined) return refuseText(tooLong.path.slice(1), tooLong);
    if (isRefusal(pairs)) return pairs;
    return {
      name: payload.name,
      description: payload.description ?? '',
      ruleType: payload.ruleType,
      status: payload.status ?? 'Active',
      pairs,
      groupId: payload.groupId ?? '',
    };
  };
}

/**
 * The same of a PATCH: what is absent is kept as it is stored, without another check, since a limit that was lowered
 * must not keep anybody from switching a rule off.
 */
export function rulePatchParser(limits: Limits): ParseRuleChange {
  const schema = rulePatchSchema(limits);
  const known = Object.keys(schema.properties);
  const checkPatch = compileCheck(schema);
  const checkPair = pairChecks(limits);

  return (body, checked, stored) => {
    const problems = checkPatch(body, '');
    const tooLong = problems?.limit;
    if (problems !== undefined && tooLong === undefined) return refuse('rulePayloadInvalid', problems.details);
    if (!known.some((name) => body[name] !== undefined)) {
      return refuse('rulePayloadInvalid', [{ path: '', message: `must have at least one of ${known.join(', ')}` }]);
    }

    const patch = body as unknown as Partial<RulePayload>;
    const pairs =
      patch.pairs === undefined
        ? stored.pairs
        : parsePairs(patch.pairs, checkPair[stored.ruleType], { limits, checked, newPairId: randomPairId });
    if (isRefusal(pairs) && pairs.kind !== 'limitReached') return pairs;
    if (tooLong !== undefined) return refuseText(tooLong.path.slice(1), tooLong);
    if (isRefusal(pairs)) return pairs;
    return {
      name: patch.name ?? stored.name,
      description: patch.description === undefined ? stored.description : (patch.description ?? ''),
      ruleType: stored.ruleType,
      status: patch.status ?? stored.status,
      pairs,
      groupId: patch.groupId === undefined ? stored.groupId : (patch.groupId ?? ''),
    };
  };
}

function pairChecks(limits: Limits): Record<RuleType, PairChecks> {
  return Object.fromEntries(
    RULE_TYPES.map((ruleType) => {
      const { spec, client } = PAIR_KINDS[ruleType];
      return [
        ruleType,
        {
          spec: compileCheck(spec(limits)),
          client: client && { check: compileCheck(client.schema(limits)), isMeant: client.isMeant },
        },
      ];
    }),
  ) as Record<RuleType, PairChecks>;
}

type RulePayload = Static<ReturnType<typeof rulePayloadSchema>>;

interface PairChecks {
  spec: Check;
  client: { check: Check; isMeant: (pair: PairObject) => boolean } | undefined;
}

interface PairContext {
  readonly limits: Limits;
  readonly checked: CheckedPatterns;
  readonly newPairId: (index: number) => string;
}

/** @returns The pairs as JSON text, each with an id, or a refusal. */
function parsePairs(pairs: unknown[], checks: PairChecks, context: PairContext): string | Refusal {
  const { limits, newPairId } = context;
  if (pairs.length === 0) {
    return refuse('rulePairsInvalid', [{ path: '/pairs', message: 'must have at least one pair' }]);
  }
  const details: Detail[] = [];
  let limit: Detail | undefined;
  for (let index = 0; index < pairs.length && details.length < DETAILS_MAX; index++) {
    const problems = checkPairAt(pairs[index], `/pairs/${index}`, checks, context);
    if (problems === undefined) continue;
    limit ??= problems.limit;
    details.push(...problems.details);
  }
  if (details.length > 0) return refuse('rulePairsInvalid', details.slice(0, DETAILS_MAX));
  if (pairs.length > limits.pairsPerRuleMax) return refuseLimit(`${limits.pairsPerRuleMax} pairs per rule`, '/pairs');
  if (limit !== undefined) return refuseText('text', limit);
  return JSON.stringify(withIds(pairs as PairObject[], newPairId));
}

function checkPairAt(
  pair: unknown,
  at: string,
  { spec, client }: PairChecks,
  { checked, limits: { textCharsMax } }: PairContext,
): Problems | undefined {
  const isClient =
    client !== undefined && typeof pair === 'object' && pair !== null && client.isMeant(pair as PairObject);
  const problems = isClient ? client.check(pair, at) : spec(pair, at);
  if (problems !== undefined && problems.limit === undefined) return problems;

  const { source } = pair as { source?: { operator: string; value: string } };
  // A pattern that is too long is not compiled: V8's time for it may grow faster than its length.
  if (source?.operator !== 'Matches' || source.value.length > textCharsMax) return problems;
  const problem = isHeavyPattern(source.value) ? checked.get(source.value) : patternProblem(source.value);
  return problem === undefined ? problems : { details: [{ path: `${at}/source/value`, message: problem }] };
}

/** Keeps ids that are non-empty strings and unique in the rule; assigns new ones to all others. */
function withIds(pairs: PairObject[], newPairId: PairContext['newPairId']): PairObject[] {
  const taken = new Set<string>();
  return pairs.map((pair, index) => {
    if (typeof pair.id === 'string' && pair.id !== '' && !taken.has(pair.id)) {
      taken.add(pair.id);
      return pair;
    }
    return { ...pair, id: newPairId(index) };
  });
}
