/** What rules and groups show of each other: `effectiveStatus`, `warnings`, `ruleCount`, `activeRuleCount`. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RULE_WARNINGS_WORK_MAX, WARNINGS_MAX } from '../../src/limits.ts';
import { runs } from '../support/effort.ts';
import { rulePayload, SOURCE } from '../support/samples.ts';
import type { Answer } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server, key } = await useOwnServer();

const send = (method: string, path: string, body?: unknown, headers = {}, as = key): Promise<Answer> =>
  server.request(method, `/v1/${path}`, { key: as, body, headers });

async function sent(method: string, path: string, body?: unknown, as = key) {
  const answer = await send(method, path, body, {}, as);
  expect(answer.status).toBe(200);
  return answer.json.data;
}

const group = (more = {}) => sent('POST', 'groups', { name: 'g', ...more });
const rule = (more = {}) => sent('POST', 'rules', rulePayload('Cancel', more));
const matching = (value: string) => ({ source: { ...SOURCE, operator: 'Matches', value } });

describe('effectiveStatus', () => {
  test.each([
    ['Active', 'Active', 'Active'],
    ['Active', 'Inactive', 'Inactive'],
    ['Inactive', 'Active', 'Inactive'],
    ['Inactive', 'Inactive', 'Inactive'],
  ])('of a rule that is %s in a group that is %s is %s', async (status, ofGroup, effectiveStatus) => {
    const groupId = (await group({ status: ofGroup })).id;
    const made = await rule({ status, groupId });
    expect(made).toMatchObject({ status, effectiveStatus });
    expect(await sent('GET', `rules/${made.id}`)).toEqual(made);
    expect(await sent('PUT', `rules/${made.id}`, made)).toMatchObject({ status, effectiveStatus, groupId });
    for (const query of [`groupId=${groupId}`, 'pageSize=75']) {
      const listed = (await sent('GET', `rules?${query}`)).at(-1);
      expect(listed).toMatchObject({ id: made.id, status, effectiveStatus });
    }
  });

  test('follows the group, which leaves the rule and its ETag as they are', async () => {
    const { id: groupId } = await group();
    const { id } = await rule({ groupId });
    const before = await send('GET', `rules/${id}`);
    await sent('PUT', `groups/${groupId}`, { name: 'g', status: 'Inactive' });
    const off = await send('GET', `rules/${id}`);
    expect(off.json.data).toEqual({ ...before.json.data, effectiveStatus: 'Inactive' });
    const etag = off.headers.get('etag') as string;
    expect(etag).toBe(before.headers.get('etag'));
    // What was read is sent back whole, as it was before and as it is now.
    expect((await send('PUT', `rules/${id}`, before.json.data, { 'if-match': etag })).status).toBe(200);
    expect(await sent('PUT', `rules/${id}`, off.json.data)).toMatchObject({
      status: 'Active',
      effectiveStatus: 'Inactive',
    });
    await send('DELETE', `groups/${groupId}`);
    expect(await sent('GET', `rules/${id}`)).toMatchObject({ effectiveStatus: 'Active', groupId: '' });
  });
});

test('a group counts its rules, apart from its ETag, and what was read may be sent back', async () => {
  const made = await send('POST', 'groups', { name: 'g' });
  const { id } = made.json.data;
  const first = await rule({ groupId: id });
  await rule({ groupId: id, status: 'Inactive' });
  await rule();
  const read = await send('GET', `groups/${id}`);
  expect(read.json.data).toMatchObject({ ruleCount: 2, activeRuleCount: 1 });
  expect(read.headers.get('etag')).toBe(made.headers.get('etag'));
  const etag = made.headers.get('etag') as string;
  const changed = await send('PUT', `groups/${id}`, { ...read.json.data, status: 'Inactive' }, { 'if-match': etag });
  expect(changed.json.data).toMatchObject({ status: 'Inactive', ruleCount: 2, activeRuleCount: 0 });
  await sent('DELETE', `rules/${first.id}`);
  for (const query of ['pageSize=75', 'status=Inactive&pageSize=75']) {
    const listed = (await sent('GET', `groups?${query}`)).at(-1);
    expect(listed).toMatchObject({ id, ruleCount: 1, activeRuleCount: 0 });
  }
});

test('a repetition gets what the first answer showed, whatever the group is now, also after a restart', async () => {
  const { id: groupId } = await group();
  const once = (path: string, body: unknown) => send('POST', path, body, { 'idempotency-key': 'shown' });
  const payload = rulePayload('Cancel', { groupId, pairs: [matching('(?=a)')] });
  const first = [await once('rules', payload), await once('groups', { name: 'once' })];
  expect(first.map(({ status }) => status)).toEqual([200, 200]);
  const [made, second] = first.map(({ json }) => json.data);
  await rule({ groupId: second.id });
  await sent('PUT', `groups/${groupId}`, { name: 'g', status: 'Inactive' });
  expect((await sent('GET', `rules/${made.id}`)).effectiveStatus).toBe('Inactive');
  await server.restart('SIGKILL');
  const again = [await once('rules', payload), await once('groups', { name: 'once' })];
  expect(again.map(({ json }) => json)).toEqual(first.map(({ json }) => json));
  expect(again.map(({ headers }) => headers.get('etag'))).toEqual(first.map(({ headers }) => headers.get('etag')));
});

test('an active rule is Unsupported while no pair can act because of its patterns, wherever it is shown', async () => {
  const made = await rule({ pairs: [matching('(?=a)')] });
  expect(made).toMatchObject({ status: 'Active', effectiveStatus: 'Unsupported' });
  expect(made.warnings[0].warning).toMatch(/^this pair stays off: /);
  expect((await sent('GET', 'rules?pageSize=75')).at(-1)).toMatchObject({ effectiveStatus: 'Unsupported' });
  const patch = (more: object) => sent('PATCH', `rules/${made.id}`, more);
  expect((await patch({ status: 'Inactive' })).effectiveStatus).toBe('Inactive');
  // A pair that can act is enough; and a filter of the page holds for requests that name none.
  const some = await patch({ status: 'Active', pairs: [matching('(?=a)'), matching('b')] });
  expect(some).toMatchObject({ effectiveStatus: 'Active', warnings: [{ path: '/pairs/0/source/value' }] });
  const filters = [{ pageUrl: { operator: 'Matches', value: '(?=a)' } }];
  expect((await patch({ pairs: [{ source: { ...SOURCE, filters } }] })).effectiveStatus).toBe('Active');
});

describe('warnings', () => {
  test('are in the answers of create, read and update, while a pattern keeps the rule off', async () => {
    const warnings = [{ pairId: 'p', path: '/pairs/0/source/value', warning: expect.stringMatching(/look-around/) }];
    const made = await rule({ pairs: [{ ...matching('(?!a)b'), id: 'p' }] });
    expect(made.warnings).toEqual(warnings);
    for (let times = 0; times < 2; times++) expect(await sent('GET', `rules/${made.id}`)).toEqual(made);
    expect((await sent('PUT', `rules/${made.id}`, made)).warnings).toEqual(warnings);
    expect((await sent('GET', 'rules?pageSize=75')).at(-1)).not.toHaveProperty('warnings');
    const mended = await sent('PUT', `rules/${made.id}`, { ...made, pairs: [{ ...matching('b'), id: 'p' }] });
    expect(mended).not.toHaveProperty('warnings');
    expect(await sent('GET', `rules/${made.id}`)).not.toHaveProperty('warnings');
  });

  // reaches RULE_WARNINGS_WORK_MAX
  test('are bounded in count, in bytes and in the work of finding them', async () => {
    const many = await rule({ pairs: Array.from({ length: 1_000 }, () => matching('(?=a)')) });
    expect(many.warnings).toHaveLength(WARNINGS_MAX);

    const id = 'i'.repeat(500_000);
    const filters = Array.from({ length: 50 }, () => ({ pageUrl: { operator: 'Matches', value: '(?=a)' } }));
    const long = await rule({ pairs: [{ id, source: { ...SOURCE, filters } }] });
    expect(long.warnings).toHaveLength(Math.ceil((RULE_WARNINGS_WORK_MAX + 1) / id.length));

    // The last pattern has a look-around: those before it use the budget up.
    const heavy = Array.from({ length: 100 }, (_each, index) => matching(`x{${900 - index}}`));
    const slow = await rule({ pairs: [...heavy, matching('(?=a)')] });
    expect(slow).not.toHaveProperty('warnings');
    expect((await rule({ pairs: [...heavy.slice(0, 2), matching('(?=a)')] })).warnings).toHaveLength(1);
  });
});

const OPERATION = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'edit', 'edit', 'remove', 'addGroup', 'toggle', 'removeGroup'),
  at: fc.nat(),
  group: fc.nat(),
  status: fc.constantFrom('Active', 'Inactive'),
});

test('counts and effective states hold for any sequence of requests, also after the owner is loaded again', async () => {
  const keys: string[] = [];
  const lists = async (as: string) => [
    await sent('GET', 'rules?pageSize=75', undefined, as),
    await sent('GET', 'groups?pageSize=75', undefined, as),
    // A filtered list is made in another way.
    await sent('GET', 'rules?pageSize=75&q=cancel', undefined, as),
    await sent('GET', 'groups?pageSize=75&q=g', undefined, as),
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(OPERATION, { minLength: 20, maxLength: 60 }), async (operations) => {
      const as = await server.key(`owner${keys.length}`);
      keys.push(as);
      for (const { kind, at, group: ofGroup, status } of operations) {
        const [rules, groups, ...filtered] = await lists(as);
        expect(filtered).toEqual([rules, groups]);
        for (const { effectiveStatus, groupId, ...each } of rules) {
          const isOff = groups.some(
            (own: { id: string; status: string }) => own.id === groupId && own.status !== 'Active',
          );
          expect(effectiveStatus).toBe(isOff ? 'Inactive' : each.status);
        }
        for (const { id, ruleCount, activeRuleCount } of groups) {
          const own = rules.filter(({ groupId }: { groupId: string }) => groupId === id);
          const active = own.filter(({ effectiveStatus }: { effectiveStatus: string }) => effectiveStatus === 'Active');
          expect([ruleCount, activeRuleCount]).toEqual([own.length, active.length]);
        }
        const one = rules[at % Math.max(rules.length, 1)]?.id;
        const groupId = groups[ofGroup % (groups.length + 1)]?.id ?? '';
        const body = rulePayload('Cancel', { status, groupId });
        if (kind === 'addGroup') await sent('POST', 'groups', { name: 'g', status }, as);
        else if (kind === 'add') await sent('POST', 'rules', body, as);
        else if (kind === 'edit' && one) await sent('PUT', `rules/${one}`, body, as);
        else if (kind === 'remove' && one) await send('DELETE', `rules/${one}`, undefined, {}, as);
        else if (kind === 'toggle' && groupId) await sent('PUT', `groups/${groupId}`, { name: 'g', status }, as);
        else if (groupId) await send('DELETE', `groups/${groupId}`, undefined, {}, as);
      }
    }),
    { numRuns: runs(12) },
  );
  const before = await Promise.all(keys.map(lists));
  await server.restart('SIGKILL');
  expect(await Promise.all(keys.map(lists))).toEqual(before);
}, 60_000);
