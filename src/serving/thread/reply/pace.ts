/** When which part of a body is due that is sent over time; docs/mocks.md. */
import type { Delivery } from '../../../model/mocks/definition/definition.ts';

/** Interval of the pieces of a reply that is sent at a rate. */
const PIECES_MS = 50;

interface Pace {
  /** @returns How many bytes of the body are due so many milliseconds after the head; never fewer than before. */
  readonly due: (elapsedMs: number) => number;
  /** @returns Milliseconds until more is due. */
  readonly nextMs: (elapsedMs: number) => number;
}

/** @param bytes Of the body; at least 1. */
export function paceOf(delivery: Delivery, bytes: number): Pace {
  if ('chunks' in delivery) return inPieces(Math.min(delivery.chunks, bytes), delivery.overMs, bytes);
  if ('firstByteMs' in delivery) return inPieces(1, delivery.firstByteMs, bytes);
  return atRate(delivery.bytesPerSecond, bytes);
}

/** The first at once, the last after `overMs`; a single one then, too. */
function inPieces(count: number, overMs: number, bytes: number): Pace {
  const everyMs = count === 1 ? overMs : overMs / (count - 1);
  const atOnce = count === 1 ? 0 : 1;
  const intervals = (elapsedMs: number): number => Math.floor(elapsedMs / everyMs);
  return {
    due: (elapsedMs) => Math.ceil((bytes * Math.min(count, atOnce + intervals(elapsedMs))) / count),
    nextMs: (elapsedMs) => (intervals(elapsedMs) + 1) * everyMs - elapsedMs,
  };
}

function atRate(bytesPerSecond: number, bytes: number): Pace {
  const msPerByte = 1_000 / bytesPerSecond;
  const due = (elapsedMs: number): number => Math.min(bytes, 1 + Math.floor(elapsedMs / msPerByte));
  return {
    due,
    nextMs: (elapsedMs) => Math.min(Math.max(PIECES_MS, msPerByte), Math.max(1, (bytes - due(elapsedMs)) * msPerByte)),
  };
}
