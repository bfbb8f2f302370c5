/**
 * Whether conditions hold for recorded requests: compiled as those of responses are, and evaluated on what was recorded.
 *
 * A body that was not recorded as a whole leaves the conditions on it open. A request is then judged twice, with all of them for and
 * with all of them against it: where the two agree, the rest decides.
 */
import { TRAFFIC_REQUEST_WORK_MAX, TRAFFIC_WORK_MAX } from '../../../limits.ts';
import { readsBody } from '../../../model/mocks/definition/condition-kinds.ts';
import { isConditionGroup, mapGroup, testsBody } from '../../../model/mocks/definition/conditions.ts';
import { METHOD_ANY, type MockDefinition } from '../../../model/mocks/definition/definition.ts';
import type { RecordedConditions, RoutePath } from '../../../model/mocks/recorded-conditions.ts';
import { ChooserCompiler, type Predicate } from '../../matching/choose/choose-response.ts';
import { compileClock } from '../../matching/compile/clock.ts';
import { compileMock } from '../../matching/compile/compile.ts';
import { RouteTargets } from '../../matching/request/condition-target.ts';
import { RequestView } from '../../matching/request/request-view.ts';
import { compilePath } from '../../matching/routing/compiled-path.ts';
import { findRoute } from '../../matching/routing/find-route.ts';
import { parametersOnPath } from '../../matching/routing/path-parameters.ts';
import { FIRST_HEADER, isBodyTruncated, readBody, readText, timeOf, versionOf, type Block } from './traffic-blocks.ts';
import type { Condition } from '../../../model/mocks/definition/condition-schema.ts';

/** @returns `unjudged` where it is unknown, or takes more work than conditions may. */
type Judge = (block: Block, start: number) => boolean | 'unjudged';

export function judgeOf({ rules, clock, routes, path: wanted }: RecordedConditions): Judge {
  const holds = compile(rules);
  const readsBodies = testsBody(rules);
  let settled: readonly [least: Predicate, most: Predicate] | undefined;
  const parametersOf = wanted === undefined ? parametersBy(routes) : parametersOn(wanted);
  let left = TRAFFIC_WORK_MAX;
  return (block, start) => {
    if (left < 0) return 'unjudged';
    const text = readText(block, start);
    const [method = '', path = '', query = '', routeId = ''] = text;
    const parameters = parametersOf(versionOf(block, start), routeId, path);
    if (parameters === undefined) return false;
    const { names, params } = parameters;
    const request = { method, path, query, headers: text.slice(FIRST_HEADER), body: readBody(block, start) };
    const now = compileClock(clock, () => timeOf(block, start));
    const ask = (predicate: Predicate): boolean | 'unjudged' => {
      const view = new RequestView(request, names, { params }, 0);
      view.now = now;
      view.work = TRAFFIC_REQUEST_WORK_MAX;
      const isHeld = predicate(view);
      left -= TRAFFIC_REQUEST_WORK_MAX - view.work;
      return view.work < 0 ? 'unjudged' : isHeld;
    };
    if (!readsBodies || !isBodyTruncated(block, start)) return ask(holds);
    settled ??= [
      compile(rules.map((rule) => settleBody(rule, false))),
      compile(rules.map((rule) => settleBody(rule, true))),
    ];
    const [least, most] = settled;
    return ask(least) === true || (ask(most) === false ? false : 'unjudged');
  };
}

function compile(rules: readonly Condition[]): Predicate {
  return new ChooserCompiler().conditions({ rules, rulesOperator: 'AND' }, new RouteTargets());
}

/** A condition on the body becomes one that holds, or fails, for every request. @param holds Below `not` the opposite. */
function settleBody(rule: Condition, holds: boolean): Condition {
  if (!isConditionGroup(rule)) return readsBody(rule.target) ? constant(holds) : rule;
  if ('anyPart' in rule) return constant(holds);
  return mapGroup(rule, (each) => settleBody(each, 'not' in rule ? !holds : holds)) as Condition;
}

/** Every request has a method. */
const constant = (holds: boolean): Condition => ({
  target: 'method',
  property: '',
  operator: 'exists',
  value: '',
  invert: !holds,
});

interface Parameters {
  readonly names: readonly string[];
  readonly params: readonly (string | undefined)[];
}

const NO_PARAMETERS: Parameters = { names: [], params: [] };

/** @returns undefined for a path that a route of this path does not match. */
function parametersOn(wanted: RoutePath): (version: number, routeId: string, path: string) => Parameters | undefined {
  const mock = compileMock(
    { mockId: '', ownerId: '', state: 'running', version: 0, definition: definitionOf(wanted) },
    [],
  );
  return (_version, _routeId, path) => {
    const found = findRoute(mock, METHOD_ANY, path);
    return found && { names: found.route.parameterNames, params: found.params };
  };
}

/** A definition with this route alone, for the search of routes. */
function definitionOf({ path, pathKind }: RoutePath): MockDefinition {
  const response = { headers: [], body: '', bodyEncoding: 'text', latency: 0, default: true, rules: [] } as const;
  return {
    settings: { cors: false, latency: 0, precedence: 'listed', seed: null, traffic: false, forced: false },
    routes: [
      {
        id: '',
        method: METHOD_ANY,
        path,
        ...(pathKind === undefined ? {} : { pathKind }),
        description: '',
        enabled: true,
        selection: 'rules',
        responses: [{ id: '', label: '', status: 200, ...response, rulesOperator: 'AND', templated: false, weight: 1 }],
      },
    ],
  };
}

/** The parameters of a path, as the route read them that answered the request. */
function parametersBy(
  routes: RecordedConditions['routes'],
): (version: number, routeId: string, path: string) => Parameters {
  if (routes === undefined) return () => NO_PARAMETERS;
  const compiled = new Map([...routes].map(([version, byId]) => [version, new Map([...byId].map(compileOne))]));
  return (version, routeId, path) => {
    const route = compiled.get(version)?.get(routeId);
    return route === undefined ? NO_PARAMETERS : { names: route.parameterNames, params: parametersOnPath(route, path) };
  };
}

type CompiledPath = ReturnType<typeof compilePath>;

function compileOne([id, path]: readonly [string, RoutePath]): [string, CompiledPath] {
  return [id, compilePath(path)];
}
