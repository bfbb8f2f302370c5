/** PostgreSQL's programs, where they are installed: none are downloaded, and without them these tests are skipped. */
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['postgres', 'initdb', 'pg_basebackup'];

/** Where Debian has a folder for each version. */
const DEBIAN = '/usr/lib/postgresql';

/**
 * @returns The folder of its programs, the newest of several, or undefined where there is none.
 * @throws When PG_BIN names a folder without them.
 */
export function findPostgres(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { PG_BIN: given = '', PATH = '' } = env;
  const has = (folder: string): boolean => PROGRAMS.every((name) => existsSync(join(folder, name)));
  if (given !== '') {
    if (!has(given)) throw new Error(`PG_BIN names ${given}, which has no PostgreSQL server`);
    return given;
  }
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  return [...PATH.split(delimiter), ...versions.map((version) => join(DEBIAN, version, 'bin'))].find(has);
}
