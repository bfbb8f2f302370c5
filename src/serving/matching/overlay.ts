/**
 * The overlay of a session over the compiled mock that all sessions share.
 *
 * A merged copy of the mock would cost a session what the mock costs: here a request is looked up in the overlay's table, then in that
 * of the mock, and only routes whose responses or settings differ are compiled again, each with its first request. `definitionInSession`
 * says the same as a plain definition (test/serving/overlay-conformance.test.ts).
 */
import {
  changedRoute,
  changeOf,
  changesAllRoutes,
  mayReadMore,
  mayUseStores,
  settingsIn,
} from '../../model/mocks/sessions/definition-in-session.ts';
import type { MockDefinition, MockRoute, MockSettings } from '../../model/mocks/definition/definition.ts';
import type { SessionOverlay } from '../../model/mocks/sessions/session.ts';
import { compileClock } from './compile/clock.ts';
import { ChooserCompiler } from './choose/choose-response.ts';
import { CompiledRoutes } from './compile/compiled-routes.ts';
import { compileRoute, placesIn, propagateNeeds, type RouteToCompile } from './compile/compile.ts';
import type { CompiledMock, CompiledRoute, FoundRoute } from './compile/compiled-mock.ts';
import { findOptionsRoute, findRoute, findSocketRoute } from './routing/find-route.ts';
import { nearestRoutes, type Nearest } from './routing/nearest-routes.ts';
import { matchingRoutes } from './routing/routes-in-order.ts';
import { RouteOnPath } from './routing/path-parameters.ts';
import { compilePath, placeOf } from './routing/compiled-path.ts';
import { buildRouteTable, type TableEntry } from './routing/route-table.ts';

/** Routes of mocks that the overlays of all sessions have compiled again, in each thread: some 10 kB each. */
export const OVERLAY_ROUTES_COMPILED_MAX = 5_000;

interface OverlaidMock {
  readonly compiled: CompiledMock;
  /** The definition that it was compiled from: called when a route must be compiled again. */
  readonly definition: () => MockDefinition;
}

/** Counters of the session's own responses: the first ones of each route, by the route's id. Other responses count in the mock. */
type OverlayPlaces = ReadonlyMap<
  string,
  { readonly place: number; readonly otherPlace: number; readonly slot?: number }
>;

/** Overlays that have compiled routes of the mock again, least recently begun first: those of all together are limited. */
const compiling = new Set<Overlay>();
let compiledCount = 0;

export class Overlay {
  readonly #base: OverlaidMock;
  readonly #overlay: SessionOverlay;
  readonly #places: OverlayPlaces;
  readonly #settings: MockSettings;
  readonly #compiling: Pick<RouteToCompile, 'choosers' | 'sharedDomains' | 'clock'>;
  /** Every route differs from that of the mock, since the settings do. */
  readonly #changesAll: boolean;
  /** Routes that fall through differ from those of the mock, since a later response may read more. */
  readonly #mayReadMore: boolean;
  /** Some part may use stores. */
  readonly #mayUseStores: boolean;
  /** The routes that the session adds. Their indexes follow those of the mock. */
  readonly #own: CompiledMock;
  /** Routes of the mock as the session has them: those that have been asked for. */
  #changed = new Map<CompiledRoute, CompiledRoute>();
  readonly #changedIds: ReadonlySet<string>;
  readonly #disabled: ReadonlySet<string>;
  /** The mock without its disabled routes: built when a request first finds one of them. */
  #enabledBase: CompiledMock | undefined;

  /** @param compiled Of the overlay until now: it goes on with this one. */
  constructor(
    base: OverlaidMock,
    overlay: SessionOverlay,
    places: OverlayPlaces,
    sharedDomains: readonly string[],
    compiled = new CompiledRoutes(),
  ) {
    this.#base = base;
    this.#overlay = overlay;
    this.#places = places;
    this.#changesAll = changesAllRoutes(overlay, base.compiled.settings);
    this.#mayReadMore = mayReadMore(overlay);
    this.#mayUseStores = mayUseStores(overlay);
    this.#settings = settingsIn(base.compiled.settings, overlay);
    this.#compiling = { choosers: new ChooserCompiler(), sharedDomains, clock: compileClock(this.#settings.clock) };
    this.#changedIds = new Set(Object.keys(overlay.responses));
    this.#disabled = new Set(overlay.disabled);
    this.#own = this.#compileOwn(overlay.routes, compiled);
  }

  /** The same as `findRoute`. */
  find(method: string, path: string): FoundRoute | undefined {
    const own = findRoute(this.#own, method, path);
    if (own !== undefined) return own;
    const found = findRoute(this.#enabledBase ?? this.#base.compiled, method, path);
    return found === undefined ? undefined : this.#inSession(found, path, () => this.find(method, path));
  }

  /** The same as `findOptionsRoute`. */
  findOptions(path: string): FoundRoute | undefined {
    const own = findOptionsRoute(this.#own, path);
    if (own !== undefined) return own;
    const found = findOptionsRoute(this.#enabledBase ?? this.#base.compiled, path);
    return found === undefined ? undefined : this.#inSession(found, path, () => this.findOptions(path));
  }

  /** The same as `findSocketRoute`. */
  findSocket(path: string): FoundRoute | undefined {
    const own = findSocketRoute(this.#own, path);
    if (own !== undefined) return own;
    const found = findSocketRoute(this.#enabledBase ?? this.#base.compiled, path);
    return found === undefined ? undefined : this.#inSession(found, path, () => this.findSocket(path));
  }

  /** The same as `matchingRoutes`, the session's own first. */
  *matching(method: string, path: string, takesAny: boolean): Generator<FoundRoute> {
    yield* matchingRoutes(this.#own, method, path, takesAny);
    if (this.#disabled.size > 0) this.#enabledBase ??= this.#withoutDisabled();
    for (const found of matchingRoutes(this.#enabledBase ?? this.#base.compiled, method, path, takesAny)) {
      yield this.#inSession(found, path, () => undefined) ?? found;
    }
  }

  nearest(method: string, path: string): Nearest {
    if (this.#disabled.size > 0) this.#enabledBase ??= this.#withoutDisabled();
    const own = nearestRoutes(this.#own, method, path);
    const base = nearestRoutes(this.#enabledBase ?? this.#base.compiled, method, path);
    return {
      routes: [...own.routes, ...base.routes].slice(0, Math.max(own.routes.length, base.routes.length)),
      declaredFor: [...new Set([...own.declaredFor, ...base.declaredFor])],
    };
  }

  /** Frees what was compiled again: it is compiled anew with the next requests. */
  release(): void {
    compiledCount -= this.#changed.size;
    this.#changed = new Map();
    compiling.delete(this);
  }

  /** @param again Called when the route is disabled and the mock without such routes has been built. */
  #inSession(found: FoundRoute, path: string, again: () => FoundRoute | undefined): FoundRoute | undefined {
    const { route } = found;
    if (this.#disabled.size > 0 && this.#disabled.has(route.id)) {
      this.#enabledBase = this.#withoutDisabled();
      return again();
    }
    const readsMore = route.fallsThrough && (this.#mayReadMore || this.#mayUseStores);
    if (!this.#changesAll && !readsMore && !this.#changedIds.has(route.id)) return found;
    const changed = this.#changed.get(route) ?? this.#compileChanged(route);
    return changed.parameterNames.length === 0 ? changed.found : new RouteOnPath(changed, path);
  }

  #compileOwn(routes: readonly MockRoute[], known: CompiledRoutes): CompiledMock {
    const { compiled } = this.#base;
    const { find } = known.begin(this.#settings);
    const entries: TableEntry[] = [];
    const own: (CompiledRoute | undefined)[] = [];
    for (const [index, route] of routes.entries()) {
      const place = this.#places.get(route.id);
      if (!route.enabled || place === undefined) continue;
      const number = compiled.routeCount + (place.slot ?? index);
      const compiledOne = find(route, number, place) ?? this.#compileOne(route, number, place);
      if (compiledOne === undefined) continue;
      known.keep(route, compiledOne);
      for (const each of placesIn(compiledOne)) {
        entries.push({ index: own.length, route: each, ...placeOf(each) });
        own.push(each);
      }
    }
    this.#noteNeeds(own);
    return {
      ...compiled,
      settings: this.#settings,
      routes: own,
      table: buildRouteTable(entries, compiled.table.precedence),
    };
  }

  #compileOne(route: MockRoute, index: number, first: CompiledRoute['first']): CompiledRoute | undefined {
    const path = compilePath(route);
    return path && compileRoute(route, this.#settings, { index, first, path, ...this.#compiling });
  }

  #noteNeeds(routes: readonly (CompiledRoute | undefined)[]): void {
    propagateNeeds(routes, this.#base.compiled.routes);
    for (const route of routes) if (route?.fallsThrough === true) route.isStateful ||= this.#mayUseStores;
    if (!this.#mayReadMore) return;
    for (const route of routes) if (route?.fallsThrough === true) route.needsBody = route.needsIp = true;
  }

  #compileChanged(base: CompiledRoute): CompiledRoute {
    const route = this.#base.definition().routes.find(({ id }) => id === base.id) as MockRoute;
    const change = changeOf(this.#overlay, route.id);
    const changed = change === undefined ? route : changedRoute(route, change);
    const first = this.#places.get(route.id) ?? base.first;
    const { index } = base;
    const compiled = compileRoute(changed, this.#settings, { index, first, path: base, ...this.#compiling });
    this.#noteNeeds([compiled]);
    compiling.add(this);
    this.#changed.set(base, compiled);
    compiledCount++;
    for (const oldest of compiling) {
      if (compiledCount <= OVERLAY_ROUTES_COMPILED_MAX || oldest === this) break;
      oldest.release();
    }
    return compiled;
  }

  #withoutDisabled(): CompiledMock {
    const { compiled } = this.#base;
    const routes = compiled.routes.map((route) =>
      route !== undefined && this.#disabled.has(route.id) ? undefined : route,
    );
    const entries = routes.flatMap((route, index) =>
      route === undefined ? [] : [{ index, route, ...placeOf(route) }],
    );
    return { ...compiled, routes, table: buildRouteTable(entries, compiled.table.precedence) };
  }
}
