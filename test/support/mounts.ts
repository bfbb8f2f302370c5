/**
 * File systems of a test's own: small, full when it wants them to be, or copied as a power cut would leave them. Needs root.
 *
 * What is mounted is unmounted again when the process ends, however it is asked to: lazily then, since a server that was just killed may
 * still hold files in it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './server.ts';

const mounted = new Set<Mount>();
// Before the directories that are mounted on are removed.
process.prependListener('exit', () => {
  for (const mount of mounted) mount.detach();
});
// An exit runs the listeners above; the signal by itself would not.
process.once('SIGINT', () => process.exit(130));

export class Mount {
  readonly directory: string;

  constructor(source: string, options: readonly string[]) {
    this.directory = join(temporaryDirectory(), 'mounted');
    mkdirSync(this.directory);
    command('mount', [...options, source, this.directory]);
    mounted.add(this);
  }

  /** Writes out what is dirty, and lets go. */
  unmount(): void {
    command('umount', [this.directory]);
    mounted.delete(this);
  }

  /** Of a tmpfs. */
  grow(mib: number): void {
    command('mount', ['-o', `remount,size=${mib}m`, this.directory]);
  }

  detach(): void {
    spawnSync('umount', ['--lazy', this.directory]);
    mounted.delete(this);
  }
}

export function mountTmpfs(mib: number): Mount {
  return new Mount('none', ['-t', 'tmpfs', '-o', `size=${mib}m`]);
}

/**
 * Mounts an image, replaying its journal. What is written reaches the image by an fsync alone: the file system's own commits are minutes
 * apart, and the kernel's write-back starts after half a minute.
 */
export function mountImage(image: string): Mount {
  return new Mount(image, ['-t', 'ext4', '-o', 'loop,commit=300']);
}

export function makeImage(image: string, mib: number): void {
  writeFileSync(image, '');
  truncateSync(image, mib * 1_048_576);
  command('mkfs.ext4', ['-q', '-F', image]);
}

/** Holes stay holes. */
export function copyImage(from: string, to: string): void {
  command('cp', ['--sparse=always', from, to]);
}

/** Why nothing can be mounted here, undefined when it can. */
export function mountsUnavailable(): string | undefined {
  return whyNot(() => mountTmpfs(1).unmount());
}

/** The same of images. */
export function imagesUnavailable(): string | undefined {
  return whyNot(() => {
    const image = join(temporaryDirectory(), 'image');
    makeImage(image, 8);
    mountImage(image).unmount();
  });
}

function whyNot(tried: () => void): string | undefined {
  if (process.getuid?.() !== 0) return 'it mounts file systems, which needs root';
  try {
    tried();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function command(name: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(name, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} failed: ${(error?.message ?? stderr).trim().replaceAll('\n', ' ')}`);
}
