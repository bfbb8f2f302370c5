/**
 * `npm run release`: what is published, made of the clone in the current folder, after what must hold has been checked: the package, and
 * beside it what it consists of (sbom.ts). It publishes nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { UNDIGESTED, undigestedIn, type Lockfile } from './lockfile.ts';
import { softwareBillOfMaterials } from './sbom.ts';

const problems = [...unnamedSource(), ...undigested()];
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
// The last line is the name of the file, which npm prints.
const packed = execFileSync('npm', ['run', '--silent', 'package'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .at(-1) as string;
const sbom = packed.replace(/\.tgz$/, '.cdx.json');
writeFileSync(sbom, `${JSON.stringify(softwareBillOfMaterials('.'), undefined, 2)}\n`);
for (const file of [packed, sbom]) {
  console.log(`${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${file}`);
}

/** npm's provenance names the repository, and refuses a package that does not. */
function unnamedSource(): string[] {
  const { repository } = JSON.parse(readFileSync('package.json', 'utf8')) as { repository?: unknown };
  return repository === undefined ? ['package.json names no "repository": add where the source is published'] : [];
}

function undigested(): string[] {
  const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lockfile;
  return undigestedIn(lockfile)
    .filter(({ spec }) => !UNDIGESTED.includes(spec))
    .map(({ spec }) => `package-lock.json has no digest of ${spec}: run \`npm run lock:platforms\``);
}
