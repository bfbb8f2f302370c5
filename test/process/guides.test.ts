/** The guides of the documents, run from start to end: docs/guide-*.md. */
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
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

/** What guides start beside the server, a service and what records it, on ports that are free here. */
async function ownPorts(): Promise<Record<string, string>> {
  return { '4000': String(await freePort()), '4001': String(await freePort()) };
}

test.each(GUIDES)('%s prints what it says', async (name) => {
  const { port, mockPort } = server;
  const place = { key: await server.key(newOwner(), 'reader'), port, mockPort };
  const run = await runGuide(name, place, await ownPorts());
  for (const { commands, printed, expected } of run.blocks) {
    expect(printed.trim(), commands + run.stderr).toMatch(expected);
  }
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
});
