/** Paths of routes as Mockoon writes them. */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { parseRoutePath, type PathSegment } from '../../../languages/paths/route-path.ts';
import type { Item } from '../../report/report.ts';
import { pathOf } from './path.ts';

/** What every segment matches: a parameter without a pattern. */
const ANY_SEGMENT = '[^/]+';

/** @returns Without the slash in front; undefined for a path that Mockoon cannot have. */
export function writtenPath({ path, pathKind }: Pick<MockRoute, 'path' | 'pathKind'>, item: Item): string | undefined {
  if (pathKind === 'regex') {
    const endpoint = endpointOf(path);
    return pathOf(endpoint).path === path ? endpoint.slice(1) : undefined;
  }
  const segments = parseRoutePath(path);
  if (typeof segments === 'string') return undefined;
  return segments.map((segment) => segmentText(segment, item)).join('/');
}

/** Patterns of paths that its own forms are read as. */
const PARTS =
  /\(\?:([/.~-]|\\\.)\(\?P<(\w+)>([^()]*)\)\)\?|\(\?P<(\w+)>([^()]*)\)|\(\?:([^()]*)\)(\??)|\/\.\+$|\.\*|\\(.)|(\w)\9\?/g;

function endpointOf(path: string): string {
  return path.replaceAll(PARTS, (whole, before, optional, own, name, pattern, group, mark, escaped, char): string => {
    if (optional !== undefined)
      return `${(before as string).replace('\\', '')}${parameter(optional as string, own as string, true)}`;
    if (name !== undefined) return parameter(name as string, pattern as string, false);
    if (group !== undefined) return `(${group})${mark}`;
    if (escaped !== undefined) return /[:*?+()]/.test(escaped as string) ? whole : (escaped as string);
    if (char !== undefined) return `${char}+`;
    return whole === '.*' ? '*' : '/*';
  });
}

function parameter(name: string, pattern: string, isOptional: boolean): string {
  if (pattern === ANY_SEGMENT) return `:${name}${isOptional ? '?' : ''}`;
  if (pattern === '.+') return `:${name}${isOptional ? '*' : '+'}`;
  return `:${name}(${pattern})${isOptional ? '?' : ''}`;
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
