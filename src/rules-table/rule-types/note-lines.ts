/** Records the changes between two lists of header lines. */
import { excerpt } from '../../base/excerpt.ts';
import { isNamed, type HeaderLine, type HeaderLines } from '../header-list.ts';
import type { Change } from '../outcome.ts';

/**
 * Compares the lines of each name in their order.
 *
 * @param names Names of the lines that may have changed.
 */
export function noteLines(changed: Change[], before: HeaderLines, after: HeaderLines, names: readonly string[]): void {
  for (const name of new Set(names.map((each) => each.toLowerCase()))) {
    const old = before.filter((line) => isNamed(line, name));
    const now = after.filter((line) => isNamed(line, name));
    for (let index = 0; index < Math.max(old.length, now.length); index++) {
      const [was, is] = [textOf(old[index]), textOf(now[index])];
      if (was !== is) changed.push({ what: 'header', before: was, after: is });
    }
  }
}

function textOf(line: HeaderLine | undefined): string | null {
  return line === undefined ? null : excerpt(`${line.name}: ${line.value}`);
}
