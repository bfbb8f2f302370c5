/**
 * Ids of rules and groups: `<RuleType>_<suffix>` and `Group_<suffix>`.
 *
 * New suffixes have 20 characters of `[0-9a-z]`, 103 bits; any `[A-Za-z0-9_-]{1,64}` is accepted in a path. Ids are
 * compared as received, never decoded or normalised (docs/api.md, "Choices").
 */
import { randomId } from '../base/random-id.ts';

export const RULE_TYPES = [
  'Redirect',
  'Cancel',
  'Replace',
  'Headers',
  'UserAgent',
  'QueryParam',
  'Request',
  'Response',
  'Delay',
] as const;
export type RuleType = (typeof RULE_TYPES)[number];

const SUFFIX_CHARS = 20;
const RULE_ID = new RegExp(`^(?:${RULE_TYPES.join('|')})_[A-Za-z0-9_-]{1,64}$`);
const GROUP_ID = /^Group_[A-Za-z0-9_-]{1,64}$/;

export function isRuleType(value: unknown): value is RuleType {
  return (RULE_TYPES as readonly unknown[]).includes(value);
}

export function newRuleId(ruleType: RuleType): string {
  return `${ruleType}_${randomId(SUFFIX_CHARS)}`;
}

export function newGroupId(): string {
  return `Group_${randomId(SUFFIX_CHARS)}`;
}

/** Of an owner's settings of the gateway. */
export function gatewayIdOf(ownerId: string): string {
  return `gateway:${ownerId}`;
}

export function isRuleId(id: string): boolean {
  return RULE_ID.test(id);
}

export function isGroupId(id: string): boolean {
  return GROUP_ID.test(id);
}
