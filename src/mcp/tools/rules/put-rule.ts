/** A rule or group is created or changed. Rules act on clients as soon as they are stored: it takes two calls. */
import type { JsonObject } from '../../../base/json-object.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Api } from '../../api.ts';
import { confirmed, confirmShape } from '../../confirm.ts';
import { tool } from '../tool.ts';
import { kind, pathOf, payloadOf, recordOf } from './records.ts';

export const putRule = tool({
  name: 'rules_put',
  verb: 'rules put',
  access: 'serve',
  description:
    'Creates a rule or group, or changes members of the one whose `id` is given. The first call checks it, shows before and after and a `confirm`; call again with it. docs_search (q: "rules") for the pairs of each ruleType.',
  input: Type.Object({
    kind,
    id: Type.Optional(Type.String({ description: 'Of the rule or group to change. Without it one is created.' })),
    value: Type.Unsafe<JsonObject>({
      type: 'object',
      description:
        'Rule: {name, ruleType, pairs, status?, groupId?, description?}. Group: {name, status?}. For a change only what changes.',
    }),
    confirm: confirmShape,
  }),
  async run(api, { kind: of, id, value, confirm }) {
    const path = pathOf(of, id);
    const { data: before, etag } = id === undefined ? { data: undefined, etag: '' } : await api.get(path);
    const after = before === undefined ? value : { ...payloadOf(before), ...value };
    if (of === 'rule') await check(api, after);
    // A confirm of a new one is used up by it.
    const tag = id === undefined ? String((await api.get(path, { pageSize: 1 })).envelope['total']) : etag;
    const shown = { kind: of, id: id ?? null, before: before === undefined ? null : payloadOf(before), after };
    const change = { action: `rules_put ${of} ${id ?? ''}`, shown, tags: [tag], isRecorded: true };
    return confirmed(api, confirm, change, async () => {
      const method = id === undefined ? 'POST' : of === 'rule' ? 'PATCH' : 'PUT';
      const body = method === 'PUT' ? after : value;
      const { data } = await api.send(method, path, { body, ifMatch: etag });
      const undo =
        before === undefined ? 'To undo: rules_delete.' : 'To undo: rules_put with what was before as `value`.';
      return { record: recordOf(data), undo };
    });
  },
});

/** Refuses what a rule cannot be. @throws ToolError */
async function check(api: Api, rule: JsonObject): Promise<void> {
  await api.send('POST', ['rules', 'evaluate'], { body: { request: { url: 'http://localhost/' }, rules: [rule] } });
}
