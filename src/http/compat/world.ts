/**
 * What a façade keeps beside a session: the stubs as they were sent, in the order in which they are asked. Their routes are the first of
 * the session's overlay; others that somebody put there stay behind them.
 *
 * A session that is replaced by another of its id has a world of its own, since worlds hang on the live session.
 */
import type { JsonObject } from '../../base/json-object.ts';
import { isRefusal, refuseLimit, type Refusal } from '../../errors.ts';
import { MOCK_INSTRUCTIONS_MAX } from '../../limits.ts';
import { routeInstructions } from '../../model/mocks/definition/edit-checks.ts';
import type { MockRoute, Scenario } from '../../model/mocks/definition/definition.ts';
import type { Mock } from '../../model/mocks/mock.ts';
import { OVERLAY_BYTES_MAX } from '../../model/mocks/sessions/session-payload.ts';
import type { SessionOverlay } from '../../model/mocks/sessions/session.ts';
import type { LiveSession } from '../../sessions/live-sessions.ts';
import type { SessionBook } from '../../sessions/session-book.ts';

export interface Stub {
  readonly id: string;
  /** As it was sent, with its id. */
  readonly source: JsonObject;
  readonly priority: number;
  /** Among two with one priority, the one with the higher number is asked first. */
  readonly number: number;
  readonly route: MockRoute;
  readonly scenarios: readonly Scenario[];
  /** Length of the route, and of the source, as JSON. */
  readonly bytes: number;
  readonly sourceBytes: number;
  readonly instructions: number;
}

/** Requests that a client has removed from its journal. They stay in the traffic, and counts stay exact. */
interface Hidden {
  /** The epoch of the data plane, and the life of the session: numbers mean others afterwards. */
  readonly of: string;
  readonly upTo: number;
  readonly numbers: ReadonlySet<number>;
}

export class World {
  readonly live: LiveSession;
  readonly #sessions: SessionBook;
  #stubs: readonly Stub[] = [];
  #byId = new Map<string, Stub>();
  #overlay: SessionOverlay | undefined;
  #number = 0;
  hidden: Hidden = { of: '', upTo: 0, numbers: new Set() };
  /** What clients have set that has no effect, to be returned. */
  settings: JsonObject = {};

  constructor(live: LiveSession, sessions: SessionBook) {
    this.live = live;
    this.#sessions = sessions;
  }

  /** In the order in which they are asked. */
  get stubs(): readonly Stub[] {
    this.#follow();
    return this.#stubs;
  }

  get(id: string): Stub | undefined {
    this.#follow();
    return this.#byId.get(id.toLowerCase());
  }

  byRoute(routeId: string): Stub | undefined {
    return this.get(routeId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'));
  }

  /** The number of the next stub. */
  nextNumber(): number {
    return ++this.#number;
  }

  /** @returns Whether every thread serves it. */
  async put(mock: Mock, stubs: readonly Stub[]): Promise<boolean | Refusal> {
    const ids = new Set(stubs.map(({ id }) => id));
    return this.#change(mock, [...this.stubs.filter(({ id }) => !ids.has(id)), ...stubs]);
  }

  async remove(mock: Mock, removed: (stub: Stub) => boolean): Promise<boolean | Refusal> {
    const kept = this.stubs.filter((stub) => !removed(stub));
    return kept.length === this.stubs.length ? true : this.#change(mock, kept);
  }

  /** Everything else of the overlay stays. */
  async set(mock: Mock, settings: SessionOverlay['settings']): Promise<boolean | Refusal> {
    const { overlay } = this.live.session;
    return this.#publish(mock, { ...overlay, settings: { ...overlay.settings, ...settings } });
  }

  async #change(mock: Mock, given: readonly Stub[]): Promise<boolean | Refusal> {
    const { overlay } = this.live.session;
    const others = this.#othersIn(overlay);
    const before = this.#stubs;
    const stubs = given.toSorted((one, other) => one.priority - other.priority || other.number - one.number);
    if (stubs.reduce((sum, { instructions }) => sum + instructions, 0) > MOCK_INSTRUCTIONS_MAX)
      return refuseLimit(`${MOCK_INSTRUCTIONS_MAX} instructions of patterns, JSONPaths and schemas per session`);
    const { scenarios: known = [], ...settings } = overlay.settings;
    const scenarios = joined([...(others.length === 0 ? [] : known), ...stubs.flatMap((stub) => stub.scenarios)]);
    const routes = [...stubs.map(({ route }) => route), ...others];
    const next = { ...overlay, routes, settings: { ...settings, ...(scenarios.length === 0 ? {} : { scenarios }) } };
    this.#take(stubs, next);
    const published = await this.#publish(mock, next);
    if (isRefusal(published)) this.#take(before, overlay);
    return published;
  }

  #publish(mock: Mock, overlay: SessionOverlay): Promise<boolean> | Refusal {
    let [bytes, overlayBytes] = [0, 0];
    for (const stub of this.#stubs) {
      bytes += stub.bytes;
      overlayBytes += stub.bytes + stub.sourceBytes;
    }
    if (bytes > OVERLAY_BYTES_MAX) return refuseLimit(`${OVERLAY_BYTES_MAX} bytes of the stubs of a session`);
    const published = this.#sessions.putOverlay(this.live, mock, { overlay, overlayBytes });
    if (!isRefusal(published)) this.#overlay = overlay;
    return published;
  }

  /** Somebody may have replaced the overlay in the meantime: stubs whose routes it lacks are gone. */
  #follow(): void {
    const { overlay } = this.live.session;
    if (overlay === this.#overlay) return;
    const routes = new Set(overlay.routes.map(({ id }) => id));
    this.#take(
      this.#stubs.filter(({ route }) => routes.has(route.id)),
      overlay,
    );
  }

  #take(stubs: readonly Stub[], overlay: SessionOverlay): void {
    this.#stubs = stubs;
    this.#byId = new Map(stubs.map((stub) => [stub.id, stub]));
    this.#overlay = overlay;
  }

  #othersIn({ routes }: SessionOverlay): readonly MockRoute[] {
    if (routes.length === this.#stubs.length) return [];
    const own = new Set(this.#stubs.map(({ route }) => route.id));
    return routes.filter(({ id }) => !own.has(id));
  }
}

/** What a stub is held by, beside its source. */
export function weightOf(route: MockRoute, source: JsonObject): Pick<Stub, 'bytes' | 'sourceBytes' | 'instructions'> {
  const bytes = Buffer.byteLength(JSON.stringify(route));
  return { bytes, sourceBytes: Buffer.byteLength(JSON.stringify(source)), instructions: routeInstructions(route) };
}

/** Scenarios of one name have the states of all. */
function joined(scenarios: readonly Scenario[]): readonly Scenario[] {
  const states = new Map<string, Set<string>>();
  for (const { name, states: own } of scenarios) {
    const known = states.get(name) ?? new Set();
    for (const state of own) known.add(state);
    states.set(name, known);
  }
  return [...states].map(([name, all]) => ({ name, states: [...all] }));
}
