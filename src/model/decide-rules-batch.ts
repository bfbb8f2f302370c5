/**
 * Decides about many rules at once: their status, their group, or their end. One commit: all of them, or none.
 *
 * A rule that is already as asked is left as it is, with its date and its ETag.
 */
import type { Static } from 'typebox';
import { isRefusal, refuse, refuseLimit, type Detail, type Refusal } from '../errors.ts';
import type { Command, CommandContext } from './command.ts';
import { ruleOf } from './decide-rule.ts';
import { checkGroup, findRule } from './find-record.ts';
import type { OwnerState } from './owner-state.ts';
import type { Rule } from './rule.ts';
import { Type } from './schema-type.ts';
import { modifiedStamps } from './stamps.ts';
import { STATUSES } from './status.ts';
import { quoteValue } from './validate.ts';

/**
 * Characters of pairs that one batch of rules rewrites. The largest rules of one batch would be 1 GB, and block
 * all for seconds.
 */
const BATCH_PAIRS_CHARS_MAX = 10_000_000;

/** Rules of one batch. (shown: The API) It is one turn of their owner and one write. */
const BATCH_RULES_MAX = 1_000;

/** The body of a batch. Unknown members are refused: misspelt ones would change nothing. */
export const rulesBatchSchema = Type.Object(
  {
    ids: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: BATCH_RULES_MAX,
      description: 'Ids of rules, each once.',
    }),
    set: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(Type.Enum([...STATUSES])),
          groupId: Type.Optional(Type.String({ description: '"" ungroups the rules.' })),
        },
        { additionalProperties: false, description: 'The members to set on each rule; at least one.' },
      ),
    ),
    delete: Type.Optional(Type.Literal(true, { description: 'Delete the rules, instead of `set`.' })),
  },
  { additionalProperties: false },
);

export type RulesBatch = Static<typeof rulesBatchSchema>;

/** The result of a batch. */
export interface BatchOutcome {
  /** Ids of the rules that were changed or deleted. */
  readonly count: number;
}

/** Checks beyond the schema: exactly one of `set` and `delete`, something to set, and no duplicate id. */
export function batchProblem({ ids, set, delete: deletes }: RulesBatch): Refusal | undefined {
  const details: Detail[] = [];
  if ((set === undefined) === (deletes === undefined)) {
    details.push({ path: '', message: 'must have either set or delete' });
  } else if (set !== undefined && set.status === undefined && set.groupId === undefined) {
    details.push({ path: '/set', message: 'must have at least one of status, groupId' });
  }
  const known = new Set<string>();
  const repeated = ids.findIndex((id) => known.size === known.add(id).size);
  if (repeated !== -1) details.push({ path: `/ids/${repeated}`, message: 'is a duplicate' });
  return details.length === 0 ? undefined : refuse('rulePayloadInvalid', details);
}

/** Refuses, in this order: rules that are missing, those of others, an unusable group, and too much to write. */
export const setRules: Command<{ batch: RulesBatch }, BatchOutcome> = {
  name: 'rule.update',
  decide(state, { batch: { ids, set = {} } }, context) {
    const rules = findRules(state, ids, context);
    if (isRefusal(rules)) return rules;
    const { status, groupId } = set;
    const refusal = checkGroup(state, groupId ?? '', context, '/set/groupId');
    if (refusal !== undefined) return refusal;
    const changed = rules.filter((rule) => isOther(rule.status, status) || isOther(rule.groupId, groupId));
    if (changed.reduce((chars, { pairs }) => chars + pairs.length, 0) > BATCH_PAIRS_CHARS_MAX) {
      return refuseLimit(`${BATCH_PAIRS_CHARS_MAX} characters of pairs in one batch`, '/ids');
    }
    const stamps = modifiedStamps(context);
    return {
      changes: changed.map((rule) => {
        const draft = { ...rule, status: status ?? rule.status, groupId: groupId ?? rule.groupId };
        return { kind: 'putRule', rule: ruleOf(rule.id, draft, rule, stamps) };
      }),
      answer: { count: changed.length },
    };
  },
};

/** Refuses rules that are missing, and those of others. */
export const deleteRules: Command<{ batch: RulesBatch }, BatchOutcome> = {
  name: 'rule.delete',
  frees: true,
  decide(state, { batch: { ids } }, context) {
    const rules = findRules(state, ids, context);
    if (isRefusal(rules)) return rules;
    return { changes: rules.map((rule) => ({ kind: 'removeRule', rule })), answer: { count: rules.length } };
  },
};

function isOther<Value>(stored: Value, wanted: Value | undefined): boolean {
  return wanted !== undefined && wanted !== stored;
}

/** The refusal names every rule that is missing, so that the others can be tried again. */
function findRules(state: OwnerState, ids: readonly string[], context: CommandContext): Rule[] | Refusal {
  const rules: Rule[] = [];
  const missing: Detail[] = [];
  let ofOthers: Refusal | undefined;
  for (const [index, id] of ids.entries()) {
    const rule = findRule(state, id, context);
    if (!isRefusal(rule)) rules.push(rule);
    else if (rule.kind === 'unauthorized') ofOthers = rule;
    else missing.push({ path: `/ids/${index}`, message: `names ${quoteValue(id)}, which does not exist` });
  }
  return missing.length > 0 ? refuse('ruleNotFound', missing) : (ofOthers ?? rules);
}
