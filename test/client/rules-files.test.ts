/** Files of rules through the client: imported as text, bytes or content, and exported. */
import { startSwitchyard, type Switchyard } from 'switchyard';
import { afterAll, beforeAll, expect, test } from 'vitest';

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
