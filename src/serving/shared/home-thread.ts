/** Finds the serving thread that owns the stores of a mock, or of one of its sessions. */
import { streamOf } from '../../base/seeded-draw.ts';

/** @param sessionId "" outside of sessions. @returns The index of the thread. */
export function homeThread(mockId: string, sessionId: string, threads: number): number {
  return threads === 1 ? 0 : streamOf(mockId, sessionId) % threads;
}
