/** The path of a route, compiled: its segments, or its pattern of the whole path. */
import { compilePathPattern, type PathPattern } from '../../../languages/paths/path-pattern.ts';
import { namesOf, parseRoutePath, type PathSegment } from '../../../languages/paths/route-path.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { needsPatterns } from './path-parameters.ts';

export interface CompiledPath {
  /** Empty where the path is a pattern. */
  readonly segments: readonly PathSegment[];
  readonly pathPattern: PathPattern | undefined;
  /** In the order of the path. Wildcards have the names "*", "*2" and so on. */
  readonly parameterNames: readonly string[];
  /** Finding the parameters takes more than a walk through the segments. */
  readonly hasPatternSegments: boolean;
}

/** @returns undefined for a path that is invalid, which an edit refuses. */
export function compilePath({ path, pathKind }: Pick<MockRoute, 'path' | 'pathKind'>): CompiledPath | undefined {
  if (pathKind === 'regex') {
    const pathPattern = compilePathPattern(path);
    if (typeof pathPattern === 'string') return undefined;
    return { segments: [], pathPattern, parameterNames: pathPattern.names, hasPatternSegments: false };
  }
  const segments = parseRoutePath(path);
  if (typeof segments === 'string') return undefined;
  const parameterNames = segments.flatMap((segment) => namesOf(segment));
  return { segments, pathPattern: undefined, parameterNames, hasPatternSegments: needsPatterns(segments) };
}

/** Key of the path in the route table. */
export function placeOf({ segments, pathPattern }: Pick<CompiledPath, 'segments' | 'pathPattern'>) {
  return pathPattern === undefined
    ? { segments, pattern: undefined }
    : { segments: undefined, pattern: pathPattern.pattern };
}
