/** The README and the guides of the documents, run from start to end: docs/guide-*.md. That of several nodes: test/postgres/guide.test.ts. */
import { readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { runGuide } from '../support/guide.ts';
import { endAll } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const GUIDES = readdirSync(resolve(import.meta.dirname, '../../docs'))
  .filter((file) => file.startsWith('guide-'))
  .map((file) => file.replace(/\.md$/, ''));

const { server } = await useServer();
afterAll(endAll);

/** What guides start beside the server, a service, what records it and a gateway, on ports that are free here. */
async function ownPorts(): Promise<Record<string, string>> {
  const [service, recorder, gateway] = await Promise.all([freePort(), freePort(), freePort()]);
  return { '4000': `${service}`, '4001': `${recorder}`, '8082': `${gateway}` };
}

/** A folder with the packages and the examples of the clone. */
function clone(): string {
  const folder = temporaryDirectory();
  for (const name of ['node_modules', 'examples'])
    symlinkSync(resolve(import.meta.dirname, '../..', name), join(folder, name));
  return folder;
}

test.each(['../README', ...GUIDES])('%s prints what it says', async (name) => {
  const { port, mockPort } = server;
  const place = { key: await server.key(newOwner(), 'reader'), port, mockPort };
  // The shared server has no gateway.
  const run = await runGuide(name, name === 'guide-gateway' ? undefined : place, await ownPorts(), clone());
  for (const { commands, printed, expected } of run.blocks) {
    expect(printed.trim(), commands + run.stderr).toMatch(expected);
  }
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
});
