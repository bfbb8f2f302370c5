/** The last line of whatever runs tests or proofs: `.ci/run` adds them up. */
export function countLine({ passed, failed, skipped }: Record<'passed' | 'failed' | 'skipped', number>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
