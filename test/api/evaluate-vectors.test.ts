/** The table of what rules do, over HTTP: with the rules stored, and as drafts. Both must say the same. */
import { expect, test } from 'vitest';
import type { Evaluation } from '../../src/client/shapes.ts';
import { draftQuestionOf, expectVector, ONE_OF_EACH, questionOf, type Vector } from '../support/gateway-vectors.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();

async function request(method: string, path: string, body?: unknown) {
  const { status, json } = await server.request(method, `/v1${path}`, { key, body });
  expect(status, JSON.stringify(json)).toBe(200);
  return json.data;
}

/** Stored ids by the vector's. */
async function store({ groups = [], rules }: Vector): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const { id, status } of groups) {
    ids.set(id, (await request('POST', '/groups', { name: id, status })).id);
  }
  for (const rule of rules) {
    const groupId = ids.get(rule.groupId) ?? '';
    ids.set(rule.id, (await request('POST', '/rules', { ...rule, groupId })).id);
  }
  return ids;
}

/** With the vector's ids, and without what is another each time. */
function comparable(evaluation: Evaluation, ids: ReadonlyMap<string, string>): Evaluation {
  let text = JSON.stringify(evaluation, (name, value: unknown) =>
    name === 'pairId' || name === 'version' ? undefined : value,
  );
  for (const [given, stored] of ids) text = text.replaceAll(stored, given);
  return JSON.parse(text) as Evaluation;
}

// All of one owner, one after the other: each evaluation also sees that the rules of the one before are gone.
test.each(ONE_OF_EACH)('%s', async (_, vector) => {
  const ids = await store(vector);
  const stored = comparable(await request('POST', '/rules/evaluate', questionOf(vector)), ids);
  expectVector(vector, stored);
  const drafts = await request('POST', '/rules/evaluate', draftQuestionOf(vector));
  expectVector(vector, drafts);
  expect(comparable(drafts, new Map())).toEqual(stored);
  for (const id of ids.values()) await request('DELETE', id.startsWith('Group_') ? `/groups/${id}` : `/rules/${id}`);
});
