/**
 * The live sessions of one mock, as the main thread of the data plane's process knows them: what defines each, and how often it was
 * hit.
 *
 * A session counts in buffers of its own, laid out as those of its mock, with the responses that are its own after them: so the threads
 * use the compiled routes of the mock for the session as well.
 */
import { EXPIRED_SESSION_MS, SESSIONS_PER_MOCK_MAX } from '../../limits.ts';
import { changedRoute, changeOf, scenariosIn, settingsIn } from '../../model/mocks/sessions/definition-in-session.ts';
import type { MockDefinition } from '../../model/mocks/definition/definition.ts';
import { mayOverlayProxy } from '../../model/mocks/sessions/overlay-proxy.ts';
import type { SessionDefinition, SessionOverlay, SessionUse } from '../../model/mocks/sessions/session.ts';
import { Tally } from '../shared/counters.ts';
import { countOthers, countResponses, isSameLayout } from '../shared/publication.ts';
import { routeIdsOf, type FirstPlaces, type RouteIds, type SessionForThread } from '../shared/messages.ts';
import { stateLayoutOf, type StateLayout } from '../shared/mock-state.ts';

/** What of the mock the counters of its sessions are laid out by. */
interface SessionBase {
  readonly routes: readonly RouteIds[];
  readonly stateLayout: StateLayout;
  /** As the threads have it: UTF-8 JSON. */
  readonly definition: SharedArrayBuffer;
  /** Those of the mock's tally. */
  readonly numbers: SharedArrayBuffer;
}

interface ServedSession {
  definition: SessionDefinition;
  tally: Tally;
  places: ReadonlyMap<string, FirstPlaces>;
  stateLayout: StateLayout;
  overlay: SharedArrayBuffer | undefined;
  /** Differs for each session and each reset. */
  life: number;
  /** The number of the last request of the mock before this life. */
  numbersFrom: number;
}

let generation = 0;

/** Identifies a session, or a mock from a reset on: no two are the same, so that a reader of either sees that the other has its place. */
export function newGeneration(): number {
  return ++generation;
}

export class MockSessions {
  readonly #sessions = new Map<string, ServedSession>();
  readonly #expired = new Map<string, number>();
  #base: SessionBase;
  /** Parsed when a session first changes a route of this version. */
  #parsed: MockDefinition | undefined;

  constructor(base: SessionBase, definitions: Iterable<SessionDefinition>) {
    this.#base = base;
    for (const definition of definitions) this.#sessions.set(definition.id, this.#make(definition));
  }

  get isEmpty(): boolean {
    return this.#sessions.size === 0;
  }

  get(sessionId: string): ServedSession | undefined {
    return this.#sessions.get(sessionId);
  }

  tallies(): Tally[] {
    return [...this.#sessions.values()].map(({ tally }) => tally);
  }

  /** @returns What the threads get, and what to call when every thread has confirmed it. */
  put(definition: SessionDefinition, isNew: boolean): { session: SessionForThread; finish: () => void } {
    this.#expired.delete(definition.id);
    const known = isNew ? undefined : this.#sessions.get(definition.id);
    if (known !== undefined) {
      const finish = this.#lay(known, definition);
      return { session: toThread(known), finish };
    }
    const session = this.#make(definition);
    this.#sessions.set(definition.id, session);
    return { session: toThread(session), finish: () => undefined };
  }

  /** @returns The session, which is not known any more. */
  end(sessionId: string, isExpired: boolean): { session: ServedSession | undefined; expiredUntil: number | undefined } {
    const session = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    if (!isExpired) return { session, expiredUntil: undefined };
    const now = Date.now();
    for (const [id, until] of this.#expired) {
      if (until < now || this.#expired.size >= SESSIONS_PER_MOCK_MAX) this.#expired.delete(id);
      else break;
    }
    const expiredUntil = now + EXPIRED_SESSION_MS;
    this.#expired.set(sessionId, expiredUntil);
    return { session, expiredUntil };
  }

  /** @returns What the threads get; undefined for an unknown session. */
  reset(sessionId: string): SessionForThread | undefined {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return undefined;
    session.tally = session.tally.fresh();
    session.life = newGeneration();
    session.numbersFrom = session.tally.newestNumber;
    return toThread(session);
  }

  /** A new version of the mock: sequences and states go on. @returns Call it when every thread has confirmed it. */
  supersede(base: SessionBase): () => void {
    // The same list: sessions then know without comparing that they go on counting where they did.
    const { routes } = this.#base;
    this.#base = isSameLayout(routes, base.routes) ? { ...base, routes } : base;
    this.#parsed = undefined;
    const finishes = [...this.#sessions.values()].map((session) => this.#lay(session, session.definition));
    return () => {
      for (const finish of finishes) finish();
    };
  }

  /** The mock was reset: further sessions take their numbers from here. */
  rebase(numbers: SharedArrayBuffer): void {
    this.#base = { ...this.#base, numbers };
  }

  forThreads(): { sessions: readonly SessionForThread[]; expired: readonly (readonly [string, number])[] } {
    return { sessions: [...this.#sessions.values()].map(toThread), expired: [...this.#expired] };
  }

  uses(mockId: string): SessionUse[] {
    return [...this.#sessions].map(([sessionId, { tally }]) => ({
      mockId,
      sessionId,
      lastUsedAt: tally.lastUsedAt,
      ...tally.ownFigures,
    }));
  }

  #definition(): MockDefinition {
    this.#parsed ??= JSON.parse(Buffer.from(this.#base.definition).toString()) as MockDefinition;
    return this.#parsed;
  }

  #make(definition: SessionDefinition): ServedSession {
    const { routes, numbers } = this.#base;
    const { added, ...laid } = layOut(this.#base, definition.overlay, () => this.#definition());
    const tally = new Tally(routes, laid.stateLayout, { numbers, added, states: definition.state });
    return { definition, tally, ...laid, life: newGeneration(), numbersFrom: tally.newestNumber };
  }

  #lay(session: ServedSession, definition: SessionDefinition): () => void {
    const { added, ...laid } = layOut(this.#base, definition.overlay, () => this.#definition());
    Object.assign(session, laid, { definition });
    return session.tally.supersede(this.#base.routes, laid.stateLayout, true, added);
  }
}

/** Where the responses are counted that are the session's own: of the routes that it adds, and of those that it changes. */
function layOut(
  { routes, stateLayout }: SessionBase,
  overlay: SessionOverlay,
  definitionOf: () => MockDefinition,
): Pick<ServedSession, 'places' | 'stateLayout' | 'overlay'> & { readonly added: readonly RouteIds[] } {
  const places = new Map<string, FirstPlaces>();
  const { rateLimit } = overlay.settings;
  const scenarios = scenariosIn(stateLayout, overlay);
  const proxies = mayOverlayProxy(overlay);
  const limited =
    rateLimit === undefined
      ? { ...stateLayout, scenarios }
      : stateLayoutOf({ scenarios, rateLimit }, stateLayout.proxies === true);
  const laid = {
    places,
    stateLayout: proxies && stateLayout.proxies !== true ? { ...limited, proxies } : limited,
    overlay: bytesOf(overlay),
  };
  if (laid.overlay === undefined) return { ...laid, added: NONE };
  const added = addedRoutes(overlay, definitionOf);
  let place = added.length === 0 ? 0 : countResponses(routes);
  let otherPlace = added.length === 0 ? 0 : countOthers(routes);
  for (const route of added) {
    places.set(route.routeId, { place, otherPlace });
    place += route.responseIds.length;
    otherPlace += countOthers([route]);
  }
  return { ...laid, added };
}

const NONE: readonly RouteIds[] = [];

function addedRoutes(overlay: SessionOverlay, definitionOf: () => MockDefinition): readonly RouteIds[] {
  // Another latency alone is answered, and so counted, by the responses of the mock.
  const isAll = overlay.settings.faults !== undefined;
  const changesNone = !isAll && Object.keys(overlay.responses).length === 0;
  if (changesNone && overlay.routes.length === 0) return NONE;
  const definition = definitionOf();
  const settings = settingsIn(definition.settings, overlay);
  const own = overlay.routes.map((route) => routeIdsOf(route, settings));
  if (changesNone) return own;
  const changed = definition.routes.flatMap((route) => {
    const change = changeOf(overlay, route.id);
    if (change === undefined && !isAll) return [];
    return [routeIdsOf(change === undefined ? route : changedRoute(route, change), settings)];
  });
  return [...own, ...changed];
}

/** @returns undefined for an overlay without any effect. */
function bytesOf(overlay: SessionOverlay): SharedArrayBuffer | undefined {
  const { routes, responses, disabled, settings } = overlay;
  const isEmpty = [routes, Object.keys(responses), disabled, Object.keys(settings)].every(({ length }) => length === 0);
  if (isEmpty) return undefined;
  return sharedText(JSON.stringify(overlay));
}

function sharedText(text: string): SharedArrayBuffer {
  const bytes = Buffer.from(text);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

function toThread({ definition, tally, places, stateLayout, overlay, life }: ServedSession): SessionForThread {
  const { id, createdAt, seed, stores } = definition;
  const { counters, layout } = tally;
  const storeValues = stores === undefined ? undefined : sharedText(JSON.stringify(stores));
  return {
    sessionId: id,
    createdAt,
    seed,
    overlay,
    stateLayout,
    counters,
    storesOf: life,
    storeValues,
    ...layout,
    places,
  };
}
