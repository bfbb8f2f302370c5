/**
 * A newer C library for one command, on a Debian that is older than the binaries for Node.js 24 and 26: three packages of Debian 13, laid
 * over the system's libraries in a mount namespace of the command's own. Nobody else sees them, and nothing is left of it when the command ends.
 *
 * The packages come from where the system's own do, by apt, which checks their signatures; they are kept in a folder that git ignores.
 * Needs root, for the mount.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A command and its arguments. */
export type Words = readonly [string, ...string[]];

const RELEASE = 'trixie';
const PACKAGES = ['libc6', 'libstdc++6', 'libgcc-s1'];
const LIBRARIES = '/usr/lib/x86_64-linux-gnu';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const CACHE = resolve(import.meta.dirname, '.cache', RELEASE);

/** Cannot be done here; the message says why. */
export class UnavailableError extends Error {}

/** @returns What runs a command under the newer library. @throws UnavailableError */
export function underNewerCLibrary(): (words: Words) => Words {
  if (process.getuid?.() !== 0) throw new UnavailableError('to lay a newer one over it takes root');
  for (const tool of ['unshare', 'mount', 'apt-get', 'dpkg-deb']) {
    if (spawnSync('which', [tool]).status !== 0) throw new UnavailableError(`${tool} is missing`);
  }
  if (!existsSync(CACHE)) fetchPackages();
  const under = (words: Words): Words => {
    const mount = `mount -t overlay overlay -o lowerdir="${CACHE}${LIBRARIES}":${LIBRARIES} ${LIBRARIES}`;
    return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', `${mount} && exec "$@"`, 'sh', ...words];
  };
  // Files one by one would not do: between two mounts nothing runs, `mount` included.
  run(under(['true']), 'an overlay cannot be mounted here');
  return under;
}

function fetchPackages(): void {
  const folder = `${CACHE}-${process.pid}`;
  try {
    for (const each of ['lists/partial', 'state', 'cache/archives/partial']) {
      mkdirSync(join(folder, each), { recursive: true });
    }
    const signed = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : '';
    writeFileSync(join(folder, 'sources.list'), `deb ${signed}${archive()} ${RELEASE} main\n`);
    const options = [
      `Dir::Etc::SourceList=${folder}/sources.list`,
      'Dir::Etc::SourceParts=/dev/null',
      `Dir::State=${folder}/state`,
      `Dir::State::Lists=${folder}/lists`,
      'Dir::State::Status=/dev/null',
      `Dir::Cache=${folder}/cache`,
      'APT::Sandbox::User=root',
      'APT::Update::Post-Invoke-Success=',
    ].flatMap((each) => ['-o', each]);
    run(['apt-get', ...options, 'update'], `the packages of ${RELEASE} cannot be had`);
    run(['apt-get', ...options, 'download', ...PACKAGES], `the packages of ${RELEASE} cannot be had`, folder);
    const root = join(folder, 'root');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
      run(['dpkg-deb', '--extract', join(folder, file), root], `${file} cannot be unpacked`);
    }
    renameSync(root, CACHE);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the system's own packages come from: no host is named in this repository. */
function archive(): string {
  const [, codename = ''] = /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const uris = run(['apt-get', '--print-uris', 'update'], 'apt does not say where packages come from');
  const [, found] = new RegExp(`^'(.+)/dists/${codename}/InRelease'`, 'm').exec(uris) ?? [];
  if (found === undefined) throw new UnavailableError('apt has no source of this system');
  return found;
}

function run([command, ...args]: Words, otherwise: string, cwd?: string): string {
  const ran = spawnSync(command, args, { encoding: 'utf8', ...(cwd === undefined ? {} : { cwd }) });
  if (ran.status === 0) return ran.stdout;
  throw new UnavailableError(`${otherwise}: ${(ran.stderr ?? '').trim().split('\n').at(-1)}`);
}
