/** From a key to a principal: `src/http/admission/auth.ts`, on a store of keys in memory and a clock that is set. */
import { afterEach, expect, test } from 'vitest';
import { Auth } from '../../src/http/admission/auth.ts';
import { newApiKey } from '../../src/model/api-key.ts';
import type { ApiKey } from '../../src/store/store.ts';

const END = 1_000_000;
const { keyId, text, secretDigest } = newApiKey();
const key: ApiKey = {
  keyId,
  ownerId: 'acme',
  userId: 'ann',
  role: 'editor',
  creationDate: 0,
  revocationDate: null,
  expiresAt: END,
  origin: 'command',
  secretDigest,
};

let now = 0;
let reads = 0;
const keys = {
  find(id: string) {
    reads++;
    return id === keyId ? key : undefined;
  },
  generation: () => 1,
};

let auth: Auth;
afterEach(() => auth.stop());

test('a key ends at its end, and no request of it reads the store after the first', () => {
  auth = new Auth(keys, () => now);
  now = END - 1;
  reads = 0;
  expect(auth.authenticate(text)).toEqual({ keyId, ownerId: 'acme', userId: 'ann', role: 'editor', expiresAt: END });
  expect(auth.hasExpired(text)).toBe(false);
  now = END;
  for (let count = 0; count < 3; count++) {
    expect(auth.authenticate(text)).toBe(undefined);
    expect(auth.hasExpired(text)).toBe(true);
  }
  expect(reads).toBe(1);
});

test('a key whose end came before its first use is refused, and read once', () => {
  auth = new Auth(keys, () => now);
  now = END + 1;
  reads = 0;
  for (let count = 0; count < 3; count++) expect(auth.authenticate(text)).toBe(undefined);
  expect(auth.hasExpired(text)).toBe(true);
  expect(reads).toBe(1);
});

test('that a key has expired is told to nobody who has another secret', () => {
  auth = new Auth(keys, () => now);
  now = END + 1;
  const guessed = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
  for (const presented of [text, guessed, '', 'sy_x']) auth.authenticate(presented);
  for (const presented of [guessed, '', 'sy_x']) expect(auth.hasExpired(presented)).toBe(false);
});
