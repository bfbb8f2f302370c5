/** Traffic rules and their groups. */
import type { JsonObject } from '../../../base/json-object.ts';
import { RULE_TYPES } from '../../../model/record-id.ts';
import { STATUSES } from '../../../model/status.ts';
import { Type } from '../../../model/schema-type.ts';
import { pageOf } from '../../page.ts';
import { offset } from '../shapes.ts';
import { tool } from '../tool.ts';
import { kind, pathOf, recordOf } from './records.ts';

const PAGE = 50;

export const listRules = tool({
  name: 'rules_list',
  verb: 'rules list',
  access: 'read',
  description:
    'Lists traffic rules (what clients do to their requests) or groups of them; with `id` one of them whole.',
  input: Type.Object({
    kind: Type.Optional(kind),
    id: Type.Optional(Type.String()),
    q: Type.Optional(Type.String({ description: 'A part of name, description or source.' })),
    ruleType: Type.Optional(Type.Enum([...RULE_TYPES])),
    status: Type.Optional(Type.Enum([...STATUSES])),
    groupId: Type.Optional(Type.String()),
    offset,
  }),
  async run(api, { kind: of = 'rule', id, offset: from = 0, ...filters }) {
    if (id !== undefined) return { data: recordOf((await api.get(pathOf(of, id))).data), isRecorded: true };
    const { data, envelope } = await api.get<JsonObject[]>(pathOf(of), {
      ...filters,
      offset: from,
      pageSize: PAGE,
    });
    return { data: pageOf('records', data.map(recordOf), from, envelope['total'] as number), isRecorded: true };
  },
});
