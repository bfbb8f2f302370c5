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
import type { RuleAbilities } from '../../model/rule-abilities.ts';
import { isUnsupported, ruleWarnings, type RuleWarning } from '../../rules-table/rule-warnings.ts';

/** How rules are shown by a server: what its options keep from acting differs. */
export class RuleViews {
  readonly #abilities: RuleAbilities;
  /** Whether no pair of a rule can act: found once for each record. */
  readonly #unsupported = new WeakMap<Rule, boolean>();
  /** The member of rules that have warnings, made once: a change of a rule makes a new record. */
  readonly #warningsMembers = new WeakMap<Rule, string>();

  constructor(abilities: RuleAbilities) {
    this.#abilities = abilities;
  }

  /** A rule as lists return it: with its ETag. */
  readonly listed = (shown: ShownRule, ownerId: string): string => this.listedParts(shown, ownerId).join('');

  /** The same in parts: writing them one by one does not copy the pairs. */
  readonly listedParts = (shown: ShownRule, ownerId: string): readonly string[] => [
    this.#head(shown),
    shown.record.pairs,
    `${ruleTail(shown, ownerId)}${etagMember(shown)}}`,
  ];

  /** A rule as create, read and update return it: with its warnings, where it has any. */
  readonly warned = (shown: ShownRule, ownerId: string): string => this.warnedParts(shown, ownerId).join('');

  /** The same in parts. */
  readonly warnedParts = (shown: ShownRule, ownerId: string): readonly string[] => [
    this.#head(shown),
    shown.record.pairs,
    `${ruleTail(shown, ownerId)}${this.#warningsMember(shown.record)}}`,
  ];

  /** The same with warnings that only a save finds. */
  saved(shown: ShownRule, ownerId: string, found: readonly RuleWarning[]): string {
    if (found.length === 0) return this.warned(shown, ownerId);
    const warnings = [...ruleWarnings(shown.record, this.#abilities), ...found].slice(0, WARNINGS_MAX);
    return `${this.#head(shown)}${shown.record.pairs}${ruleTail(shown, ownerId)},"warnings":${JSON.stringify(warnings)}}`;
  }

  #head(shown: ShownRule): string {
    const { id, name, description, ruleType, status } = shown.record;
    const effectiveStatus = this.#effectiveStatus(shown);
    return (
      `{"id":"${id}","name":${quoted(name)},"description":${quoted(description)},` +
      `"objectType":"rule","ruleType":"${ruleType}","status":"${status}","effectiveStatus":"${effectiveStatus}","pairs":`
    );
  }

  #effectiveStatus({ record, effectiveStatus }: ShownRule): string {
    if (effectiveStatus === 'Inactive') return effectiveStatus;
    let isOff = this.#unsupported.get(record);
    if (isOff === undefined) this.#unsupported.set(record, (isOff = isUnsupported(record, this.#abilities)));
    return isOff ? 'Unsupported' : effectiveStatus;
  }

  #warningsMember(rule: Rule): string {
    const known = this.#warningsMembers.get(rule);
    if (known !== undefined) return known;
    const warnings = ruleWarnings(rule, this.#abilities);
    const member = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
    this.#warningsMembers.set(rule, member);
    return member;
  }
}

function ruleTail({ record: rule }: ShownRule, ownerId: string): string {
  return (
    `,"groupId":"${rule.groupId}","creationDate":${rule.creationDate},"modificationDate":${rule.modificationDate},` +
    `"createdBy":"${rule.createdBy}","lastModifiedBy":"${rule.lastModifiedBy}","currentOwner":"${ownerId}","isSample":false`
  );
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
