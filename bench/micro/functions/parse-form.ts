/** Reading the pairs of a query, and the fields of a form. */
import { deepEqual, equal } from 'node:assert/strict';
import { parseForm, parsePairs, type Form } from '../../../src/serving/matching/form.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'pairs';

export const SIZES = [1, 10, 100] as const;

const PLAIN = 'value';
const ENCODED = 'a+b%26c%C3%BC';
const DECODED = 'a b&c\u00fc';
const BOUNDARY = 'boundary0123456789';

export function prepare(size: number): MicroCase[] {
  const indexes = Array.from({ length: size }, (_, index) => index);
  const query = (value: string) => indexes.map((index) => `field${index}=${value}`).join('&');
  const part = (index: number) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="field${index}"\r\n\r\n${PLAIN}\r\n`;
  const multipart = Buffer.from(`${indexes.map(part).join('')}--${BOUNDARY}--\r\n`);
  return [
    pairs('query', query(PLAIN), size, PLAIN),
    pairs('query, percent-encoded', query(ENCODED), size, DECODED),
    form('urlencoded body', 'application/x-www-form-urlencoded', Buffer.from(query(PLAIN)), size),
    form('multipart body', `multipart/form-data; boundary=${BOUNDARY}`, multipart, size),
  ];
}

function pairs(name: string, text: string, size: number, value: string): MicroCase {
  return {
    name,
    run: () => parsePairs(text, { work: Infinity }),
    check(result) {
      const found = result as string[];
      equal(found.length, size * 2);
      deepEqual(found.slice(-2), [`field${size - 1}`, value]);
    },
  };
}

function form(name: string, contentType: string, body: Buffer, size: number): MicroCase {
  return {
    name,
    run: () => parseForm(contentType, body, { work: Infinity }),
    check(result) {
      const found = result as Form;
      equal(found.size, size);
      deepEqual(found.get(`field${size - 1}`), [PLAIN]);
    },
  };
}
