/** What a browser loads of the console: how many bytes, and that the same sources give the same ones. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/server.ts';

const ENTRY_BYTES_MAX = 45_000;
const EDITOR_BYTES_MAX = 100_000;

let built: readonly Map<string, Buffer>[];

beforeAll(() => {
  built = [temporaryDirectory(), temporaryDirectory()].map((folder) => {
    execFileSync(process.execPath, ['src/console/build.mjs', folder]);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    return new Map(
      files.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1), readFileSync(path)] as const;
      }),
    );
  });
}, 60_000);

test('the same sources give the same files', () => {
  const [first, second] = built;
  expect([...(second?.keys() ?? [])]).toEqual([...(first?.keys() ?? [])]);
  for (const [path, bytes] of first ?? []) expect(second?.get(path)?.equals(bytes), path).toBe(true);
});

test(`the first screen takes at most ${ENTRY_BYTES_MAX} bytes`, () => {
  const page = textOf('index.html');
  const named = [...page.matchAll(/console\/(assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
  expect(named.map((path) => path.replace(/.*\./, '')).toSorted()).toEqual(['css', 'js']);
  const needed = new Set<string>();
  for (const path of named) addWithImports(path, needed);
  expect(sum([...needed, 'index.html'])).toBeLessThanOrEqual(ENTRY_BYTES_MAX);
});

test(`the editor of bodies takes at most ${EDITOR_BYTES_MAX} bytes, and is loaded by itself`, () => {
  const editor = [...(built[0]?.keys() ?? [])].filter((path) => /code-editor-\w+\.js$/.test(path));
  expect(editor).toHaveLength(1);
  expect(sum(editor)).toBeLessThanOrEqual(EDITOR_BYTES_MAX);
});

const textOf = (path: string): string => built[0]?.get(path)?.toString() ?? '';

/** As brotli. */
const sum = (paths: readonly string[]): number =>
  paths.reduce((bytes, path) => bytes + (built[0]?.get(`${path}.br`)?.length ?? Number.NaN), 0);

/** What a script imports is loaded with it, unless it asks for it later. */
function addWithImports(path: string, needed: Set<string>): void {
  if (needed.has(path)) return;
  needed.add(path);
  for (const [, name] of textOf(path).matchAll(/(?:from|import)"\.\/([^"]+)"/g))
    addWithImports(`assets/${name}`, needed);
}
