/** Reading a body as JSON that can be kept as it was sent: the checks around `JSON.parse`, and it. */
import { equal } from 'node:assert/strict';
import { isJsonProblem, parseStrictJson } from '../../../src/base/strict-json.ts';
import { JSON_DEPTH_MAX } from '../../../src/limits.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'members';

export const SIZES = [10, 100, 10_000] as const;

export function prepare(size: number): MicroCase[] {
  return [
    parse('texts', size, 'Sends the checkout of the web shop to staging.'),
    parse('texts outside ASCII', size, 'Schickt die Kasse des Gesch\u00e4fts in die Probe.'),
    parse('numbers', size, 123_456.75),
    parse('objects', size, { key: 'Url', operator: 'Contains', value: 'example.com' }),
  ];
}

function parse(name: string, size: number, value: unknown): MicroCase {
  const members = Object.fromEntries(Array.from({ length: size }, (_, index) => [`member${index}`, value]));
  const text = JSON.stringify(members);
  const bytes = Buffer.from(text);
  return {
    name,
    run: () => parseStrictJson(bytes, JSON_DEPTH_MAX),
    check(result) {
      const parsed = result as ReturnType<typeof parseStrictJson>;
      equal(isJsonProblem(parsed) ? parsed.problem : JSON.stringify(parsed.value), text);
    },
  };
}
