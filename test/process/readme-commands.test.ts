/** The shell commands of the README, run as they stand: what a newcomer pastes works. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endAll, Running } from '../support/process.ts';
import { TestServer } from '../support/server.ts';

const README = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(async () => {
  await server.end();
  await endAll();
});

function commandsOf(section: string): string {
  const [, text = ''] = README.split(`\n## ${section}\n`);
  return /```sh\n(.*?)```/s.exec(text)?.[1] as string;
}

/** Keeps the last answer for the id that a person would copy from it. */
const JSON_COMMAND = `json() { LAST=$(curl -s -H "x-api-key: $KEY" -H 'content-type: application/json' "$@"); echo "$LAST"; }`;
const ID_OF_LAST = `$(node -p 'JSON.parse(process.argv[1]).data.id' "$LAST")`;

function asScript(key: string): string {
  const commands = ['A first session', 'A first mock', 'Mocks', 'History']
    .map(commandsOf)
    .join('\n')
    .replace(/^json\(\).*$/m, JSON_COMMAND)
    .replace(/^export KEY=.*$/m, `export KEY=${key}`)
    .replace(/^export API=.*$/m, `export API=http://127.0.0.1:${server.port}/v1`)
    .replaceAll(/=(?:Group_|Redirect_|m)\.\.\..*$/gm, `=${ID_OF_LAST}`)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${server.mockPort}`)
    .replaceAll('localhost:8081', `localhost:${server.mockPort}`)
    .replaceAll('curl -i', 'curl -s -i')
    .replace(/^curl -N/m, 'timeout 1 curl -s -N');
  return `set -u\n${commands}`;
}

test('every command of the first session, the first mock, the cycle of a mock and the history is answered as promised', async () => {
  const script = asScript(await server.key('acme'));
  const { stdout, stderr } = await new Running('bash', ['-c', script]).ended;
  expect(stderr).toBe('');
  const answers = stdout.split('\n').filter((line) => line.startsWith('{"success"'));
  expect(answers.length).toBeGreaterThan(20);
  expect(answers.filter((line) => !line.startsWith('{"success":true'))).toEqual([]);

  const statuses = [...stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([200, 404, 503]);
  expect(stdout).toContain('{"id":"42"}');
  expect(answers.filter((line) => line.includes('"verified":true'))).toHaveLength(1);
  expect(answers.filter((line) => line.includes('"nextBefore":'))).toHaveLength(3);
}, 30_000);
