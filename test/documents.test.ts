/** The documents against the code: what they list is all there is, their links lead somewhere, the README stays short. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readFacts, withGeneratedParts } from '../src/build/docs-tables.ts';
import { RULE_TYPES } from '../src/model/record-id.ts';
import { formatTitles, MOCK_FORMAT_NAMES } from '../src/interchange/mock-formats.ts';
import { SIGNATURES } from '../src/languages/templates/signatures.ts';
import { PROOFS, NAMED_PROOFS } from './prove/proofs.ts';
import { CLI, temporaryDirectory } from './support/server.ts';
import { useOwnServer } from './support/shared-server.ts';
import { DEFAULT_LIMITS } from '../src/limits.ts';
import { CONDITION_OPERATORS, CONDITION_TARGETS, matchShape } from '../src/model/mocks/definition/condition-schema.ts';
import { responseShape, routeShape, settingsShape } from '../src/model/mocks/definition/schema.ts';
import { proxySettingsShape } from '../src/model/mocks/upstream/proxy-schema.ts';
import { FAULT_KINDS } from '../src/model/mocks/behaviour/behaviour-schema.ts';

const { server } = await useOwnServer(['--workers', '1', '--log-level', 'warn']);

const ROOT = resolve(import.meta.dirname, '..');
const README_LINES_MAX = 120;
const README_COLUMNS_MAX = 120;
const README_BYTES_MAX = 6_000;
const README_PROMISES = 3;
const DOCUMENTS_BYTES_MAX = 353_900;
const PAGE_BYTES_MAX = 24_000;
const GUIDE_BYTES_MAX = 12_000;
/** Of docs/README.md: what src/console/docs/documents.mjs reads. */
const GROUPS = ['Start', 'Guides', 'Reference'];
const GLOSSARY_TERMS_MAX = 20;

const DOCUMENTS: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(resolve(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
  'src/README.md',
  'test/prove/README.md',
  'bench/README.md',
  'snapshots/README.md',
  'examples/README.md',
];

/** With their READMEs, which `DOCUMENTS` has not. */
const EXAMPLES: readonly string[] = ['examples', 'deploy/action'].flatMap((folder) =>
  readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
);
const EXAMPLE_PAGES = EXAMPLES.filter((file) => file.endsWith('/README.md') && file !== 'examples/README.md');

const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

function section(file: string, title: string): string {
  const text = read(file)
    .split(/^##+ /m)
    .find((each) => each.startsWith(`${title}\n`));
  if (text === undefined) throw new Error(`${file} has no section "${title}"`);
  return text;
}

test('files that src/README.md names are there', () => {
  const files = ['src', 'test', 'docs'].flatMap((folder) =>
    readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `/${folder}/${file}`),
  );
  const named = [...read('src/README.md').matchAll(/(?<=`)[\w./-]+\.(?:ts|tsx|mjs)(?=`)|\bdocs\/[\w-]+\.md/g)].map(
    ([name]) => `/${name}`,
  );
  expect(named.filter((name) => !files.some((file) => file.endsWith(name)))).toEqual([]);
});

describe('the README', () => {
  test('can be read in one sitting', () => {
    const text = read('README.md');
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(README_LINES_MAX);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(README_BYTES_MAX);
    expect(text.split('\n').filter((line) => line.length > README_COLUMNS_MAX)).toEqual([]);
  });
});

describe('the index', () => {
  const INDEX = 'docs/README.md';

  test('names every document', () => {
    const linked = new Set(linksOf(INDEX).map(({ target }) => target));
    const others = DOCUMENTS.filter((file) => !['README.md', 'snapshots/README.md', INDEX].includes(file));
    expect(others.filter((file) => !linked.has(file))).toEqual([]);
  });

  test('has each page in one of three groups, of which the site and the console are built', () => {
    const rows = GROUPS.flatMap((group) => [...section(INDEX, group).matchAll(/\]\(([\w-]+\.md)\)/g)]);
    const pages = DOCUMENTS.filter((file) => file.startsWith('docs/') && file !== INDEX);
    expect(rows.map(([, file]) => `docs/${file}`).toSorted()).toEqual(pages.toSorted());
  });
});

test.each(DOCUMENTS.filter((file) => /^docs\/(?:mocks-|guide-)/.test(file)))('%s is read in one go', (file) => {
  expect(Buffer.byteLength(read(file))).toBeLessThanOrEqual(GUIDE_BYTES_MAX);
});

test('the README and the pages together stay short, and so does each', () => {
  const sizes = DOCUMENTS.filter((file) => file === 'README.md' || file.startsWith('docs/')).map(
    (file) => [file, Buffer.byteLength(read(file))] as const,
  );
  expect(sizes.filter(([, bytes]) => bytes > PAGE_BYTES_MAX)).toEqual([]);
  expect(sizes.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(DOCUMENTS_BYTES_MAX);
});

test('docs/console.md names screens and controls as the console does: in the table, and in bold', () => {
  const screens = [...section('docs/console.md', 'Screens').matchAll(/^\| ([\w ]+) \| `#/gm)];
  const controls = [...read('docs/console.md').matchAll(/\*\*(.+?)…?\*\*/g)];
  expect(screens.length).toBeGreaterThan(10);
  expect(controls.length).toBeGreaterThan(3);
  const source = readdirSync(resolve(ROOT, 'src/console'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => read(`src/console/${file}`))
    .join('\n');
  // A text starts after a quote, a tag, or on a line of its own.
  const isShown = (label: string): boolean => new RegExp(`(?:['"\`>]|^ *)${label}(?!\\w)`, 'm').test(source);
  const labels = [...screens, ...controls].map(([, label]) => label as string);
  expect(labels.filter((label) => !isShown(label))).toEqual([]);
});

describe('the cheat sheet', () => {
  const names = (title: string): string[] =>
    [...section('docs/cheat-sheet.md', title).matchAll(/^\| ((?:`\w+` ?)+)\| /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name as string),
    );

  test('has every target and operator of conditions, every fault, helper and type of rules', () => {
    expect(names('Conditions')).toEqual(expect.arrayContaining([...CONDITION_TARGETS, ...CONDITION_OPERATORS]));
    expect(names('Conditions')).toHaveLength(CONDITION_TARGETS.length + CONDITION_OPERATORS.length);
    expect(names('Faults')).toEqual([...FAULT_KINDS]);
    expect(names('Rules').toSorted()).toEqual([...RULE_TYPES].toSorted());
    const helpers = [...section('docs/cheat-sheet.md', 'Template helpers').matchAll(/^\| \w+ \| (`.+`) \|$/gm)];
    expect(helpers.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(' '))).toEqual(Object.keys(SIGNATURES));
  });
});

describe('generated parts of', () => {
  test.each(DOCUMENTS.filter((file) => read(file).includes('<!-- generated: ')))(
    '%s are what the program declares: otherwise run `npm run docs`',
    async (file) => {
      const facts = await readFacts(`http://127.0.0.1:${server.port}`);
      expect(read(file)).toBe(await withGeneratedParts(read(file), facts));
    },
  );

  test('a page that has been changed by hand, or asks for a part that does not exist, are noticed', async () => {
    const facts = await readFacts(`http://127.0.0.1:${server.port}`);
    const part = '<!-- generated: helpers of state -->\n\n| `var name` | nothing |\n\n<!-- end -->';
    const mended = await withGeneratedParts(`a\n${part}\nb`, facts);
    expect(mended).toContain('{{var ');
    expect(await withGeneratedParts(mended, facts)).toBe(mended);
    await expect(withGeneratedParts('<!-- generated: helpers of stat -->\n<!-- end -->', facts)).rejects.toThrow(
      'stat',
    );
    await expect(withGeneratedParts('<!-- generated: option -->\n<!-- end -->', facts)).rejects.toThrow('option');
  });

  test('the documents have all of them', () => {
    const names = DOCUMENTS.flatMap((file) =>
      [...read(file).matchAll(/<!-- generated: (.+) -->/g)].map(([, name]) => name),
    );
    expect(names).toEqual(expect.arrayContaining(['options of serve', 'refusals', 'metrics', 'endpoints', 'limits']));
    for (const { group } of Object.values(SIGNATURES)) expect(names).toContain(`helpers of ${group}`);
  });
});

describe('what the documents list is what there is:', () => {
  test.each([
    ['settings', settingsShape],
    ['[proxy]', proxySettingsShape],
    ['route', routeShape(DEFAULT_LIMITS.mocks)],
    ['response', responseShape(DEFAULT_LIMITS.mocks)],
    ['condition', matchShape],
  ])('fields of %s', (object, { properties }) => {
    const row =
      read('docs/mocks-fields.md')
        .split('\n')
        .find((line) => line.startsWith(`| ${object}`)) ?? '';
    expect(Object.keys(properties).filter((name) => !new RegExp(`\`[^\`]*\\b${name}\\b[^\`]*\``).test(row))).toEqual(
      [],
    );
  });

  test('options of import, on the command line and over HTTP', async () => {
    const help = execFileSync(process.execPath, [CLI, 'import', '--help'], { encoding: 'utf8' });
    const flags = new Set([...help.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag));
    const { json } = await server.request('GET', '/v1/openapi.json');
    const described: { in: string; name: string }[] = json.paths['/v1/mocks/import'].post.parameters;
    const parameters = described.flatMap((each) => (each.in === 'query' ? [each.name] : []));
    // It sends the name of the file that it reads; recipes have a command of their own.
    const asked = parameters.filter((name) => name !== 'fileName' && name !== 'recipe');
    const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !flags.has(flagOf(name)))).toEqual([]);
  });

  test('formats that are imported', async () => {
    const titles = formatTitles().split(/, | or /);
    expect(titles).toHaveLength(MOCK_FORMAT_NAMES.length);
    const help = execFileSync(process.execPath, [CLI, 'import', '--help'], { encoding: 'utf8' });
    const places = {
      'docs/interchange.md': read('docs/interchange.md').split('\n## ', 1)[0] as string,
      'the help of import': help.replaceAll(/\s+/g, ' '),
      'the OpenAPI document': (await server.request('GET', '/v1/openapi.json')).json.info.description as string,
      'the screen of imports': read('src/console/mocks/import/import-form.tsx').split('const FORMATS', 2)[1] as string,
    };
    for (const [place, text] of Object.entries(places))
      expect(
        titles.filter((title) => !text.includes(title)),
        place,
      ).toEqual([]);
  });
});

test.each([...DOCUMENTS, ...EXAMPLES, 'package.json'])(
  "%s names no package that is not ours: `switchyard` is somebody else's",
  (file) => {
    const foreign =
      /(?:\bnpx|\bnpm (?:i|install|exec|add)\b[^\n`]*|\bfrom|\bimport|require\(|import\() *['"]?switchyard(?![\w/-])['"]?|"switchyard": *"[\d^~*]/g;
    expect(read(file).match(foreign) ?? []).toEqual([]);
  },
);

describe('docs/switchyard.service', () => {
  const unit = read('docs/switchyard.service');

  test('starts the program with options that it has', () => {
    const help = execFileSync(process.execPath, [CLI, 'serve', '--help'], { encoding: 'utf8' });
    const [, line = ''] = /^ExecStart=\S+ \S+\/dist\/cli\.js serve (.*)$/m.exec(unit) ?? [];
    const flags = line.match(/--[a-z-]+/g) ?? [];
    expect(flags).toContain('--data');
    for (const flag of flags) expect(help).toMatch(new RegExp(`^ {2}${flag} `, 'm'));
  });

  test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('is a unit that systemd takes', () => {
    const folder = temporaryDirectory();
    const file = join(folder, 'switchyard.service');
    // The node that runs this test, wherever it is.
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    const { status, stderr } = spawnSync('/usr/bin/systemd-analyze', ['verify', file], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    rmSync(folder, { recursive: true });
  });
});

describe('docs/comparison.md', () => {
  const rows = [...read('docs/comparison.md').matchAll(/^\|(.+)\|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  );
  const [heads = [], , ...features] = rows;
  const CLAIM = /\[[^\]]+\]\(([^)]+)\)/g;

  test('says nothing without a source, which was read in the last twelve months', () => {
    expect(heads.slice(0, 2)).toEqual(['', 'Switchyard']);
    expect(features.length).toBeGreaterThan(8);
    const now = new Date();
    const oldest = new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth(), now.getUTCDate()));
    for (const head of heads.slice(2)) {
      const readAt = Date.parse(/ (\d{4}-\d\d-\d\d)$/.exec(head)?.[1] ?? '');
      expect(readAt, `${head}: read its sources again`).toBeGreaterThanOrEqual(oldest.getTime());
      expect(readAt, `${head} is in the future`).toBeLessThanOrEqual(now.getTime());
    }
    for (const [feature, own = '', ...others] of features) {
      expect(own.replaceAll(CLAIM, ''), `${feature}, ${own}`).toMatch(/^[, ]*$/);
      for (const [, source = ''] of own.matchAll(CLAIM)) expect(source, own).toMatch(/^[\w-]+\.md(?:#|$)/);
      expect(others, feature).toHaveLength(heads.length - 2);
      for (const cell of others) {
        if (cell === 'not checked') continue;
        const claims = [...cell.matchAll(CLAIM)];
        expect(claims.length, cell).toBeGreaterThan(0);
        expect(cell.replaceAll(CLAIM, ''), cell).toMatch(/^[, ]*$/);
        for (const [claim, source = ''] of claims) expect(source, claim).toMatch(/^https:\/\//);
      }
    }
  });

  // What README and the page's own advice say of a feature is what scope.md and the column of Switchyard say.
  const missing = [...read('docs/scope.md').matchAll(/^\| (\*\*.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/\*\*(.+?)\*\*/g)].map(([, term = '']) => term),
  );
  const present = features.filter(([, own]) => own !== '[no](scope.md)').map(([feature = '']) => feature);
  const others = [...heads.slice(2), 'another tool'].join('|');

  test('is at most 12 kB', () => {
    expect(Buffer.byteLength(read('docs/comparison.md'))).toBeLessThanOrEqual(12_000);
  });

  test('says "no" of what scope.md lists, and of nothing else', () => {
    expect(missing).toContain('gRPC');
    const absent = features.filter(([feature = '']) => !present.includes(feature));
    expect(absent.filter(([feature = '']) => !missing.includes(feature))).toEqual([]);
    expect(present.filter((feature) => missing.includes(feature))).toEqual([]);
    expect(present).toContain('WebSockets');
  });

  test.each(['README.md', 'docs/comparison.md'])('%s claims nothing that scope.md lists', (file) => {
    const sentences = read(file).split(/(?<=[.:])\s|\n\n|\n(?=\|)/);
    const named = sentences.filter((sentence) => missing.some((term) => sentence.includes(term)));
    const denied = new RegExp(`\\bno\\b|\\bnot\\b|cannot|without|${others}`);
    expect(named.filter((sentence) => !denied.test(sentence))).toEqual([]);
  });

  test.each(['README.md', 'docs/comparison.md'])('%s denies nothing that the page says Switchyard has', (file) => {
    const denials = read(file).match(/(?:does \**not\**|\*\*Take another tool\*\*) [^.\n]*(?:\n[^.\n]+)?/g) ?? [];
    const denied = denials.join('\n').toLowerCase();
    expect(present.filter((feature) => denied.includes(feature.toLowerCase()))).toEqual([]);
  });
});

test('docs/upgrading.md says of every version in the changelog who needs to act, or that nobody does', () => {
  const versions = [...read('CHANGELOG.md').matchAll(/^## .*?(\d+\.\d+\.\d+).*$/gm)].map(([, version]) => version);
  expect(versions).toContain((JSON.parse(read('package.json')) as { version: string }).version);
  expect(read('CHANGELOG.md').match(/^## /gm)).toHaveLength(versions.length);
  for (const version of versions) {
    expect(section('docs/upgrading.md', version as string), version).toMatch(
      /^\| part \| who \| what to do \| otherwise \|\n\|(?:---\|){4}\n\| \w|\bNobody\b/m,
    );
  }
});

test('the glossary of the code has at most twenty terms', () => {
  const terms = [...section('src/README.md', 'Glossary').matchAll(/^\| (\w[^|]*) \| \w/gm)];
  expect(terms.length).toBeGreaterThan(10);
  expect(terms.length).toBeLessThanOrEqual(GLOSSARY_TERMS_MAX);
});

describe('examples', () => {
  test('each has a page, is listed, and is run by a test', () => {
    const folders = readdirSync(resolve(ROOT, 'examples'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const list = read('examples/README.md');
    const tests = readdirSync(resolve(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /^(?:browser|examples|image)\/.*\.test\.ts$/.test(file))
      .map((file) => read(join('test', file)));
    for (const { name } of folders) {
      expect(EXAMPLE_PAGES).toContain(`examples/${name}/README.md`);
      expect(list).toContain(`](${name})`);
      expect(
        tests.filter((text) => text.includes(`examples/${name}`)),
        name,
      ).not.toEqual([]);
    }
  });
});

describe('promises', () => {
  const proved = promisesIn(read('docs/promises.md'));

  test('each links what proves it, and each proof is linked', () => {
    expect(proved.length).toBeGreaterThan(20);
    const linked = new Set<string>();
    for (const { text } of proved) {
      const files = [...text.matchAll(/\]\(([^)#]+\.ts)\)/g)].map(([, file]) => file as string);
      expect(files, text).not.toEqual([]);
      for (const file of files) linked.add(file);
    }
    for (const { name } of [...PROOFS, ...NAMED_PROOFS]) expect(linked).toContain(`../test/prove/proofs/${name}.ts`);
  });

  test('those of the README are among them, in one line each, with what proves them', () => {
    const promises = promisesIn(section('README.md', 'Promises'));
    const titles = new Set(proved.map(({ title }) => title));
    expect(promises.filter(({ title }) => !titles.has(title))).toEqual([]);
    expect(promises).toHaveLength(README_PROMISES);
    for (const { text } of promises) expect(text).toMatch(/^[^\n]+ \(\[[\w-]+\]\(test\/[\w/.-]+\.ts\)\)[^\n]*$/);
  });
});

test.each([...DOCUMENTS, ...EXAMPLE_PAGES])('the links of %s lead somewhere', (file) => {
  const broken = linksOf(file).filter(
    ({ target, anchor }) =>
      !existsSync(resolve(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
  );
  expect(broken).toEqual([]);
});

interface Promised {
  /** In bold, without a full stop. */
  readonly title: string;
  readonly text: string;
}

function promisesIn(text: string): Promised[] {
  return [...text.matchAll(/^- \*\*([^*]+?)\.?\*\*(?:.|\n(?=  ))*/gm)].map(([bullet, title = '']) => ({
    title,
    text: bullet,
  }));
}

interface Link {
  /** Relative to the root of the repository. */
  readonly target: string;
  /** Of a heading in the target. */
  readonly anchor: string | undefined;
}

/** Links to files of the repository; what is code is none. */
function linksOf(file: string): Link[] {
  return [...withoutCode(read(file)).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
    ([, path = '', anchor]) => ({
      target: path === '' ? file : relative(ROOT, resolve(ROOT, dirname(file), path)),
      anchor,
    }),
  );
}

/** As GitHub makes them: lower case, without punctuation, with hyphens for spaces. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
}
