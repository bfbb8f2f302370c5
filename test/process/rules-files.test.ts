/** `switchyard rules import` and `rules export`: what they print and write, their exit status, and each mistake. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runLine } from '../support/command-lines.ts';
import { run, type Outcome } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const cwd = temporaryDirectory();
const { server, key } = await useServer();
let env: Record<string, string>;

const cancel = (name: string, members: object = {}) => ({
  objectType: 'rule',
  ruleType: 'Cancel',
  name,
  pairs: [{ id: 'p', source: { key: 'Url', operator: 'Contains', value: 'a' } }],
  ...members,
});

beforeAll(async () => {
  env = { SWITCHYARD_API_KEY: key, SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}` };
});

const rules = (...args: string[]): Promise<Outcome> => runLine(['rules', ...args], { env, cwd });
/** In a process of its own. */
const program = (...args: string[]): Promise<Outcome> => run(['rules', ...args], { env, cwd });

function written(name: string, content: unknown): string {
  writeFileSync(join(cwd, name), JSON.stringify(content, undefined, 2));
  return name;
}

test('a file is imported, and the lines say what is not exact, with its line', async () => {
  const group = { objectType: 'group', id: 'Group_1', name: 'Shop', status: 'Inactive' };
  const file = written('rules.json', [cancel('a', { groupId: 'Group_1', colour: 'red\u001b' }), group]);
  const { status, stdout, stderr } = await program('import', file);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe(`requestly, by an array with \`objectType\`
rules: 1 created
groups: 1 created

Not exact:
- active in the file, and imported as inactive (--activate keeps the status): 1
- /0/colour (line 17) "a": Unknown field, ignored: \`colour\`

What to do instead:
- Check the spelling, or remove the field; if the tool documents it, responses may differ.
- Activate it, or import again with \`activate\`, which overwrites the record.
`);
});

test('refused records make the status 1; --json prints the answer of the API', async () => {
  const file = written('bad.json', [cancel('good'), cancel('bad', { pairs: [{}] })]);
  const { status, stdout } = await rules('import', file, '--activate', '--json');
  expect(status).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    records: [{ result: 'created' }, { result: 'refused', details: [{ path: '/pairs/0/source' }] }],
    report: { items: { rules: { exact: 1, approximated: 0, dropped: 1 } } },
  });
});

test('--dry-run, --atomic and --on-conflict reach the server', async () => {
  const before = (await rules('export')).stdout;
  const file = written('all.json', JSON.parse(before));
  const dry = await rules('import', file, '--dry-run', '--on-conflict', 'skip');
  expect(dry.stdout).toContain('rules: 2 skipped\ngroups: 1 skipped\nNothing is stored: this was a dry run.\n');
  const refused = await rules('import', 'bad.json', '--atomic');
  expect({ ...refused, stdout: '' }).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toMatch(/answered 400: Import is invalid: \/1\/pairs\/0\/source is required/);
  expect((await rules('export')).stdout).toBe(before);
});

test('an export is the file, on stdout or where -o says', async () => {
  const [, id] = (JSON.parse((await rules('export')).stdout) as { id: string }[]).map((each) => each.id);
  const { status, stdout, stderr } = await rules(
    'export',
    '-o',
    'out.json',
    '--format',
    'switchyard',
    '--ids',
    id as string,
  );
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8'))).toMatchObject({
    kind: 'rules',
    rules: [{ id, name: 'good' }],
  });
  const answer = await server.request('GET', '/v1/rules/export', { key });
  expect(JSON.parse((await program('export')).stdout)).toEqual(answer.json);
});

test.each(['requestly', 'switchyard'])('rules test takes an export as %s', async (format) => {
  await rules('export', '-o', 'tried.json', '--format', format);
  const { status, stdout } = await rules('test', 'http://a.test/', '--rules', 'tried.json');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^GET http:\/\/a\.test\/ is blocked/);
});

test.each([
  [['import', 'none.json'], /^error: cannot read none\.json/],
  [['import', 'out.json', '--on-conflict', 'replace'], /Allowed choices are duplicate, overwrite, skip/],
  [['export', '-o', 'no/such/file'], /^error: cannot write no\/such\/file/],
  [['export', '--ids', 'Cancel_none'], /answered 404: Rule not found/],
])('%j is one line on stderr, with the usage where it helps, and status 2', async (args, expected) => {
  const { status, stdout, stderr } = await rules(...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(expected);
  expect(stderr).toMatch(/^error: .+\n(?:usage: .+\n)?$/);
});
