/**
 * The memory that our processes share, and what V8 keeps of it. At its own pace V8 knows nothing of their bound: it collects garbage when it
 * allocates, and never gives back the space for new objects, 34 MB in each thread that was busy once.
 */
import { totalmem } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Memory that all processes together may take: that of the machine, or of their container. */
export function memoryBytesMax(): number {
  // Without a limit, constrainedMemory is undefined, 0, or more than any machine has.
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

/** With less memory, threads get a space for new objects of three times so many megabytes, not of sixteen: they collect it more often. */
export const SMALL_MACHINE_BYTES = 1_024 * 1_048_576;
const SEMI_SPACE_MB = 4;
const LIMIT_EVERY_MS = 20;

/** @returns Options of Node.js for another process of ours. */
export function heapOptions(): string[] {
  return memoryBytesMax() < SMALL_MACHINE_BYTES ? [`--max-semi-space-size=${SEMI_SPACE_MB}`] : [];
}

/** The same for this process, whose own space no longer grows, and the threads that it starts: each of them lets it grow again. */
export function limitHeap(): void {
  const options = heapOptions();
  if (options.length === 0) return;
  for (const option of [...options, `--min-semi-space-size=${SEMI_SPACE_MB}`]) setFlagsFromString(option);
  setInterval(() => setFlagsFromString('--semi-space-growth-factor=1'), LIMIT_EVERY_MS).unref();
}

/** How often garbage is collected on demand, and which part of the time it may take: a collection of a large heap takes seconds. */
const EVERY_MS = 1_000;
const SHARE = 1 / 16;

let collect: (() => void) | undefined;
let endedAt = -Infinity;
let tookMs = 0;

/**
 * Collects the garbage of this thread.
 *
 * @param free Called before, to let go of what is to be collected.
 * @param isFull Whether requests are refused until there is memory: it may take half of the time then.
 * @returns false where it did so a moment ago: then nothing is done.
 */
export function collectGarbage(free?: () => void, isFull = false): boolean {
  const startedAt = performance.now();
  const pauseMs = isFull ? tookMs : Math.max(EVERY_MS, tookMs / SHARE);
  if (startedAt < endedAt + pauseMs) return false;
  free?.();
  setFlagsFromString('--expose-gc');
  collect ??= runInNewContext('gc') as () => void;
  collect();
  endedAt = performance.now();
  tookMs = endedAt - startedAt;
  return true;
}
