/** The order of test files, so that none runs on alone when all others are done. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Short, and long to run: they start processes, or wait. */
const LONG =
  /\/test\/(process|examples|client|store)\/|\/(serving\/(processes|hostile)|contract\/stream|browser\/examples)\.test\.ts$/;

/**
 * Before a first run nothing is known of files but their size, by which vitest sorts them. Afterwards it knows how long each has taken, and
 * those that are long stay among the first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- no array's, but vitest's
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
