/**
 * The types of the client and its entries for test runners, in `dist/types` or the folder that is named: made when the package is packed, since nothing
 * else needs them. Of what TypeScript writes, the files stay that are reached from the client's own.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const TYPES = resolve(process.argv[2] ?? join(ROOT, 'dist/types'));
const RELATIVE_IMPORT = /\b(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g;

rmSync(TYPES, { recursive: true, force: true });
const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
const options = ['-p', 'src/tsconfig.json', '--outDir', TYPES];
execFileSync(process.execPath, [tsc, ...options], { cwd: ROOT, stdio: 'inherit' });
const { files } = JSON.parse(readFileSync(join(ROOT, 'src/tsconfig.json'), 'utf8')) as { files: readonly string[] };
const reached = new Set(files.map((file) => join(TYPES, file.replace(/\.ts$/, '.d.ts'))));
for (const file of reached) {
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(RELATIVE_IMPORT)) {
    reached.add(resolve(dirname(file), `${path}.d.ts`));
  }
}
for (const entry of readdirSync(TYPES, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !reached.has(path)) rmSync(path);
}
