/**
 * Whether the control plane has more to do, or holds more, than it can: its event loop's delay and its memory, looked at on a timer.
 *
 * Overload comes in two levels. `closing`: answers close their connections, so that clients find another server or pause. `refusing`:
 * requests are refused before they are tried. server.ts acts on it; a request reads one field. What is bounded in itself (mailboxes,
 * bodies, answers) is refused where it is counted: this watches what adds up in spite of that.
 *
 * A level is entered when LOAD_LOOKS_LATE looks in a row say so, and left for the one below after LOAD_LOOKS_CALM that are well below its
 * bound: one long block, such as a large mock that is compiled, is one late look and trips nothing.
 */
import { openSync, readSync } from 'node:fs';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import {
  LOAD_LOOK_MS,
  LOAD_LOOKS_CALM,
  LOAD_LOOKS_LATE,
  LOOP_DELAY_CLOSING_MS,
  LOOP_DELAY_REFUSING_MS,
  MEMORY_CLOSING_SHARE,
  MEMORY_REFUSING_SHARE,
} from '../limits.ts';

/** From the lightest on. */
export const LOAD_LEVELS = ['normal', 'closing', 'refusing'] as const;
export type LoadLevel = (typeof LOAD_LEVELS)[number];

/** What enters a level. */
const DELAY_MS = { normal: 0, closing: LOOP_DELAY_CLOSING_MS, refusing: LOOP_DELAY_REFUSING_MS };
const MEMORY_SHARE = { normal: 0, closing: MEMORY_CLOSING_SHARE, refusing: MEMORY_REFUSING_SHARE };

/** A level is left when both are below this part of what enters it. */
const CALM_SHARE = 0.8;

/** Called when the level changes, with what the last look showed. */
export type OnLoadChange = (level: LoadLevel, figures: { delayMs: number; memoryShare: number }) => void;

export class LoadWatch {
  level: LoadLevel = 'normal';
  /** Of the last look. */
  delayMs = 0;
  memoryShare = 0;
  #onChange: OnLoadChange | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  #late = 0;
  #calm = 0;

  start(onChange: OnLoadChange): void {
    this.#onChange = onChange;
    this.#lookedAt = performance.now();
    this.#timer = setInterval(() => this.#look(), LOAD_LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    this.delayMs = Math.max(0, now - this.#lookedAt - LOAD_LOOK_MS);
    this.#lookedAt = now;
    this.memoryShare = memoryShare();
    const index = LOAD_LEVELS.indexOf(this.level);
    const above = LOAD_LEVELS[index + 1];
    const below = LOAD_LEVELS[index - 1];
    this.#late = above !== undefined && this.#reaches(above, 1) ? this.#late + 1 : 0;
    this.#calm = this.#reaches(this.level, CALM_SHARE) ? 0 : this.#calm + 1;
    if (above !== undefined && this.#late >= LOAD_LOOKS_LATE) this.#enter(above);
    else if (below !== undefined && this.#calm >= LOAD_LOOKS_CALM) this.#enter(below);
  }

  /** Whether the last look shows this part of what enters a level. */
  #reaches(level: LoadLevel, part: number): boolean {
    return this.delayMs >= DELAY_MS[level] * part || this.memoryShare >= MEMORY_SHARE[level] * part;
  }

  #enter(level: LoadLevel): void {
    this.level = level;
    this.#late = 0;
    this.#calm = 0;
    this.#onChange?.(level, { delayMs: Math.round(this.delayMs), memoryShare: this.memoryShare });
  }
}

/** What the process may take of the machine, or of its container. */
const memoryBytesMax = Math.min(totalmem(), process.constrainedMemory() || Infinity);

/** Opened once: there may be no descriptor left when it matters. Only Linux has it. */
const statm = openStatm();
const statmText = Buffer.alloc(128);

function openStatm(): number | undefined {
  try {
    return openSync('/proc/self/statm', 'r');
  } catch {
    return undefined;
  }
}

/** Of V8's heap, and of what the process may take: the tighter of the two. */
function memoryShare(): number {
  const { used_heap_size: heapBytes, heap_size_limit: heapBytesMax } = getHeapStatistics();
  return Math.max(heapBytes / heapBytesMax, ownBytes() / memoryBytesMax);
}

/** Without the pages of files: LMDB maps its whole file, and the kernel takes those pages back when it needs them. */
function ownBytes(): number {
  if (statm === undefined) return process.memoryUsage.rss();
  const text = statmText.toString('latin1', 0, readSync(statm, statmText, 0, statmText.length, 0));
  const [, resident = 0, shared = 0] = text.split(' ').map(Number);
  return (resident - shared) * PAGE_BYTES;
}

/** Of every machine that this runs on but some with ARM, where it reckons less than there is. */
const PAGE_BYTES = 4_096;
