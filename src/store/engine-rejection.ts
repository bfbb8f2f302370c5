/**
 * After a failed commit lmdb-js rejects the awaited promise, and also a second one that no caller can reach. Errors of
 * the engine have a number as code, where those of Node.js have a name.
 */
export function isEngineRejection(error: unknown): boolean {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number';
}
