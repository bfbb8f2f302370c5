/**
 * Pictures of every screen, for a person to look at: `npm run screenshots [folder] [-- --only name,name]`.
 *
 * Each in light and dark, and in light at 400 px; the form for a key first. What went wrong in a page is told, and ends it with 1.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { createClient } from '../../src/client/index.ts';
import { TestServer } from '../support/server.ts';
import { SCREENS, type Screen } from './screens.ts';
import { makeExample } from './support/example.ts';
import { goTo, signIn } from './support/sign-in.ts';
import { watchedPage, type PageOptions } from './support/watched-page.ts';

const LOOKS: readonly (readonly [name: string, options: PageOptions])[] = [
  ['light', {}],
  ['dark', { scheme: 'dark' }],
  ['400', { width: 400 }],
];
/** What is loaded when a screen shows, such as the editor, has come by then. */
const SETTLED_MS = 400;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const folder = resolve(positionals[0] ?? mkdtempSync(join(tmpdir(), 'switchyard-screens-')));
mkdirSync(folder, { recursive: true });
const screens = SCREENS.filter(({ name }) => values.only?.split(',').includes(name) ?? true);
if (screens.length === 0) throw new Error(`--only ${values.only}: the screens are ${namesOf(SCREENS)}`);

const server = await TestServer.start(['--workers', '1']);
const origin = `http://127.0.0.1:${server.port}`;
const example = await makeExample(createClient({ apiUrl: `${origin}/v1`, key: await server.key('team', 'ann') }));
let problemCount = 0;
// A tab has one key.
for (const { role, owner, theirs } of people()) {
  const key = await server.key(owner, 'ann', role);
  for (const [look, options] of LOOKS) {
    const { page, problems, close } = await watchedPage(origin, options);
    await page.goto(`${origin}/console`);
    await takePicture(page, `sign-in.${look}`);
    // From one fragment to another nothing would be loaded.
    await page.goto('about:blank');
    await signIn(page, origin, key, '#/mocks');
    for (const screen of theirs) await show(page, screen, look);
    await close();
    problemCount += problems.length;
    for (const problem of problems) console.error(`${look}: ${problem}`);
  }
}
console.log(folder);
await server.end();
process.exit(problemCount > 0 ? 1 : 0);

function people() {
  return (['editor', 'viewer'] as const).flatMap((role) =>
    ['team', 'new'].flatMap((owner) => {
      const theirs = screens.filter((each) => (each.role ?? 'editor') === role && (each.owner ?? 'team') === owner);
      return theirs.length === 0 ? [] : [{ role, owner, theirs }];
    }),
  );
}

async function show(page: Page, { name, place, steps }: Screen, look: string): Promise<void> {
  await goTo(page, origin, place(example));
  await steps?.(page);
  await takePicture(page, `${name}.${look}`);
}

async function takePicture(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(SETTLED_MS);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

function namesOf(all: readonly Screen[]): string {
  return all.map(({ name }) => name).join(', ');
}
