/** JSON of a value that may be longer than its source: aliases of YAML repeat what they name. */

/** @param bytesMax Values that take more are not written: the walk ends there. */
export function jsonWithin(value: unknown, bytesMax: number): Buffer | 'tooLong' | 'notJson' {
  const left = bytesLeft(value, bytesMax);
  if (Number.isNaN(left)) return 'notJson';
  if (left < 0) return 'tooLong';
  const json = Buffer.from(JSON.stringify(value));
  return json.length <= bytesMax ? json : 'tooLong';
}

/** At most so many: escapes and separators are not counted. @returns NaN when a number is one that JSON has not. */
function bytesLeft(value: unknown, bytesMax: number): number {
  if (typeof value === 'string') return bytesMax - value.length - 2;
  if (typeof value === 'number' && !Number.isFinite(value)) return NaN;
  if (typeof value !== 'object' || value === null) return bytesMax - 1;
  let left = bytesMax - 2;
  for (const [name, child] of Object.entries(value)) {
    if (!(left >= 0)) return left;
    left = bytesLeft(child, left - (Array.isArray(value) ? 0 : name.length + 3));
  }
  return left;
}
