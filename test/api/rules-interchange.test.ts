/** Import and export of rules over HTTP: what becomes of each record, what is stored, and what is refused as a whole. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RULES_FILE_BYTES_MAX } from '../../src/limits.ts';
import type { Answer } from '../support/server.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

const { server } = await useOwnServer(['--rules-max', '40', '--groups-max', '10']);

const newKey = (): Promise<string> => server.key(newOwner(), 'ann');

const SOURCE = { key: 'Url', operator: 'Contains', value: 'example' };
const cancel = (name: string, members: object = {}) => ({
  objectType: 'rule',
  ruleType: 'Cancel',
  name,
  pairs: [{ id: 'p', source: SOURCE }],
  ...members,
});
const group = (id: string, members: object = {}) => ({ objectType: 'group', id, name: `name of ${id}`, ...members });

const importFile = (key: string, body: unknown, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
  server.request('POST', `/v1/rules/import${query}`, { key, body, headers });

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly groupId: string;
  readonly creationDate: number;
}

async function listed(key: string, path: 'rules' | 'groups' = 'rules'): Promise<readonly Listed[]> {
  return (await server.request('GET', `/v1/${path}?pageSize=75`, { key })).json.data;
}

const namesOf = async (key: string): Promise<string[]> => (await listed(key)).map(({ name }) => name);

async function exported(key: string, query = ''): Promise<{ text: string; headers: Headers }> {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/rules/export${query}`, {
    headers: { 'x-api-key': key },
  });
  expect(response.status).toBe(200);
  return { text: await response.text(), headers: response.headers };
}

interface ImportedRecord {
  readonly kind: string;
  readonly source: { readonly pointer: string; readonly id?: string };
  readonly result: string;
  readonly id?: string;
}

const resultsOf = ({ json }: Answer): string[] => json.data.records.map(({ result }: ImportedRecord) => result);
const codesOf = ({ json }: Answer): string[] =>
  json.data.report.entries.map(
    ({ code, source }: { code: string; source: { pointer: string } }) => `${code} ${source.pointer}`,
  );

/** Two rules of one group and one of none. */
async function ownerWithRules(): Promise<{
  key: string;
  file: string;
  rules: readonly Listed[];
  groups: readonly Listed[];
}> {
  const key = await newKey();
  const answer = await importFile(
    key,
    [
      group('Group_a', { isFavourite: true }),
      cancel('one', { groupId: 'Group_a' }),
      cancel('two'),
      cancel('three', { groupId: 'Group_a', status: 'Inactive' }),
    ],
    '?activate=true',
  );
  expect(answer.status).toBe(200);
  return { key, file: (await exported(key)).text, rules: await listed(key), groups: await listed(key, 'groups') };
}

describe('an import', () => {
  test('stores rules in their groups as inactive, in one commit, and answers what became of each', async () => {
    const key = await newKey();
    const { status, json, headers } = await importFile(key, [
      cancel('one', { id: 'Cancel_1', groupId: 'Group_a' }),
      group('Group_a'),
    ]);
    expect([status, headers.get('etag')]).toEqual([200, null]);
    const [rule] = await listed(key);
    const [made] = await listed(key, 'groups');
    expect(rule).toMatchObject({ name: 'one', status: 'Inactive', groupId: made?.id });
    expect(made).toMatchObject({ name: 'name of Group_a', status: 'Inactive', ruleCount: 1 });
    expect(json.data.records).toEqual([
      { kind: 'rule', source: { pointer: '/0', id: 'Cancel_1' }, result: 'created', id: rule?.id },
      { kind: 'group', source: { pointer: '/1', id: 'Group_a' }, result: 'created', id: made?.id },
    ]);
    expect(json.data.report).toMatchObject({
      format: 'requestly',
      items: { rules: { exact: 0, approximated: 1, dropped: 0 }, groups: { exact: 0, approximated: 1, dropped: 0 } },
      entries: [],
      classes: [{ code: 'rules.inactive', level: 'approximated', count: 2 }],
    });
    const history = (await server.request('GET', '/v1/history', { key })).json.data;
    expect(history).toMatchObject([{ version: 1, command: 'rule.import', recordCount: 2 }]);
  });

  test('with activate keeps the status that the file says', async () => {
    const { rules, groups } = await ownerWithRules();
    expect(rules.map(({ name, status }) => [name, status])).toEqual([
      ['one', 'Active'],
      ['two', 'Active'],
      ['three', 'Inactive'],
    ]);
    expect(groups.map(({ status }) => status)).toEqual(['Active']);
  });

  test('keeps the order of the file, before what is made later, also after a restart', async () => {
    const key = await newKey();
    await importFile(key, [cancel('a'), group('Group_a'), cancel('b'), cancel('c')]);
    await server.request('POST', '/v1/rules', { key, body: cancel('d') });
    await importFile(key, [cancel('e'), cancel('f')]);
    const before = await listed(key);
    expect(before.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await server.restart();
    expect(await listed(key)).toEqual(before);
    const [, b] = before;
    await server.request('DELETE', `/v1/rules/${b?.id}`, { key });
    expect(await namesOf(key)).toEqual(['a', 'c', 'd', 'e', 'f']);
    const evaluated = await server.request('POST', '/v1/rules/evaluate', {
      key,
      body: { request: { url: 'http://example.com/' }, details: 'all' },
    });
    expect(evaluated.json.data.skippedCount + evaluated.json.data.steps.length).toBe(5);
  });

  test('once more with activate activates what the first has made', async () => {
    const key = await newKey();
    const ids = ['a', 'b'].map((each) => `Cancel_${each}${key.slice(-10)}`);
    const file = ids.map((id) => cancel(id, { id }));
    await importFile(key, file);
    const answer = await importFile(key, file, '?activate=true');
    expect(resultsOf(answer)).toEqual(['overwritten', 'overwritten']);
    expect((await listed(key)).map(({ id, status }) => [id, status])).toEqual(ids.map((id) => [id, 'Active']));
    // Of another owner they are taken.
    const other = await newKey();
    expect(codesOf(await importFile(other, file))).toEqual(['rules.new-id /0', 'rules.new-id /1']);
  });

  test('at the same time by two owners gives an id to one of them', async () => {
    const keys = await Promise.all([newKey(), newKey()]);
    const id = `Cancel_same${keys[0]?.slice(-8)}`;
    const file = [cancel('a', { id })];
    const answers = await Promise.all(keys.map((key) => importFile(key, file)));
    const ids = answers.map((answer) => answer.json.data.records[0].id as string);
    expect(ids.filter((each) => each === id)).toHaveLength(1);
  });

  test('duplicates what is there', async () => {
    const { key, file } = await ownerWithRules();
    const answer = await importFile(key, file);
    expect(resultsOf(answer)).toEqual(['created', 'created', 'created', 'created']);
    expect(answer.json.data.report.entries).toEqual([]);
    expect(await namesOf(key)).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
    const [, second] = await listed(key, 'groups');
    expect((await listed(key)).map(({ groupId }) => groupId === second?.id)).toEqual([
      false,
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  test('with skip leaves what is there, and puts rules into the group that is', async () => {
    const { key, file, rules, groups } = await ownerWithRules();
    const changed = [
      ...(JSON.parse(file) as { id: string; name: string }[]),
      cancel('new', { id: 'Cancel_new', groupId: groups[0]?.id }),
    ];
    const answer = await importFile(
      key,
      changed.map((record) => ({ ...record, name: `${record.name}!` })),
      '?onConflict=skip',
    );
    expect(resultsOf(answer)).toEqual(['skipped', 'skipped', 'skipped', 'skipped', 'created']);
    expect(codesOf(answer)).toEqual([]);
    expect(answer.json.data.report.classes).toContainEqual(
      expect.objectContaining({ code: 'rules.skipped', level: 'dropped', count: 4 }),
    );
    const [one, two, three, made] = await listed(key);
    expect([one, two, three]).toEqual(rules);
    expect(made).toMatchObject({ id: 'Cancel_new', name: 'new!', groupId: groups[0]?.id });
  });

  test('with overwrite replaces what is there, and keeps ids, creation and what is active', async () => {
    const { key, file, rules } = await ownerWithRules();
    const changed = (JSON.parse(file) as { name: string; objectType: string }[]).map((record) =>
      record.objectType === 'rule' ? { ...record, name: `${record.name}!`, status: 'Active' } : record,
    );
    const answer = await importFile(key, changed, '?onConflict=overwrite');
    expect(resultsOf(answer)).toEqual(['overwritten', 'overwritten', 'overwritten', 'overwritten']);
    const after = await listed(key);
    expect(after.map(({ id, creationDate, groupId }) => [id, creationDate, groupId])).toEqual(
      rules.map(({ id, creationDate, groupId }) => [id, creationDate, groupId]),
    );
    // The third was inactive, and nothing begins to act by an import.
    expect(after.map(({ name, status }) => [name, status])).toEqual([
      ['one!', 'Active'],
      ['two!', 'Active'],
      ['three!', 'Inactive'],
    ]);
  });

  test('with overwrite gives a record of another owner a new id, and says so', async () => {
    const { key, file, rules } = await ownerWithRules();
    const other = await newKey();
    const answer = await importFile(other, file, '?onConflict=overwrite&activate=true');
    expect(resultsOf(answer)).toEqual(['created', 'created', 'created', 'created']);
    expect(codesOf(answer)).toEqual(['rules.new-id /0', 'rules.new-id /1', 'rules.new-id /2', 'rules.new-id /3']);
    const ids = new Set((await listed(other)).map(({ id }) => id));
    expect(rules.some(({ id }) => ids.has(id))).toBe(false);
    expect(await listed(key)).toEqual(rules);
  });

  test('a second record of one id does not replace the first', async () => {
    const { key, rules } = await ownerWithRules();
    const [one] = rules;
    const answer = await importFile(
      key,
      [cancel('x', { id: one?.id }), cancel('y', { id: one?.id })],
      '?onConflict=overwrite',
    );
    expect(resultsOf(answer)).toEqual(['overwritten', 'created']);
    expect(codesOf(answer)).toEqual(['rules.repeated-id /1']);
    expect(await namesOf(key)).toEqual(['x', 'two', 'three', 'y']);
  });

  test('a rule does not become one of another type', async () => {
    const { key, rules } = await ownerWithRules();
    const delay = cancel('x', { id: rules[0]?.id, ruleType: 'Delay', pairs: [{ source: SOURCE, delay: 1 }] });
    const answer = await importFile(key, [delay], '?onConflict=overwrite');
    expect(answer.json.data.records[0]).toMatchObject({ result: 'refused', details: [{ path: '/ruleType' }] });
    expect(await namesOf(key)).toEqual(['one', 'two', 'three']);
  });

  test('leaves out what POST refuses, with its reasons, and stores the others', async () => {
    const key = await newKey();
    const answer = await importFile(key, [
      cancel('good'),
      cancel('bad', { pairs: [{}] }),
      { ...cancel('s'), ruleType: 'Script' },
    ]);
    expect(resultsOf(answer)).toEqual(['created', 'refused', 'refused']);
    const alone = await server.request('POST', '/v1/rules', { key, body: cancel('bad', { pairs: [{}] }) });
    expect(answer.json.data.records[1].details).toEqual(alone.json.details);
    expect(codesOf(answer)).toEqual(['rules.refused /1', 'requestly.no-scripts /2']);
    expect(await namesOf(key)).toEqual(['good']);
  });

  test('with atomic stores all records or none', async () => {
    const key = await newKey();
    const refused = await importFile(key, [cancel('good'), cancel('bad', { pairs: [{}] })], '?atomic=true');
    expect([refused.status, refused.json.message]).toEqual([400, 'Import is invalid']);
    expect(refused.json.details).toEqual([{ path: '/1/pairs/0/source', message: expect.any(String) }]);
    expect(await namesOf(key)).toEqual([]);
    expect((await importFile(key, [cancel('good')], '?atomic=true')).status).toBe(200);
    expect(await namesOf(key)).toEqual(['good']);
  });

  test('goes as far as the limits of the owner allow', async () => {
    const key = await newKey();
    const rules = Array.from({ length: 42 }, (_, index) => cancel(`r${index}`));
    const groups = Array.from({ length: 11 }, (_, index) => group(`Group_${index}`));
    const atomic = await importFile(key, [...rules, ...groups], '?atomic=true');
    expect([atomic.status, atomic.json.message]).toEqual([403, 'Limit reached: nothing was imported']);
    expect(atomic.json.details[0]).toEqual({ path: '/40', message: 'Limit reached: 40 rules per owner' });
    const answer = await importFile(key, [...rules, ...groups]);
    expect(resultsOf(answer).filter((result) => result === 'created')).toHaveLength(50);
    expect(codesOf(answer)).toEqual(['rules.limit /40', 'rules.limit /41', 'rules.limit /52']);
    expect(await listed(key)).toHaveLength(40);
  });

  test('as a dry run answers the same without ids that do not exist, and stores nothing', async () => {
    const { key, file, rules } = await ownerWithRules();
    const more = [...(JSON.parse(file) as object[]), cancel('new')];
    const dry = await importFile(key, more, '?onConflict=overwrite&dryRun=true');
    expect(await listed(key)).toEqual(rules);
    const real = await importFile(key, more, '?onConflict=overwrite');
    const { id: made, ...last } = real.json.data.records[4];
    expect(made).toMatch(/^Cancel_/);
    expect(dry.json.data).toEqual({ ...real.json.data, records: [...real.json.data.records.slice(0, 4), last] });
  });

  test('is repeated by its key with the first answer, and no second effect', async () => {
    const key = await newKey();
    const headers = { 'idempotency-key': 'once' };
    const first = await importFile(key, [cancel('one'), cancel('bad', { pairs: [] })], '', headers);
    const again = await importFile(key, [cancel('one'), cancel('bad', { pairs: [] })], '', headers);
    expect(again.json).toEqual(first.json);
    expect(await namesOf(key)).toEqual(['one']);
    expect((await importFile(key, [cancel('two')], '', headers)).status).toBe(422);
    const otherOptions = await importFile(
      key,
      [cancel('one'), cancel('bad', { pairs: [] })],
      '?activate=true',
      headers,
    );
    expect(otherOptions.status).toBe(422);
  });

  test('takes YAML and our own file, of any media type', async () => {
    const key = await newKey();
    const yaml =
      'switchyard: 1\nkind: rules\nrules:\n  - name: one\n    ruleType: Cancel\n    colour: red\n    pairs: [{source: {key: Url, operator: Contains, value: a}}]\n';
    for (const type of [
      'application/yaml',
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/octet-stream',
    ]) {
      const answer = await importFile(key, yaml, '?activate=true', { 'content-type': type });
      expect(answer.json.data.report, type).toMatchObject({
        format: 'switchyard',
        entries: [{ code: 'import.unknown', source: { pointer: '/rules/0/colour', line: 6 } }],
      });
    }
    expect(await namesOf(key)).toEqual(['one', 'one', 'one', 'one']);
  });

  test.each([
    [
      'broken JSON',
      '[{"a":}]',
      400,
      'Import is invalid',
      'not valid JSON: expected a value (line 1, column 7: [{"a":}])',
    ],
    ['deep JSON', '['.repeat(100_000), 400, 'Import is invalid', /nested more than 64 levels/],
    [
      'a bomb of aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
        .split('')
        .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[index]}`).join()}]\n`)
        .join('')}`,
      400,
      'Import is invalid',
      /aliases/,
    ],
    ['UTF-16', Buffer.from('\ufeff[]', 'utf16le'), 400, 'Import is invalid', /UTF-16/],
    ['a zip archive', 'PK\u0003\u0004', 415, 'Unsupported media type', /zip/],
    ['another format', '{"a":1}', 400, 'Import is invalid', 'unknown format; supported are switchyard, requestly'],
    ['a mock', '{"switchyard":1,"kind":"mock"}', 400, 'Import is invalid', /^this is a mock file/],
    ['an empty body', '', 400, 'Import is invalid', 'the body must be a file'],
    // reaches RULES_FILE_BYTES_MAX
    ['a large file', Buffer.alloc(RULES_FILE_BYTES_MAX + 1, 32), 413, 'Payload too large', /bytes/],
  ])('%s is refused, with its place', async (_name, body, status, message, detail) => {
    const key = await newKey();
    const answer = await importFile(key, body);
    expect([answer.status, answer.json.message]).toEqual([status, message]);
    expect(answer.json.details[0].message).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
    expect(await namesOf(key)).toEqual([]);
  });

  test.each(['?onConflict=replace', '?activate=yes', '?onconflict=skip', '?atomic=true&atomic=false'])(
    'the query %s is refused',
    async (query) => {
      const key = await newKey();
      const answer = await importFile(key, [cancel('one')], query);
      expect([answer.status, answer.json.message]).toEqual([400, 'Bad Request']);
      expect(await namesOf(key)).toEqual([]);
    },
  );

  test('is for editors, an export for viewers too', async () => {
    const { key, rules } = await ownerWithRules();
    const { ownerId } = (await server.request('GET', '/v1/me', { key })).json.data;
    const viewer = await server.key(ownerId, 'vic', 'viewer');
    expect((await importFile(viewer, [cancel('one')])).status).toBe(401);
    expect((await exported(viewer)).text).toBe((await exported(key)).text);
    expect(await listed(key)).toEqual(rules);
  });
});

describe('an export', () => {
  test('is a file of rules, then of groups', async () => {
    const { key, rules, groups } = await ownerWithRules();
    const { text, headers } = await exported(key);
    expect(headers.get('content-disposition')).toBe('attachment; filename="requestly_rules.json"');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    const file = JSON.parse(text) as { id: string }[];
    expect(text).toBe(JSON.stringify(file, undefined, 2));
    expect(file.map(({ id }) => id)).toEqual([...rules, ...groups].map(({ id }) => id));
    expect(file[3]).toMatchObject({ objectType: 'group', isFavourite: true, children: [] });
    expect(file[0]).not.toHaveProperty('isFavourite');
  });

  test('holds the rules that are named, with their groups', async () => {
    const { key, rules, groups } = await ownerWithRules();
    const [one, two, three] = rules;
    const [made] = groups;
    const idsOf = async (query: string) =>
      (JSON.parse((await exported(key, query)).text) as Listed[]).map(({ id }) => id);
    expect(await idsOf(`?ids=${two?.id},${one?.id}`)).toEqual([one?.id, two?.id, made?.id]);
    expect(await idsOf(`?ids=${two?.id}`)).toEqual([two?.id]);
    expect(await idsOf(`?groupIds=${made?.id}`)).toEqual([one?.id, three?.id, made?.id]);
    expect(await idsOf('?groupIds=')).toEqual([two?.id]);
    expect(await idsOf(`?groupIds=${made?.id}&ids=${two?.id}`)).toEqual([one?.id, two?.id, three?.id, made?.id]);
  });

  test.each([
    ['ids=Cancel_none', 404, 'Rule not found', 'ids'],
    ['groupIds=,Group_none', 404, 'Group not found', 'groupIds'],
    ['format=har', 400, 'Bad Request', 'format'],
    ['id=x', 400, 'Bad Request', 'id'],
  ])('of %s is refused', async (query, status, message, path) => {
    const answer = await server.request('GET', `/v1/rules/export?${query}`, { key: await newKey() });
    expect([answer.status, answer.json.message, answer.json.details[0].path]).toEqual([status, message, path]);
  });

  test('of records of another owner is refused', async () => {
    const { rules, groups } = await ownerWithRules();
    const key = await newKey();
    for (const query of [`ids=${rules[0]?.id}`, `groupIds=${groups[0]?.id}`])
      expect((await server.request('GET', `/v1/rules/export?${query}`, { key })).status).toBe(401);
  });

  test('that could not be imported is refused', async () => {
    const key = await newKey();
    const value = 'x'.repeat(900_000);
    for (let count = 0; count < 12; count++) {
      const body = { name: 'large', ruleType: 'Response', pairs: [{ type: 'static', value }] };
      expect((await server.request('POST', '/v1/rules', { key, body })).status).toBe(200);
    }
    const answer = await server.request('GET', '/v1/rules/export', { key });
    expect([answer.status, answer.json.message]).toEqual([
      403,
      'Limit reached: 10000000 bytes per export; name some rules by ids or groupIds',
    ]);
  });

  const texts = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `n${text.toWellFormed()}`);
  const sources = fc
    .tuple(texts, fc.constantFrom(undefined, null, {}, [], { requestMethod: ['GET'] }, [{ resourceType: ['script'] }]))
    .map(([value, filters]) => ({
      key: 'Url',
      operator: 'Contains',
      value,
      ...(filters === undefined ? {} : { filters }),
    }));
  // A member of that name is refused.
  const more = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('"__proto__":'));
  const pairs = fc.array(fc.record({ source: sources, more }), {
    minLength: 1,
    maxLength: 3,
  });
  const payloads = fc.array(
    fc.record({
      name: texts,
      description: texts,
      status: fc.constantFrom('Active', 'Inactive'),
      pairs,
      isGrouped: fc.boolean(),
    }),
    { maxLength: 5 },
  );

  test.each(['requestly', 'switchyard'])(
    'as %s is imported over what is there, and exported as it was but for dates',
    async (format) => {
      const withoutDates = ({ text }: { text: string }): string => text.replaceAll(/"modificationDate": \d+/g, '');
      await fc.assert(
        fc.asyncProperty(payloads, async (rules) => {
          const key = await newKey();
          const made = await server.request('POST', '/v1/groups', { key, body: { name: 'Shop', isFavourite: true } });
          for (const { isGrouped, ...rule } of rules) {
            const body = { ...rule, ruleType: 'Cancel', ...(isGrouped ? { groupId: made.json.data.id } : {}) };
            expect((await server.request('POST', '/v1/rules', { key, body })).status).toBe(200);
          }
          const before = await exported(key, `?format=${format}`);
          const answer = await importFile(key, before.text, '?onConflict=overwrite');
          expect(resultsOf(answer)).toEqual(Array.from({ length: rules.length + 1 }, () => 'overwritten'));
          // A source at random may be one that no request matches.
          expect(codesOf(answer).filter((code) => !code.startsWith('rules.pattern'))).toEqual([]);
          expect(withoutDates(await exported(key, `?format=${format}`))).toBe(withoutDates(before));
        }),
        { numRuns: 8 },
      );
    },
  );
});
