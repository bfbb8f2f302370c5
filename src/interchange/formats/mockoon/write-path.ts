/** Paths of routes as Mockoon writes them. */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { parseRoutePath, type PathSegment } from '../../../languages/paths/route-path.ts';
import type { Item } from '../../report/report.ts';

/** What every segment matches: a parameter without a pattern. */
const ANY_SEGMENT = '[^/]+';

/** @returns Without the slash in front; undefined for a path that Mockoon cannot have. */
export function writtenPath({ path, pathKind }: Pick<MockRoute, 'path' | 'pathKind'>, item: Item): string | undefined {
  if (pathKind === 'regex') {
    // What a wildcard of Mockoon is read as.
    const [, before] = /^\/(.*?)\.\+$/.exec(path) ?? [];
    return before === undefined || /[\\^$|?*+()[\]{}]/.test(before) ? undefined : `${before}*`;
  }
  const segments = parseRoutePath(path);
  if (typeof segments === 'string') return undefined;
  return segments.map((segment) => segmentText(segment, item)).join('/');
}

function segmentText(segment: PathSegment, item: Item): string {
  switch (segment.kind) {
    case 'literal':
      return encodeURIComponent(segment.text).replaceAll(/[:*?+()]/g, '\\$&');
    case 'parameter':
      return `:${segment.name}${segment.optional ? '?' : ''}`;
    case 'form':
      return segment.form.pieces
        .map((piece) => {
          if (typeof piece === 'string') return encodeURIComponent(piece).replaceAll(/[:*?+()]/g, '\\$&');
          if (piece.pattern !== undefined && piece.pattern !== ANY_SEGMENT) item.note('mockoon-export.pattern');
          return `:${piece.name}`;
        })
        .join('');
    case 'wild':
    case 'rest':
      return '*';
  }
}
