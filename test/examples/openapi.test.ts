/** examples/openapi: its commands, as printed, with the build and with the package. `npm run prove:nodes` runs them on other versions of Node.js. */
import { cpSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/example.ts';
import { runGuide } from '../support/guide.ts';
import { configureNpm, packInto } from '../support/packed-package.ts';
import { endAll } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';

const EXAMPLE = '../examples/openapi';
const COMMAND = 'npx switchyard-server';

afterAll(endAll);

async function expectAnswers(folder: string, command: string): Promise<void> {
  const { blocks, stderr, status } = await runGuide(`${EXAMPLE}/README`, undefined, { [COMMAND]: command }, folder);
  expect(blocks).toHaveLength(1);
  for (const { printed, expected } of blocks) expect(printed.trim(), stderr).toMatch(expected);
  // npx ends by the signal that ended the server.
  expect([stderr, status]).toEqual(['', 143]);
}

test('one command serves the document, and three others get its answers', async () => {
  await expectAnswers(exampleFolder('openapi'), COMMAND);
});

// It packs, and installs all that the package needs.
test(
  'so does the packed file, which npx installs in an empty folder, without scripts',
  { timeout: 300_000 },
  async () => {
    const folder = temporaryDirectory();
    cpSync(resolve(import.meta.dirname, '..', EXAMPLE), folder, { recursive: true });
    await configureNpm(folder);
    await expectAnswers(folder, `npx --yes ./${await packInto(folder)}`);
  },
);
