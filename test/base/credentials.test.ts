/** Credentials in JSON are counted however deep it is: one answer of a recording must not keep all others from a mock. */
import { expect, test } from 'vitest';
import { credentialsIn } from '../../src/base/credentials.ts';

test('credentials in JSON are counted, however deep it is', () => {
  expect(credentialsIn({ token: 'a', list: [{ password: 'b' }, 'Bearer c', { name: 'd', pin: '' }] })).toBe(3);
  expect(credentialsIn('Bearer a')).toBe(0);
  const depth = 200_000;
  expect(credentialsIn(JSON.parse(`${'['.repeat(depth)}{"token":"a"}${']'.repeat(depth)}`))).toBe(1);
});
