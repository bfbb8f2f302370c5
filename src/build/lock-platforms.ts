/**
 * `npm run lock:platforms`: adds to package-lock.json, in the current folder, the digests that it lacks, of exactly the versions it has, as npm's
 * registry states them. Packages that the registry does not have are named, and left as they are.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { undigestedIn, type Lockfile } from './lockfile.ts';

const FILE = 'package-lock.json';
const DIGEST = /^sha512-[\w+/]{86}==$/;

const lockfile = JSON.parse(readFileSync(FILE, 'utf8')) as Lockfile;
const packages: Record<string, object> = { ...lockfile.packages };
for (const { key, spec } of undigestedIn(lockfile)) {
  const integrity = await digestOf(spec);
  if (integrity === undefined) {
    console.log(`${spec} is not in the registry`);
    continue;
  }
  const { version, ...others } = packages[key] as { version: string };
  // In the order in which npm writes them.
  packages[key] = { version, integrity, ...others };
  console.log(`${spec} ${integrity}`);
}
writeFileSync(FILE, `${JSON.stringify({ ...lockfile, packages }, undefined, 2)}\n`);

/** @returns undefined for a package, or a version, that the registry does not have. @throws Error when it could not be asked. */
async function digestOf(spec: string): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)('npm', ['view', spec, 'dist.integrity', '--json']).catch(
    (error: Error & { stdout: string }) => {
      // With `--json` npm prints its error on stdout, and ends with status 1. A npm that was killed, or is not there, prints none.
      if (error.stdout === '') throw error;
      return error;
    },
  );
  // For a package that has only other versions it prints nothing, and ends with status 0.
  const answer = JSON.parse(stdout === '' ? 'null' : stdout) as string | { error: { code: string } } | null;
  if (answer === null) return undefined;
  if (typeof answer === 'object') {
    if (answer.error.code === 'E404') return undefined;
    throw new Error(`npm view ${spec}: ${answer.error.code}`);
  }
  if (!DIGEST.test(answer)) throw new Error(`npm view ${spec}: ${answer} must be a SHA-512 digest`);
  return answer;
}
