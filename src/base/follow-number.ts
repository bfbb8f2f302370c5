/** Notices changes of a number that others raise. */

/** @returns Functions that look now, and that stop. */
export function followNumber(
  read: () => number,
  everyMs: number,
  onChange: () => void,
): { readonly look: () => void; readonly stop: () => void } {
  let known = read();
  const look = (): void => {
    const now = read();
    if (now === known) return;
    known = now;
    onChange();
  };
  const poll = setInterval(look, everyMs).unref();
  return { look, stop: () => clearInterval(poll) };
}
