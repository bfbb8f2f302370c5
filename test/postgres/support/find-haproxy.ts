/** HAProxy, where it is installed: it is not downloaded, and without it its tests are skipped. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where packages put it, which is not in the PATH of every user. */
const USUAL = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

export const NO_HAPROXY = 'HAProxy is not installed (apt-get install haproxy, or name the program in HAPROXY)';

/**
 * @returns The program, or undefined where there is none.
 * @throws When HAPROXY names no file, or where it must be installed.
 */
export function findHaproxy(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { HAPROXY: given = '', PATH = '', SWITCHYARD_POSTGRES } = env;
  if (given !== '') {
    if (!existsSync(given)) throw new Error(`HAPROXY names ${given}, which does not exist`);
    return given;
  }
  const found = [...PATH.split(delimiter), ...USUAL].map((folder) => join(folder, 'haproxy')).find(existsSync);
  if (found === undefined && SWITCHYARD_POSTGRES === 'required') throw new Error(NO_HAPROXY);
  return found;
}
