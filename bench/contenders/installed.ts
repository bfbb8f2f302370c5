/** Where npm packages of contenders are, and which versions. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const PEERS = resolve(import.meta.dirname, '../peers');

/** @returns The version of a package of this repository. */
export function installedVersion(name: string): string {
  return versionIn(join(ROOT, 'node_modules', name));
}

/** @returns The folder of a package of `bench/peers`, or undefined when it is not installed. */
export function peerFolder(name: string): string | undefined {
  const folder = join(PEERS, 'node_modules', name);
  return existsSync(folder) ? folder : undefined;
}

export function peerVersion(name: string): string {
  return versionIn(join(PEERS, 'node_modules', name));
}

/** What to say where a package is not installed. */
export function missingPeer(name: string): string | undefined {
  return peerFolder(name) === undefined ? `not installed: npm run bench:peers` : undefined;
}

function versionIn(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}
