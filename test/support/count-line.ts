/** The last line of whatever runs tests or proofs: `.ci/run` adds them up. */
export function countLine({ passed, failed, skipped }: Record<'passed' | 'failed' | 'skipped', number>): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

const MESSAGE_LENGTH = 400;

/** One line of what failed and why, before the last: `.ci/run` tells them again at its end. */
export function failureLine(what: string, message: string): string {
  return `FAILED ${what}: ${message.replaceAll(/\s+/g, ' ').slice(0, MESSAGE_LENGTH)}`;
}
