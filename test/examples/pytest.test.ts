/** examples/pytest, with a server that it starts, and with one that runs. Without pytest it is skipped. */
import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { exampleFolder } from '../support/example.ts';
import { endAll, Running } from '../support/process.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

/** Debian's comes last: `python3` may be another one, without pytest. */
const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-m', 'pytest', '--version']).status === 0,
);
const NONE = 'pytest is not installed (Debian: apt-get install python3-pytest)';

afterAll(endAll);

test.skipIf(python !== undefined)('pytest is there', ({ skip }) => {
  expect(process.env.SWITCHYARD_PYTEST, NONE).not.toBe('required');
  skip(NONE);
});

describe.skipIf(python === undefined)('the suite of examples/pytest passes', () => {
  const pytest = (env: Record<string, string>) =>
    new Running(python as string, ['-m', 'pytest', '-q', '--basetemp=temporary'], {
      cwd: exampleFolder('pytest'),
      env,
    }).ended;

  test('with a server of its own', async () => {
    const { stdout, status } = await pytest({});
    expect([status, stdout]).toEqual([0, expect.stringContaining('2 passed')]);
  });

  test('with a server that runs, in which it leaves nothing', async () => {
    const { server } = await useServer();
    const key = await server.key(newOwner(), 'reader');
    const place = { SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}`, SWITCHYARD_API_KEY: key };
    const { stdout, status } = await pytest(place);
    expect([status, stdout]).toEqual([0, expect.stringContaining('2 passed')]);
    expect((await server.request('GET', '/v1/mocks', { key })).json.data).toEqual([]);
  });
});
