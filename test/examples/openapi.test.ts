/** examples/openapi: its commands, as printed. */
import { afterAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/example.ts';
import { runGuide } from '../support/guide.ts';
import { endAll } from '../support/process.ts';

afterAll(endAll);

test('one command serves the document, and three others get its answers', async () => {
  const { blocks, stderr, status } = await runGuide(
    '../examples/openapi/README',
    undefined,
    {},
    exampleFolder('openapi'),
  );
  expect(blocks).toHaveLength(1);
  for (const { printed, expected } of blocks) expect(printed.trim(), stderr).toMatch(expected);
  // npx ends by the signal that ended the server.
  expect([stderr, status]).toEqual(['', 143]);
});
