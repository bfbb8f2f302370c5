/**
 * Streams of random numbers of a route: each purpose has a stream of its own, so that a member more changes no draw of another.
 *
 * A stream is named by method and path of its route. Neither its index nor its id would do: the index moves when a route
 * is added before it, and ids differ between two servers that read the same file.
 */
import { streamOf } from '../../../base/seeded-draw.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';

type DrawPurpose =
  | 'choice'
  | 'condition'
  | 'mockLatency'
  | 'latency'
  | 'mockFault'
  | 'fault'
  | 'body'
  | 'header'
  | 'callback'
  | 'event'
  | 'store';

/** @param which Tells several of a purpose apart: the index of a fault, the name of a header. */
export function drawStream(
  { method, path }: Pick<MockRoute, 'method' | 'path'>,
  purpose: DrawPurpose,
  ...which: readonly (string | number)[]
): number {
  return streamOf(method, path, purpose, ...which);
}

/** The streams of a response's header values, in their order: by name, so that another header moves none. */
export function headerStreams(
  route: Pick<MockRoute, 'method' | 'path'>,
  headers: readonly { readonly name: string }[],
): number[] {
  const seen = new Map<string, number>();
  return headers.map(({ name }) => {
    const lower = name.toLowerCase();
    const count = seen.get(lower) ?? 0;
    seen.set(lower, count + 1);
    return drawStream(route, 'header', lower, count);
  });
}
