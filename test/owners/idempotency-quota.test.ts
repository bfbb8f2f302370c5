/** The bytes of answers that one owner may have kept for repetitions: counted through restarts, let go of with time. */
import { expect, test } from 'vitest';
import { isRefusal, type Refusal } from '../../src/errors.ts';
import { RETENTION_SLOT_MS, DEFAULT_LIMITS, IDEMPOTENCY_RETENTION_MS } from '../../src/limits.ts';
import { createGroup } from '../../src/model/decide-group.ts';
import { groupParser } from '../../src/model/group-payload.ts';
import type { Group } from '../../src/model/group.ts';
import { OwnerDirectory } from '../../src/owners/owner-directory.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { temporaryDirectory } from '../support/server.ts';

const create = createGroup(groupParser(DEFAULT_LIMITS));
const MAX = 20_000;
/** Some ten of its answers fit. */
const NAME = 'n'.repeat(1_000);

class Service {
  now = 1_000 * IDEMPOTENCY_RETENTION_MS;
  readonly directory = temporaryDirectory();
  store = LmdbStore.open(this.directory);
  owners = this.#directory();

  #directory(): OwnerDirectory {
    return new OwnerDirectory({
      store: this.store,
      limitsOf: () => ({ ...DEFAULT_LIMITS, keptAnswerBytesMax: MAX }),
      clock: () => this.now,
      onDiscarded: (_actor, error) => {
        throw error as Error;
      },
      onDateAhead: () => undefined,
      onReplyError: (error) => {
        throw error as Error;
      },
    });
  }

  /** Without `key` the request may not be repeated. */
  create(key?: string, ownerId = 'acme'): Promise<Group | Refusal> {
    const principal = { keyId: 'k', ownerId, userId: 'ann', role: 'editor' } as const;
    const repeatable = key === undefined ? undefined : { key: `${ownerId} ${key}`, bodyDigest: 'd' };
    return new Promise((resolve) =>
      this.owners.command(create, { body: { name: NAME } }, principal, resolve, repeatable),
    );
  }

  /** Creates with a key each until it is refused. @returns How many went through. */
  async fill(prefix: string): Promise<number> {
    for (let count = 0; ; count++) if (isRefusal(await this.create(`${prefix}${count}`))) return count;
  }

  async restart(): Promise<void> {
    await this.end();
    this.store = LmdbStore.open(this.directory);
    this.owners = this.#directory();
  }

  async end(): Promise<void> {
    this.owners.stop();
    await this.store.close();
  }
}

test('an answer that does not fit is refused without an effect; repetitions, other owners and requests without a key are served', async () => {
  const service = new Service();
  const count = await service.fill('a');
  expect(count).toBeGreaterThan(10);
  expect(count).toBeLessThan(20);
  const { version } = (await service.store.loadOwner('acme')).state;
  expect(version).toBe(count);
  const refused = (await service.create('another')) as Refusal;
  expect(refused.message).toBe(`Limit reached: ${MAX} bytes of answers kept in 24 hours per owner`);
  expect(refused.details).toMatchObject([{ path: 'Idempotency-Key' }]);
  expect((await service.store.loadOwner('acme')).state.version).toBe(version);
  expect(service.store.idempotencyEntry('acme another')).toBe(undefined);

  const [first, again] = [await service.create('a0'), await service.create('a0')];
  expect(isRefusal(first)).toBe(false);
  expect(again).toEqual(first);
  expect(isRefusal(await service.create())).toBe(false);
  expect(isRefusal(await service.create('a0', 'globex'))).toBe(false);
  await service.end();
});

test('the count survives a restart', async () => {
  const service = new Service();
  for (let index = 0; index < 5; index++) expect(isRefusal(await service.create(`a${index}`))).toBe(false);
  await service.restart();
  const more = await service.fill('b');
  await service.restart();
  expect(await service.fill('c')).toBe(0);
  const fresh = new Service();
  expect(5 + more).toBe(await fresh.fill('a'));
  await service.end();
  await fresh.end();
});

test('concurrent requests are counted together', async () => {
  const service = new Service();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, index) => service.create(`a${index}`)));
  const count = outcomes.filter((outcome) => !isRefusal(outcome)).length;
  const stored = (await service.store.loadOwner('acme')).answerBytes.reduce((sum, [, bytes]) => sum + bytes, 0);
  expect(stored).toBeLessThanOrEqual(MAX);
  expect(stored).toBeGreaterThan((MAX / (count + 1)) * count);
  await service.restart();
  expect((await service.store.loadOwner('acme')).answerBytes.reduce((sum, [, bytes]) => sum + bytes, 0)).toBe(stored);
  expect(await service.fill('b')).toBe(0);
  await service.end();
});

test('expired answers free space, whether they were pruned or not', async () => {
  const service = new Service();
  const count = await service.fill('a');
  service.now += IDEMPOTENCY_RETENTION_MS - 2 * RETENTION_SLOT_MS;
  expect(await service.fill('b')).toBe(0);
  service.now += 3 * RETENTION_SLOT_MS;
  expect(await service.fill('c')).toBe(count);
  await service.restart();
  expect(await service.fill('d')).toBe(0);

  expect((await service.store.loadOwner('acme')).answerBytes.length).toBeGreaterThan(1);
  await service.store.prune(service.now);
  expect((await service.store.loadOwner('acme')).answerBytes).toHaveLength(1);
  expect(await service.fill('e')).toBe(0);
  service.now += IDEMPOTENCY_RETENTION_MS + RETENTION_SLOT_MS;
  await service.store.prune(service.now);
  expect((await service.store.loadOwner('acme')).answerBytes).toEqual([]);
  expect(await service.fill('f')).toBe(count);
  await service.end();
});

test('the count is that of the bytes in the store, slot by slot', async () => {
  const service = new Service();
  const counts: number[] = [];
  for (let slots = 1; slots <= 3; slots++) {
    await Promise.all([1, 2, 3].map((index) => service.create(`${service.now} ${index}`)));
    counts.push((await service.store.loadOwner('acme')).answerBytes.length);
    service.now += RETENTION_SLOT_MS;
  }
  expect(counts).toEqual([1, 2, 3]);
  const bytes = (await service.store.loadOwner('acme')).answerBytes.map(([, each]) => each);
  expect(new Set(bytes).size).toBe(1);
  await service.end();
});
