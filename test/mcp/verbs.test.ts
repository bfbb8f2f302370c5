/** What agents can do by tools, people and scripts can do by commands, and the other way: from one list. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addInterchangeCommands } from '../../src/cli/interchange-commands.ts';
import { addRulesCommands } from '../../src/cli/rules-commands.ts';
import { addToolCommands } from '../../src/cli/tool-commands.ts';
import { TOOLS } from '../../src/mcp/tools/all-tools.ts';
import { runLine } from '../support/command-lines.ts';
import type { Outcome } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const cwd = temporaryDirectory();
const env = { SWITCHYARD_API_KEY: key, SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}` };
const switchyard = (...args: string[]): Promise<Outcome> => runLine(args, { env, cwd });
const json = async (...args: string[]) => JSON.parse((await switchyard(...args, '--json')).stdout);

/** Commands that talk to a server, and are no task of an agent: whole files, and mocks that come with the program. */
const COMMANDS_ALONE = new Set(['rules import', 'rules export', 'recipe', 'import', 'export']);

function commandsOf(command: Command, before = ''): string[] {
  const below = command.commands.flatMap((each) => commandsOf(each, `${before}${each.name()} `));
  const talks = command.options.some(({ long }) => long === '--key-file');
  return talks ? [before.trim(), ...below] : below;
}

test('each tool has its command, and each command about what a server has is a tool', () => {
  const program = new Command('switchyard');
  addRulesCommands(program);
  addInterchangeCommands(program);
  addToolCommands(program);
  const commands = commandsOf(program).filter((each) => !COMMANDS_ALONE.has(each));
  expect(commands.toSorted()).toEqual(TOOLS.map(({ verb }) => verb).toSorted());
});

test('the program knows each of them', async () => {
  const groups = new Set(TOOLS.map(({ verb }) => verb.split(' ')[0] as string));
  const { stdout } = await switchyard('--help');
  for (const group of groups) expect(stdout).toMatch(new RegExp(`^  ${group}\\b`, 'm'));
});

test('docs/agents.md lists them, with who may use each and which take two calls', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(\w+)` \| `([\w -]+)` \| (R|2|) ?\| /gm)].map(([, name, verb, mark]) => [
    name,
    verb,
    mark,
  ]);
  const takesTwo = ({ input }: (typeof TOOLS)[number]): boolean => 'confirm' in input.properties;
  expect(rows).toEqual(
    TOOLS.map((tool) => [tool.name, tool.verb, tool.access === 'read' ? 'R' : takesTwo(tool) ? '2' : '']),
  );
});

test('a mock is made, edited, started and verified by commands, whose answers are JSON', async () => {
  const { mocks } = await json('mocks', 'create', '--name', 'by hand', '--id', 'byhand');
  expect(mocks).toMatchObject([{ id: 'byhand', state: 'stopped' }]);
  writeFileSync(
    join(cwd, 'routes.json'),
    JSON.stringify([{ method: 'GET', path: '/users/:id', responses: [{ body: 'Ann' }] }]),
  );
  expect(await json('mocks', 'edit', 'byhand', '--routes', '@routes.json')).toMatchObject({
    routes: ['added GET /users/:id'],
  });
  const serve = ['mocks', 'apply', 'byhand', 'serve'];
  const { done, confirm } = await json(...serve);
  expect(done).toBe(false);
  expect(await json(...serve, '--confirm', confirm)).toMatchObject({ done: true });
  const answer = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/byhand/users/7`);
  expect(await answer.text()).toBe('Ann');
  const match = JSON.stringify({ path: '/users/:id' });
  expect((await switchyard('verify', 'byhand', '--match', match, '--exactly', '1')).status).toBe(0);
  expect(await switchyard('verify', 'byhand', '--match', match, '--exactly', '2')).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^verified: false$[^]*^problem: expected exactly 2 of .*, but 1 arrived$/m),
  });
});

test('a request is given as it is typed: its method and path behind the mock', async () => {
  const routes = JSON.stringify([{ method: 'POST', path: '/users/:id', responses: [{ body: 'Ann' }] }]);
  await json('mocks', 'create', '--name', 'typed', '--id', 'typed', '--routes', routes);
  const { confirm } = await json('mocks', 'apply', 'typed', 'serve');
  await json('mocks', 'apply', 'typed', 'serve', '--confirm', confirm);
  expect(await json('mocks', 'try', 'typed', 'post', '/users/7')).toMatchObject({
    request: 'POST /users/7',
    response: { body: 'Ann' },
  });
  expect(await json('mocks', 'try', 'typed', '/users/7')).toMatchObject({ request: 'GET /users/7', response: null });
  expect(await json('mocks', 'try', 'typed', '--method', 'POST', '--path', '/users/7')).toMatchObject({
    response: { body: 'Ann' },
  });
  await fetch(`http://127.0.0.1:${server.mockPort}/__mock/typed/users/7`, { method: 'POST' });
  expect((await switchyard('verify', 'typed', 'POST', '/users/7', '--exactly', '1')).status).toBe(0);
  expect((await switchyard('verify', 'typed', 'GET', '/users/7')).status).toBe(1);
  expect((await json('traffic', 'list', 'typed', 'POST', '/users/7')).requests).toHaveLength(1);
  expect((await json('traffic', 'list', 'typed', 'GET', '/users/7')).requests).toEqual([]);
  expect(await switchyard('mocks', 'try', 'typed', 'users/7')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /^error: expected a method and a path, such as GET \/users\/7: users\/7\nusage: switchyard mocks try /,
    ),
  });
});

test('lines for a person name commands, not tools; a mistake is one line with status 2', async () => {
  const shown = await switchyard('mocks', 'apply', 'byhand', 'stop');
  expect(shown.stdout).toMatch(/^done: false\n/);
  expect(shown.stdout).toMatch(/^confirm: [\w-]{22}$/m);
  const wrong = await switchyard('mocks', 'read', 'nothing');
  expect(wrong).toMatchObject({ status: 2, stdout: '' });
  expect(wrong.stderr).toMatch(/^error: Mock not found; .*`switchyard mocks list`.*\n$/);
  expect(await json('mocks', 'read', 'nothing')).toMatchObject({ status: 404, todo: expect.any(String) });
});

test('help lists the groups, and what is in them', async () => {
  expect((await switchyard('--help')).stdout).toMatch(/^ {2}traffic +list requests to mocks/m);
  const { stdout } = await switchyard('help', 'sessions');
  expect(stdout).toContain('Creates a session of a mock for one test');
  expect(stdout).not.toMatch(/sessions_|mocks_/);
  for (const verb of ['create', 'end']) expect(stdout).toMatch(new RegExp(`^ {2}${verb} \\[options\\] <mock>`, 'm'));
});
