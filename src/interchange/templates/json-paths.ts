/** Whether a JSONPath finds a list, whatever there is. */
export function isIndefinite(path: string): boolean {
  return path.startsWith('$') && /\[\s*[*?]|\[[^[\]'"]*[:,]|\.\*|\.\./.test(path);
}
