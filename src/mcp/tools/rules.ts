/** Traffic rules and their groups: what clients do to their requests. */
import type { JsonObject } from '../../base/json-object.ts';
import type { EvaluateInput, GroupInput, RuleInput, RulePatch } from '../../client/shapes.ts';
import { DEFAULT_LIMITS } from '../../limits.ts';
import { evaluatePayloadSchema } from '../../model/evaluation.ts';
import { RULE_TYPES } from '../../model/record-id.ts';
import { Type } from '../../model/schema-type.ts';
import { STATUSES } from '../../model/status.ts';
import { compact, pageOf } from '../answer.ts';
import { confirmed, confirmShape } from '../confirm.ts';
import { ToolError } from '../tool-error.ts';
import { named, offset, tool, type Api } from './tool.ts';

const PAGE = 50;
const UNGROUPED_SHOWN = 75;

const kind = Type.Enum(['rule', 'group']);
type Kind = 'rule' | 'group';

/** @throws ToolError for what is no id: another resource of the API has this path. */
function partOf(api: Api, of: Kind, id?: string): Api['rules'] | Api['groups'] {
  if (id === 'export') throw new ToolError(404, of === 'rule' ? 'Rule not found' : 'Group not found');
  return of === 'rule' ? api.rules : api.groups;
}

const SHOWN = new Set(
  'id name description ruleType status effectiveStatus groupId pairs isFavourite ruleCount activeRuleCount warnings'.split(
    ' ',
  ),
);
const COMPUTED = new Set('id effectiveStatus ruleCount activeRuleCount warnings'.split(' '));

/** Without dates, users and owner. */
function recordOf(record: object): JsonObject {
  return compact(Object.fromEntries(Object.entries(record).filter(([name]) => SHOWN.has(name)))) as JsonObject;
}

/** Payload that makes the record again. */
function payloadOf(record: object): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => SHOWN.has(name) && !COMPUTED.has(name)));
}

export const listRules = tool({
  name: 'rules_list',
  verb: 'rules list',
  access: 'read',
  description: 'Lists traffic rules (changes to requests of clients) or groups; with `id` one of them.',
  input: Type.Object({
    kind: Type.Optional(kind),
    id: Type.Optional(Type.String()),
    q: Type.Optional(Type.String({ description: 'Part of name, description or source.' })),
    ruleType: Type.Optional(Type.Enum([...RULE_TYPES])),
    status: Type.Optional(Type.Enum([...STATUSES])),
    groupId: Type.Optional(Type.String()),
    offset,
  }),
  async run(api, { kind: of = 'rule', id, offset: from = 0, ...filters }) {
    const part = partOf(api, of, id);
    if (id !== undefined) return { data: recordOf(await part.get(id)), isRecorded: true };
    const { records, total } = await part.list({ ...filters, offset: from, pageSize: PAGE });
    return { data: pageOf('records', records.map(recordOf), from, total), isRecorded: true };
  },
});

const { request, response } = evaluatePayloadSchema(DEFAULT_LIMITS).properties;

export const evaluateRules = tool({
  name: 'rules_evaluate',
  verb: 'rules test',
  hasOwnCommand: true,
  access: 'read',
  description:
    'Dry run: what the stored rules, one of them, or drafts would do to a request, and why the others do not act. Try drafts here before rules_put.',
  input: Type.Object({
    request: named(request),
    response: Type.Optional(named(response, 'The upstream response.')),
    rules: Type.Optional(
      Type.Unsafe<NonNullable<EvaluateInput['rules']>>({
        type: 'array',
        items: { type: 'object' },
        description: 'Drafts, each like `value` of rules_put, instead of the stored rules.',
      }),
    ),
    ruleId: Type.Optional(Type.String({ description: 'Only this stored rule.' })),
  }),
  run: async (api, body) => ({ data: compact(await api.rules.evaluate(body)), isRecorded: true }),
});

export const putRule = tool({
  name: 'rules_put',
  verb: 'rules put',
  access: 'serve',
  isDestructive: true,
  description:
    'Creates a rule or group; with `id` changes members of it, or deletes it (deleting a group ungroups its rules). Two calls: the first shows the change and returns a `confirm`, the second, with that `confirm`, makes the change. See docs_search (q: "rules") for the pairs of each ruleType.',
  input: Type.Object({
    kind,
    id: Type.Optional(Type.String()),
    value: Type.Optional(
      Type.Unsafe<JsonObject>({
        type: 'object',
        description:
          'Rule: {name, ruleType, pairs, status?, groupId?, description?}. Group: {name, status?}. For a change only the members to change.',
      }),
    ),
    delete: Type.Optional(Type.Boolean()),
    confirm: confirmShape,
  }),
  async run(api, { kind: of, id, value, delete: isDeleted = false, confirm }) {
    if (isDeleted ? id === undefined || value !== undefined : value === undefined)
      throw new ToolError(400, 'give `value`, or `id` with `delete`');
    const part = partOf(api, of, id);
    const record = id === undefined ? undefined : await part.get(id);
    const before = record === undefined ? undefined : payloadOf(record);
    const after = isDeleted ? undefined : { ...before, ...value };
    // Refuses what a rule cannot be.
    if (of === 'rule' && after !== undefined)
      await api.rules.evaluate({ request: { url: 'http://localhost/' }, rules: [after as RuleInput] });
    // A confirm of a new one is used up by it.
    const tag = record === undefined ? String((await part.list({ pageSize: 1 })).total) : api.transport.etagOf(record);
    const ungrouped = isDeleted && of === 'group' ? await rulesOf(api, id as string) : [];
    const shown = compact({ kind: of, id, before, after, becomeUngrouped: ungrouped });
    const change = { action: `rules_put ${of} ${id ?? ''}`, shown, tags: [tag] };
    return confirmed(api, confirm, change, async () => {
      if (id === undefined) {
        const made = await part.create(value as unknown as RuleInput & GroupInput);
        return { record: recordOf(made), undo: 'To undo: rules_put with its id and `delete`.' };
      }
      const options = { ifMatch: record as object };
      if (isDeleted) {
        await part.delete(id, options);
        const undo = 'To restore it, under another id: rules_put with `value`.';
        return { deleted: id, value: before, ...(ungrouped.length === 0 ? {} : { becomeUngrouped: ungrouped }), undo };
      }
      const changed =
        of === 'rule'
          ? await api.rules.patch(id, value as RulePatch, options)
          : await api.groups.update(id, after as unknown as GroupInput, options);
      return { record: recordOf(changed), undo: 'To undo: rules_put with the previous state as `value`.' };
    });
  },
});

async function rulesOf(api: Api, groupId: string): Promise<readonly string[]> {
  const { records } = await api.rules.list({ groupId, pageSize: UNGROUPED_SHOWN });
  return records.map(({ id }) => id);
}
