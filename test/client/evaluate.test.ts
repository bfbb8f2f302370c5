/** The table of what rules do, through the client: with groups and their rules stored, all others as drafts. */
import { startSwitchyard, type EvaluateInput, type Evaluation, type RuleInput, type Switchyard } from 'switchyard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draftQuestionOf, expectVector, NAMED, questionOf, VECTORS, type Vector } from '../support/gateway-vectors.ts';

let switchyard: Switchyard;
beforeAll(async () => {
  switchyard = await startSwitchyard();
});
afterAll(() => switchyard?.stop());

/** With the ids of the vector in the place of those that the server gave. */
async function evaluateStored(vector: Vector): Promise<Evaluation> {
  const { groups, rules } = switchyard.client;
  const ids = new Map<string, string>();
  for (const { id, status } of vector.groups ?? []) ids.set(id, (await groups.create({ name: id, status })).id);
  for (const rule of vector.rules) {
    const made = await rules.create({ ...rule, groupId: ids.get(rule.groupId) ?? '' } as unknown as RuleInput);
    ids.set(rule.id, made.id);
  }
  let text = JSON.stringify(await rules.evaluate(questionOf(vector)));
  for (const [given, made] of ids) text = text.replaceAll(made, given);
  for (const { id } of vector.rules) await rules.delete(ids.get(id) as string);
  for (const { id } of vector.groups ?? []) await groups.delete(ids.get(id) as string);
  return JSON.parse(text) as Evaluation;
}

test('some vectors have groups', () => {
  expect(VECTORS.filter(({ groups }) => groups !== undefined).length).toBeGreaterThan(0);
});

test.each(NAMED)('%s', async (_, vector) => {
  const drafts = draftQuestionOf(vector) as unknown as EvaluateInput;
  const evaluation =
    vector.groups === undefined ? await switchyard.client.rules.evaluate(drafts) : await evaluateStored(vector);
  expectVector(vector, evaluation);
});
