/** The shell commands of the documents, run exactly as printed. */
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { withoutProgress } from '../support/guide.ts';
import { endAll, Running } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** In the order in which a reader meets them, in one terminal: later ones use what earlier ones made. */
const SESSIONS = [
  ['docs/guide-mock-an-api.md', 'Over the API'],
  ['docs/mocks-matching.md', 'Scenarios'],
  ['docs/mocks-behaviour.md', 'Seed: replay a failed test'],
  ['docs/api.md', 'History'],
  ['docs/interchange.md', 'Over HTTP'],
  ['docs/interchange.md', 'On the command line'],
] as const;

const { server, key } = await useOwnServer();
const directory = temporaryDirectory();
afterAll(async () => {
  await endAll();
  rmSync(directory, { recursive: true, force: true });
});

function sectionOf(file: string, section: string): string {
  return readFileSync(resolve(ROOT, file), 'utf8').split(`\n## ${section}\n`)[1] ?? '';
}

/** Of a guide all, of other pages those that it begins with. */
function commandsOf(file: string, section: string): string {
  const [text = ''] = sectionOf(file, section).split('\n## ');
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands as string);
  return (file.startsWith('docs/guide-') ? blocks : blocks.slice(0, 1)).join('\n');
}

/** Notes each answer, also those that another command reads. */
const JSON_COMMAND = `json() { curl -s -H "x-api-key: $KEY" -H 'content-type: application/json' "$@" | tee -a "$ANSWERS"; echo | tee -a "$ANSWERS"; }`;

function asScript(answers: string): string {
  const commands = SESSIONS.map(([file, section]) => commandsOf(file, section))
    .join('\n')
    .replace(/^json\(\).*$/m, JSON_COMMAND)
    .replace(
      /^export KEY=.*$/m,
      `export KEY=${key} ANSWERS=${answers} SWITCHYARD_SERVER=http://127.0.0.1:${server.port}`,
    )
    .replace(/^export API=.*$/m, `export API=http://127.0.0.1:${server.port}/v1`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${server.mockPort}`)
    .replaceAll('localhost:8081', `localhost:${server.mockPort}`)
    .replaceAll(/payments(?:\.openapi)?\.json/g, `${directory}/$&`)
    .replaceAll('curl -i', 'curl -s -i')
    .replace(/^curl -N/m, 'timeout 1 curl -s -N');
  return `set -u\n${commands}`;
}

test('every command of a first mock, the reference, the history and imports gets the documented answer', async () => {
  const file = join(directory, 'answers');
  const { stdout, stderr } = await new Running('bash', ['-c', asScript(file)]).ended;
  expect(withoutProgress(stderr)).toBe('');
  const answers = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  expect(answers.length).toBeGreaterThan(15);
  expect(answers.filter((line) => !line.startsWith('{"success":true'))).toEqual([]);

  const statuses = [...stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([401, 204, 200, 200]);
  expect(stdout).toContain('{"id":"42"}\n404\n');
  expect(answers.filter((line) => line.includes('"nextBefore":') && !line.includes('"truncated":'))).toHaveLength(3);
});
