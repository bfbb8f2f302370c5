/** A rule or group is deleted. */
import type { JsonObject } from '../../../base/json-object.ts';
import { Type } from '../../../model/schema-type.ts';
import { confirmed, confirmShape } from '../../confirm.ts';
import { tool } from '../tool.ts';
import { kind, pathOf, payloadOf, recordOf } from './records.ts';

export const deleteRule = tool({
  name: 'rules_delete',
  verb: 'rules delete',
  access: 'serve',
  isDestructive: true,
  description:
    'Deletes a rule, or a group, whose rules become ungrouped. Two calls, as rules_put. The second answers what was deleted and how to get it back.',
  input: Type.Object({ kind, id: Type.String(), confirm: confirmShape }),
  async run(api, { kind: of, id, confirm }) {
    const { data: record, etag } = await api.get(pathOf(of, id));
    const rules =
      of === 'rule'
        ? []
        : (await api.get<JsonObject[]>(['rules'], { groupId: id, pageSize: 75 })).data.map((each) => each['id']);
    const becomeUngrouped = rules.length === 0 ? {} : { becomeUngrouped: rules };
    const shown = { deletes: recordOf(record), ...becomeUngrouped };
    const change = { action: `rules_delete ${of} ${id}`, shown, tags: [etag], isRecorded: true };
    return confirmed(api, confirm, change, async () => {
      await api.send('DELETE', pathOf(of, id), { ifMatch: etag });
      const undo = 'To get it back, under another id: rules_put with `value`.';
      return { deleted: id, value: payloadOf(record), ...becomeUngrouped, undo };
    });
  },
});
