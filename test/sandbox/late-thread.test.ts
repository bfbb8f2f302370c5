/** A sandbox thread that takes long to start, as on a busy machine: its first task has all its time. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { TRY_MS } from '../../src/limits.ts';
import { endAll, serve } from '../support/process.ts';
import { rulePayload } from '../support/samples.ts';
import { temporaryDirectory } from '../support/server.ts';

afterAll(endAll);

const LATE = pathToFileURL(resolve(import.meta.dirname, '../support/late-thread.mjs')).href;

test('what waits for the start of a thread is not refused for taking long', async () => {
  const data = temporaryDirectory();
  const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
  const env = { NODE_OPTIONS: `--import ${LATE}`, LATE_MS: `${TRY_MS + 500}` };
  const port = await serve(data, ['--log-level', 'warn', '--workers', '1'], { env }).ready();
  const post = async (path: string, body: object) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, json: (await answer.json()) as { data: { id: string } } };
  };
  const mock = await post('/mocks', { name: 'm', routes: [{ method: 'GET', path: '/', responses: [{ body: 'a' }] }] });
  const pairs = [{ source: { key: 'Url', operator: 'Matches', value: String.raw`/\p{Lu}/u` } }];
  const answers = await Promise.all([
    post('/rules', rulePayload('Cancel', { pairs })),
    post(`/mocks/${mock.json.data.id}/try`, { method: 'GET', path: '/', against: 'staged' }),
    post('/rules/evaluate', { request: { url: 'http://a.test/' } }),
    post('/rules/evaluate', { request: { url: 'http://a.test/' }, rules: [rulePayload()] }),
  ]);
  expect(answers.map(({ status, json }) => [status, json])).toEqual(answers.map(({ json }) => [200, json]));
});
