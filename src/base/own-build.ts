/** Facts of this build: the version of its package.json, and the commit that it was made of. */
import { readFile } from 'node:fs/promises';
import { COMMIT_FILE, PACKAGE_JSON } from './program-files.ts';

export interface Build {
  readonly version: string;
  /** Abbreviated, with "-dirty" behind it when files were changed; null for a build outside of the repository. */
  readonly commit: string | null;
}

export async function ownBuild(): Promise<Build> {
  const [manifest, commit] = await Promise.all([
    readFile(PACKAGE_JSON, 'utf8'),
    readFile(COMMIT_FILE, 'utf8').catch(() => ''),
  ]);
  return { version: (JSON.parse(manifest) as { version: string }).version, commit: commit.trim() || null };
}

/** @returns Such as "0.2.0 (commit 76181b34c0de, store format 11)". */
export function buildText({ version, commit }: Build, storeFormat: number): string {
  return `${version} (${commit === null ? '' : `commit ${commit}, `}store format ${storeFormat})`;
}
