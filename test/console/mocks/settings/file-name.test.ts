/** Names of exported files. */
import { expect, test } from 'vitest';
import { fileNameOf } from '../../../../src/console/mocks/settings/settings-words.ts';

test.each([
  ['Payments (v2)', 'switchyard', 'payments-v2.json'],
  ['Payments', 'openapi', 'payments.openapi.json'],
  ['../../etc/passwd', 'switchyard', 'etc-passwd.json'],
  ['支払い', 'switchyard', 'm1.json'],
  ['x'.repeat(300), 'switchyard', `${'x'.repeat(60)}.json`],
] as const)('%s as %s', (name, format, expected) => {
  expect(fileNameOf({ id: 'm1', name }, format)).toBe(expected);
});
