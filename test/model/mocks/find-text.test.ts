import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuMs } from '../../support/cpu-ms.ts';
import { containsText } from '../../../src/model/mocks/definition/find-text.ts';

const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength });

test('a text is found where String.includes finds it, however long it is', () => {
  fc.assert(
    fc.property(letters(0, 40), letters(0, 400), letters(0, 40), (before, expected, after) => {
      expect(containsText(before + expected + after, expected)).toBe(true);
      const other = `${expected}ab`;
      expect(containsText(before + expected + after, other)).toBe((before + expected + after).includes(other));
    }),
  );
});

test('a long text that nearly matches everywhere takes linear time', () => {
  const ms = cpuMs(() => {
    expect(containsText('a'.repeat(1_000_000), `b${'a'.repeat(60_000)}`)).toBe(false);
    expect(containsText('a'.repeat(1_000_000), `${'a'.repeat(60_000)}b`)).toBe(false);
  });
  expect(ms).toBeLessThan(2_000);
});
