/** The guides of the documents, run from start to end: docs/guide-*.md. */
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runGuide } from '../support/guide.ts';
import { endAll } from '../support/process.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

/** Run over PostgreSQL: test/postgres/guide.test.ts. */
const ELSEWHERE = 'guide-several-nodes';

const GUIDES = readdirSync(resolve(import.meta.dirname, '../../docs'))
  .filter((file) => file.startsWith('guide-'))
  .map((file) => file.replace(/\.md$/, ''))
  .filter((name) => name !== ELSEWHERE);

const { server } = await useServer();
afterAll(endAll);

test.each(GUIDES)('%s prints what it says', async (name) => {
  const { port, mockPort } = server;
  const run = await runGuide(name, { key: await server.key(newOwner(), 'reader'), port, mockPort });
  for (const { commands, printed, expected } of run.blocks) {
    expect(printed.trim(), commands + run.stderr).toMatch(expected);
  }
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
});
