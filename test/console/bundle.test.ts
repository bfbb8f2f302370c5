/** How many bytes a browser loads of the console. That the same sources give the same ones: test/real-sizes/builds.test.ts. */
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readFolder } from '../support/read-folder.ts';

const ENTRY_BYTES_MAX = 45_000;
const EDITOR_BYTES_MAX = 100_500;

/** As `npm run build` has written it. */
const built = readFolder(resolve(import.meta.dirname, '../../dist/console'));

test(`the first screen takes at most ${ENTRY_BYTES_MAX} bytes`, () => {
  const page = textOf('index.html');
  const named = [...page.matchAll(/console\/(assets\/[^"]+)"/g)].flatMap(([, path]) => path ?? []);
  expect(named.map((path) => path.replace(/.*\./, '')).toSorted()).toEqual(['css', 'js']);
  const needed = new Set<string>();
  for (const path of named) addWithImports(path, needed);
  expect(sum([...needed, 'index.html'])).toBeLessThanOrEqual(ENTRY_BYTES_MAX);
});

test(`the editor of bodies takes at most ${EDITOR_BYTES_MAX} bytes, and is loaded by itself`, () => {
  const editor = [...built.keys()].filter((path) => /code-editor-\w+\.js$/.test(path));
  expect(editor).toHaveLength(1);
  expect(sum(editor)).toBeLessThanOrEqual(EDITOR_BYTES_MAX);
});

const textOf = (path: string): string => built.get(path)?.toString() ?? '';

/** As brotli. */
const sum = (paths: readonly string[]): number =>
  paths.reduce((bytes, path) => bytes + (built.get(`${path}.br`)?.length ?? Number.NaN), 0);

/** What a script imports is loaded with it, unless it asks for it later. */
function addWithImports(path: string, needed: Set<string>): void {
  if (needed.has(path)) return;
  needed.add(path);
  for (const [, name] of textOf(path).matchAll(/(?:from|import)"\.\/([^"]+)"/g))
    addWithImports(`assets/${name}`, needed);
}
