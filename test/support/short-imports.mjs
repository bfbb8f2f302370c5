/**
 * Preloaded into the service (`--import`): an import may take half a second. The start of its thread has the same limit,
 * and keeps it: both take turns.
 */
const LIMIT_MS = 15_000;
const timeout = AbortSignal.timeout.bind(AbortSignal);
let isImport = false;

AbortSignal.timeout = (ms) => {
  if (ms !== LIMIT_MS) return timeout(ms);
  const isShort = isImport;
  isImport = !isImport;
  return timeout(isShort ? 500 : ms);
};
