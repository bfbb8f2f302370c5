/** `switchyard-server/global-setup`: one server for all tests of a run, for vitest, Playwright, and runners that are set up in the same way. */
import { startRun } from './fixture.ts';
import type { StartOptions } from './index.ts';

/**
 * For the default export of a `globalSetup` file, which returns its teardown.
 *
 * @param options Such as `mocks`: files to serve, relative to where the run starts. Unused where SWITCHYARD_SERVER names a server.
 */
export function globalSetup(options: StartOptions = {}): () => Promise<() => Promise<void>> {
  return () => startRun(options);
}
