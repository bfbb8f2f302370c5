/** Nothing is exported that nobody imports: what only its own file uses is private, and what nothing uses goes. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const TEXTS = new Map(
  ['src', 'test', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|tsx|mjs)$/.test(file) && !file.includes('node_modules'))
      .map((file) => [join(ROOT, folder, file), readFileSync(join(ROOT, folder, file), 'utf8')] as const),
  ),
);

/** What users of the package import, and what the pool of threads calls by name. */
const ENTRIES = new Set([
  ...['index', 'vitest', 'playwright', 'node-test', 'forward', 'global-setup'].map((name) => `src/client/${name}.ts`),
  'src/sandbox/sandbox-worker.ts',
  'src/code-lane/code-thread.ts',
]);

const DECLARED = /^export (?:abstract |async |declare )*(?:class|const|enum|function\*?|interface|let|type) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\};/gm;
const IMPORTED = /^(?:import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from '(\.[^']*)'/gm;
/** Of such a module every name counts that the importing file has somewhere. */
const WHOLE = /^(?:import|export) (?:type )?\* (?:as \w+ )?from '(\.[^']*)'|\bimport\('(\.[^']*)'\)/gm;

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((each) =>
      each
        .trim()
        .replace(/^type /, '')
        .replace(/ as \w+$/, ''),
    )
    .filter((name) => name !== '');
}

function exportsOf(text: string): string[] {
  const listed = [...text.matchAll(LISTED)].flatMap(([, list = '']) => namesIn(list));
  return [...[...text.matchAll(DECLARED)].map(([, name = '']) => name), ...listed];
}

/** Names by file that others import. */
function importedNames(isCounted: (file: string) => boolean): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  const add = (from: string, target: string, found: Iterable<string>): void => {
    const file = resolve(dirname(from), target);
    const known = names.get(file) ?? new Set();
    for (const name of found) known.add(name);
    names.set(file, known);
  };
  for (const [file, text] of TEXTS) {
    if (!isCounted(file)) continue;
    for (const [, list = '', target = ''] of text.matchAll(IMPORTED)) add(file, target, namesIn(list));
    for (const [statement, named, dynamic] of text.matchAll(WHOLE)) {
      const target = (named ?? dynamic) as string;
      const source = TEXTS.get(resolve(dirname(file), target)) ?? '';
      const isPassedOn = statement.startsWith('export');
      add(file, target, isPassedOn ? exportsOf(source) : (text.match(/\w+/g) ?? []));
    }
  }
  return names;
}

const isSource = (file: string): boolean => file.startsWith(join(ROOT, 'src/'));

/** @returns "file: name" of exports that are not among the names. */
function exportsBut(names: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return [...TEXTS].flatMap(([file, text]) => {
    if (!isSource(file) || ENTRIES.has(relative(ROOT, file))) return [];
    const own = exportsOf(text).filter((name) => names.get(file)?.has(name) !== true);
    return own.map((name) => `${relative(ROOT, file)}: ${name}`);
  });
}

test('what is exported is imported', () => {
  expect(exportsBut(importedNames(() => true))).toEqual([]);
});

test('what tests alone import is a part of what the program runs', () => {
  const unused = exportsBut(importedNames(isSource)).filter((each) => {
    const [file = '', name = ''] = each.split(': ');
    return TEXTS.get(join(ROOT, file))?.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1;
  });
  expect(unused).toEqual([]);
});
