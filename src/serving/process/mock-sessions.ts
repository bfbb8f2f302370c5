/**
 * The live sessions of one mock, as the main thread of the data plane's process knows them: what defines each, and how often it was
 * hit.
 *
 * A session counts in buffers of its own, laid out as those of its mock, with the responses that are its own after them: so the threads
 * use the compiled routes of the mock for the session as well.
 */
import { EXPIRED_SESSION_MS, SESSIONS_PER_MOCK_MAX } from '../../limits.ts';
import type { SessionDefinition, SessionOverlay } from '../../model/mocks/session.ts';
import { countResponses, Tally } from '../shared/counters.ts';
import type { RouteIds, SessionForThread, SessionUse } from '../shared/messages.ts';
import { stateLayoutOf, type StateLayout } from '../shared/mock-state.ts';

/** What of the mock the counters of its sessions are laid out by. */
export interface SessionBase {
  readonly routes: readonly RouteIds[];
  readonly stateLayout: StateLayout;
  /** Those of the mock's tally. */
  readonly numbers: SharedArrayBuffer;
}

export interface LiveSession {
  definition: SessionDefinition;
  tally: Tally;
  places: ReadonlyMap<string, number>;
  stateLayout: StateLayout;
  overlay: SharedArrayBuffer | undefined;
  /** Differs for each session and each reset. */
  life: number;
  /** The number of the last request of the mock before this life. */
  numbersFrom: number;
}

let lives = 0;

export class MockSessions {
  readonly #sessions = new Map<string, LiveSession>();
  readonly #expired = new Map<string, number>();
  #base: SessionBase;

  constructor(base: SessionBase, definitions: Iterable<SessionDefinition>) {
    this.#base = base;
    for (const definition of definitions) this.#sessions.set(definition.id, this.#make(definition));
  }

  get isEmpty(): boolean {
    return this.#sessions.size === 0;
  }

  get(sessionId: string): LiveSession | undefined {
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
  end(sessionId: string, isExpired: boolean): { session: LiveSession | undefined; expiredUntil: number | undefined } {
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
    session.life = ++lives;
    session.numbersFrom = session.tally.newestNumber;
    return toThread(session);
  }

  /** A new version of the mock: sequences and states go on. @returns Call it when every thread has confirmed it. */
  supersede(base: SessionBase): () => void {
    this.#base = base;
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

  #make(definition: SessionDefinition): LiveSession {
    const { routes, numbers } = this.#base;
    const { added, ...laid } = layOut(this.#base, definition.overlay);
    const tally = new Tally(routes, laid.stateLayout, { numbers, added, states: definition.state });
    return { definition, tally, ...laid, life: ++lives, numbersFrom: tally.newestNumber };
  }

  #lay(session: LiveSession, definition: SessionDefinition): () => void {
    const { added, ...laid } = layOut(this.#base, definition.overlay);
    Object.assign(session, laid, { definition });
    return session.tally.supersede(this.#base.routes, laid.stateLayout, true, added);
  }
}

/** Where the responses are counted that are the session's own. */
function layOut(
  { routes, stateLayout }: SessionBase,
  overlay: SessionOverlay,
): Pick<LiveSession, 'places' | 'stateLayout' | 'overlay'> & { readonly added: readonly RouteIds[] } {
  const places = new Map<string, number>();
  const { rateLimit } = overlay.settings;
  const rateSlots = rateLimit === undefined ? stateLayout.rateSlots : stateLayoutOf({ rateLimit }).rateSlots;
  const laid = { places, stateLayout: { ...stateLayout, rateSlots }, overlay: bytesOf(overlay) };
  if (laid.overlay === undefined) return { ...laid, added: NONE };
  const added: RouteIds[] = overlay.routes.map(({ id, responses }) => idsOf(id, responses));
  const changes = Object.entries(overlay.responses);
  const known = changes.length === 0 ? undefined : new Map(routes.map((route) => [route.routeId, route]));
  for (const [routeId, change] of changes) {
    const route = known?.get(routeId);
    if (route === undefined) continue;
    if (change.kind === 'replace') added.push(idsOf(routeId, [change.response]));
    if (change.kind === 'merge') {
      const { status } = change.merge;
      added.push(status === undefined ? route : { ...route, statuses: route.statuses.map(() => status) });
    }
  }
  let place = added.length === 0 ? 0 : countResponses(routes);
  for (const { routeId, responseIds } of added) {
    places.set(routeId, place);
    place += responseIds.length;
  }
  return { ...laid, added };
}

const NONE: readonly RouteIds[] = [];

function idsOf(routeId: string, responses: readonly { readonly id: string; readonly status: number }[]): RouteIds {
  return { routeId, responseIds: responses.map(({ id }) => id), statuses: responses.map(({ status }) => status) };
}

/** @returns undefined for an overlay without any effect. */
function bytesOf(overlay: SessionOverlay): SharedArrayBuffer | undefined {
  const { routes, responses, disabled, settings } = overlay;
  const isEmpty = [routes, Object.keys(responses), disabled, Object.keys(settings)].every(({ length }) => length === 0);
  if (isEmpty) return undefined;
  const bytes = Buffer.from(JSON.stringify(overlay));
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

function toThread({ definition, tally, places, stateLayout, overlay }: LiveSession): SessionForThread {
  const { id, seed } = definition;
  return { sessionId: id, seed, overlay, stateLayout, counters: tally.counters, ...tally.layout, places };
}
