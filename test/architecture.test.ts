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

/** Every folder: its duty, and the folders it may import besides itself. Files at the top that all may import: limits, errors. */
const FOLDERS: readonly (readonly [folder: string, duty: string, mayImport: readonly string[]])[] = [
  [
    'cli',
    'the command line: parses options, calls, prints',
    [
      'app',
      'base',
      'client',
      'interchange',
      'model',
      'serving/supervisor',
      'store',
      'store/check',
      'store/postgres',
      'store/snapshots',
    ],
  ],
  [
    'app',
    'puts the parts together: starts and stops them in order; certificate, metrics, log, scheduled snapshots, mocks from files',
    [
      'base',
      'cluster',
      'forward',
      'http',
      'http/admission',
      'http/api',
      'http/api/mocks',
      'http/static',
      'interchange',
      'interchange/source',
      'model',
      'model/mocks',
      'owners',
      'sandbox',
      'serving/shared',
      'serving/supervisor',
      'sessions',
      'store',
      'store/postgres',
      'store/snapshots',
      'wire',
    ],
  ],
  ['build', 'bundles the programs and the client, and writes what the package has beside them', ['base']],
  [
    'client',
    'for test suites: starts a server, and a typed client of the API; of the server it imports types alone',
    ['base', 'interchange', 'model', 'model/mocks', 'model/mocks/behaviour', 'model/mocks/sessions'],
  ],
  [
    'console',
    'the console: a page in the browser; built on its own, nothing imports it',
    [
      'console/docs',
      'console/history',
      'console/keys',
      'console/mocks',
      'console/mocks/import',
      'console/palette',
      'console/parts',
      'console/rules',
      'console/state',
    ],
  ],
  ['console/state', 'what the screens stand on: address, key, what is loaded, what is typed', ['client', 'model']],
  [
    'console/parts',
    'what the screens are made of: pages, controls, lists, charts',
    ['console/state', 'languages/templates'],
  ],
  [
    'console/mocks',
    'the screens of mocks: list, routes, review, sessions, versions, settings',
    [
      'client',
      'console/mocks/import',
      'console/mocks/review',
      'console/mocks/routes',
      'console/mocks/sessions',
      'console/mocks/settings',
      'console/mocks/versions',
      'console/parts',
      'console/state',
      'console/traffic',
    ],
  ],
  [
    'console/mocks/routes',
    'the routes of a mock: the list, and the editor of a route and its responses',
    ['client', 'console/mocks/try', 'console/parts', 'console/state', 'model/mocks'],
  ],
  [
    'console/mocks/try',
    'what a mock would answer to a request, and why',
    ['client', 'console/parts', 'console/state', 'model/mocks'],
  ],
  [
    'console/mocks/review',
    'how two copies of a mock differ, what a save would change among them',
    ['client', 'console/mocks/routes', 'console/mocks/try', 'console/parts', 'console/state', 'model/mocks'],
  ],
  [
    'console/mocks/versions',
    'the saved versions of a mock: listed, shown, compared, restored',
    ['client', 'console/mocks/review', 'console/mocks/routes', 'console/parts', 'console/state', 'model/mocks'],
  ],
  [
    'console/mocks/sessions',
    'the live sessions of a mock: listed, shown, ended',
    ['client', 'console/parts', 'console/state', 'model/mocks/behaviour'],
  ],
  [
    'console/mocks/import',
    'files that become mocks, and the report of what is lost',
    ['client', 'console/parts', 'console/state'],
  ],
  [
    'console/mocks/settings',
    'name, description and settings of a mock, and its export',
    ['client', 'console/mocks/import', 'console/mocks/routes', 'console/parts', 'console/state', 'model/mocks'],
  ],
  [
    'console/traffic',
    'the screens of traffic and verification',
    ['client', 'console/mocks/try', 'console/parts', 'console/state', 'model/mocks'],
  ],
  [
    'console/rules',
    'the screens of rules and groups, and the test bench',
    [
      'client',
      'console/parts',
      'console/rules/bench',
      'console/rules/common',
      'console/rules/edit',
      'console/rules/forms',
      'console/rules/list',
      'console/state',
    ],
  ],
  ['console/rules/forms', 'the form of each rule type', ['client', 'console/parts']],
  [
    'console/rules/common',
    'what the screens of rules share: groups, what a rule does in words, its end',
    ['client', 'console/parts', 'console/rules/forms', 'console/state'],
  ],
  [
    'console/rules/edit',
    'the form of a rule, and its test',
    ['client', 'console/parts', 'console/rules/common', 'console/rules/forms', 'console/state'],
  ],
  [
    'console/rules/list',
    'the list of rules: sections, selection, groups, import and export',
    ['client', 'console/parts', 'console/rules/common', 'console/rules/forms', 'console/state'],
  ],
  [
    'console/rules/bench',
    'the form of the test bench, and what it shows',
    ['client', 'console/parts', 'console/rules/common', 'console/rules/forms', 'console/state'],
  ],
  ['console/history', 'the screen of the history', ['client', 'console/parts', 'console/state']],
  ['console/keys', 'the screen of the key in use', ['console/parts', 'console/state']],
  [
    'console/palette',
    'the command palette, and the help on the keyboard',
    ['client', 'console/parts', 'console/state'],
  ],
  ['console/docs', 'renders the documents as pages, at the build', []],
  [
    'http',
    "the API's HTTP server: request heads, routing, bodies, replies, OpenAPI",
    ['base', 'forward', 'http/admission', 'model', 'owners', 'wire'],
  ],
  [
    'http/api',
    'the endpoints of rules, groups, history, health and documentation',
    [
      'base',
      'http',
      'http/static',
      'interchange',
      'interchange/formats',
      'model',
      'model/pairs',
      'owners',
      'rules-table',
    ],
  ],
  [
    'http/api/mocks',
    'the endpoints of mocks',
    [
      'base',
      'http',
      'http/api',
      'interchange',
      'interchange/formats',
      'model',
      'model/mocks',
      'model/mocks/behaviour',
      'model/mocks/sessions',
      'owners',
      'sessions',
    ],
  ],
  [
    'http/admission',
    'who is let in, and when: keys, rate, fairness, overload, Host names, CORS',
    ['base', 'model', 'store'],
  ],
  [
    'http/static',
    'files that are served as they are, as the build lists them: reads each at its first request, answers in the form that the client accepts',
    ['http', 'model'],
  ],
  [
    'owners',
    'one actor per owner: its mailbox, its turns, and the directory of actors in memory',
    ['base', 'model', 'store'],
  ],
  [
    'cluster',
    'several nodes over one store: which are alive, which serves a mock, what they ask of each other',
    ['base', 'forward', 'model/mocks', 'store/postgres'],
  ],
  [
    'forward',
    'sends requests on to where they are answered: over connections that owners share, and as they were received',
    ['model/mocks'],
  ],
  [
    'sessions',
    'the live sessions of mocks: makes, bounds, expires and ends them',
    ['base', 'model/mocks', 'model/mocks/sessions'],
  ],
  [
    'store',
    'LMDB behind a small interface: reads, group commit, API keys, the instance lock',
    ['base', 'model', 'model/mocks', 'store/check', 'store/codec', 'store/tables'],
  ],
  [
    'store/postgres',
    'the store in PostgreSQL, for several processes: schema, batches of commits and of reads, a connection that is made again, moving there and back',
    ['base', 'model', 'model/mocks', 'store', 'store/check', 'store/codec', 'store/snapshots', 'store/tables'],
  ],
  [
    'store/snapshots',
    'copies of the store: creates, verifies and restores them',
    ['base', 'store', 'store/check', 'store/codec', 'store/tables'],
  ],
  [
    'store/check',
    'whether a data file is whole: its pages, keys and values',
    ['base', 'store', 'store/codec', 'store/tables'],
  ],
  ['store/codec', 'records as bytes, with checksums', ['base', 'model', 'model/mocks', 'store', 'store/tables']],
  ['store/tables', 'the tables of the environment and the form of their keys', []],
  [
    'sandbox',
    'threads of the API process, which can be ended, for untrusted or heavy input',
    [
      'base',
      'interchange',
      'interchange/source',
      'model',
      'model/mocks',
      'model/pairs',
      'rules-table',
      'serving/matching',
      'serving/matching/explain',
    ],
  ],
  [
    'serving/supervisor',
    'in the API process: keeps the child process alive, and publishes to it',
    ['base', 'model/mocks', 'model/mocks/sessions', 'serving/shared', 'wire'],
  ],
  [
    'serving/process',
    "the child's main thread: accepts connections, hands them to the threads, passes mocks on",
    ['base', 'model/mocks', 'model/mocks/sessions', 'serving/shared', 'serving/thread', 'wire'],
  ],
  [
    'serving/thread',
    'a serving thread: connections, bodies, its compiled mocks, recorded traffic',
    [
      'base',
      'forward',
      'languages',
      'model/mocks',
      'model/mocks/behaviour',
      'model/mocks/sessions',
      'serving/matching',
      'serving/matching/routing',
      'serving/shared',
      'wire',
    ],
  ],
  [
    'serving/matching',
    'compiles a mock; finds the route, chooses and renders the response; explains it',
    [
      'base',
      'languages',
      'languages/templates',
      'model/mocks',
      'model/mocks/behaviour',
      'model/mocks/sessions',
      'serving/matching/routing',
      'serving/matching/templates',
    ],
  ],
  [
    'serving/matching/explain',
    'answers a request the slow and readable way, with reasons',
    [
      'base',
      'languages',
      'languages/templates',
      'model/mocks',
      'model/mocks/behaviour',
      'serving/matching',
      'serving/matching/templates',
    ],
  ],
  [
    'serving/matching/templates',
    'compiles and renders templates',
    [
      'base',
      'languages',
      'languages/templates',
      'model/mocks',
      'serving/matching',
      'serving/matching/templates/helpers',
    ],
  ],
  [
    'serving/matching/templates/helpers',
    'the helpers of templates, one file for each group',
    ['base', 'languages', 'languages/templates', 'model/mocks', 'serving/matching', 'serving/matching/templates'],
  ],
  [
    'serving/matching/routing',
    'finds the route of a request: the route table, parameters of paths, the nearest routes of a miss',
    ['languages', 'model/mocks', 'serving/matching'],
  ],
  [
    'serving/shared',
    "what the data plane's processes and threads share: messages, counters, heartbeat, recorded requests as bytes",
    ['base', 'model/mocks', 'model/mocks/behaviour', 'model/mocks/sessions', 'serving/matching', 'wire'],
  ],
  [
    'rules-table',
    'what rules do to an exchange: compiles rules, matches sources and filters, applies and explains; pure functions',
    ['languages', 'model', 'model/mocks', 'model/pairs', 'rules-table/rule-types'],
  ],
  ['rules-table/rule-types', 'what each rule type does', ['languages', 'model', 'model/pairs', 'rules-table']],
  [
    'interchange',
    'brings files of other tools in, and writes them: detects, reads, reports what is lost; pure functions',
    [
      'interchange/codes',
      'interchange/formats',
      'interchange/formats/mockoon',
      'interchange/formats/openapi',
      'interchange/formats/wiremock',
      'interchange/samples',
      'interchange/source',
      'languages/templates',
      'model',
      'model/mocks',
      'model/mocks/behaviour',
      'model/pairs',
      'rules-table',
    ],
  ],
  [
    'interchange/formats',
    'one file per format: detects it, reads it, writes it',
    [
      'interchange',
      'interchange/exchanges',
      'interchange/formats/mockoon',
      'interchange/formats/mockserver',
      'interchange/formats/mountebank',
      'interchange/formats/openapi',
      'interchange/formats/wiremock',
      'interchange/source',
      'interchange/stubs',
      'languages',
      'model',
      'model/mocks',
    ],
  ],
  [
    'interchange/formats/openapi',
    'the parts of OpenAPI documents: paths, parameters, bodies, responses, schemas',
    ['interchange', 'interchange/exchanges', 'interchange/source', 'languages', 'model/mocks'],
  ],
  [
    'interchange/formats/mockoon',
    'the parts of Mockoon environments: routes, responses, rules, templates',
    [
      'interchange',
      'interchange/exchanges',
      'interchange/source',
      'interchange/stubs',
      'languages',
      'languages/templates',
      'model/mocks',
    ],
  ],
  [
    'interchange/formats/wiremock',
    'the parts of WireMock stubs: requests, matchers, responses, templates',
    [
      'interchange',
      'interchange/exchanges',
      'interchange/source',
      'interchange/stubs',
      'languages',
      'languages/templates',
      'model/mocks',
    ],
  ],
  [
    'interchange/formats/mountebank',
    'the parts of mountebank imposters: predicates, responses, behaviours',
    [
      'interchange',
      'interchange/exchanges',
      'interchange/source',
      'interchange/stubs',
      'languages',
      'languages/templates',
      'model/mocks',
    ],
  ],
  [
    'interchange/formats/mockserver',
    'the parts of MockServer expectations: requests, matchers, actions',
    ['interchange', 'interchange/exchanges', 'interchange/source', 'interchange/stubs', 'languages', 'model/mocks'],
  ],
  [
    'interchange/stubs',
    'makes routes of lists of stubs, in which the first that takes a request answers it',
    ['interchange', 'interchange/exchanges', 'languages', 'model/mocks'],
  ],
  ['interchange/codes', 'what reports say, by format: a level and a sentence for each code', []],
  [
    'interchange/exchanges',
    'requests with their replies, as recordings and collections have them: tells them apart, keeps what a mock may hold',
    ['interchange', 'interchange/source', 'languages', 'model/mocks'],
  ],
  [
    'interchange/samples',
    'examples for schemas: merges what a schema requires, finds values that fit, within a budget',
    ['languages'],
  ],
  ['interchange/source', 'parses source files, knows the places in them and which members were read', []],
  [
    'model',
    "rules, groups, history: schemas, payloads, decisions, queries, an owner's state; pure functions",
    ['base', 'model/mocks', 'model/pairs'],
  ],
  ['model/pairs', 'the pairs of each rule type', ['model']],
  [
    'model/mocks',
    'mocks: definitions, edits, decisions, diff, warnings',
    ['base', 'languages', 'languages/templates', 'model', 'model/mocks/behaviour', 'model/mocks/sessions'],
  ],
  [
    'model/mocks/behaviour',
    'latency, faults, delivery, rate limit and scenarios: schemas, checks, warnings',
    ['languages', 'model', 'model/mocks'],
  ],
  [
    'model/mocks/sessions',
    'sessions: shape, schemas, checks, and a definition as a session sees it',
    ['base', 'languages/templates', 'model', 'model/mocks', 'model/mocks/behaviour'],
  ],
  [
    'languages',
    'bounded languages without a domain, as they are parsed: patterns, JSONPath, JSON Schema, templates, route paths, times',
    ['base'],
  ],
  ['languages/templates', 'the language of templates', ['languages']],
  [
    'wire',
    'what both HTTP servers do with uWebSockets.js: framing, TLS, exclusive ports, bounded connections, writing bodies',
    ['base'],
  ],
  ['base', 'no domain: strict JSON, a queue, ids, slices of long loops', []],
];

const LEAVES = new Set(['limits.ts', 'errors.ts']);

test('there are sources to examine', () => {
  expect(SOURCES.length).toBeGreaterThan(30);
  expect(SOURCES.flatMap(local).length).toBeGreaterThan(100);
});

describe('imports run one way:', () => {
  test.each(FOLDERS)('%s', (folder, _duty, mayImport) => {
    const inside = SOURCES.filter((source) => source.folder === folder);
    expect(inside.length).toBeGreaterThan(0);
    for (const source of inside) {
      for (const target of local(source)) {
        if (LEAVES.has(target)) continue;
        expect([folder, ...mayImport], `${source.file} imports ${target}`).toContain(folderOf(target));
      }
    }
  });

  test('no folder is allowed an import that it does not need', () => {
    const unused = FOLDERS.flatMap(([folder, , mayImport]) => {
      const targets = new Set(
        SOURCES.filter((source) => source.folder === folder)
          .flatMap(local)
          .map(folderOf),
      );
      return mayImport.filter((target) => !targets.has(target)).map((target) => `${folder} → ${target}`);
    });
    expect(unused).toEqual([]);
  });

  test('every folder is known here, with the duty that src/README.md gives it', () => {
    const found = [...new Set(SOURCES.map(({ folder }) => folder))].filter((folder) => folder !== '');
    expect(found.toSorted()).toEqual(FOLDERS.map(([folder]) => folder).toSorted());
    const rows = [...readFileSync(join(SRC, 'README.md'), 'utf8').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
    expect(rows.map(([, folder, duty]) => [folder, duty])).toEqual(FOLDERS.map(([folder, duty]) => [folder, duty]));
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
    [
      'the process that reads snapshots',
      'store/snapshots/inspection-process.ts',
      ['lmdb', 'msgpackr', 'ordered-binary'],
    ],
  ])('%s', (_what, entry, packages) => {
    expect(packagesOf(entry)).toEqual(packages);
  });
});

describe('engines stay in their folders:', () => {
  test.each([
    ['lmdb', ['store']],
    ['msgpackr', ['store']],
    ['piscina', ['sandbox', 'serving']],
  ])('%s is imported in %j only', (engine, folders) => {
    for (const { file, folder, imports } of SOURCES)
      expect(!imports.includes(engine) || folders.includes(folder.split('/')[0] as string), file).toBe(true);
  });

  test('one file says which uWebSockets.js is loaded', () => {
    expect(SOURCES.filter(({ text }) => text.includes('@uwsjs/')).map(({ file }) => file)).toEqual(['wire/uws.ts']);
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

  test('the client folder loads nothing of the server: types alone, and where its programs are', () => {
    // serve-while-attached.ts is a separate program: its import is dynamic, not at the start of a line.
    for (const { file, text } of SOURCES.filter(({ folder }) => folder === 'client')) {
      for (const [line] of text.matchAll(/^import (?:[^;]*? from )?'\.\.\/[^;]*;/gms))
        expect(line, file).toMatch(/^import type |^import \{ programFile \} from /);
    }
  });

  test('cli/options.ts alone reads the command line and the environment of the service', () => {
    // The client passes on those of the test that uses it. What builds is run by hand and by npm.
    const others = new Set(['build', 'client', 'console']);
    const service = SOURCES.filter(({ folder }) => !others.has(folder.split('/')[0] as string));
    const readers = service.filter(({ text }) => /process\.(argv|env)\b/.test(text)).map(({ file }) => file);
    expect(readers).toEqual(['cli/options.ts']);
  });
});

/** Words that read as translated, or that stand for an idea which has another name here: src/README.md, "Glossary". */
const RETIRED = [
  'whoever',
  'keeper',
  'vitals',
  'reckon(?:s|ed)?',
  'taken up|takes up',
  'tells? of',
  '(?<!there )(?:is|are|was) none\\b(?! of)',
  'a look(?!-)|looks in a row|each look',
  'guarded (?:pool|thread|worker)s?',
  'hears? of',
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

  test.each(RETIRED)('does not use: %s', (word) => {
    const pattern = new RegExp(`\\b(?:${word})\\b`, 'gi');
    expect(texts.flatMap(([file, text]) => [...text.matchAll(pattern)].map(([found]) => `${file}: ${found}`))).toEqual(
      [],
    );
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
