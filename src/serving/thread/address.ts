/**
 * Which mock a request is for: by its Host, by the path `/__mock/<id>/...`, or by `x-mock-id` (docs/mocks.md).
 *
 * A Host that names an existing mock wins, so that a mock may answer any path and any header. When it names none, the
 * next address counts: the addresses are tried in order, and the first existing mock is used.
 */

/** An id is one DNS label. */
const MOCK_ID = /^[a-z][a-z0-9]{0,62}$/;

const PATH_PREFIX = '/__mock/';

/**
 * @param suffix "." and the mock domain, in lower case.
 * @returns The first label of a Host like `<id>.<domain>[:port]`.
 */
export function mockIdOfHost(host: string, suffix: string): string | undefined {
  const dot = host.indexOf('.');
  if (dot <= 0) return undefined;
  const end = dot + suffix.length;
  // Most clients send lower case: a lower-case copy is made only when the text as sent does not match.
  if (!host.startsWith(suffix, dot) || (end !== host.length && host.charCodeAt(end) !== 0x3a)) {
    const lower = host.toLowerCase();
    return lower === host ? undefined : mockIdOfHost(lower, suffix);
  }
  return host.slice(0, dot).toLowerCase();
}

/** @returns The id, and the rest of the path, which is the path within the mock. */
export function mockIdOfPath(path: string): { mockId: string; path: string } | undefined {
  if (!path.startsWith(PATH_PREFIX)) return undefined;
  const slash = path.indexOf('/', PATH_PREFIX.length);
  const end = slash === -1 ? path.length : slash;
  return { mockId: path.slice(PATH_PREFIX.length, end), path: slash === -1 ? '/' : path.slice(slash) };
}

/** Whether a mock can have this id: other ids need not be loaded. */
export function isMockId(text: string): boolean {
  return MOCK_ID.test(text);
}
