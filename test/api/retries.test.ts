/** Concurrency and retries over HTTP: ETag and If-Match, Idempotency-Key; docs/api.md, "Choices". */
import { describe, expect, test } from 'vitest';
import { rulePayload } from '../support/samples.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

const { server, owner, key } = await useOwnServer();

/** Of each resource, repeated once more when the server has been restarted. */
const repetitions: (() => Promise<void>)[] = [];

const BODY = { rules: rulePayload(), groups: { name: 'g' } };

describe.each(['rules', 'groups'] as const)('%s: If-Match', (resource) => {
  const create = () => server.request('POST', `/v1/${resource}`, { key, body: BODY[resource] });
  const send = (method: string, id: string, ifMatch: string) =>
    server.request(method, `/v1/${resource}/${id}`, {
      key,
      ...(method === 'PUT' ? { body: BODY[resource] } : {}),
      headers: { 'if-match': ifMatch },
    });

  test('holds for the current ETag, for *, and for a list that names it', async () => {
    const made = await create();
    const { id } = made.json.data;
    let etag = made.headers.get('etag') as string;
    for (const ifMatch of [etag, '*', `"x", ${etag}`]) {
      const answer = await send('PUT', id, ifMatch.replace(made.headers.get('etag') as string, etag));
      expect(answer.status).toBe(200);
      etag = answer.headers.get('etag') as string;
    }
    expect((await send('DELETE', id, etag)).status).toBe(200);
  });

  test('fails for an old ETag, another one, and a weak one, and changes nothing', async () => {
    const made = await create();
    const { id } = made.json.data;
    const old = made.headers.get('etag') as string;
    const current = (await send('PUT', id, old)).headers.get('etag') as string;
    for (const ifMatch of [old, '"nonsense"', `W/${current}`, '']) {
      for (const method of ['PUT', 'DELETE']) {
        const answer = await send(method, id, ifMatch);
        expect(answer.status).toBe(412);
        expect(answer.json).toEqual({ success: false, message: 'Precondition failed' });
      }
    }
    expect((await server.request('GET', `/v1/${resource}/${id}`, { key })).headers.get('etag')).toBe(current);
  });

  test('lets exactly one of many concurrent writers through', async () => {
    const made = await create();
    const etag = made.headers.get('etag') as string;
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('PUT', made.json.data.id, etag)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
    expect(answers.filter(({ status }) => status === 412).length).toBe(49);
  });
});

describe.each(['rules', 'groups'] as const)('%s: Idempotency-Key', (resource) => {
  const create = (idempotencyKey: string, body: unknown = BODY[resource], as = key) =>
    server.request('POST', `/v1/${resource}`, { key: as, body, headers: { 'idempotency-key': idempotencyKey } });
  const total = async () => (await server.request('GET', `/v1/${resource}`, { key })).json.total;

  test('a repetition gets the first answer and has no second effect, also after changes and, below, a restart', async () => {
    const before = await total();
    const first = await create('a');
    expect(first.status).toBe(200);
    await server.request('PUT', `/v1/${resource}/${first.json.data.id}`, {
      key,
      body: { ...BODY[resource], name: 'changed' },
    });
    const repeat = async () => {
      const totalBefore = await total();
      const again = await create('a');
      expect(again.status).toBe(200);
      expect(again.json).toEqual(first.json);
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(await total()).toBe(totalBefore);
    };
    await repeat();
    expect(await total()).toBe(before + 1);
    repetitions.push(repeat);
  });

  test('concurrent duplicates have one effect', async () => {
    const before = await total();
    const answers = await Promise.all(Array.from({ length: 40 }, () => create('b')));
    expect(new Set(answers.map(({ json }) => json.data.id)).size).toBe(1);
    expect(await total()).toBe(before + 1);
  });

  test('with another body is 422', async () => {
    await create('c');
    const answer = await create('c', { ...BODY[resource], name: 'another' });
    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({ success: false, message: 'Idempotency-Key reused' });
  });

  test('belongs to one user of one owner', async () => {
    const ids = new Set<string>();
    for (const as of [key, await server.key(owner, 'bob'), await server.key(newOwner(), 'ann')]) {
      ids.add((await create('d', BODY[resource], as)).json.data.id);
    }
    expect(ids.size).toBe(3);
  });

  test('of a refused request is free for another try', async () => {
    expect((await create('e', {})).status).toBe(400);
    expect((await create('e')).status).toBe(200);
  });

  // reaches IDEMPOTENCY_KEY_CHARS_MAX
  test.each(['', 'x'.repeat(256)])('of %j is a bad request', async (idempotencyKey) => {
    const answer = await create(idempotencyKey);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ message: 'Bad Request', details: [{ path: 'Idempotency-Key' }] });
  });

  test('of 255 characters is taken', async () => {
    expect((await create('y'.repeat(255))).status).toBe(200);
  });
});

test('the same key on rules and on groups are two', async () => {
  for (const resource of ['rules', 'groups'] as const) {
    const answer = await server.request('POST', `/v1/${resource}`, {
      key,
      body: BODY[resource],
      headers: { 'idempotency-key': 'both' },
    });
    expect(answer.status).toBe(200);
  }
});

test('a repetition after a restart gets the first answer and has no second effect', async () => {
  expect(repetitions).toHaveLength(2);
  await server.restart();
  for (const repeat of repetitions) await repeat();
});
