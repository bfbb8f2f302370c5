/** Bodies as they are shown and edited. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cpuMs } from '../support/cpu-ms.ts';
import {
  bytesOf,
  fromBase64,
  hexOf,
  isHeavy,
  jsonProblem,
  textOf,
  toBase64,
} from '../../src/console/parts/body-text.ts';

test('large texts and long lines are heavy', () => {
  const line = `${'x'.repeat(50_000)}\n`;
  expect(isHeavy(line.repeat(5))).toBe(false);
  expect(isHeavy(`a\n${'x'.repeat(50_001)}`)).toBe(true);
  expect(isHeavy('x\n'.repeat(150_001))).toBe(true);
  expect(isHeavy('')).toBe(false);
  const ms = cpuMs(() => expect(isHeavy('x'.repeat(10_000_000))).toBe(true));
  expect(ms).toBeLessThan(100);
});

test('bytes and base64, there and back; text where it is UTF-8', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100_000 }), (bytes) => {
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    }),
  );
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => textOf(bytesOf(text)) === text));
  expect(textOf(Uint8Array.of(0xff))).toBeUndefined();
  expect(textOf(bytesOf('\ufeffa'))).toBe('\ufeffa');
  expect(fromBase64('no base64!')).toBeUndefined();
});

test('bytes in rows', () => {
  expect(hexOf(Uint8Array.of(0, 65, 255))).toBe(`000000  00 41 ff${' '.repeat(40)} .A.`);
  expect(hexOf(new Uint8Array(1_000)).split('\n')).toHaveLength(16);
});

test('what looks like JSON and is none has a reason', () => {
  expect(jsonProblem('{"a": 1}')).toBeUndefined();
  expect(jsonProblem('plain')).toBeUndefined();
  expect(jsonProblem(' [1,]')).toContain('JSON');
});
