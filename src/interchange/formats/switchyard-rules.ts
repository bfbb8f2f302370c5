/**
 * Our own file of rules and groups, made for git: members in a fixed order, defaults left out, stable ids, no dates, no
 * owner. Pairs are written as they are stored.
 */
import { isObject } from '../../base/json-object.ts';
import type { Group } from '../../model/group.ts';
import type { Rule } from '../../model/rule.ts';
import type { Detection, NearMiss, ReadRecord, RulesFormat } from '../format.ts';
import { jsonList } from '../reading/json-list.ts';
import { given, objectsIn, textIn, without } from '../reading/members.ts';
import type { ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';

/** The version of files of rules; those of mocks have their own. */
const FILE_VERSION = 1;

export const switchyardRulesFormat: RulesFormat = { name: 'switchyard', detect, read };

function detect(content: unknown): Detection | NearMiss | undefined {
  if (!isObject(content)) return undefined;
  if (!Object.hasOwn(content, 'switchyard')) {
    const missing = 'add `"switchyard": 1` and `"kind": "rules"`';
    return Array.isArray(content.rules) ? { format: 'switchyard', missing } : undefined;
  }
  const { switchyard, kind } = content;
  if (switchyard !== FILE_VERSION) {
    return { format: 'switchyard', missing: `\`switchyard\` is ${JSON.stringify(switchyard)}: supported is version 1` };
  }
  if (kind !== 'rules') return { format: 'switchyard', missing: '`kind` must be "rules" for rules' };
  return { format: 'switchyard', version: String(FILE_VERSION), detectedBy: '`switchyard: 1` with `kind: "rules"`' };
}

const RULE_MEMBERS = ['name', 'ruleType', 'description', 'status', 'groupId', 'pairs'] as const;
const GROUP_MEMBERS = ['name', 'status', 'isFavourite'] as const;

function read(root: Member, report: ReportWriter): ReadRecord[] {
  root.get('switchyard');
  root.get('kind');
  return [
    ...objectsIn(root, 'rules', report).map((rule) => readRecord('rule', rule, RULE_MEMBERS, report)),
    ...objectsIn(root, 'groups', report).map((group) => readRecord('group', group, GROUP_MEMBERS, report)),
  ];
}

function readRecord(
  kind: ReadRecord['kind'],
  source: Member,
  members: readonly string[],
  report: ReportWriter,
): ReadRecord {
  const id = textIn(source, 'id');
  const item = report.item(kind, source);
  const payload = given(source, members);
  if (typeof payload['name'] === 'string') item.name = payload['name'];
  return { kind, item, source, ...(id === undefined ? {} : { id }), payload };
}

/** @returns The parts of the file's text, which ends with a newline: a part for each record. */
export function* writeSwitchyardRules(rules: readonly Rule[], groups: readonly Group[]): Generator<string> {
  yield `{\n  "switchyard": ${FILE_VERSION},\n  "kind": "rules",\n  "rules": `;
  yield* jsonList(rules, ruleOf, 1);
  if (groups.length > 0) {
    yield ',\n  "groups": ';
    yield* jsonList(groups, groupOf, 1);
  }
  yield '\n}\n';
}

function ruleOf({ id, name, ruleType, description, status, groupId, pairs }: Rule): object {
  return {
    id,
    name,
    ruleType,
    ...without({ description, status, groupId }, { description: '', status: 'Active', groupId: '' }),
    pairs: JSON.parse(pairs) as unknown,
  };
}

function groupOf({ id, name, status, isFavourite }: Group): object {
  return { id, name, ...without({ status, isFavourite }, { status: 'Active', isFavourite: false }) };
}
