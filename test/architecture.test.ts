/** The house rules that a machine can hold: imports run one way, engines stay in their folders, files stay whole. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(?:ts|tsx|mjs)$/.test(file));

interface Source {
  readonly file: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const folderOf = (file: string): string => (file.includes('/') ? dirname(file) : '');

const SOURCES: readonly Source[] = FILES.map((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  const imports = [
    ...text.matchAll(/^(?:import|export) (?:[^;]*? from )?'([^']+)';/gms),
    // Loaded when it is needed. At the start of a line it is a program of its own that is run.
    ...text.matchAll(/^(?!await ).*\bimport\('([^']+)'\)/gm),
  ].map(([, name]) => name as string);
  return { file, folder: folderOf(file), text, imports };
});

const local = ({ file, imports }: Source): string[] =>
  imports.filter((name) => name.startsWith('.')).map((name) => relative(SRC, resolve(SRC, dirname(file), name)));

/**
 * The rooms, the top folders of `src`, from the ground up: what each may import besides itself. All may import `errors.ts`
 * and `limits.ts`.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  // Its tables of the documents are made of what the commands declare.
  build: ['base', 'cli', 'languages'],
  ca: ['base'],
  children: ['base'],
  languages: ['base'],
  wire: ['base'],
  model: ['base', 'languages'],
  forward: ['base', 'model'],
  store: ['base', 'model'],
  sessions: ['base', 'model'],
  owners: ['base', 'model', 'store'],
  'rules-table': ['base', 'languages', 'model'],
  interchange: ['base', 'languages', 'model', 'rules-table'],
  drift: ['base', 'interchange', 'languages', 'model'],
  'code-lane': ['base', 'rules-table', 'sandbox'],
  egress: ['base', 'ca', 'children', 'code-lane', 'forward', 'model', 'rules-table'],
  serving: ['base', 'ca', 'children', 'forward', 'languages', 'model', 'wire'],
  cluster: ['base', 'forward', 'model', 'serving', 'sessions', 'store'],
  replay: ['base', 'languages', 'model', 'serving'],
  sandbox: ['base', 'drift', 'interchange', 'model', 'replay', 'rules-table', 'serving'],
  http: [
    'base',
    'cluster',
    'drift',
    'forward',
    'interchange',
    'model',
    'owners',
    'rules-table',
    'sessions',
    'store',
    'wire',
  ],
  client: ['base', 'drift', 'interchange', 'model'],
  console: ['client', 'languages', 'model'],
  mcp: ['base', 'client', 'interchange', 'model'],
  app: 'base ca cluster code-lane drift egress forward http interchange mcp model owners sandbox serving sessions store wire'.split(
    ' ',
  ),
  cli: [
    'app',
    'base',
    'ca',
    'client',
    'drift',
    'egress',
    'interchange',
    'languages',
    'mcp',
    'model',
    'serving',
    'store',
  ],
};

/** What may not be imported within a room: the lower floor from the upper one. */
const UPSTAIRS: readonly (readonly [folder: string, above: string])[] = [
  ['serving/matching', 'serving/shared'],
  ['serving/matching', 'serving/thread'],
  ['serving/shared', 'serving/thread'],
  ['serving/thread', 'serving/process'],
  ['serving/supervisor', 'serving/process'],
  ['http/admission', 'http/api'],
  ['store/codec', 'store/postgres'],
  ['store/codec', 'store/snapshots'],
  ['console/parts', 'console/mocks'],
  ['console/parts', 'console/rules'],
  ['console/state', 'console/parts'],
  // It is for edits and imports: a request must not pay for it.
  ['serving', 'model/normalise.ts'],
];

const LEAVES = new Set(['limits.ts', 'errors.ts']);

test('there are sources to examine', () => {
  expect(SOURCES.length).toBeGreaterThan(30);
  expect(SOURCES.flatMap(local).length).toBeGreaterThan(100);
});

describe('imports run one way:', () => {
  const roomOf = (file: string): string => file.split('/')[0] as string;

  test.each(Object.entries(ROOMS))('%s imports only %j', (room, mayImport) => {
    const inside = SOURCES.filter(({ file }) => roomOf(file) === room);
    expect(inside.length).toBeGreaterThan(0);
    for (const source of inside) {
      for (const target of local(source)) {
        if (LEAVES.has(target)) continue;
        expect([room, ...mayImport], `${source.file} imports ${target}`).toContain(roomOf(target));
      }
    }
  });

  test.each(UPSTAIRS)('nothing in %s imports %s', (below, above) => {
    const inside = SOURCES.filter(({ file }) => file.startsWith(`${below}/`));
    expect(inside.length).toBeGreaterThan(0);
    const found = inside.flatMap((source) =>
      local(source).filter((target) => target === above || target.startsWith(`${above}/`)),
    );
    expect(found).toEqual([]);
  });

  test('every folder has its duty in src/README.md', () => {
    const found = [...new Set(SOURCES.map(({ folder }) => folder))].filter((folder) => folder !== '');
    const rows = [...readFileSync(join(SRC, 'README.md'), 'utf8').matchAll(/^\| `([\w/-]+)` \| .+ \|$/gm)];
    expect(rows.map(([, folder]) => folder as string).toSorted()).toEqual(found.toSorted());
  });

  test('there is no cycle', () => {
    const byFile = new Map(SOURCES.map((source) => [source.file, local(source)]));
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      expect(path, 'a cycle').not.toContain(file);
      if (done.has(file)) return;
      for (const target of byFile.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const { file } of SOURCES) visit(file, []);
  });
});

describe('a command loads no more than it needs:', () => {
  /** Packages that are loaded with a module. */
  function packagesOf(entry: string): string[] {
    const files = new Set([entry]);
    const packages = new Set<string>();
    for (const file of files) {
      const { text } = SOURCES.find((source) => source.file === file) as Source;
      for (const [, name = ''] of text.matchAll(/^import (?!type )(?:[^;]*? from )?'([^']+)';/gms)) {
        if (name.startsWith('.')) files.add(relative(SRC, resolve(SRC, dirname(file), name)));
        else if (!name.startsWith('node:')) packages.add(name);
      }
    }
    return [...packages].toSorted();
  }

  test.each([
    ['the command line itself', 'cli/program.ts', ['commander']],
    ['the store', 'store/lmdb-store.ts', ['lmdb', 'msgpackr', 'ordered-binary']],
    ['the inspection process', 'store/check/inspection-process.ts', ['lmdb', 'msgpackr', 'ordered-binary']],
  ])('%s', (_what, entry, packages) => {
    expect(packagesOf(entry)).toEqual(packages);
  });
});

describe('engines stay in their folders:', () => {
  test.each([
    ['lmdb', ['store']],
    ['msgpackr', ['store']],
    ['graphql/language/index.js', ['languages']],
    ['piscina', ['sandbox', 'serving']],
    ['quickjs-emscripten-core', ['base', 'code-lane']],
    ['@modelcontextprotocol/server', ['mcp']],
  ])('%s is imported in %j only', (engine, folders) => {
    for (const { file, folder, imports } of SOURCES)
      expect(!imports.includes(engine) || folders.includes(folder.split('/')[0] as string), file).toBe(true);
  });

  test('one file says which uWebSockets.js is loaded', () => {
    // The build knows them as packages alone.
    const named = SOURCES.filter(({ folder, text }) => folder !== 'build' && text.includes('@uwsjs/'));
    expect(named.map(({ file }) => file)).toEqual(['wire/uws.ts']);
  });

  test('one file says where the files of the program are; packages alone are found from elsewhere', () => {
    // The build is no part of the program.
    const asks = SOURCES.filter(
      ({ file, folder, text }) => folder !== 'build' && file.endsWith('.ts') && text.includes('import.meta'),
    );
    expect(asks.map(({ file }) => file).toSorted()).toEqual(['base/program-files.ts', 'wire/uws.ts']);
  });

  test('the http folder knows the store by its types alone', () => {
    for (const { file, text } of SOURCES.filter(({ folder }) => folder.split('/')[0] === 'http')) {
      for (const [line] of text.matchAll(/^import .*\/store\/.*$/gm))
        expect(line, file).toMatch(/^import type .*store\/store\.ts'/);
    }
  });

  test('the client folder loads nothing of the server: types alone, how a request names a session, and where its programs are', () => {
    // serve-while-attached.ts is a separate program: its import is dynamic, not at the start of a line.
    for (const { file, text } of SOURCES.filter(({ folder }) => folder === 'client')) {
      for (const [line] of text.matchAll(/^import (?:[^;]*? from )?'\.\.\/[^;]*;/gms))
        expect(line, file).toMatch(
          /^import type |^import \{ programFile \} from |from '\.\.\/model\/mocks\/sessions\/(?:named-)?session\.ts';$/,
        );
    }
  });

  test('cli/environment.ts alone reads the command line and the environment of the service', () => {
    // The client passes on those of the test that uses it. What builds is run by hand and by npm.
    const others = new Set(['build', 'client', 'console']);
    const service = SOURCES.filter(({ folder }) => !others.has(folder.split('/')[0] as string));
    const readers = service.filter(({ text }) => /process\.(argv|env)\b/.test(text)).map(({ file }) => file);
    // The second is a program of its own, which a test run starts.
    expect(readers.toSorted()).toEqual(['cli/environment.ts', 'cli/serve-while-attached.ts']);
  });
});

/** What reads as translated, or stands for an idea that has another name here: src/README.md, "Glossary". */
const RETIRED: readonly RegExp[] = [
  /\bwhoever\b/gi,
  /\bkeeper\b/gi,
  /\bvitals\b/gi,
  /\breckon(?:s|ed)?\b/gi,
  /\b(?:taken up|takes up)\b/gi,
  /\btells? of\b/gi,
  /(?<!there )\b(?:is|are|was) none\b(?! of)/gi,
  /\b(?:a look(?!-)|looks in a row|each look)\b/gi,
  /\bguarded (?:pool|thread|worker)s?\b/gi,
  /\bhears? of\b/gi,
  /(?:\/\*\*|\/\/) Of /g,
  // A docblock begins with a noun or a verb.
  /\/\*\*?(?:\s*\n\s*\*)?\s+(?:What|As|Of) /g,
  /(?<!\b(?:there|which|what) )\b(?:is|was) no (?!longer\b|more\b|less\b|[\w-]+er\b|better\b|other\b|different\b)/gi,
  /\bby (?:itself|themselves)\b/gi,
  /(?<!\w[.-])\b(?:told|tells)\b(?!.{0,60}\bapart\b|-apart)/gi,
  /\bmeanwhile\b/gi,
  /\bas ever\b/gi,
  /\bwhat becomes of\b/gi,
  /\bcannot be said\b/gi,
  /\bhand(?:s|ed) on\b/gi,
  /\bits kin\b/gi,
];

describe('language', () => {
  const documents = ['README.md', 'CHANGELOG.md', 'src/README.md', 'test/prove/README.md', 'bench/README.md'];
  const docs = readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`);
  const texts: (readonly [file: string, text: string])[] = [
    ...[...documents, ...docs].map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const),
    ...SOURCES.map(({ file, text }) => [`src/${file}`, text] as const),
  ];

  test.each(RETIRED)('does not use: %s', (pattern) => {
    const found = texts.flatMap(([file, text]) =>
      [...text.matchAll(pattern)].map(
        ({ 0: words, index }) => `${file}:${text.slice(0, index).split('\n').length}: ${words}`,
      ),
    );
    expect(found).toEqual([]);
  });
});

describe('files', () => {
  test('have a header that says what they own', () => {
    for (const { file, text } of SOURCES) {
      if (file.startsWith('model/pairs/')) continue;
      expect(text.replace(/^#!.*\n/, ''), file).toMatch(/^\/\*\*/);
    }
  });

  test('export only what they define: no barrels', () => {
    for (const { file, text } of SOURCES) expect(text, file).not.toMatch(/^export (\*|\{[^}]*\}) from/m);
  });

  test('have no docblock, but for the header, that nothing follows', () => {
    const lonely = /\/\*\*(?:[^*]|\*(?!\/))*\*\/[ \t]*\n(?=[ \t]*(?:\n|\/\*\*|\}))/g;
    for (const { file, text } of SOURCES)
      expect(
        [...text.matchAll(lonely)].filter(({ index }) => index > 0 && !text.startsWith('#!')),
        file,
      ).toEqual([]);
  });

  test('are short enough to be read in one sitting; a catalogue is searched, not read', () => {
    for (const { file, text } of SOURCES) {
      expect(text.split('\n').length, file).toBeLessThan(LEAVES.has(file) ? 700 : 450);
    }
  });

  test('silence no check', () => {
    for (const { file, text } of SOURCES)
      expect(text, file).not.toMatch(/\bas any\b|@ts-ignore|@ts-expect-error|oxlint-disable/);
  });
});
