/**
 * Holds what a reader made against the model of mocks. What the model refuses is left out and reported, the smallest part that is possible:
 * a rule with its response, a response, a route. An import is never refused for one of its items.
 */
import { isRefusal, type Refusal } from '../errors.ts';
import type { MockLimits } from '../limits.ts';
import type {
  MockDefinition,
  MockResponse,
  MockRoute,
  MockSettings,
  Selection,
} from '../model/mocks/definition/definition.ts';
import { definitionParser, type DefinitionParser } from '../model/mocks/definition/definition-payload.ts';
import { refuseResponseSteps } from '../model/mocks/behaviour/scenario-checks.ts';
import type { Code } from './report/codes.ts';
import type { ReadMock, ReadResponse, ReadRoute } from './format.ts';
import type { Item } from './report/report.ts';

export interface CheckedMock {
  readonly name: string;
  readonly description: string;
  readonly definition: MockDefinition;
}

/** @returns A refusal when its settings are refused, which readers of other tools do not make. */
export function checkedMock(read: ReadMock, limits: MockLimits): CheckedMock | Refusal {
  const parser = parserFor(limits);
  const settings = parser.settings(read.settings ?? {}, '/settings');
  if (isRefusal(settings)) return settings;
  const routes: MockRoute[] = [];
  const taken = new Set<string>();
  for (const route of read.routes) {
    nameItems(route);
    if (routes.length === limits.routesPerMockMax) {
      route.item.note('import.limit', undefined, `${limits.routesPerMockMax} routes per mock`);
      dropResponses(route);
      continue;
    }
    const checked = checkedRoute(route, settings, parser, limits);
    if (checked === undefined) {
      dropResponses(route);
      continue;
    }
    const own = taken.has(checked.id) ? withOtherId(checked, taken) : checked;
    taken.add(own.id);
    route.item.target.routeId = own.id;
    // The ids of responses are unique in their route alone.
    for (const { target } of route.responses.flatMap(itemsOf)) {
      if (target.responseId !== undefined) target.routeId = own.id;
    }
    routes.push(own);
  }
  return { name: read.name, description: read.description ?? '', definition: { settings, routes } };
}

/** Its schemas take milliseconds to compile. */
const parsers = new WeakMap<MockLimits, DefinitionParser>();

function parserFor(limits: MockLimits): DefinitionParser {
  const parser = parsers.get(limits) ?? definitionParser(limits);
  parsers.set(limits, parser);
  return parser;
}

function checkedRoute(
  route: ReadRoute,
  settings: MockSettings,
  parser: DefinitionParser,
  limits: MockLimits,
): MockRoute | undefined {
  const kept: ReadResponse[] = [];
  const responses: MockResponse[] = [];
  for (const response of route.responses) {
    if (kept.length === limits.responsesPerRouteMax) {
      for (const item of itemsOf(response)) {
        item.note('import.limit', undefined, `${limits.responsesPerRouteMax} responses per route`);
      }
      continue;
    }
    const { item: _item, others: _others, ...payload } = response;
    const parsed = parser.response(payload, '');
    const checked = isRefusal(parsed)
      ? parsed
      : (refuseResponseSteps(parsed, (route.selection ?? 'rules') as Selection, settings) ?? parsed);
    if (isRefusal(checked)) for (const item of itemsOf(response)) noteRefusal(item, checked);
    else {
      kept.push(response);
      responses.push(checked);
    }
  }
  if (responses.length === 0) {
    route.item.note('import.refused', undefined, 'the route would have no response');
    return undefined;
  }
  const { item, ...payload } = route;
  const checked = parser.route({ ...payload, responses }, '');
  if (isRefusal(checked)) {
    noteRefusal(item, checked);
    return undefined;
  }
  const isCut = route.selection === 'sequential' && kept.length < route.responses.length;
  for (const [index, { id }] of checked.responses.entries()) {
    if (isCut) for (const each of itemsOf(kept[index] as ReadResponse)) each.note('import.sequence');
    for (const { target } of itemsOf(kept[index] as ReadResponse)) target.responseId = id;
  }
  return checked;
}

/** An item that its route holds in the source is named by its place there; others by theirs in the mock. */
function nameItems({ item, method, path, responses }: ReadRoute): void {
  // One of them may be missing.
  const name = [method, path].filter(Boolean).join(' ');
  if (item.kind !== 'mock') item.name ??= name;
  for (const [index, response] of responses.entries()) {
    for (const each of itemsOf(response)) {
      if (each.kind === 'stub') each.name ??= name;
      else if (!each.isWithin(item)) each.name ??= `${name}, response ${index + 1}`;
    }
  }
}

/** Without entries: that of their route says why. */
function dropResponses({ responses }: ReadRoute): void {
  for (const item of responses.flatMap(itemsOf)) item.level = 'dropped';
}

function itemsOf({ item, others = [] }: ReadResponse): readonly Item[] {
  return [item, ...others];
}

function noteRefusal(item: Item, { kind, details, reason }: Refusal): void {
  const code: Code = kind === 'limitReached' ? 'import.limit' : 'import.refused';
  const [first] = details ?? [];
  item.note(code, undefined, reason ?? (first && `${first.path}: ${first.message}`));
}

/** The suffix is short, and its number makes it the same at each import. */
function withOtherId(route: MockRoute, taken: ReadonlySet<string>): MockRoute {
  let number = 2;
  while (taken.has(`${route.id}x${number}`)) number++;
  return { ...route, id: `${route.id}x${number}` };
}
