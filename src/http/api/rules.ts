/** The endpoints of rules. Passes requests to the owner and writes its answers. */
import type { JsonObject } from '../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import type { Body } from '../../model/command.ts';
import { createRule, deleteRule, updateRule } from '../../model/decide-rule.ts';
import type { ShownRule } from '../../model/group-tallies.ts';
import { parseBody } from '../../model/json-body.ts';
import { heavyPatterns, NONE_CHECKED, type CheckedPatterns } from '../../model/pairs/source-pattern.ts';
import { pageAt } from '../../model/page-at.ts';
import { listRules, readRule, type RuleFilter } from '../../model/queries.ts';
import { RULE_TYPES, type RuleType } from '../../model/record-id.ts';
import { rulePatchParser, ruleParser } from '../../model/rule-payload.ts';
import {
  pairSchema,
  rulePatchSchema,
  rulePayloadSchema,
  ruleSchema,
  warnedRuleSchema,
  type Rule,
} from '../../model/rule.ts';
import { STATUSES, type Status } from '../../model/status.ts';
import { Type } from '../../model/schema-type.ts';
import { showChanged, showPage, showRead, showRule } from '../../model/show-records.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import { PAGE_PARAMETERS, parseListQuery } from './list-query.ts';
import { replyLargeRecord, replyMessage, replyPage, replyRecord } from '../reply.ts';
import { knownTo } from '../list-tag.ts';
import type { RuleAbilities } from '../../model/rule-abilities.ts';
import { codeIn } from '../../rules-table/rule-warnings.ts';
import { RuleViews } from './represent.ts';
import type { Call } from '../call.ts';
import type { Endpoint, EndpointBody } from '../endpoint.ts';
import { operations } from './operation.ts';

const operation = operations('Rules');

const FILTERS = { status: STATUSES, ruleType: RULE_TYPES, groupId: 'any', q: 'any' } as const;

const SOURCE = { key: 'Url', operator: 'Contains', value: 'api.example.com' };
const ADDED = { type: 'Add', value: '1' };
const PAIRS: Readonly<Record<RuleType, object>> = {
  Redirect: { source: SOURCE, destinationType: 'url', destination: 'https://staging.example.com' },
  Cancel: { source: SOURCE },
  Replace: { source: SOURCE, from: 'api', to: 'staging' },
  Headers: { source: SOURCE, modifications: [{ header: 'x-debug', ...ADDED }] },
  UserAgent: { source: SOURCE, userAgent: 'my-tests/1.0' },
  QueryParam: { source: SOURCE, modifications: [{ param: 'debug', ...ADDED }] },
  Request: { source: SOURCE, type: 'static', value: '{"test":true}' },
  Response: { source: SOURCE, type: 'static', value: '{"ok":true}' },
  Delay: { source: SOURCE, delay: 500 },
};
/** A body of every rule type, for the documentation page. */
const EXAMPLES = Object.fromEntries(
  RULE_TYPES.map((ruleType) => [ruleType, { name: `${ruleType} rule`, ruleType, pairs: [PAIRS[ruleType]] }]),
);

const PATCHES = { off: { status: 'Inactive' }, ungrouped: { groupId: '' }, renamed: { name: 'Payments to staging' } };

/** Checks heavy patterns in the sandbox; a refusal when that is not possible now. */
export type CheckPatterns = (ownerId: string, patterns: readonly string[]) => Promise<CheckedPatterns | Refusal>;

/** A body with the results for its heavy patterns. */
interface SentRule {
  readonly body: JsonObject;
  readonly checked: CheckedPatterns;
}

const read = showRead(readRule, showRule);
const list = pageAt(showRead(listRules, showPage(showRule)));

/** @returns Why each source cannot be parsed, undefined for none; undefined where that is not known. */
type CheckCode = (ownerId: string, sources: readonly string[]) => Promise<readonly (string | undefined)[] | undefined>;

/** @param checkCode Undefined where code is off. */
export function rulesApi(
  owners: OwnerDirectory,
  limits: Limits,
  checkPatterns: CheckPatterns,
  checkCode: CheckCode | undefined,
  abilities: RuleAbilities,
): Endpoint[] {
  const views = new RuleViews(abilities);
  const replySaved = savedReply(checkCode, views);
  const parse = ruleParser(limits);
  const create = showChanged(createRule(parse), showRule);
  const update = showChanged(
    updateRule((body, checked) => parse(body, checked)),
    showRule,
  );
  const patch = showChanged(updateRule(rulePatchParser(limits)), showRule);
  const pairs = Type.Array(pairSchema(limits), { minItems: 1 });
  const payload = Type.Object({ ...rulePayloadSchema(limits).properties, pairs });
  const change = Type.Object({ ...rulePatchSchema(limits).properties, pairs: Type.Optional(pairs) });
  const warned = warnedRuleSchema(limits);
  const body: EndpointBody<SentRule> = {
    schema: payload,
    examples: EXAMPLES,
    bytesMax: limits.bodyBytesMax,
    invalid: 'rulePayloadInvalid',
    read: ruleReader(checkPatterns),
  };

  return [
    operation('listRules', 'GET /v1/rules', {
      summary: 'List rules in order of creation',
      query: Type.Object({
        ...PAGE_PARAMETERS,
        status: Type.Optional(Type.Enum([...STATUSES])),
        ruleType: Type.Optional(Type.Enum([...RULE_TYPES])),
        groupId: Type.Optional(
          Type.String({ description: 'Only rules of this group; an empty id stands for ungrouped rules.' }),
        ),
        q: Type.Optional(
          Type.String({
            description: 'Only rules with this text in name, description or a source value. Ignores case.',
          }),
        ),
      }),
      page: ruleSchema(limits),
      handle(call) {
        const query = parseListQuery(call.head.query, FILTERS);
        if (isRefusal(query)) return call.refuse(query);
        const input = { page: query.page, filter: query.filter as RuleFilter | undefined };
        owners.query(list, { list: input, isKnown: knownTo(call) }, call.caller, (page) =>
          replyPage(call, page, query.page.offset, views.listed, views.listedParts),
        );
      },
    }),
    operation('createRule', 'POST /v1/rules', {
      summary: 'Create a rule',
      record: warned,
      repeatable: true,
      refuses: ['rulePairsInvalid', 'groupNotFound'],
      body,
      handle(call, sent) {
        owners.command(
          create,
          inputOf(sent),
          call.caller,
          (outcome) => replySaved(call, outcome),
          call.repeatable && {
            ...call.repeatable,
            kept: keptRule,
            reply: (kept) => replyRecord(call, isRefusal(kept) ? kept : repeatedRule(kept as KeptRule), views.warned),
          },
        );
      },
    }),
    operation('readRule', 'GET /v1/rules/:ruleId', {
      summary: 'Read a rule',
      record: warned,
      handle(call) {
        const [ruleId = ''] = call.params;
        owners.query(read, { ruleId }, call.caller, (outcome) =>
          replyLargeRecord(call, outcome, views.warned, views.warnedParts),
        );
      },
    }),
    operation('updateRule', 'PUT /v1/rules/:ruleId', {
      summary: 'Replace a rule; absent members get their defaults',
      record: warned,
      conditional: true,
      refuses: ['ruleTypeUpdateNotAllowed', 'rulePairsInvalid', 'groupNotFound'],
      body,
      handle(call, sent) {
        owners.command(update, changeOf(call, sent), call.caller, (outcome) => replySaved(call, outcome));
      },
    }),
    operation('patchRule', 'PATCH /v1/rules/:ruleId', {
      summary: 'Change members of a rule; absent members keep their values',
      record: warned,
      conditional: true,
      refuses: ['ruleTypeUpdateNotAllowed', 'rulePairsInvalid', 'groupNotFound'],
      body: { ...body, schema: change, examples: PATCHES },
      handle(call, sent) {
        owners.command(patch, changeOf(call, sent), call.caller, (outcome) => replySaved(call, outcome));
      },
    }),
    operation('deleteRule', 'DELETE /v1/rules/:ruleId', {
      summary: 'Delete a rule',
      message: 'Rule deleted successfully',
      conditional: true,
      handle(call) {
        const [ruleId = ''] = call.params;
        owners.command(deleteRule, { ruleId, ifMatch: call.head.ifMatch }, call.caller, (outcome) =>
          replyMessage(call, outcome, 'Rule deleted successfully'),
        );
      },
    }),
  ];
}

/** A save is answered when its code has been looked at, with warnings: it is never refused for it. */
function savedReply(checkCode: CheckCode | undefined, views: RuleViews) {
  return (call: Call, outcome: ShownRule | Refusal): void => {
    const code = checkCode === undefined || isRefusal(outcome) ? [] : codeIn(outcome.record);
    if (checkCode === undefined || code.length === 0) return replyRecord(call, outcome, views.warned);
    const sources = code.map(({ source }) => source);
    return void call.later(checkCode(call.caller.ownerId, sources), (problems = []) => {
      const warnings = code.flatMap(({ pairId, path }, index) =>
        problems[index] === undefined ? [] : [{ pairId, path, warning: `always fails: ${problems[index]}` }],
      );
      replyRecord(call, outcome, (shown, ownerId) => views.saved(shown, ownerId, warnings));
    });
  };
}

/** The first answer as it is kept for repetitions; without an effective status where an older version kept it. */
type KeptRule = Rule & { readonly effectiveStatus?: Status };

function keptRule({ record, effectiveStatus }: ShownRule): KeptRule {
  return { ...record, effectiveStatus };
}

function repeatedRule(kept: KeptRule): ShownRule {
  return { record: kept, effectiveStatus: kept.effectiveStatus ?? kept.status };
}

/** Nearly all rules have no heavy patterns and are read at once. */
function ruleReader(checkPatterns: CheckPatterns): NonNullable<EndpointBody<SentRule>['read']> {
  return (bytes, call) => {
    const body = parseBody(bytes, 'rulePayloadInvalid');
    if (isRefusal(body)) return body;
    const heavy = heavyPatterns(body);
    if (heavy.length === 0) return { body, checked: NONE_CHECKED };
    return checkPatterns(call.caller.ownerId, heavy).then((checked) =>
      isRefusal(checked) ? checked : { body, checked },
    );
  };
}

function changeOf(call: Call, sent: SentRule | Refusal) {
  const [ruleId = ''] = call.params;
  return { ruleId, ...inputOf(sent), ifMatch: call.head.ifMatch };
}

function inputOf(sent: SentRule | Refusal): { body: Body; checked: CheckedPatterns } {
  return isRefusal(sent) ? { body: sent, checked: NONE_CHECKED } : sent;
}
