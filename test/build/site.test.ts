/** The static site (`npm run site`): complete, linked, strict, and the same bytes whenever it is built. In a browser: test/browser/static-site.test.ts. */
import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { readFolder } from '../support/read-folder.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server } = await useServer();

const ROOT = resolve(import.meta.dirname, '../..');
const INDEX_BYTES_MAX = 80_000;
/** All documents at once: what a reader with a large window takes in one go. */
const FULL_TEXT_BYTES_MAX = 510_000;

const DOCUMENTS = readdirSync(join(ROOT, 'docs')).flatMap((file) => /^(?!README)(.*)\.md$/.exec(file)?.[1] ?? []);
/** The page of endpoints is longer than the document of that name. */
const PAGES = ['index', 'documents', ...DOCUMENTS];

async function builtSite(): Promise<ReadonlyMap<string, Buffer>> {
  const to = join(temporaryDirectory(), 'site');
  await promisify(execFile)(process.execPath, [join(ROOT, 'src/console/build-site.mjs'), to]);
  return readFolder(to);
}

let site: ReadonlyMap<string, Buffer>;
let again: ReadonlyMap<string, Buffer>;
beforeAll(async () => {
  [site, again] = await Promise.all([builtSite(), builtSite()]);
});

const textOf = (path: string): string => site.get(path)?.toString() ?? expect.fail(`the site has no ${path}`);

test('it has a page for the README, the index, each document and the endpoints, and the same bytes on two runs', () => {
  const pages = [...site.keys()].filter((path) => path.endsWith('.html'));
  expect(pages.toSorted()).toEqual(PAGES.map((name) => `${name}.html`).toSorted());
  expect([...again.keys()].toSorted()).toEqual([...site.keys()].toSorted());
  for (const [path, bytes] of site) expect(again.get(path)?.equals(bytes), path).toBe(true);
});

test('a folder with anything else is left as it is', async () => {
  const to = temporaryDirectory();
  writeFileSync(join(to, 'notes.txt'), 'kept');
  const built = promisify(execFile)(process.execPath, [join(ROOT, 'src/console/build-site.mjs'), to]);
  await expect(built).rejects.toMatchObject({
    code: 2,
    stderr: `error: ${to} holds something else than a site: name another folder\n`,
  });
  expect(readdirSync(to)).toEqual(['notes.txt']);
});

test('every link and anchor leads somewhere on the site, and every id is there once', () => {
  const idsOf = (path: string): string[] => [...textOf(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string);
  let count = 0;
  for (const page of PAGES.map((name) => `${name}.html`)) {
    const ids = idsOf(page);
    expect(ids.length, page).toBe(new Set(ids).size);
    for (const [, href = ''] of textOf(page).matchAll(/ (?:href|src|data-index)="([^"]+)"/g)) {
      if (/^(?:https:|data:,$)/.test(href)) continue;
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? page : path;
      expect(site.has(target), `${page} links ${href}`).toBe(true);
      if (anchor !== undefined) expect(idsOf(target), `${page} links ${href}`).toContain(anchor);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(1_000);
});

test('its policy is that of the console, and nothing in a page needs another', async () => {
  const { headers } = await server.request('GET', '/console');
  const policy = String(headers.get('content-security-policy')).replace("frame-ancestors 'none'; ", '');
  expect(policy).toContain("default-src 'none'");
  for (const name of PAGES) {
    const html = textOf(`${name}.html`);
    // Before anything that it is to hold.
    expect(html, name).toContain(
      `<meta charset="utf-8">\n<meta http-equiv="content-security-policy" content="${policy}">\n`,
    );
    expect(html.match(/<script/g), name).toHaveLength(1);
    expect(html, name).not.toMatch(/<style| style=| on[a-z]+=|javascript:| src="(?!assets\/|console\.png")/i);
  }
});

test('the index of the search has each page with its headings, and stays small', () => {
  const path = [...site.keys()].find((each) => /^assets\/index-\w+\.json$/.test(each)) as string;
  expect(site.get(path)?.length).toBeLessThanOrEqual(INDEX_BYTES_MAX);
  const { pages } = JSON.parse(textOf(path)) as {
    pages: { name: string; title: string; sections: [anchor: string, heading: string, text: string][] }[];
  };
  expect(pages.map(({ name }) => name).toSorted()).toEqual(PAGES.toSorted());
  for (const { name, sections } of pages) {
    const html = textOf(`${name}.html`);
    const headings = html.match(/<h[1-6] id=/g) ?? [];
    expect(sections, name).toHaveLength(headings.length);
    for (const [anchor] of sections.slice(1)) expect(html, `${name}#${anchor}`).toContain(` id="${anchor}"`);
  }
  const scenarios = pages
    .find(({ name }) => name === 'mocks-matching')
    ?.sections.find(([anchor]) => anchor === 'scenarios');
  expect(scenarios?.[2]).toMatch(/^A scenario is [^.]*\.$/);
});

test('the endpoints are those of the OpenAPI document, which is the one that the server sends', async () => {
  const { json } = await server.request('GET', '/v1/openapi.json');
  expect(JSON.parse(textOf('openapi.json'))).toEqual(json);
  const expected = Object.entries(json.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = [...textOf('endpoints.md').matchAll(/^### `(.+)`$/gm)].map(([, name]) => name as string);
  expect(listed.toSorted()).toEqual(expected.toSorted());
  for (const name of Object.keys(json.components.schemas)) expect(textOf('endpoints.md')).toContain(`\n### ${name}\n`);
});

test('llms.txt names every document once, with its source beside the page; llms-full.txt has them all', () => {
  const text = textOf('llms.txt');
  expect(text).toMatch(/^# Switchyard\n\n> Switchyard is a self-hosted server [^\n]*\n\n## Start\n\n- \[/);
  const linked = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path as string);
  const sources = DOCUMENTS.map((name) => `${name}.md`);
  expect(linked.toSorted()).toEqual([...sources, 'llms-full.txt', 'openapi.json'].toSorted());
  for (const path of linked) expect(site.has(path), path).toBe(true);
  const full = textOf('llms-full.txt');
  for (const name of DOCUMENTS.filter((each) => each !== 'endpoints')) expect(full).toContain(textOf(`${name}.md`));
  expect(Buffer.byteLength(full)).toBeLessThanOrEqual(FULL_TEXT_BYTES_MAX);
});
