/** Places of the mock in the headers of a recorded answer, without the address that the mock has here. */

const NAMES: ReadonlySet<string> = new Set(['location', 'content-location']);

/**
 * A mock that is made of the recording has another address, and a session that recorded has ended: what begins with the root of the mock is
 * written from the place of the request, which leads there below any address.
 *
 * @param lines Names and values, alternating. @param root Of the mock, as the client wrote it; "" on a host of its own. @param path Of the request, below the root.
 */
export function withoutRoot(lines: readonly string[], root: string, path: string): readonly string[] {
  if (root === '') return lines;
  return lines.map((value, at) => {
    const isPlace = at % 2 === 1 && NAMES.has((lines[at - 1] as string).toLowerCase());
    return isPlace && value.startsWith(`${root}/`) ? fromRequest(value.slice(root.length), path) : value;
  });
}

/** @param place A path, with its query and fragment. */
function fromRequest(place: string, path: string): string {
  const [, target = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(place) ?? [];
  const from = path.split('/').slice(1, -1);
  const to = target.split('/').slice(1);
  let same = 0;
  while (same < Math.min(from.length, to.length - 1) && from[same] === to[same]) same++;
  const way = `${'../'.repeat(from.length - same)}${to.slice(same).join('/')}`;
  // Without a dot, nothing would be the request itself, "a:" a scheme, and "/" the root of the server.
  return `${/^(?:$|\/|[^/]*:)/.test(way) ? './' : ''}${way}${rest}`;
}
