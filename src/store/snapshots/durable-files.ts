/** Files and directories that survive a power cut, and digests of files. */
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { OnProgress } from '../check/content.ts';

const BLOCK_BYTES = 1_048_576;

/** Syncs a file, or the entries of a directory. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Creates a file, readable by its owner alone; fails when it exists. */
export function writeDurably(path: string, text: string): void {
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
  syncPath(path);
}

/** @returns SHA-256 of the file's bytes: hexadecimal. */
export function digestFile(path: string, onProgress: OnProgress, signal: AbortSignal): Promise<string> {
  return readBlocks(path, onProgress, signal, () => undefined);
}

/** Copies a file durably; fails when the target exists. @returns SHA-256 of the copied bytes: hexadecimal. */
export async function copyDurably(
  from: string,
  to: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<string> {
  const file = openSync(to, 'wx', 0o600);
  try {
    const digest = await readBlocks(from, onProgress, signal, (block) => {
      for (let at = 0; at < block.length;) at += writeSync(file, block, at);
    });
    fsyncSync(file);
    return digest;
  } finally {
    closeSync(file);
  }
}

async function readBlocks(
  path: string,
  onProgress: OnProgress,
  signal: AbortSignal,
  onBlock: (block: Buffer) => void,
): Promise<string> {
  const file = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    const { size: total } = await file.stat();
    for (let done = 0; ;) {
      const { bytesRead } = await file.read(block, 0, BLOCK_BYTES);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(block.subarray(0, bytesRead));
      onBlock(block.subarray(0, bytesRead));
      done += bytesRead;
      onProgress(done, Math.max(done, total));
      signal.throwIfAborted();
    }
  } finally {
    await file.close();
  }
}
