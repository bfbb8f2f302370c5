/**
 * The live sessions of one mock, as the main thread of the data plane's process knows them: what defines each, and how often it was
 * hit.
 *
 * A session counts in buffers of its own, laid out as those of its mock, with the responses that are its own after them: so the threads
 * use the compiled routes of the mock for the session as well. A save changes all of these layouts: each session is laid out anew when a
 * thread or a question names it.
 */
import { randomInt } from 'node:crypto';
import { EXPIRED_SESSION_MS, SESSIONS_PER_MOCK_MAX } from '../../limits.ts';
import { changedRoute, changeOf, scenariosIn, settingsIn } from '../../model/mocks/sessions/definition-in-session.ts';
import type { MockDefinition, MockRoute } from '../../model/mocks/definition/definition.ts';
import { mayOverlayProxy } from '../../model/mocks/sessions/overlay-proxy.ts';
import type {
  RoutesChange,
  SentSession,
  SessionDefinition,
  SessionOverlay,
  SessionUse,
} from '../../model/mocks/sessions/session.ts';
import { Tally } from '../shared/counters.ts';
import { countOthers, countResponses, isSameLayout } from '../shared/publication.ts';
import type { MockForThread, RouteIds, SessionForThread } from '../shared/messages.ts';
import { routeIdsOf } from '../shared/mock-bytes.ts';
import type { FirstPlaces } from '../shared/session-parts.ts';
import { stateLayoutOf, type StateLayout } from '../shared/mock-state.ts';

/** Parts of the mock that lay out the counters of its sessions. */
interface SessionBase {
  readonly routes: readonly RouteIds[];
  readonly stateLayout: StateLayout;
  /** UTF-8 JSON, shared with the threads. */
  readonly definition: SharedArrayBuffer;
  /** Those of the mock's tally. */
  readonly numbers: SharedArrayBuffer;
}

interface ServedSession {
  definition: SessionDefinition;
  /** Identifies the base that it is laid out by; 0: none yet. */
  baseNumber: number;
  tally: Tally;
  /** Slots of its own counters, and the slot of each route of the overlay. */
  added: readonly RouteIds[];
  places: ReadonlyMap<string, FirstPlaces>;
  stateLayout: StateLayout;
  /** Differs for each session and each reset. */
  life: number;
  /** The number of the last request of the mock before this life. */
  numbersFrom: number;
}

/** Random, so that another process has others: what is known of a store by its version is not taken for one that began anew. */
let generation = randomInt(2 ** 47);

/** Identifies a session, or a mock from a reset on: no two are the same, so that a reader of either sees that the other has its place. */
export function newGeneration(): number {
  return ++generation;
}

export class MockSessions {
  readonly #sessions = new Map<string, ServedSession>();
  readonly #expired = new Map<string, number>();
  #base: SessionBase;
  #baseNumber = 1;
  /** Callbacks for sessions with a new layout, to run when every thread has confirmed the base; undefined: every one has. */
  #finishes: (() => void)[] | undefined;
  /** Parsed when a session first changes a route of this version. */
  #parsed: MockDefinition | undefined;

  constructor(base: SessionBase, definitions: Iterable<SessionDefinition>) {
    this.#base = base;
    for (const definition of definitions) this.#sessions.set(definition.id, this.#make(definition));
  }

  get isEmpty(): boolean {
    return this.#sessions.size === 0;
  }

  has(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  get(sessionId: string): ServedSession | undefined {
    const session = this.#sessions.get(sessionId);
    if (session === undefined || session.baseNumber === this.#baseNumber) return session;
    const finish = this.#lay(session, session.definition);
    if (this.#finishes === undefined) finish();
    else this.#finishes.push(finish);
    return session;
  }

  tallies(): Tally[] {
    return [...this.#sessions.values()].map(({ tally }) => tally);
  }

  /**
   * @returns What the threads get, and what to call when every thread has confirmed it; undefined for a change of a session that is
   * not known (any more).
   */
  put(sent: SentSession, isNew: boolean): { session: SessionForThread; finish: () => void } | undefined {
    const { routesChange, ...definition } = sent;
    this.#expired.delete(sent.id);
    const known = isNew ? undefined : this.#sessions.get(sent.id);
    if (routesChange !== undefined) return known && this.#change(known, definition, routesChange);
    const session = known ?? this.#make(definition);
    this.#sessions.set(definition.id, session);
    const finish = this.#lay(session, definition);
    return { session: toThread(session), finish };
  }

  /** Lays out and sends what is new alone, where the other responses of the overlay stay where they are. */
  #change(
    session: ServedSession,
    { overlay: rest, ...others }: SessionDefinition,
    change: RoutesChange,
  ): { session: SessionForThread; finish: () => void } {
    const before = session.definition.overlay;
    const { at, removed, added } = change;
    const overlay = { ...rest, routes: before.routes.toSpliced(at, removed, ...added) };
    const definition = { ...others, overlay };
    const isSparse = session.added.length > 2 * overlay.routes.length + SLOTS_FREE_MAX;
    const isStale = session.baseNumber !== this.#baseNumber;
    if (isStale || isSparse || countsOthers(before) || countsOthers(overlay)) {
      const finish = this.#lay(session, definition);
      return { session: toThread(session), finish };
    }
    const gone = before.routes.slice(at, at + removed);
    const { places, ...laid } = changeSlots(this.#base, session, overlay, { gone, added }, () => this.#definition());
    Object.assign(session, laid, { definition, places: new Map([...session.places, ...places]) });
    const finish = session.tally.supersede(this.#base.routes, session.stateLayout, true, session.added);
    const { routes: _changed, ...unchanged } = overlay;
    const overlayChange = {
      at,
      removed,
      added: sharedText(JSON.stringify(added)),
      rest: sharedText(JSON.stringify(unchanged)),
    };
    return { session: { ...toThread(session, false), overlayChange, places }, finish };
  }

  /** @returns The session, which is not known any more. */
  end(sessionId: string, isExpired: boolean): { session: ServedSession | undefined; expiredUntil: number | undefined } {
    const session = this.get(sessionId);
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
    const session = this.get(sessionId);
    if (session === undefined) return undefined;
    session.tally = session.tally.fresh();
    session.life = newGeneration();
    session.numbersFrom = session.tally.newestNumber;
    return toThread(session);
  }

  /** A new version of the mock: sequences and states go on. Threads forget all sessions. @returns Call it when every thread has confirmed it. */
  supersede(base: SessionBase): () => void {
    // The same list: sessions then know without comparing that they go on counting where they did.
    const { routes } = this.#base;
    this.#base = !this.isEmpty && isSameLayout(routes, base.routes) ? { ...base, routes } : base;
    this.#parsed = undefined;
    this.#baseNumber++;
    const finishes: (() => void)[] = [];
    this.#finishes = finishes;
    return () => {
      for (const finish of finishes) finish();
      if (this.#finishes === finishes) this.#finishes = undefined;
    };
  }

  /** The mock was reset: further sessions take their numbers from here. */
  rebase(numbers: SharedArrayBuffer): void {
    this.#base = { ...this.#base, numbers };
  }

  forThreads(): Pick<MockForThread, 'sessions' | 'expired'> {
    const sessions = new Map(Array.from(this.#sessions, ([id, { definition }]) => [id, definition.createdAt]));
    return { sessions, expired: [...this.#expired] };
  }

  /** @returns What a thread gets that asks for it; undefined for an unknown session. */
  forThread(sessionId: string): SessionForThread | undefined {
    const session = this.get(sessionId);
    return session && toThread(session);
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
    const { numbers } = this.#base;
    const tally = new Tally(NONE, UNLAID.stateLayout, { numbers, added: NONE, states: definition.state });
    const life = newGeneration();
    return { definition, baseNumber: 0, tally, ...UNLAID, life, numbersFrom: tally.newestNumber };
  }

  #lay(session: ServedSession, definition: SessionDefinition): () => void {
    const laid = layOut(this.#base, definition.overlay, () => this.#definition());
    Object.assign(session, laid, { definition, baseNumber: this.#baseNumber });
    return session.tally.supersede(this.#base.routes, laid.stateLayout, true, laid.added);
  }
}

/** The overlay has routes that count in its own slots, but that it does not add. */
function countsOthers({ responses, settings }: SessionOverlay): boolean {
  return Object.keys(responses).length > 0 || settings.faults !== undefined;
}

type SlotLayout = Pick<ServedSession, 'added' | 'places' | 'stateLayout'>;

/** Slots of routes that are gone, beside as many as there are routes, before all are laid out anew. */
const SLOTS_FREE_MAX = 256;

/** Lays out the counters of the session's own responses: of the routes that it adds, and of those that it changes. */
function layOut(base: SessionBase, overlay: SessionOverlay, definitionOf: () => MockDefinition): SlotLayout {
  const stateLayout = stateLayoutIn(base, overlay);
  if (isEmptyOverlay(overlay)) return { added: NONE, places: new Map(), stateLayout };
  const added = addedRoutes(overlay, definitionOf);
  return { added, places: placesFrom(base, [], added, overlay.routes.length), stateLayout };
}

function stateLayoutIn({ stateLayout }: SessionBase, overlay: SessionOverlay): StateLayout {
  const { rateLimit } = overlay.settings;
  const scenarios = scenariosIn(stateLayout, overlay);
  const proxies = mayOverlayProxy(overlay);
  const limited =
    rateLimit === undefined
      ? { ...stateLayout, scenarios }
      : stateLayoutOf({ scenarios, rateLimit }, stateLayout.proxies === true);
  return proxies && stateLayout.proxies !== true ? { ...limited, proxies } : limited;
}

/** @param before What is counted before them. @param ownCount How many of them are routes of the overlay. */
function placesFrom(
  { routes }: SessionBase,
  before: readonly RouteIds[],
  added: readonly RouteIds[],
  ownCount: number,
): Map<string, FirstPlaces> {
  const places = new Map<string, FirstPlaces>();
  if (added.length === 0) return places;
  let place = countResponses(routes) + countResponses(before);
  let otherPlace = countOthers(routes) + countOthers(before);
  for (const [index, route] of added.entries()) {
    const slot = index < ownCount ? { slot: before.length + index } : {};
    places.set(route.routeId, { place, otherPlace, ...slot });
    place += route.responseIds.length;
    otherPlace += countOthers([route]);
  }
  return places;
}

/** Slots of routes that are gone stay free, and new ones follow: so all others stay where they are. */
function changeSlots(
  base: SessionBase,
  { added: before, places: known }: Pick<ServedSession, 'added' | 'places'>,
  overlay: SessionOverlay,
  { gone, added: routes }: { readonly gone: readonly MockRoute[]; readonly added: readonly MockRoute[] },
  definitionOf: () => MockDefinition,
): SlotLayout {
  const settings = settingsIn(definitionOf().settings, overlay);
  const slots = [...before];
  for (const { id } of gone) {
    const slot = known.get(id)?.slot;
    if (slot !== undefined) slots[slot] = { ...(slots[slot] as RouteIds), routeId: '' };
  }
  const added = routes.map((route) => routeIdsOf(route, settings));
  const places = placesFrom(base, slots, added, added.length);
  return { added: [...slots, ...added], places, stateLayout: stateLayoutIn(base, overlay) };
}

const NONE: readonly RouteIds[] = [];
const UNLAID: SlotLayout = { added: NONE, places: new Map(), stateLayout: { scenarios: [], rateSlots: 0 } };

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

function isEmptyOverlay({ routes, responses, disabled, settings }: SessionOverlay): boolean {
  return [routes, Object.keys(responses), disabled, Object.keys(settings)].every(({ length }) => length === 0);
}

function sharedText(text: string): SharedArrayBuffer {
  const bytes = Buffer.from(text);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

/** @param isWhole Whether it has the overlay, unless that is empty. */
function toThread({ definition, tally, places, stateLayout, life }: ServedSession, isWhole = true): SessionForThread {
  const { id, createdAt, seed, stores } = definition;
  const overlay =
    isWhole && !isEmptyOverlay(definition.overlay) ? sharedText(JSON.stringify(definition.overlay)) : undefined;
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
