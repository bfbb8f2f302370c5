/** Stores with entries that are damaged as no server would. */
import { open, type Database, type RootDatabase } from 'lmdb';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { RAW } from '../../src/store/check/content.ts';
import type { Commit } from '../../src/store/store.ts';
import { rulePayload } from './samples.ts';
import { temporaryDirectory, TestServer } from './server.ts';

export function commit(ownerId: string, version: number, date = version + 1): Commit {
  const principal = { keyId: 'k', ownerId, userId: 'ann', role: 'editor' } as const;
  const createdVersion = version + 1;
  const group = {
    id: `Group_${ownerId}${createdVersion}`,
    name: `the name of ${ownerId} ${createdVersion}`,
    status: 'Active',
    isFavourite: false,
    creationDate: date,
    modificationDate: date,
    createdBy: 'ann',
    lastModifiedBy: 'ann',
    createdVersion,
    modifiedVersion: createdVersion,
  } as const;
  return {
    principal,
    expectedVersion: version,
    date,
    command: 'test',
    changes: [{ kind: 'putGroup', group, isNew: true }],
    recordCount: version,
    idempotency: { key: `key ${ownerId} ${version}`, bodyDigest: 'd', date, answer: ownerId },
  };
}

const filledOnce = new Map<string, Promise<string>>();

/** A closed store with three records of each of its owners: a copy of one that is written once. */
export async function filled(date?: number, owners: readonly string[] = ['alpha', 'beta']): Promise<string> {
  const name = [date, ...owners].join();
  if (!filledOnce.has(name)) filledOnce.set(name, fillOwners(date, owners));
  return copied((await filledOnce.get(name)) as string);
}

async function fillOwners(date: number | undefined, owners: readonly string[]): Promise<string> {
  const directory = temporaryDirectory();
  const store = LmdbStore.open(directory);
  await store.markServed();
  for (const owner of owners) {
    for (let version = 0; version < 3; version++) await store.commit(await store.prepare(commit(owner, version, date)));
  }
  await store.close();
  return directory;
}

function copied(original: string): string {
  const directory = temporaryDirectory();
  copyFileSync(join(original, STORE_FILE), join(directory, STORE_FILE));
  return directory;
}

export type Key = string | (string | number)[];

/** Changes one table as no server would. */
export async function change(
  directory: string,
  table: string,
  make: (entries: Database<Buffer, Key>) => void,
  options: { useVersions?: boolean } = {},
): Promise<void> {
  const env: RootDatabase = open({ path: join(directory, STORE_FILE), noSubdir: true, maxDbs: 16, encoding: 'binary' });
  const entries = env.openDB<Buffer, Key>({ name: table, encoding: 'binary', ...options });
  await env.transaction(() => make(entries));
  await env.close();
}

export function flip(entries: Database<Buffer, Key>, key: Key, at = 20): void {
  const bytes = Buffer.from(entries.get(key) as Buffer);
  bytes[at]! ^= 0x10;
  void entries.put(key, bytes);
}

/** Puts a value under another key, which leaves the first without one. */
export function move(entries: Database<Buffer, Key>, from: Key, to: Key): void {
  void entries.put(to, entries.get(from) as Buffer);
  void entries.remove(from);
}

/** What an owner has made in a served store. */
export interface Made {
  readonly mockId: string;
  readonly key: string;
}

export interface Served {
  readonly directory: string;
  readonly made: ReadonlyMap<string, Made>;
  /** Of the first owner. */
  readonly mockId: string;
  readonly key: string;
}

/** One for each list of owners: it takes a server to write it, and a moment to copy it. */
const written = new Map<string, Promise<Served>>();

/** A store written by a server: of each owner a rule, a group, a mock of three versions, and answers that are kept. */
export async function served(...owners: readonly [string, ...string[]]): Promise<Served> {
  const name = owners.join();
  if (!written.has(name)) written.set(name, write(owners));
  const { directory: original, ...rest } = (await written.get(name)) as Served;
  return { directory: copied(original), ...rest };
}

async function write(owners: readonly [string, ...string[]]): Promise<Served> {
  const server = await TestServer.start();
  const filling = owners.map(async (owner): Promise<[string, Made]> => {
    const key = await server.key(owner, 'ann');
    return [owner, { key, mockId: await fill(server, key) }];
  });
  const made = new Map(await Promise.all(filling));
  await server.end();
  expect(server.stdout).not.toMatch(/damaged/);
  return { directory: server.data, made, ...(made.get(owners[0]) as Made) };
}

/** Takes eight commits. @returns The mock's id. */
async function fill(server: TestServer, key: string): Promise<string> {
  let asked = 0;
  const ask = async (method: string, path: string, body: object = {}): Promise<{ id: string }> => {
    const headers = { 'idempotency-key': `request ${++asked}` };
    const { status, json } = await server.request(method, `/v1${path}`, { key, body, headers });
    expect(status).toBe(200);
    return json.data as { id: string };
  };
  const routes = (...bodies: string[]): object => ({
    routes: bodies.map((body) => ({ method: 'GET', path: `/${body}`, responses: [{ body }] })),
  });
  const { id: groupId } = await ask('POST', '/groups', { name: 'group' });
  await ask('POST', '/rules', rulePayload('Cancel', { groupId }));
  const { id: mockId } = await ask('POST', '/mocks', { name: 'mock', start: true, ...routes('one') });
  for (const bodies of [['two', 'three'], ['four']]) {
    await ask('PUT', `/mocks/${mockId}/staged`, routes(...bodies));
    await ask('POST', `/mocks/${mockId}/save`);
  }
  await ask('PUT', `/mocks/${mockId}/staged`, routes('five'));
  return mockId;
}

/** Each bit of a key flipped, and each first byte that texts do not begin with: lmdb-js reads numbers and symbols there, or throws. */
export function* damagedKeys(key: Buffer): Iterable<Buffer> {
  yield* changedBits(key);
  for (let first = 1; first < 28; first++) yield Buffer.concat([Buffer.of(first), key.subarray(1)]);
}

/** One bit of each byte flipped, another than of the byte before, and a few of the first bytes. */
export function* someDamagedKeys(key: Buffer): Iterable<Buffer> {
  yield* someChangedBits(key);
  for (const first of [1, 2, 8, 16, 24, 27]) yield Buffer.concat([Buffer.of(first), key.subarray(1)]);
}

export function* changedBits(key: Buffer): Iterable<Buffer> {
  for (let bit = 0; bit < key.length * 8; bit++) yield flipped(key, bit);
}

/** One of each byte, another than of the byte before. */
export function* someChangedBits(key: Buffer): Iterable<Buffer> {
  for (let at = 0; at < key.length; at++) yield flipped(key, at * 8 + (at % 8));
}

function flipped(key: Buffer, bit: number): Buffer {
  const changed = Buffer.from(key);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}

/** Changes a table by the bytes of its keys. */
export async function changeRaw(
  directory: string,
  table: string,
  make: (raw: Database<Buffer, Buffer>) => void,
): Promise<void> {
  const env = open({ path: join(directory, STORE_FILE), noSubdir: true, maxDbs: 16, overlappingSync: false, ...RAW });
  const raw = env.openDB<Buffer, Buffer>({ name: table, ...RAW });
  await env.transaction(() => make(raw));
  await env.close();
}
