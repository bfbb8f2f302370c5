/**
 * The two front pages of a data file, which LMDB writes in turn: each commit names the root of its tree in one of them.
 *
 * LMDB takes the newer one, and where that is damaged the other, without a word: the last commit would be gone. So they
 * are compared before LMDB opens the file.
 */
import { closeSync, openSync, readSync } from 'node:fs';

const MAGIC = 0xbeefc0de;
/** The lengths of a page that LMDB may choose, by the system. */
const PAGE_BYTES: ReadonlySet<number> = new Set([4_096, 8_192, 16_384, 32_768, 65_536]);
/** Offsets in a front page: behind the head of a page, which has the transaction that wrote it as its second number. */
const MAGIC_AT = 24;
const PAGE_BYTES_AT = 48;
const ROOT_AT = 136;
const TRANSACTION_AT = 152;
const WRITTEN_AT = 8;
/** The root of an empty tree. */
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** While another process commits, they may be read half written, and the root may be replaced. */
const READS_MAX = 20;

/** @returns What is wrong with them; undefined when they tell the last commit. */
export function frontPagesFault(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    let fault: string | undefined;
    for (let reads = 0; reads < READS_MAX; reads++) if ((fault = faultIn(file)) === undefined) break;
    return fault;
  } finally {
    closeSync(file);
  }
}

function faultIn(file: number): string | undefined {
  const pageBytes = readAt(file, PAGE_BYTES_AT, 4).readUInt32LE();
  if (!PAGE_BYTES.has(pageBytes)) return 'it does not start like a store';
  const pages = readAt(file, 0, 2 * pageBytes);
  const [even, odd] = [pages.subarray(0, pageBytes), pages.subarray(pageBytes)] as const;
  for (const page of [even, odd])
    if (page.readUInt32LE(MAGIC_AT) !== MAGIC || page.readUInt32LE(PAGE_BYTES_AT) !== pageBytes)
      return 'one of its first two pages is damaged';
  const [first, second] = [even.readBigUInt64LE(TRANSACTION_AT), odd.readBigUInt64LE(TRANSACTION_AT)];
  // A new store, or a compacted copy, which has one commit with older pages.
  if (first === 0n && even.readBigUInt64LE(ROOT_AT) === NO_PAGE) return undefined;
  const last = first > second ? even : odd;
  const rootAt = Number(last.readBigUInt64LE(ROOT_AT)) * pageBytes;
  const written = Number.isSafeInteger(rootAt) ? readAt(file, rootAt + WRITTEN_AT, 8).readBigUInt64LE() : undefined;
  const areConsecutive = first % 2n === 0n && (first - second === 1n || second - first === 1n);
  const isRootsOwn = written === last.readBigUInt64LE(TRANSACTION_AT);
  return areConsecutive && isRootsOwn ? undefined : 'its first two pages contradict each other';
}

/** Zeros where the file ends. */
function readAt(file: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, at);
  return buffer;
}
