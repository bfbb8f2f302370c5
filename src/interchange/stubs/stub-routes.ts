/**
 * Makes routes of a list of stubs, in which the first that takes a request answers it.
 *
 * Neighbours of one method and path become one route, each a response with rules; what no rules take falls through to the next route.
 * The order of the list is kept, so that the settings ask for it: `precedence: "listed"`.
 */
import { SCENARIOS_MAX } from '../../limits.ts';
import type { Scenario } from '../../model/mocks/definition/definition.ts';
import { withIds } from '../exchanges/responses.ts';
import type { ReadResponse, ReadRoute } from '../format.ts';
import { stableId } from '../stable-id.ts';
import { escapePattern } from './stub-path.ts';
import type { Stub, StubResponse } from './stub.ts';

/** Settings that routes of stubs need. Other tools answer no preflight of themselves. */
export const STUB_SETTINGS = { precedence: 'listed', cors: false } as const;

interface StubRoutes {
  readonly routes: readonly ReadRoute[];
  /** States of stubs that count their requests. */
  readonly scenarios: readonly Scenario[];
  /** Stubs whose requests are not counted: too many are. Their first response answers all of them. */
  readonly uncounted: readonly Stub[];
}

/** @param taken How many scenarios the mock has besides. */
export function routesOf(stubs: readonly Stub[], taken = 0): StubRoutes {
  const maker = new Maker(SCENARIOS_MAX - taken);
  for (const stub of withSlashes(stubs)) maker.add(stub);
  const { scenarios, uncounted } = maker;
  return { routes: maker.routes.map(withOwnIds), scenarios, uncounted };
}

/** Routes ignore a slash at the end of a path. Where stubs distinguish both, the path without becomes a pattern, as the other one is. */
function withSlashes(stubs: readonly Stub[]): readonly Stub[] {
  const patterns = new Set(stubs.flatMap(({ path }) => (path.pathKind === 'regex' ? [path.path] : [])));
  if (patterns.size === 0) return stubs;
  return stubs.map((stub) => {
    const { path, pathKind } = stub.path;
    const pattern = escapePattern(path);
    return pathKind === undefined && patterns.has(`${pattern}/`)
      ? { ...stub, path: { path: pattern, pathKind: 'regex' } }
      : stub;
  });
}

/** The same at each import: those of routes by what they take. */
function withOwnIds(route: ReadRoute): ReadRoute {
  return { ...route, id: stableId('r', route.method, route.path), responses: withIds(route.responses) };
}

/** States of a scenario. */
const STATES_MAX = 100;
/** A route has as many responses as the limits of most servers allow. */
const RESPONSES_MAX = 100;

interface Open {
  readonly stub: Stub;
  readonly responses: ReadResponse[];
}

class Maker {
  readonly routes: ReadRoute[] = [];
  readonly scenarios: Scenario[] = [];
  readonly uncounted: Stub[] = [];
  readonly #scenariosMax: number;
  /** The last route, while its neighbours may join it. */
  #open: Open | undefined;

  constructor(scenariosMax: number) {
    this.#scenariosMax = scenariosMax;
  }

  add(stub: Stub): void {
    const { item, rules, responses, times } = stub;
    const isConditional = rules.length > 0;
    if (!isConditional && responses.length > 1 && times === undefined) {
      this.#push(stub, { selection: 'sequential', responses: responses.map((each) => ({ ...each, item })) });
      return;
    }
    const own = this.#responsesOf(stub);
    const isLast = own.some((each) => each.default === true);
    // Within one route the default would answer before what only a state asks for.
    const isHidden = isLast && this.#open?.responses.some(({ rules: rulesOf = [] }) => rulesOf.length === 0) === true;
    if (this.#open === undefined || isHidden || !areTogether(this.#open, stub, own.length)) {
      this.#open = { stub, responses: [] };
      this.#push(stub, { otherwise: 'next', responses: this.#open.responses });
    }
    this.#open.responses.push(...own);
    if (isLast) this.#close();
  }

  #push({ item, method, path }: Stub, rest: Pick<ReadRoute, 'selection' | 'otherwise' | 'responses'>): void {
    this.#open = rest.otherwise === 'next' ? this.#open : undefined;
    this.routes.push({ item, method, ...path, ...rest });
  }

  /** The last response takes all that reach it. */
  #close(): void {
    const { otherwise: _, ...route } = this.routes.at(-1) as ReadRoute;
    this.routes[this.routes.length - 1] = route;
    this.#open = undefined;
  }

  #responsesOf(stub: Stub): ReadResponse[] {
    const { item, rules, responses, times } = stub;
    const ruled = responses.map((each) => ({ ...each, item, ...(rules.length === 0 ? {} : { rules }) }));
    if (times === undefined && ruled.length === 1) {
      return rules.length === 0 && !responses.some(requiresState)
        ? ruled.map((each) => ({ ...each, default: true }))
        : ruled;
    }
    const count = times ?? ruled.length;
    const isKept =
      count < STATES_MAX &&
      this.scenarios.length < this.#scenariosMax &&
      responses.every(({ scenario }) => scenario === undefined);
    if (!isKept) {
      this.uncounted.push(stub);
      const first = ruled[0] as ReadResponse;
      return [rules.length === 0 ? { ...first, default: true } : first];
    }
    const name = `stub ${this.scenarios.length + 1}`;
    const after = times === undefined ? '1' : String(count + 1);
    const states = Array.from({ length: times === undefined ? count : count + 1 }, (_, index) => String(index + 1));
    this.scenarios.push({ name, states });
    return Array.from({ length: count }, (_, index) => ({
      ...(ruled[index % ruled.length] as ReadResponse),
      scenario: { name, requires: String(index + 1), moveTo: index + 1 === count ? after : String(index + 2) },
    }));
  }
}

function requiresState({ scenario }: StubResponse): boolean {
  return scenario?.requires !== undefined;
}

function areTogether({ stub, responses }: Open, { method, path }: Stub, more: number): boolean {
  return (
    stub.method === method &&
    stub.path.path === path.path &&
    stub.path.pathKind === path.pathKind &&
    responses.length + more <= RESPONSES_MAX
  );
}
