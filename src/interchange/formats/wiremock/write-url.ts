/** The path of a route as WireMock says it. */
import type { MatchCondition, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { parseRoutePath, type PathSegment } from '../../../languages/paths/route-path.ts';
import { escapePattern } from '../../stubs/stub-path.ts';

export interface Url {
  readonly urlPath?: string;
  readonly urlPathTemplate?: string;
  readonly urlPathPattern?: string;
  readonly url?: string;
  readonly urlPattern?: string;
}

export function writtenUrl({ path, pathKind }: Pick<MockRoute, 'path' | 'pathKind'>): Url {
  const segments = pathKind === 'regex' ? 'a pattern' : parseRoutePath(path);
  if (typeof segments === 'string') return { urlPathPattern: path.replaceAll('(?P<', '(?<') };
  if (path === '/*') return {};
  if (segments.every(({ kind }) => kind === 'literal')) return { urlPath: `/${segments.map(encoded).join('/')}` };
  const isTemplate = segments.every(
    (segment) => segment.kind === 'literal' || (segment.kind === 'parameter' && !segment.optional),
  );
  if (isTemplate) return { urlPathTemplate: `/${segments.map(encoded).join('/')}` };
  return { urlPathPattern: segments.length === 0 ? '/' : segments.map(patternOf).join('') };
}

/** @returns The path with what a rule says of the whole query; undefined where no URL says it. */
export function withQuery({ urlPath, urlPathPattern }: Url, rule: MatchCondition): Url | undefined {
  const { operator, value, invert } = rule;
  const pattern = urlPathPattern ?? (urlPath === undefined ? undefined : escapePattern(urlPath));
  if (invert || pattern === undefined) return undefined;
  if (operator === 'only' && value === '') return urlPath === undefined ? { urlPattern: pattern } : { url: urlPath };
  if (operator === 'equals' && urlPath !== undefined) return { url: `${urlPath}?${value}` };
  const [, inner] = /^\^\(\?:(.*)\)\$$/s.exec(value) ?? [];
  return operator === 'regex' && inner !== undefined ? { urlPattern: `${pattern}\\?${inner}` } : undefined;
}

function encoded(segment: PathSegment): string {
  return segment.kind === 'literal' ? encodeURIComponent(segment.text) : `{${'name' in segment ? segment.name : ''}}`;
}

/** With the slash in front. */
function patternOf(segment: PathSegment): string {
  switch (segment.kind) {
    case 'literal':
      return `/${escapePattern(encodeURIComponent(segment.text))}`;
    case 'parameter':
      return segment.optional ? '(?:/[^/]+)?' : '/[^/]+';
    case 'form': {
      const own = segment.form.pieces.map((piece) =>
        typeof piece === 'string' ? escapePattern(encodeURIComponent(piece)) : (piece.pattern ?? '[^/]+'),
      );
      return segment.optional ? `(?:/${own.join('')})?` : `/${own.join('')}`;
    }
    case 'wild':
      return '(?:/[^/]+)+';
    case 'rest':
      return '(?:/.*)?';
  }
}
