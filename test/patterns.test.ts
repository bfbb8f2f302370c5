/**
 * Regular expressions of rooms that read what others wrote: none takes more than linear time. V8 tries a pattern from each place of a text, so
 * one that begins with an open repetition reads the text again and again, without a bound on its work and without giving way to other owners.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createContext, Script } from 'node:vm';
import { transformSync } from 'esbuild';
import { parseAst } from 'vitest/node';
import { expect, test } from 'vitest';
import { cpuMs, slowness } from './support/cpu-ms.ts';

const SRC = resolve(import.meta.dirname, '../src');
const ROOMS = ['base', 'code-lane', 'egress', 'forward', 'http', 'interchange', 'rules-table', 'serving', 'wire'];
const CHARS = 100_000;
const MS_MAX = 20;
const ENDLESS_MS = 2_000;

/** Patterns that need longer for such a text, and what bounds the text that they get. */
const BOUNDED: ReadonlyMap<string, string> = new Map([
  [
    String.raw`/<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?([\w-]+)/i`,
    'the first 1,024 characters of a body (interchange/exchanges/reply-headers.ts)',
  ],
]);

const FILES = ROOMS.flatMap((room) =>
  readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.[mt]s$/.test(file))
    .map((file) => `${room}/${file}`),
);

/** @returns The regular expression literals of a program. */
function* literalsOf(node: unknown): Generator<RegExp> {
  if (node === null || typeof node !== 'object') return;
  if ('regex' in node) {
    const { pattern, flags } = node.regex as { pattern: string; flags: string };
    yield new RegExp(pattern, flags);
    return;
  }
  for (const each of Object.values(node)) yield* literalsOf(each);
}

const PARTS =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\k<\w+>|\\.|\[(?:\\.|[^\\\]])*\]|\(\?(?:<?[=!]|:|<\w+>)|\{\d+,?\d*\}|./gis;
const IS_CHARACTER = /^(?:\\[^bBk1-9]|\[.|[^\\()*+?{|^$])/s;
const CANDIDATES = [
  ...Array.from(`a1 "'\\=:;,&%/<>{}[]()-_.A\n\t@#?!~`),
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)),
];

/** A character for each part of a pattern that stands for one, in their order. */
function charactersOf({ source, flags }: RegExp): string[] {
  const parts = (source.match(PARTS) ?? []).filter((part) => IS_CHARACTER.test(part));
  const unicode = flags.replaceAll(/[^iuvs]/g, '');
  return parts.flatMap((part) => CANDIDATES.find((each) => new RegExp(`^${part}$`, unicode).test(each)) ?? []);
}

/** What a pattern begins with, again and again: each of its characters alone, and its first ones together. */
function textsFor(pattern: RegExp): Set<string> {
  const characters = charactersOf(pattern);
  const beginnings = characters.slice(0, 16).map((_, index) => characters.slice(0, index + 1).join(''));
  return new Set(
    [...characters, ...beginnings].map((part) => `${part.repeat(Math.ceil(CHARS / part.length)).slice(0, CHARS)}\0`),
  );
}

const context = createContext({});
const SEARCH = new Script('text.replace(pattern, "")');

/** @returns Milliseconds of the processor; infinite for what does not end. */
function msOf(pattern: RegExp, text: string): number {
  Object.assign(context, { pattern, text });
  try {
    return cpuMs(() => SEARCH.runInContext(context, { timeout: ENDLESS_MS }));
  } catch {
    return Infinity;
  }
}

test('no pattern on what others wrote takes more than linear time', () => {
  const slow: string[] = [];
  const all = new Set<string>();
  const msMax = MS_MAX * slowness();
  for (const file of FILES) {
    const program = parseAst(transformSync(readFileSync(join(SRC, file), 'utf8'), { loader: 'ts' }).code);
    for (const pattern of literalsOf(program)) {
      all.add(String(pattern));
      if (BOUNDED.has(String(pattern))) continue;
      for (const text of textsFor(pattern)) {
        // Other work of this process, as a collection of garbage, may be among the first time.
        const ms = msOf(pattern, text) > msMax ? Math.min(msOf(pattern, text), msOf(pattern, text)) : 0;
        if (ms <= msMax) continue;
        slow.push(`${file} ${String(pattern)}: ${ms} ms`);
        break;
      }
    }
  }
  expect(all.size).toBeGreaterThan(300);
  expect(slow).toEqual([]);
  expect([...BOUNDED.keys()].filter((pattern) => !all.has(pattern))).toEqual([]);
}, 120_000);
