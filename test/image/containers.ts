/** Builds and runs images without a daemon, by buildah and podman, with a storage that is removed at the end. */
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ownBuild } from '../../src/base/own-build.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAMS = ['buildah', 'podman', 'podman-compose', 'runc', 'iptables', 'busybox'];
const RUNTIME = join(import.meta.dirname, 'runc-without-limits.sh');
const BASE = 'localhost/switchyard-base';

export const IMAGE = 'localhost/switchyard';

const run = promisify(execFile);

/** @returns What is missing for a build, or undefined. */
export function missingForImages(): string | undefined {
  if (process.platform !== 'linux') return 'Linux';
  if (process.getuid?.() !== 0) return 'root';
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  if (!existsSync('/usr/lib/podman/netavark')) return 'netavark';
  return PROGRAMS.find((name) => !folders.some((folder) => existsSync(join(folder, name))));
}

interface Finished {
  readonly stdout: string;
  readonly status: number;
  readonly all: string;
}

export class Containers {
  readonly #storage = temporaryDirectory();
  readonly env = { ...process.env, STORAGE_DRIVER: 'vfs' };
  /** Podman with this storage. */
  readonly program = join(this.#storage, 'podman');
  readonly #places = ['--root', join(this.#storage, 'root'), '--runroot', join(this.#storage, 'run')];

  constructor() {
    const networks = ['--network-config-dir', join(this.#storage, 'networks')];
    const options = [...this.#places, ...networks, '--cgroup-manager', 'cgroupfs', '--runtime', RUNTIME];
    writeFileSync(this.program, `#!/bin/sh\nexec podman ${options.join(' ')} "$@"\n`, { mode: 0o755 });
  }

  /** The image of the Dockerfile, upon what this machine has in place of a base image. */
  async build(): Promise<void> {
    await run(join(import.meta.dirname, 'base-image.sh'), [BASE, ...this.#places], { env: this.env });
    const options = ['--format', 'docker', '--isolation', 'chroot', '--network', 'host'];
    const { commit } = await ownBuild();
    const args = ['--build-arg', `NODE_IMAGE=${BASE}`, '--build-arg', `COMMIT=${commit ?? ''}`];
    await this.#buildah('bud', ...options, ...args, '-t', IMAGE, ROOT);
  }

  /** Starts a container on the network of this machine. @returns Its id. */
  async start(options: readonly string[], args: readonly string[] = []): Promise<string> {
    const { stdout } = await this.podman('run', '-d', '--network', 'host', ...options, IMAGE, ...args);
    return stdout.trim();
  }

  podman(...args: readonly string[]): Promise<Finished> {
    return this.run(this.program, args);
  }

  /** Output of both kinds: a container's log has both. */
  async run(command: string, args: readonly string[]): Promise<Finished> {
    // What it warns of, such as that there is no systemd, is no error.
    return run(command, args, { env: this.env }).then(
      ({ stdout, stderr }) => ({ stdout, status: 0, all: stdout + stderr }),
      ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({
        stdout,
        status: code,
        all: stdout + stderr,
      }),
    );
  }

  #buildah(...args: readonly string[]) {
    return run('buildah', [...this.#places, ...args], { env: this.env, maxBuffer: 16 * 1_048_576 });
  }

  async close(): Promise<void> {
    await this.podman('rm', '--all', '-f', '-t', '0');
    await this.#buildah('rmi', '--all', '--force').catch(() => undefined);
  }
}
