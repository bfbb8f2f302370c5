/**
 * What looks like a mistake in a definition that is valid: what can never answer, and what answers otherwise than it reads.
 *
 * Said before a save, in the diff. Nothing here is refused: a route may be shadowed for an afternoon.
 */
import { SHADOWS_TRIED_MAX, WARNINGS_MAX } from '../../limits.ts';
import type { MockDefinition, MockResponse, MockRoute } from './definition.ts';
import { parseRoutePath, type PathSegment } from './route-path.ts';
import { namesHelpers, unknownHelpers } from './template-syntax.ts';

export interface DefinitionWarning {
  readonly routeId: string;
  readonly responseId?: string;
  /** Follows the name of the route or the response in a sentence. */
  readonly warning: string;
}

export function warningsOf({ routes, settings }: MockDefinition): DefinitionWarning[] {
  const enabled = routes.filter((route) => route.enabled);
  const shadows = settings.precedence === 'listed' ? shadowedByOrder(enabled) : shadowedByShape(enabled);
  const warnings: DefinitionWarning[] = [];
  for (const route of enabled) {
    warnings.push(...routeWarnings(route, shadows.get(route)), ...responseWarnings(route));
    if (warnings.length >= WARNINGS_MAX) break;
  }
  return warnings.slice(0, WARNINGS_MAX);
}

function routeWarnings({ id, selection, responses }: MockRoute, shadow: MockRoute | undefined): DefinitionWarning[] {
  const isUnweighted = selection === 'random' && responses.every(({ weight }) => weight === 0);
  return [
    ...(shadow === undefined ? [] : [`is shadowed by ${shadow.method} ${shadow.path} (${shadow.id})`]),
    ...(isUnweighted ? ['has no weight above 0: its first response is always chosen'] : []),
  ].map((warning) => ({ routeId: id, warning }));
}

function responseWarnings(route: MockRoute): DefinitionWarning[] {
  const unreached = unreachable(route);
  return route.responses.flatMap((response) =>
    [
      ...(unreached.has(response) ? ['is never chosen'] : []),
      ...missingParameters(route, response).map((name) => `has a rule on ${name}, which is no parameter of the path`),
      ...textsOf(response).flatMap((text) => templateWarnings(text, response.templated)),
    ].map((warning) => ({ routeId: route.id, responseId: response.id, warning })),
  );
}

function templateWarnings(text: string, isTemplated: boolean): string[] {
  if (!isTemplated) return namesHelpers(text) ? ['has helpers in braces, but `templated` is false'] : [];
  return [...unknownHelpers(text)].map((source) => `sends ${source} as it is: no helper is written so`);
}

/** Under `specific`: the first of the routes that match the same requests takes them all. */
function shadowedByShape(routes: readonly MockRoute[]): Map<MockRoute, MockRoute> {
  const shadows = new Map<MockRoute, MockRoute>();
  const first = new Map<string, MockRoute>();
  for (const route of routes) {
    // Parameters match the same requests whatever their names, and literals however they are encoded.
    const shape = `${route.method} ${segmentsOf(route).map(shapeOf).join('')}`;
    const shadow = first.get(shape);
    if (shadow === undefined) first.set(shape, route);
    else shadows.set(route, shadow);
  }
  return shadows;
}

function shapeOf(segment: PathSegment): string {
  if (segment.kind === 'literal') return `/${encodeURIComponent(segment.text)}`;
  if (segment.kind === 'rest') return '/*';
  return segment.optional ? '/:?' : '/:';
}

/** Under `listed`: an earlier route that matches whatever a later one does takes its requests, however general it is. */
function shadowedByOrder(routes: readonly MockRoute[]): Map<MockRoute, MockRoute> {
  const shadows = shadowedByShape(routes);
  const general: { route: MockRoute; segments: readonly PathSegment[] }[] = [];
  for (const route of routes) {
    const segments = segmentsOf(route);
    const covering = general.find(
      (earlier) => ['ANY', route.method].includes(earlier.route.method) && covers(earlier.segments, segments),
    );
    if (covering !== undefined) shadows.set(route, covering.route);
    const isGeneral = route.method === 'ANY' || segments.some(({ kind }) => kind !== 'literal');
    if (isGeneral && general.length < SHADOWS_TRIED_MAX) general.push({ route, segments });
  }
  return shadows;
}

/** Whether the first matches whatever the second does. */
function covers(first: readonly PathSegment[], second: readonly PathSegment[]): boolean {
  for (const [index, segment] of first.entries()) {
    if (segment.kind === 'rest') return true;
    const other = second[index];
    const isOptional = segment.kind === 'parameter' && segment.optional;
    if (other === undefined) return isOptional;
    if (other.kind === 'rest') return false;
    if (segment.kind === 'literal' && !(other.kind === 'literal' && other.text === segment.text)) return false;
    if (other.kind === 'parameter' && other.optional && !isOptional) return false;
  }
  return first.length === second.length;
}

function segmentsOf({ path }: MockRoute): readonly PathSegment[] {
  const segments = parseRoutePath(path);
  return typeof segments === 'string' ? [] : segments;
}

function unreachable({ selection, responses }: MockRoute): Set<MockResponse> {
  const without = (chosen: (response: MockResponse, index: number) => boolean) =>
    new Set(responses.filter((response, index) => !chosen(response, index)));
  switch (selection) {
    case 'sequential':
      return new Set();
    case 'random':
      return without(({ weight }) => weight > 0 || responses.every((each) => each.weight === 0));
    case 'default':
      return without((response) => response === fallbackOf(responses));
    case 'rules':
      return without((response) => response.rules.length > 0 || response === fallbackOf(responses));
  }
}

function fallbackOf(responses: readonly MockResponse[]): MockResponse | undefined {
  return responses.find((each) => each.default) ?? responses.find(({ rules }) => rules.length === 0) ?? responses[0];
}

function missingParameters(route: MockRoute, { rules }: MockResponse): string[] {
  if (route.selection !== 'rules') return [];
  const names = new Set(segmentsOf(route).map((segment) => ('name' in segment ? segment.name : '*')));
  const asked = rules.filter(({ target }) => target === 'urlParam').map(({ property }) => property);
  return [...new Set(asked)].filter((name) => !names.has(name));
}

function textsOf({ body, bodyEncoding, headers }: MockResponse): string[] {
  return [...(bodyEncoding === 'text' ? [body] : []), ...headers.map(({ value }) => value)];
}
