/** What figures depend on that no benchmark chooses: the machine, its kernel, and which version of the code it was. */
import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';
import { resolve } from 'node:path';

export function describeMachine(): object {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim(),
    cores: processors.length,
    memoryBytes: totalmem(),
    kernel: `${type()} ${release()}`,
  };
}

export interface Commit {
  /** Empty where this is no clone. */
  readonly commit: string;
  /** It had changes that are in no commit. */
  readonly isDirty: boolean;
}

export function describeCommit(): Commit {
  try {
    return { commit: git('rev-parse', '--short=10', 'HEAD'), isDirty: git('status', '--porcelain') !== '' };
  } catch {
    return { commit: '', isDirty: false };
  }
}

function git(...args: readonly string[]): string {
  const cwd = resolve(import.meta.dirname, '../..');
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
