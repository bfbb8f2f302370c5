/**
 * Counts the small things that owners send in one iteration of the event loop: parts of bodies, pings. uWebSockets.js reads on from a
 * connection while bytes are there, and one read of 512 kB has 85,000 of them, at some 1 µs each: only closing the connection ends that.
 */

/** Count of pieces that take one owner some 15 ms of an iteration. A body of 10 MB in parts of 1 kB has fewer. */
const PIECES_MAX = 16_384;

const counts = new Map<string, number>();

/** @returns false where its sender has sent too many: then the connection is to be closed. */
export function mayTakePiece(sender: string): boolean {
  if (counts.size === 0) setImmediate(() => counts.clear());
  const count = (counts.get(sender) ?? 0) + 1;
  counts.set(sender, count);
  return count <= PIECES_MAX;
}
