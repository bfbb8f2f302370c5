/**
 * Whether the service is overloaded: samples the event loop's delay, and the memory of all our processes, on a timer.
 *
 * While it is overloaded, requests are refused before they are tried, and their connections closed. server.ts acts on
 * it; a request reads one field. Mailboxes, bodies and answers are bounded and refused where they are counted: this
 * watches the sum. Before requests are refused for memory, `onMemoryShort` frees what can be loaded again, and garbage is
 * collected here and in the other processes.
 *
 * Overload begins when LOAD_SAMPLES_LATE samples in a row are late, and ends after LOAD_SAMPLES_CALM that are well
 * below the bounds: one long block, such as the compilation of a large mock, is one late sample and changes nothing.
 * For memory one sample is enough: the kernel kills a process at its limit without warning.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { collectGarbage, SMALL_MACHINE_BYTES } from '../../base/own-memory.ts';
import { MEMORY_FULL_SHARE, MEMORY_SHARE_MAX, MEMORY_SHORT_SHARE } from '../../limits.ts';

/**
 * Overload of the API process, sampled ten times a second. An event loop that is this late in several samples in a row
 * has more work than it can do, and every client waits. Overload ends after a calm second.
 */
const LOAD_SAMPLE_MS = 100;
const LOAD_SAMPLES_LATE = 4;
const LOAD_SAMPLES_CALM = 10;
const LOOP_DELAY_MS = 400;

/** In place of MEMORY_SHORT_SHARE: a burst takes a larger part of a small machine, and its garbage is soon collected. */
const SHORT_SHARE_OF_SMALL = 0.65;
/** In place of MEMORY_SHARE_MAX there: between two samples a burst takes more than a twentieth of all. */
const LARGE_SHARE_OF_SMALL = 0.8;

/** Overload ends, and memory is no longer short, below this part of the bound. */
const CALM_SHARE = 0.8;
/** The same for overload by memory: what owners may hold for long must not keep it up. */
const CALM_MEMORY_SHARE = 0.95;

/** From the last sample. */
interface LoadFigures {
  readonly delayMs: number;
  readonly memoryShare: number;
}

interface LoadWatchOptions {
  /** For all our processes together. */
  readonly memoryBytesMax: number;
  /** The data plane's process, and that of egress; undefined while there is none. */
  readonly childPids: () => readonly (number | undefined)[];
  readonly onChange: (isOverloaded: boolean, figures: LoadFigures) => void;
  /** Called when memory becomes short, and again while it is. @param isFirst Whether it was not short before. */
  readonly onMemoryShort: (isFirst: boolean) => void;
}

export class LoadWatch {
  isOverloaded = false;
  /** From the last sample. */
  delayMs = 0;
  memoryShare = 0;
  /** For `takeMemory`, until the next sample; and by owner, until memory is freed or not short. */
  #freeBytes = Infinity;
  readonly #takenBy = new Map<string, number>();
  readonly #own = new ProcessMemory('self');
  #children: readonly ProcessMemory[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sampledAt = 0;
  #lateCount = 0;
  #calmCount = 0;
  #isMemoryShort = false;

  start(options: LoadWatchOptions): void {
    this.#sampledAt = performance.now();
    this.#timer = setInterval(() => this.#sample(options), LOAD_SAMPLE_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const child of this.#children) child.close();
  }

  /**
   * Takes bytes of the memory that is left for what is large. @returns false when there are not so many, or the owner would
   * have taken more than it leaves to others.
   */
  takeMemory(ownerId: string, bytes: number): boolean {
    const taken = this.#takenBy.get(ownerId) ?? 0;
    if (bytes + (taken === 0 ? 0 : taken + bytes) > this.#freeBytes) return false;
    this.#freeBytes -= bytes;
    this.#takenBy.set(ownerId, taken + bytes);
    return true;
  }

  #sample(options: LoadWatchOptions): void {
    const now = performance.now();
    this.delayMs = Math.max(0, now - this.#sampledAt - LOAD_SAMPLE_MS);
    this.#sampledAt = now;
    this.#sampleMemory(options);
    const shortShare = options.memoryBytesMax < SMALL_MACHINE_BYTES ? SHORT_SHARE_OF_SMALL : MEMORY_SHORT_SHARE;
    if (this.memoryShare < shortShare) {
      this.#isMemoryShort &&= this.memoryShare >= shortShare * CALM_SHARE;
      this.#takenBy.clear();
    } else this.#freeMemory(options);
    const isFull = this.memoryShare >= MEMORY_FULL_SHARE;
    const isCalm =
      this.delayMs < LOOP_DELAY_MS * CALM_SHARE && this.memoryShare < MEMORY_FULL_SHARE * CALM_MEMORY_SHARE;
    this.#lateCount = isFull || this.delayMs >= LOOP_DELAY_MS ? this.#lateCount + 1 : 0;
    this.#calmCount = isCalm ? this.#calmCount + 1 : 0;
    const isOverloaded = this.isOverloaded
      ? this.#calmCount < LOAD_SAMPLES_CALM
      : isFull || this.#lateCount >= LOAD_SAMPLES_LATE;
    if (isOverloaded === this.isOverloaded) return;
    this.isOverloaded = isOverloaded;
    options.onChange(isOverloaded, { delayMs: Math.round(this.delayMs), memoryShare: this.memoryShare });
  }

  /** Samples memory use as a share of the V8 heap or of the memory of our processes, whichever is higher. */
  #sampleMemory({ memoryBytesMax, childPids }: LoadWatchOptions): void {
    const pids = childPids().filter((pid) => pid !== undefined);
    const known = this.#children;
    this.#children = pids.map((pid) => known.find((child) => child.pid === pid) ?? new ProcessMemory(pid));
    for (const child of known) if (!this.#children.includes(child)) child.close();
    const bytes = this.#children.reduce((sum, child) => sum + child.bytes(), this.#own.bytes());
    const { used_heap_size: heapBytes, heap_size_limit: heapBytesMax } = getHeapStatistics();
    this.memoryShare = Math.max(heapBytes / heapBytesMax, bytes / memoryBytesMax);
    const largeShare = memoryBytesMax < SMALL_MACHINE_BYTES ? LARGE_SHARE_OF_SMALL : MEMORY_SHARE_MAX;
    this.#freeBytes = Math.min(heapBytesMax * MEMORY_SHARE_MAX - heapBytes, memoryBytesMax * largeShare - bytes);
  }

  #freeMemory(options: LoadWatchOptions): void {
    const isFull = this.memoryShare >= MEMORY_FULL_SHARE;
    if (!collectGarbage(() => options.onMemoryShort(!this.#isMemoryShort), isFull)) return;
    this.#isMemoryShort = true;
    this.#takenBy.clear();
    this.#sampleMemory(options);
    // Load did not cause the time that it took.
    this.#sampledAt = performance.now();
  }
}

/**
 * The memory of a process without the pages of files: LMDB maps its whole file, and the kernel takes those pages back
 * when it needs them.
 * Only Linux shows that; elsewhere it is the resident memory of this process alone.
 */
class ProcessMemory {
  readonly pid: number | 'self';
  /** Opened once: there may be no descriptor left when it matters. */
  readonly #statm: number | undefined;
  readonly #text = Buffer.alloc(128);

  constructor(pid: number | 'self') {
    this.pid = pid;
    try {
      this.#statm = openSync(`/proc/${pid}/statm`, 'r');
    } catch {
      this.#statm = undefined;
    }
  }

  bytes(): number {
    try {
      if (this.#statm === undefined) return this.pid === 'self' ? process.memoryUsage.rss() : 0;
      const text = this.#text.toString('latin1', 0, readSync(this.#statm, this.#text, 0, this.#text.length, 0));
      const [, resident = 0, shared = 0] = text.split(' ').map(Number);
      return (resident - shared) * PAGE_BYTES;
    } catch {
      // It has ended.
      return 0;
    }
  }

  close(): void {
    if (this.#statm !== undefined) closeSync(this.#statm);
  }
}

/** On all machines but some with ARM, where the estimate is too low. */
const PAGE_BYTES = 4_096;
