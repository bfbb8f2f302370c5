/** Which segments of recorded paths are ids that become parameters of a route. */
import type { RECORDED_PATHS } from '../../model/mocks/upstream/replay-schema.ts';

/** A number, a UUID, or 16 or more hex digits with a digit among them. */
const ID = /^(?:\d+|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-z]*\d)[0-9a-f]{16,})$/i;

/** Whether the segment of a path, of this index, becomes a parameter. */
export type IsParameter = (segments: readonly string[], index: number) => boolean;

export const NO_PARAMETER: IsParameter = () => false;

/**
 * @param paths All that were recorded. With "auto" an id is a parameter where another one was recorded at its place: behind the same
 * segments, in which all ids are alike.
 */
export function idSegments(choice: (typeof RECORDED_PATHS)[number], paths: Iterable<string>): IsParameter {
  if (choice === 'exact') return NO_PARAMETER;
  if (choice === 'ids') return (segments, index) => ID.test(segments[index] ?? '');
  const firsts = new Map<string, string>();
  const several = new Set<string>();
  for (const path of paths) {
    const segments = segmentsOf(path);
    for (const [index, text] of segments.entries()) {
      if (!ID.test(text)) continue;
      const place = placeOf(segments, index);
      const first = firsts.get(place) ?? text;
      firsts.set(place, first);
      if (first !== text) several.add(place);
    }
  }
  return (segments, index) => ID.test(segments[index] ?? '') && several.has(placeOf(segments, index));
}

/** @param path As it was sent. */
export function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

function placeOf(segments: readonly string[], index: number): string {
  return segments
    .slice(0, index)
    .map((text) => (ID.test(text) ? '' : text))
    .join('/');
}
