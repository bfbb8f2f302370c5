/**
 * Rules through the client: the table of what they do, with groups and their rules stored, all others as drafts; and files of them, imported
 * as text, bytes or content, and exported, which do the same.
 */
import {
  startSwitchyard,
  type EvaluateInput,
  type Evaluation,
  type RuleInput,
  type Switchyard,
} from 'switchyard-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draftQuestionOf, expectVector, ONE_OF_EACH, questionOf, type Vector } from '../support/gateway-vectors.ts';

let switchyard: Switchyard;
beforeAll(async () => {
  switchyard = await startSwitchyard();
});
afterAll(() => switchyard?.stop());

const FILE = {
  switchyard: 1,
  kind: 'rules',
  rules: [
    { name: 'No ads', ruleType: 'Cancel', pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'ads' } }] },
  ],
};

test('a file is imported, exported, and imported over itself', async () => {
  const { rules } = switchyard.client;
  const text = JSON.stringify(FILE);
  for (const file of [text, new TextEncoder().encode(text), FILE]) {
    const { records, report } = await rules.import(file, { activate: true });
    expect(records).toMatchObject([{ kind: 'rule', source: { pointer: '/rules/0' }, result: 'created' }]);
    expect(report.items.rules).toEqual({ exact: 1, approximated: 0, dropped: 0 });
  }
  const { records: all } = await rules.list();
  expect(all.map(({ name, status }) => [name, status])).toEqual(Array.from({ length: 3 }, () => ['No ads', 'Active']));
  const own = await rules.export({ format: 'switchyard', ids: [all[1]?.id as string] });
  const changed = own.replace('No ads', 'Fewer ads');
  expect((await rules.import(changed, { onConflict: 'overwrite', dryRun: true })).records[0]?.result).toBe(
    'overwritten',
  );
  await rules.import(changed, { onConflict: 'overwrite' });
  expect(JSON.parse(await rules.export())).toMatchObject([
    { name: 'No ads' },
    { name: 'Fewer ads' },
    { name: 'No ads' },
  ]);
  const again = { idempotencyKey: 'rules' };
  expect(await rules.import(text, again)).toEqual(await rules.import(text, again));
  await expect(rules.import('{"a":')).rejects.toMatchObject({ status: 400, refusal: 'Import is invalid' });
  await expect(rules.export({ groupIds: ['Group_none'] })).rejects.toMatchObject({ status: 404 });
});

/** Deletes all rules and groups. */
async function drop(): Promise<void> {
  const { rules, groups } = switchyard.client;
  for (const { id } of (await rules.list({ pageSize: 75 })).records) await rules.delete(id);
  for (const { id } of (await groups.list({ pageSize: 75 })).records) await groups.delete(id);
}

test.each(ONE_OF_EACH)('imported, exported and imported again does the same: %s', async (_, vector) => {
  const { rules } = switchyard.client;
  await drop();
  const first = await rules.import(
    [
      ...vector.rules.map((rule) => ({ name: rule.id, ...rule, objectType: 'rule' })),
      ...(vector.groups ?? []).map((group) => ({ name: group.id, ...group, objectType: 'group' })),
    ],
    { activate: true },
  );
  const file = await rules.export();
  await drop();
  const second = await rules.import(file, { activate: true });
  expect(second.records.every(({ result }) => result === 'created')).toBe(true);
  let text = JSON.stringify(await rules.evaluate(questionOf(vector)));
  const given = new Map(first.records.map(({ id, source }) => [id, source.id]));
  for (const { id = '', source } of second.records) text = text.replaceAll(id, given.get(source.id) ?? '');
  expectVector(vector, JSON.parse(text) as Parameters<typeof expectVector>[1]);
});

/** With the ids of the vector in the place of those that the server gave. */
async function evaluateStored(vector: Vector): Promise<Evaluation> {
  await drop();
  const { groups, rules } = switchyard.client;
  const ids = new Map<string, string>();
  for (const { id, status } of vector.groups ?? []) ids.set(id, (await groups.create({ name: id, status })).id);
  for (const rule of vector.rules) {
    const made = await rules.create({ ...rule, groupId: ids.get(rule.groupId) ?? '' } as unknown as RuleInput);
    ids.set(rule.id, made.id);
  }
  let text = JSON.stringify(await rules.evaluate(questionOf(vector)));
  for (const [given, made] of ids) text = text.replaceAll(made, given);
  return JSON.parse(text) as Evaluation;
}

test('one of each rule type is asked, and some have groups', () => {
  expect(new Set(ONE_OF_EACH.map(([, { rules }]) => rules[0]?.ruleType)).size).toBe(9);
  expect(ONE_OF_EACH.some(([, { groups }]) => groups !== undefined)).toBe(true);
});

test.each(ONE_OF_EACH)('evaluated: %s', async (_, vector) => {
  const drafts = draftQuestionOf(vector) as unknown as EvaluateInput;
  const evaluation =
    vector.groups === undefined ? await switchyard.client.rules.evaluate(drafts) : await evaluateStored(vector);
  expectVector(vector, evaluation);
});
