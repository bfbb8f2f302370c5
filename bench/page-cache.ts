/** Makes files cold: as after a start of the machine, or when something else took the memory. */
import { spawnSync } from 'node:child_process';

/**
 * Asks the system to forget what it holds of a file: it does, as long as nobody has the file mapped and all of it is on the disk.
 * The whole cache could only be dropped by root, and from under everybody else.
 *
 * @returns Whether it could be asked: by GNU `dd`.
 */
export function dropFromPageCache(file: string): boolean {
  const { status } = spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
  return status === 0;
}
