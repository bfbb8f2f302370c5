/**
 * The error message for systems where uWebSockets.js has no binary for this Node.js, or has one that cannot be loaded:
 * one line for the operator. It must run on any Node.js, even one that is too old for everything else, so it imports
 * nothing.
 */

/** The running Node.js. */
export interface Runtime {
  /** Without "v". */
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
  /** Version of the system's glibc; undefined with another C library. */
  readonly glibc: string | undefined;
}

const SUPPORTED = 'use Node.js 22 or 24 (20 and 26 work as well) on Linux with glibc or on macOS, x64 or arm64';
const MAJORS = new Set([20, 22, 24, 26]);
const SYSTEMS = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);
/** The oldest versions that can load the binaries, by the symbols of those for x64. */
const GLIBC_NEEDED = { old: '2.27', new: '2.38' };
const GLIBC_NEW_FROM_MAJOR = 24;

/** @param error The error of loading the package. @returns The message. */
export function noBinary(error: NodeJS.ErrnoException, runtime: Runtime = thisRuntime()): string {
  const { version, platform, arch, glibc } = runtime;
  const major = Number.parseInt(version, 10);
  const here = `Node.js ${version} on ${platform}-${arch}`;
  if (!MAJORS.has(major) || !SYSTEMS.has(`${platform}-${arch}`)) {
    return `${here} is not supported: ${SUPPORTED}, and install with it (npm ci)`;
  }
  if (platform === 'linux' && glibc === undefined) {
    return `${here} is not supported without glibc, which Alpine and other systems with musl lack: ${SUPPORTED}`;
  }
  if (error.code === 'MODULE_NOT_FOUND') {
    return `the packages were not installed with ${here}: install them again with it (npm ci), optional ones included`;
  }
  const needed = major >= GLIBC_NEW_FROM_MAJOR ? GLIBC_NEEDED.new : GLIBC_NEEDED.old;
  if (glibc !== undefined && isOlder(glibc, needed)) {
    const other = isOlder(glibc, GLIBC_NEEDED.old) ? 'use' : 'use Node.js 22 and install with it (npm ci), or use';
    return `${here} needs glibc ${needed} or newer, and this system has ${glibc}: ${other} a newer system (Debian 13, Ubuntu 24.04)`;
  }
  return `${here} cannot load uWebSockets.js; reinstall (npm ci): ${error.message.split('\n', 1)[0]}`;
}

function thisRuntime(): Runtime {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const { platform, arch, versions } = process;
  return { version: versions.node, platform, arch, glibc: header.glibcVersionRuntime };
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = than.split('.').map(Number);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}
