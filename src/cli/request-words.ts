/** Requests as people type them, behind a command: `GET /users/7`, `/users/7` or `POST https://api.example.com/users`. */

export interface TypedRequest {
  readonly method?: string;
  /** A path, or a URL. */
  readonly target?: string;
}

/** @returns undefined when the last word is neither a path nor a URL, or there are more than two. */
export function readRequestWords(words: readonly string[]): TypedRequest | undefined {
  if (words.length === 0) return {};
  const [target = '', method, ...others] = words.toReversed();
  if (!/^(?:\/|https?:\/\/)/i.test(target) || others.length > 0) return undefined;
  return method === undefined ? { target } : { method: method.toUpperCase(), target };
}
