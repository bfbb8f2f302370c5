/**
 * Records as the JSON that clients see.
 *
 * Written by hand rather than by JSON.stringify: pairs already are JSON text, and ids, users and dates need no escaping
 * (model/principal.ts, model/record-id.ts), so a rule of 600 bytes costs two short escapes instead of a walk over its pairs.
 */
import type { Group } from '../model/group.ts';
import type { Rule } from '../model/rule.ts';

export function ruleJson(rule: Rule, ownerId: string): string {
  return (
    `{"id":"${rule.id}","name":${JSON.stringify(rule.name)},"description":${JSON.stringify(rule.description)},` +
    `"objectType":"rule","ruleType":"${rule.ruleType}","status":"${rule.status}","pairs":${rule.pairs},` +
    `"groupId":"${rule.groupId}","creationDate":${rule.creationDate},"modificationDate":${rule.modificationDate},` +
    `"createdBy":"${rule.createdBy}","lastModifiedBy":"${rule.lastModifiedBy}","currentOwner":"${ownerId}","isSample":false}`
  );
}

/** A group as single read and update return it. */
export function groupJson(group: Group): string {
  return `{${groupMembers(group)}}`;
}

/** A group as create and list return it: with its owner (spec.md, "Group"). */
export function ownedGroupJson(group: Group, ownerId: string): string {
  return `{${groupMembers(group)},"currentOwnerId":"${ownerId}"}`;
}

function groupMembers(group: Group): string {
  return (
    `"id":"${group.id}","name":${JSON.stringify(group.name)},"objectType":"group","status":"${group.status}",` +
    `"isFavourite":${group.isFavourite},"creationDate":${group.creationDate},"modificationDate":${group.modificationDate},` +
    `"createdBy":"${group.createdBy}","lastModifiedBy":"${group.lastModifiedBy}"`
  );
}
