/**
 * Records as the JSON that clients see.
 *
 * Written by hand rather than by JSON.stringify: pairs already are JSON text, and ids, users and dates need no escaping
 * (model/principal.ts, model/record-id.ts), so a rule of 600 bytes costs two short escapes instead of a walk over its
 * pairs.
 */
import { WARNINGS_MAX } from '../../limits.ts';
import type { ShownGroup, ShownRule } from '../../model/group-tallies.ts';
import { etagOf } from '../../model/precondition.ts';
import type { Rule } from '../../model/rule.ts';
import { isUnsupported, ruleWarnings, type RuleWarning } from '../../rules-table/rule-warnings.ts';

/** A rule as lists return it: with its ETag. */
export function listedRuleJson(shown: ShownRule, ownerId: string): string {
  return `${ruleHead(shown)}${shown.record.pairs}${ruleTail(shown, ownerId)}${etagMember(shown)}}`;
}

/** The same in parts: writing them one by one does not copy the pairs. */
export function listedRuleParts(shown: ShownRule, ownerId: string): readonly string[] {
  return [ruleHead(shown), shown.record.pairs, `${ruleTail(shown, ownerId)}${etagMember(shown)}}`];
}

/** A rule as create, read and update return it: with its warnings, where it has any. */
export function warnedRuleJson(shown: ShownRule, ownerId: string): string {
  return `${ruleHead(shown)}${shown.record.pairs}${ruleTail(shown, ownerId)}${warningsMember(shown.record)}}`;
}

/** The same with warnings that only a save finds. */
export function savedRuleJson(shown: ShownRule, ownerId: string, found: readonly RuleWarning[]): string {
  if (found.length === 0) return warnedRuleJson(shown, ownerId);
  const warnings = [...ruleWarnings(shown.record), ...found].slice(0, WARNINGS_MAX);
  return `${ruleHead(shown)}${shown.record.pairs}${ruleTail(shown, ownerId)},"warnings":${JSON.stringify(warnings)}}`;
}

/** The same in parts. */
export function warnedRuleParts(shown: ShownRule, ownerId: string): readonly string[] {
  return [ruleHead(shown), shown.record.pairs, `${ruleTail(shown, ownerId)}${warningsMember(shown.record)}}`];
}

function ruleHead(shown: ShownRule): string {
  const { id, name, description, ruleType, status } = shown.record;
  const effectiveStatus = effectiveStatusOf(shown);
  return (
    `{"id":"${id}","name":${quoted(name)},"description":${quoted(description)},` +
    `"objectType":"rule","ruleType":"${ruleType}","status":"${status}","effectiveStatus":"${effectiveStatus}","pairs":`
  );
}

function ruleTail({ record: rule }: ShownRule, ownerId: string): string {
  return (
    `,"groupId":"${rule.groupId}","creationDate":${rule.creationDate},"modificationDate":${rule.modificationDate},` +
    `"createdBy":"${rule.createdBy}","lastModifiedBy":"${rule.lastModifiedBy}","currentOwner":"${ownerId}","isSample":false`
  );
}

/** Found once for each record. */
const unsupported = new WeakMap<Rule, boolean>();

function effectiveStatusOf({ record, effectiveStatus }: ShownRule): string {
  if (effectiveStatus === 'Inactive') return effectiveStatus;
  let isOff = unsupported.get(record);
  if (isOff === undefined) unsupported.set(record, (isOff = isUnsupported(record)));
  return isOff ? 'Unsupported' : effectiveStatus;
}

/** The member of rules that have warnings, made once: a change of a rule makes a new record. */
const warningsMembers = new WeakMap<Rule, string>();

function warningsMember(rule: Rule): string {
  const known = warningsMembers.get(rule);
  if (known !== undefined) return known;
  const warnings = ruleWarnings(rule);
  const member = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  warningsMembers.set(rule, member);
  return member;
}

/** A group as single read and update return it. */
export function groupJson(shown: ShownGroup): string {
  return `{${groupMembers(shown)}}`;
}

/** A group as create returns it: with its owner. */
export function ownedGroupJson(shown: ShownGroup, ownerId: string): string {
  return `{${groupMembers(shown)},"currentOwnerId":"${ownerId}"}`;
}

/** A group as lists return it: with its owner and its ETag. */
export function listedGroupJson(shown: ShownGroup, ownerId: string): string {
  return `{${groupMembers(shown)},"currentOwnerId":"${ownerId}"${etagMember(shown)}}`;
}

/** The `ETag` of the record as a JSON member, quotes included. */
function etagMember({ record }: ShownRule | ShownGroup): string {
  return `,"etag":"\\${etagOf(record.modifiedVersion).slice(0, -1)}\\""`;
}

function groupMembers({ record: group, ruleCount, activeRuleCount }: ShownGroup): string {
  return (
    `"id":"${group.id}","name":${quoted(group.name)},"objectType":"group","status":"${group.status}",` +
    `"isFavourite":${group.isFavourite},"ruleCount":${ruleCount},"activeRuleCount":${activeRuleCount},` +
    `"creationDate":${group.creationDate},"modificationDate":${group.modificationDate},` +
    `"createdBy":"${group.createdBy}","lastModifiedBy":"${group.lastModifiedBy}"`
  );
}

/** Without control characters, quotes, backslashes and lone surrogates: text that JSON does not escape. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Like `JSON.stringify`, which is 50% slower for plain text. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
