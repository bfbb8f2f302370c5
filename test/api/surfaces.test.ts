/**
 * What users read of the product, piece by piece: the OpenAPI document, tools of agents, help of commands. A sum of each piece is kept in
 * `test/fixtures/surfaces.txt`, so that nothing changes unseen. After a change that is meant: run this file with `-u`. To read what changed, run it
 * with `SURFACES=<folder>` before and after: it writes the pieces there.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandTree } from '../../src/cli/program.ts';
import { TOOLS } from '../../src/mcp/tools/all-tools.ts';
import { useServer } from '../support/shared-server.ts';

const SUMS = resolve(import.meta.dirname, '../fixtures/surfaces.txt');
const { server } = await useServer();

test('of the API, tools and commands, users read what they read before', async () => {
  const { json } = await server.request('GET', '/v1/openapi.json');
  const { paths, components, ...head } = json as Record<string, Record<string, Record<string, unknown>>>;
  const pieces: Record<string, unknown> = { 'openapi head': { ...head, info: { ...head.info, version: '' } } };
  for (const [path, methods] of Object.entries(paths ?? {})) {
    for (const [method, operation] of Object.entries(methods)) {
      pieces[`openapi ${method.toUpperCase()} ${path}`] = operation;
    }
  }
  for (const [kind, members] of Object.entries(components ?? {})) {
    for (const [name, value] of Object.entries(members)) pieces[`openapi ${kind} ${name}`] = value;
  }
  // JSON leaves its function out.
  for (const tool of TOOLS) pieces[`tool ${tool.name}`] = tool;
  addHelp(pieces, await commandTree({ withTools: true }), '');

  const folder = process.env['SURFACES'];
  if (folder !== undefined) writePieces(pieces, folder);
  const sums = Object.entries(pieces).map(([name, piece]) => `${name}  ${sumOf(piece)}\n`);
  expect(sums.length).toBeGreaterThan(250);
  await expect(sums.join('')).toMatchFileSnapshot(SUMS);
});

function addHelp(pieces: Record<string, unknown>, command: Command, under: string): void {
  const name = under === '' ? command.name() : `${under} ${command.name()}`;
  pieces[`help ${name}`] = command.configureHelp({ helpWidth: 100 }).helpInformation();
  for (const each of command.commands) addHelp(pieces, each, name);
}

function sumOf(piece: unknown): string {
  return createHash('sha256').update(JSON.stringify(piece)).digest('hex').slice(0, 12);
}

function writePieces(pieces: Record<string, unknown>, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, piece] of Object.entries(pieces)) {
    const text = typeof piece === 'string' ? piece : JSON.stringify(piece, null, 2);
    writeFileSync(join(folder, `${name.replaceAll(/[/ ]/g, '_')}.txt`), `${text}\n`);
  }
}
