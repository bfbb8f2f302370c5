/** examples/node-test: its tests pass. */
import { afterAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/example.ts';
import { endAll, Running } from '../support/process.ts';

afterAll(endAll);

test('two tests share one server', async () => {
  const { ended } = new Running(process.execPath, ['--test'], { cwd: exampleFolder('node-test') });
  const { stdout, status } = await ended;
  expect([status, stdout]).toEqual([0, expect.stringContaining('# pass 2\n')]);
});
