/** What the simulated clients ask for, and how it is asked of the real directory of owners. */
import { isRefusal, type Refusal } from '../../../src/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../src/limits.ts';
import type { Command, Query } from '../../../src/model/command.ts';
import { createGroup, deleteGroup, updateGroup } from '../../../src/model/decide-group.ts';
import { createRule, deleteRule, updateRule } from '../../../src/model/decide-rule.ts';
import { groupParser } from '../../../src/model/group-payload.ts';
import type { Group } from '../../../src/model/group.ts';
import { NONE_CHECKED } from '../../../src/model/pairs/source-pattern.ts';
import { etagOf } from '../../../src/model/precondition.ts';
import type { Principal } from '../../../src/model/principal.ts';
import { listGroups, listRules, readGroup, readRule, type Page } from '../../../src/model/queries.ts';
import { ruleParser } from '../../../src/model/rule-payload.ts';
import type { Rule } from '../../../src/model/rule.ts';
import type { Repetition } from '../../../src/owners/turn.ts';
import type { OwnerDirectory } from '../../../src/owners/owner-directory.ts';
import type { Draws } from './draws.ts';
import { GROUPS_MAX, RULES_MAX, textOf, type Operation } from './oracle.ts';

export const LIMITS: Limits = { ...DEFAULT_LIMITS, rulesPerOwnerMax: RULES_MAX, groupsPerOwnerMax: GROUPS_MAX };

const parseGroup = groupParser(LIMITS);
const parseRule = ruleParser(LIMITS);
const COMMANDS = {
  createGroup: createGroup(parseGroup),
  createRule: createRule(parseRule),
  updateGroup: updateGroup(parseGroup),
  updateRule: updateRule((body, checked) => parseRule(body, checked)),
};

export type Outcome = Group | Rule | Page<Group | Rule> | Refusal;

export interface Asked {
  readonly operation: Operation;
  readonly principal: Principal;
  readonly repetition: Repetition<Group | Rule> | undefined;
  readonly reply: (outcome: Outcome) => void;
  /** Wraps each command; for flaws. */
  readonly wrap: <Input, Answer extends Group | Rule>(command: Command<Input, Answer>) => Command<Input, Answer>;
}

export function ask(owners: OwnerDirectory, { operation, principal, repetition, reply, wrap }: Asked): void {
  const query = <Input, Answer extends Group | Rule | Page<Group | Rule>>(
    asked: Query<Input, Answer>,
    input: Input,
  ): void => owners.query(asked, input, principal, reply);
  const command = <Input, Answer extends Group | Rule>(asked: Command<Input, Answer>, input: Input): void =>
    owners.command(wrap(asked), input, principal, reply, repetition);
  const ifMatch =
    'ifVersion' in operation && operation.ifVersion !== undefined ? etagOf(operation.ifVersion) : undefined;
  switch (operation.kind) {
    case 'createGroup':
      return command(COMMANDS.createGroup, { body: { name: operation.name } });
    case 'createRule':
      return command(COMMANDS.createRule, { body: ruleBody(operation), checked: NONE_CHECKED });
    case 'updateGroup':
      return command(COMMANDS.updateGroup, { groupId: operation.id, body: { name: operation.name }, ifMatch });
    case 'updateRule':
      return command(COMMANDS.updateRule, {
        ruleId: operation.id,
        body: ruleBody(operation),
        checked: NONE_CHECKED,
        ifMatch,
      });
    case 'deleteGroup':
      return command(deleteGroup, { groupId: operation.id, ifMatch });
    case 'deleteRule':
      return command(deleteRule, { ruleId: operation.id, ifMatch });
    case 'readGroup':
      return query(readGroup, { groupId: operation.id });
    case 'readRule':
      return query(readRule, { ruleId: operation.id });
    case 'listGroups':
      return query(listGroups, { page: operation, filter: undefined });
    case 'listRules': {
      const filter = operation.groupId === undefined ? undefined : { groupId: operation.groupId };
      return query(listRules, { page: operation, filter });
    }
  }
}

function ruleBody({ name, groupId }: { readonly name: string; readonly groupId: string }) {
  const pairs = [{ id: 'p', source: { key: 'Url', operator: 'Contains', value: name } }];
  return { name, groupId, ruleType: 'Cancel', pairs };
}

/** A record as the oracle writes it. */
export function recordText(record: Group | Rule): string {
  return textOf({
    id: record.id,
    name: record.name,
    groupId: 'groupId' in record ? record.groupId : undefined,
    madeAt: record.creationDate,
    madeBy: record.createdBy,
    madeVersion: record.createdVersion,
    writtenAt: record.modificationDate,
    writtenBy: record.lastModifiedBy,
    writtenVersion: record.modifiedVersion,
  });
}

export function answerText(outcome: Exclude<Outcome, Refusal>): string {
  if (!('records' in outcome)) return recordText(outcome);
  return [outcome.total, ...outcome.records.map(recordText)].join('\n');
}

/** What the clients of one owner have heard of, in the order in which they heard. */
export class Known {
  readonly groups: string[] = [];
  readonly rules: string[] = [];
  readonly #versions = new Map<string, number[]>();

  learn(outcome: Outcome): void {
    if (isRefusal(outcome)) return;
    for (const record of 'records' in outcome ? outcome.records : [outcome]) {
      const versions = this.#versions.get(record.id);
      if (versions === undefined) {
        this.#versions.set(record.id, [record.modifiedVersion]);
        ('groupId' in record ? this.rules : this.groups).push(record.id);
      } else if (!versions.includes(record.modifiedVersion)) versions.push(record.modifiedVersion);
    }
  }

  /** @param name Of what is written, unlike every other. @param foreign What clients of another owner know. */
  draw(draws: Draws, name: string, foreign: Known): Operation {
    const from = draws.percent(4) ? foreign : this;
    const id = (kind: 'rules' | 'groups'): string =>
      recent(draws, from[kind]) ?? `${kind === 'rules' ? 'Cancel' : 'Group'}_nowhere`;
    const groupId = (): string => (draws.percent(40) ? '' : id('groups'));
    const ifVersion = (of: string): { ifVersion?: number } => {
      const version = draws.percent(35) ? recent(draws, this.#versions.get(of) ?? []) : undefined;
      return version === undefined ? {} : { ifVersion: version };
    };
    const page = draws.percent(70)
      ? { offset: 0, pageSize: 75 }
      : { offset: draws.below(4), pageSize: 1 + draws.below(3) };
    // Who knows of nothing makes something.
    const choice = this.rules.length + this.groups.length === 0 ? draws.below(36) : draws.below(100);
    if (choice < 12) return { kind: 'createGroup', name };
    if (choice < 30) return { kind: 'createRule', name, groupId: groupId() };
    if (choice < 53) {
      const isRule = choice < 45;
      const of = id(isRule ? 'rules' : 'groups');
      const condition = ifVersion(of);
      return isRule
        ? { kind: 'updateRule', id: of, name, groupId: groupId(), ...condition }
        : { kind: 'updateGroup', id: of, name, ...condition };
    }
    if (choice < 68) {
      const isRule = choice < 61;
      const of = id(isRule ? 'rules' : 'groups');
      return { kind: isRule ? 'deleteRule' : 'deleteGroup', id: of, ...ifVersion(of) };
    }
    if (choice < 76) return { kind: 'readRule', id: id('rules') };
    if (choice < 80) return { kind: 'readGroup', id: id('groups') };
    if (choice < 87) return { kind: 'listGroups', ...page };
    if (choice < 94) return { kind: 'listRules', ...page };
    return { kind: 'listRules', ...page, groupId: groupId() };
  }
}

/** Mostly one of the newest, which are more likely to be there still. */
function recent<Item>(draws: Draws, items: readonly Item[]): Item | undefined {
  return draws.percent(80) ? draws.of(items.slice(-4)) : draws.of(items);
}
