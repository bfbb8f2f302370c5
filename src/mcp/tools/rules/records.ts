/** What tools of rules and groups share. */
import type { JsonObject } from '../../../base/json-object.ts';
import { Type } from '../../../model/schema-type.ts';
import { ToolError } from '../../tool-error.ts';

export const kind = Type.Enum(['rule', 'group']);

type Kind = 'rule' | 'group';

/** @throws ToolError for what is no id. */
export function pathOf(of: Kind, id?: string): readonly string[] {
  const list = of === 'rule' ? 'rules' : 'groups';
  // Another resource of the API has this path.
  if (id === 'export') throw new ToolError(404, of === 'rule' ? 'Rule not found' : 'Group not found');
  return id === undefined ? [list] : [list, id];
}

const SHOWN = new Set(
  'id name description objectType ruleType status effectiveStatus groupId pairs isFavourite ruleCount activeRuleCount warnings'.split(
    ' ',
  ),
);

/** Without dates, users and owner. */
export function recordOf(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => SHOWN.has(name)));
}

const COMPUTED = new Set('id objectType effectiveStatus ruleCount activeRuleCount warnings'.split(' '));

/** What can be sent, to make the record again. */
export function payloadOf(record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(recordOf(record)).filter(([name]) => !COMPUTED.has(name)));
}
