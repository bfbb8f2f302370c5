/** Files of rules through the client: imported as text, bytes or content, and exported; what they do stays the same. */
import { startSwitchyard, type Switchyard } from 'switchyard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectVector, NAMED, questionOf } from '../support/gateway-vectors.ts';

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

test.each(NAMED)('imported, exported and imported again does the same: %s', async (_, vector) => {
  const { rules, groups } = switchyard.client;
  const drop = async (): Promise<void> => {
    for (const { id } of (await rules.list({ pageSize: 75 })).records) await rules.delete(id);
    for (const { id } of (await groups.list({ pageSize: 75 })).records) await groups.delete(id);
  };
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
