/** Line diff by Myers' greedy algorithm, and the difference within a line. Pure; line-diff-view.tsx renders it. */

/** Per text. Longer diffs are unreadable. */
const LINES_MAX = 5_000;
/**
 * Edits, at most: the work is lines times edits, the memory edits squared (4 MB). Lines that only one text has
 * do not count.
 */
const EDITS_MAX = 1_000;

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** @returns undefined above the limit. Lines that are not "removed" form the new text; lines that are not "added" the old. */
export function diffLines(before: string, after: string): readonly DiffLine[] | undefined {
  const [a, b] = [splitLines(before), splitLines(after)];
  if (a.length > LINES_MAX || b.length > LINES_MAX) return undefined;
  const lines: DiffLine[] = [];
  let [x, y] = [0, 0];
  const take = (kind: DiffLine['kind'], text: string): void => void lines.push({ kind, text });
  for (const [i, j] of [...commonLines(a, b), [a.length, b.length] as const]) {
    while (x < i) take('removed', a[x++] as string);
    while (y < j) take('added', b[y++] as string);
    if (i < a.length) take('same', a[i] as string);
    x = i + 1;
    y = j + 1;
  }
  return lines;
}

/** An empty text has no lines. */
const splitLines = (text: string): string[] => (text === '' ? [] : text.split('\n'));

type Pair = readonly [before: number, after: number];

/** Indexes of unchanged lines, in order. */
function commonLines(a: readonly string[], b: readonly string[]): Pair[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let [aEnd, bEnd] = [a.length, b.length];
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  const aMiddle = sharedIndexes(a, start, aEnd, new Set(b.slice(start, bEnd)));
  const bMiddle = sharedIndexes(b, start, bEnd, new Set(a.slice(start, aEnd)));
  const middle = longestCommon(
    aMiddle.map((index) => a[index] as string),
    bMiddle.map((index) => b[index] as string),
  );
  const pairs: Pair[] = Array.from({ length: start }, (_, index) => [index, index]);
  for (const [i, j] of middle) pairs.push([aMiddle[i] as number, bMiddle[j] as number]);
  for (let index = 0; index < a.length - aEnd; index++) pairs.push([aEnd + index, bEnd + index]);
  return pairs;
}

/** Excludes lines that the other text lacks: they cannot be common, and would be most of the work. */
function sharedIndexes(lines: readonly string[], start: number, end: number, other: ReadonlySet<string>): number[] {
  const indexes: number[] = [];
  for (let index = start; index < end; index++) if (other.has(lines[index] as string)) indexes.push(index);
  return indexes;
}

/** @returns Pairs of a longest common subsequence; none above EDITS_MAX edits. */
function longestCommon(a: readonly string[], b: readonly string[]): Pair[] {
  const editsMax = Math.min(a.length + b.length, EDITS_MAX);
  const offset = editsMax + 1;
  /** By diagonal (x - y): the furthest x reached with this number of edits. */
  const reached = new Int32Array(2 * offset + 1);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= editsMax; edits++) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const below = reached[offset + diagonal - 1] as number;
      const above = reached[offset + diagonal + 1] as number;
      let x = diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reached[offset + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return walkBack(trace, a.length, b.length);
    }
    trace.push(reached.slice(offset - edits, offset + edits + 1));
  }
  return [];
}

/** @param trace The reached positions for each number of edits, from 0. */
function walkBack(trace: readonly Int32Array[], aLength: number, bLength: number): Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [aLength, bLength];
  for (let edits = trace.length; edits >= 0; edits--) {
    const [fromX, fromY] = stepBefore(trace[edits - 1], edits, x - y);
    while (x > fromX && y > fromY && x > 0 && y > 0) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.toReversed();
}

/** The position before the last edit. */
function stepBefore(reached: Int32Array | undefined, edits: number, diagonal: number): Pair {
  if (reached === undefined) return [0, 0];
  const at = (of: number): number => reached[of + edits - 1] as number;
  const isDown = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
  const from = isDown ? diagonal + 1 : diagonal - 1;
  return [at(from), at(from) - from];
}

const CONTEXT_LINES = 3;

export type FoldedLine = DiffLine | { readonly kind: 'skipped'; readonly count: number };

/** Keeps three context lines around each change. */
export function foldLines(lines: readonly DiffLine[]): readonly FoldedLine[] {
  const isNear = new Uint8Array(lines.length);
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(1, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  }
  const folded: FoldedLine[] = [];
  for (let index = 0; index < lines.length;) {
    if (isNear[index] === 1) {
      folded.push(lines[index++] as DiffLine);
      continue;
    }
    const end = isNear.indexOf(1, index) === -1 ? lines.length : isNear.indexOf(1, index);
    folded.push({ kind: 'skipped', count: end - index });
    index = end;
  }
  return folded;
}

/** The part between the common prefix and the common suffix of two lines. */
export interface ChangedPart {
  readonly start: number;
  readonly beforeEnd: number;
  readonly afterEnd: number;
}

export function changedPart(before: string, after: string): ChangedPart {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  // Never splits a surrogate pair.
  if (isHighSurrogate(before, start - 1)) start--;
  let tail = 0;
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (isHighSurrogate(before, before.length - tail - 1)) tail--;
  return { start, beforeEnd: before.length - Math.max(0, tail), afterEnd: after.length - Math.max(0, tail) };
}

const isHighSurrogate = (text: string, index: number): boolean => /[\ud800-\udbff]/.test(text[index] ?? '');

/** The changed part of each line, by index, where equally many lines replace each other. */
export function pairedParts(lines: readonly FoldedLine[]): ReadonlyMap<number, ChangedPart> {
  const parts = new Map<number, ChangedPart>();
  for (let index = 0; index < lines.length;) {
    const addedFrom = endOf('removed', lines, index);
    const end = endOf('added', lines, addedFrom);
    const count = addedFrom - index === end - addedFrom ? addedFrom - index : 0;
    for (let place = 0; place < count; place++) {
      const part = changedPart(textOf(lines[index + place]), textOf(lines[addedFrom + place]));
      parts.set(index + place, part);
      parts.set(addedFrom + place, part);
    }
    index = Math.max(end, index + 1);
  }
  return parts;
}

function endOf(kind: FoldedLine['kind'], lines: readonly FoldedLine[], from: number): number {
  let end = from;
  while (lines[end]?.kind === kind) end++;
  return end;
}

const textOf = (line: FoldedLine | undefined): string =>
  line === undefined || line.kind === 'skipped' ? '' : line.text;
