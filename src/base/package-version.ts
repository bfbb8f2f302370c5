/** The version in this package's package.json. */
import { readFile } from 'node:fs/promises';
import { PACKAGE_JSON } from './program-files.ts';

export async function ownVersion(): Promise<string> {
  const text = await readFile(PACKAGE_JSON, 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
