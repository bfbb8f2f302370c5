/** Runs in place of the tests of PostgreSQL where no server program is installed, and says so. */
import { expect, test } from 'vitest';

const NONE =
  'no PostgreSQL server is installed (apt-get install postgresql, or name the folder of its programs in PG_BIN)';

test('a PostgreSQL server is installed', ({ skip }) => {
  expect(process.env.SWITCHYARD_POSTGRES, NONE).not.toBe('required');
  skip(`the tests of PostgreSQL are skipped: ${NONE}`);
});
