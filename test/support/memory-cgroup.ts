/**
 * A memory cgroup of a test's own, of either version: what runs in it is killed by the kernel when it takes more. Needs root.
 *
 * It is removed when the process ends; what runs in it must have ended by then.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunOptions } from './process.ts';
import { Running } from './process.ts';

/** Where cgroups with a memory controller can be made, by version. */
const PARENTS = { 1: '/sys/fs/cgroup/memory', 2: '/sys/fs/cgroup' } as const;

/** Files of a cgroup, by version. */
const LIMIT = { 1: 'memory.limit_in_bytes', 2: 'memory.max' } as const;
const PEAK = { 1: 'memory.max_usage_in_bytes', 2: 'memory.peak' } as const;
const KILLS = { 1: 'memory.oom_control', 2: 'memory.events' } as const;

let count = 0;
const left = new Set<string>();
process.on('exit', () => left.forEach(removeIfEmpty));

export class MemoryCgroup {
  readonly #version: 1 | 2;
  readonly #directory: string;

  constructor(mib: number) {
    this.#version = existsSync(join(PARENTS[1], 'memory.limit_in_bytes')) ? 1 : 2;
    const parent = PARENTS[this.#version];
    if (this.#version === 2) writeFileSync(join(parent, 'cgroup.subtree_control'), '+memory');
    this.#directory = join(parent, `switchyard-test-${process.pid}-${++count}`);
    mkdirSync(this.#directory);
    left.add(this.#directory);
    writeFileSync(join(this.#directory, LIMIT[this.#version]), String(mib * 1_048_576));
    // What is over goes to the disk otherwise, and nobody is killed.
    if (this.#version === 2) this.#writeIfThere('memory.swap.max', '0');
    else this.#writeIfThere('memory.swappiness', '0');
  }

  /** Runs a command in it. */
  run(command: string, args: readonly string[], options: RunOptions = {}): Running {
    const enter = 'echo $$ > "$1" && shift && exec "$@"';
    return new Running('sh', ['-c', enter, 'sh', join(this.#directory, 'cgroup.procs'), command, ...args], options);
  }

  /** How many of its processes the kernel has killed. */
  get kills(): number {
    return Number(/^oom_kill (\d+)$/m.exec(this.#read(KILLS[this.#version]))?.[1] ?? 0);
  }

  /** The most that it took, with the pages of files; undefined where the kernel does not tell. */
  get peakBytes(): number | undefined {
    const file = PEAK[this.#version];
    return existsSync(join(this.#directory, file)) ? Number(this.#read(file)) : undefined;
  }

  /** Once all that ran in it has ended. */
  remove(): void {
    rmdirSync(this.#directory);
    left.delete(this.#directory);
  }

  #read(file: string): string {
    return readFileSync(join(this.#directory, file), 'utf8');
  }

  #writeIfThere(file: string, text: string): void {
    if (existsSync(join(this.#directory, file))) writeFileSync(join(this.#directory, file), text);
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Something runs in it still.
  }
}

/** Why no memory cgroup can be made here, undefined when one can. */
export function memoryCgroupsUnavailable(): string | undefined {
  if (process.getuid?.() !== 0) return 'it makes a memory cgroup, which needs root';
  try {
    new MemoryCgroup(64).remove();
    return undefined;
  } catch (error) {
    return `no memory cgroup can be made: ${(error as Error).message}`;
  }
}
