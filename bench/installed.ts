/** What is installed on this machine beside the service: programs, and npm packages with their versions. */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PACKAGES = join(import.meta.dirname, '../node_modules');
const PEERS = join(import.meta.dirname, 'peers/node_modules');
/** Debian installs nginx where only root's PATH has it. */
const FURTHER_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin'];

/** @returns The program's path, or undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...FURTHER_DIRECTORIES];
  return directories.map((directory) => join(directory, name)).find((file) => existsSync(file));
}

/** @returns The version of a package of this repository. */
export function installedVersion(name: string): string {
  return versionIn(join(PACKAGES, name));
}

/** The folder of a package of `bench/peers`. */
export function peerFolder(name: string): string {
  return join(PEERS, name);
}

export function peerVersion(name: string): string {
  return versionIn(peerFolder(name));
}

/** What to say where a package is not installed. */
export function missingPeer(name: string): string | undefined {
  return existsSync(peerFolder(name)) ? undefined : 'not installed: npm run bench:peers';
}

function versionIn(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}
