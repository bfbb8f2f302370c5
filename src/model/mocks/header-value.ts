/**
 * What the value of a response header may be. uWebSockets.js writes it as it is: a line break would start a header, or a response, of
 * the client's making.
 */

/** @returns The reason why the value may not be sent, or undefined. A tab is no reason. */
export function headerValueProblem(value: string): string | undefined {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return 'the value must have no control characters';
  }
  return undefined;
}
