/** Bounds in memory that only many clients reach together: what is over one is refused with 503 and Retry-After, others are served. */
import { KEYS_CACHED_MAX } from '../../src/http/admission/auth.ts';
import { expect, test } from 'vitest';
import { Auth } from '../../src/http/admission/auth.ts';
import { SANDBOX_TASKS_PER_OWNER_MAX, STREAMS_MAX, STREAMS_PER_OWNER_MAX } from '../../src/limits.ts';
import { digestSecret } from '../../src/model/api-key.ts';
import type { ApiKey } from '../../src/store/store.ts';
import { knownKey, RawConnection, rawRequest } from '../support/raw-http.ts';
import { rulePayload } from '../support/samples.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server } = await useOwnServer(['--text-max', '1000000', '--log-level', 'warn']);

const keyed = (key: string): string[] => ['Host: 127.0.0.1', `x-api-key: ${key}`];

/** The status of an answer whose body may go on for ever, or is not read. */
async function statusOf(connection: RawConnection): Promise<number> {
  for (;;) {
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(connection.rest.toString('latin1', 0, 100))?.[1];
    if (status !== undefined) return Number(status);
    if (connection.closed) return 0;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// reaches STREAMS_MAX, STREAMS_PER_OWNER_MAX
test('streams are bounded, of one owner and in all', async () => {
  const open: RawConnection[] = [];
  /** @returns The statuses of one more stream than an owner may have. */
  const follow = async (owner: string, count: number): Promise<number[]> => {
    const key = await knownKey(server, owner);
    const { json } = await server.request('POST', '/v1/mocks', { key, body: { name: 'm' } });
    const request = rawRequest(`GET /v1/mocks/${json.data.id}/requests/stream HTTP/1.1`, keyed(key));
    const connections = await Promise.all(Array.from({ length: count }, () => RawConnection.open(server.port)));
    open.push(...connections);
    await Promise.all(connections.map((connection) => connection.write(request)));
    // They are taken in any order: which of them is over is not said.
    return (await Promise.all(connections.map(statusOf))).toSorted((one, other) => one - other);
  };
  const own = Array.from({ length: STREAMS_PER_OWNER_MAX }, () => 200);
  const full = STREAMS_MAX / STREAMS_PER_OWNER_MAX;
  for (let owner = 1; owner < full; owner++) {
    expect(await follow(`streams${owner}`, STREAMS_PER_OWNER_MAX + 1)).toEqual([...own, 503]);
  }
  const fourth = await follow(`streams${full}`, STREAMS_PER_OWNER_MAX);
  expect(fourth.filter((status) => status === 200)).toHaveLength(STREAMS_PER_OWNER_MAX / 2);
  expect(await follow('late', 1)).toEqual([200]);
  await Promise.all(open.map((connection) => connection.close()));
});

// reaches SANDBOX_TASKS_PER_OWNER_MAX
test('checks that wait for the thread are bounded for one owner, and another is checked', async () => {
  const [key, other] = [await knownKey(server, 'checks'), await knownKey(server, 'checks-too')];
  const pairs = [{ source: { key: 'Url', operator: 'Matches', value: String.raw`/^\p{Lu}+$/u` } }];
  const send = (by: string) => server.request('POST', '/v1/rules', { key: by, body: rulePayload('Cancel', { pairs }) });
  const many = Array.from({ length: SANDBOX_TASKS_PER_OWNER_MAX * 4 }, () => send(key));
  const [answers, another] = await Promise.all([Promise.all(many), send(other)]);
  const refused = answers.filter(({ status }) => status === 503);
  expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(answers.length);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers, json } of refused) {
    expect(headers.get('retry-after')).toBe('1');
    expect(json.message).toBe('Service overloaded');
  }
  expect(another.status).toBe(200);
});

// reaches KEYS_CACHED_MAX
test('keys are remembered up to a number, and found again beyond it', () => {
  const secret = 's'.repeat(43);
  const records = new Map<string, ApiKey>();
  const presented = Array.from({ length: KEYS_CACHED_MAX + 1 }, (_, index) => {
    const keyId = `k${String(index).padStart(11, '0')}`;
    records.set(keyId, {
      keyId,
      ownerId: 'o',
      userId: 'u',
      role: 'editor',
      secretDigest: digestSecret(secret),
      creationDate: 0,
      revocationDate: null,
      origin: 'command',
    });
    return `sy_${keyId}_${secret}`;
  });
  let looked = 0;
  const keys = {
    find(keyId: string) {
      looked++;
      return records.get(keyId);
    },
    generation: () => 1,
  };
  const auth = new Auth(keys, Date.now);
  for (const key of presented) expect(auth.authenticate(key)?.ownerId).toBe('o');
  expect(looked).toBe(presented.length);
  // The last one made room for itself; the one before it was let go of.
  auth.authenticate(presented.at(-1));
  expect(looked).toBe(presented.length);
  expect(auth.authenticate(presented.at(-2))?.ownerId).toBe('o');
  expect(looked).toBe(presented.length + 1);
  auth.stop();
});
