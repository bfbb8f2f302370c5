/** What tools of rules and groups share. */
import type { JsonObject } from '../../../base/json-object.ts';
import { Type } from '../../../model/schema-type.ts';

export const kind = Type.Enum(['rule', 'group']);

type Kind = 'rule' | 'group';

export function pathOf(of: Kind, id?: string): readonly string[] {
  const list = of === 'rule' ? 'rules' : 'groups';
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
