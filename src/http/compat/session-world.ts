/**
 * The stubs of a session, as they were sent, in the order in which they are asked. Their routes are the first of the session's overlay;
 * others that somebody put there stay behind them. In memory alone, as the session is.
 */
import { isRefusal, refuseLimit, type Refusal } from '../../errors.ts';
import { MOCK_INSTRUCTIONS_MAX } from '../../limits.ts';
import type { MockRoute, MockSettings, Scenario } from '../../model/mocks/definition/definition.ts';
import type { Mock } from '../../model/mocks/mock.ts';
import { OVERLAY_BYTES_MAX } from '../../model/mocks/sessions/session-payload.ts';
import type { SessionOverlay } from '../../model/mocks/sessions/session.ts';
import type { LiveSession } from '../../sessions/live-sessions.ts';
import type { SessionBook } from '../../sessions/session-book.ts';
import { bytesOfFiles, newRemembered, type NewStub, type Stub, type World } from './world.ts';

/** Bound of the states that a scenario keeps though no stub names them. */
const STATES_KEPT_MAX = 100;

/** Hangs on the live session: one that replaces it under its id has its own. */
export class SessionStubs {
  readonly remembered = newRemembered();
  readonly #live: LiveSession;
  readonly #sessions: SessionBook;
  #stubs: readonly Stub[] = [];
  #byId = new Map<string, Stub>();
  #overlay: SessionOverlay | undefined;
  #number = 0;

  constructor(live: LiveSession, sessions: SessionBook) {
    this.#live = live;
    this.#sessions = sessions;
  }

  worldOf(mock: Mock): World {
    this.#follow();
    return {
      remembered: this.remembered,
      stubs: this.#stubs,
      get: (id) => this.#byId.get(id.toLowerCase()),
      put: async (stubs) => this.#put(mock, stubs),
      remove: async (isRemoved) => {
        this.#follow();
        const kept = this.#stubs.filter((stub) => !isRemoved(stub));
        return kept.length === this.#stubs.length ? true : this.#change(mock, kept);
      },
      setFiles: async (files) => this.#setFiles(mock, files),
      setLatency: async (latency) => this.#publish(mock, this.#withSettings({ latency })),
    };
  }

  /** All of them, in the order in which they are asked. Those that were there before keep their counts and states. */
  async replace(mock: Mock, stubs: readonly NewStub[]): Promise<boolean | Refusal> {
    this.#follow();
    return this.#change(
      mock,
      stubs.map((stub, index) => ({ ...stub, priority: 0, number: -index })),
    );
  }

  #put(mock: Mock, given: readonly NewStub[]): Promise<boolean | Refusal> {
    this.#follow();
    const ids = new Set(given.map(({ id }) => id));
    const stubs = given.map((stub) => ({ ...stub, number: this.#byId.get(stub.id)?.number ?? ++this.#number }));
    return this.#change(mock, [...this.#stubs.filter(({ id }) => !ids.has(id)), ...stubs]);
  }

  async #change(mock: Mock, given: readonly Stub[]): Promise<boolean | Refusal> {
    const { overlay } = this.#live.session;
    const before = this.#stubs;
    const others = this.#othersIn(overlay);
    const stubs = given.toSorted((one, other) => one.priority - other.priority || other.number - one.number);
    if (stubs.reduce((sum, { instructions }) => sum + instructions, 0) > MOCK_INSTRUCTIONS_MAX)
      return refuseLimit(`${MOCK_INSTRUCTIONS_MAX} instructions of patterns, JSONPaths and schemas per session`);
    const { scenarios: known = [], ...settings } = overlay.settings;
    const named = stubs.flatMap((stub) => stub.scenarios);
    const names = new Set(named.map(({ name }) => name));
    // A scenario keeps its state while stubs are in it, though none may name that state any more.
    const kept = known.filter(
      ({ name, states }) => others.length > 0 || (names.has(name) && states.length < STATES_KEPT_MAX),
    );
    const scenarios = joined([...kept, ...named]);
    const routes = [...stubs.map(({ route }) => route), ...others];
    const next = { ...overlay, routes, settings: { ...settings, ...(scenarios.length === 0 ? {} : { scenarios }) } };
    this.#take(stubs, next);
    const published = this.#publish(mock, next);
    if (isRefusal(published)) this.#take(before, overlay);
    return published;
  }

  #setFiles(mock: Mock, files: World['remembered']['files']): Promise<boolean> | Refusal {
    const { files: before } = this.remembered;
    this.remembered.files = files;
    const published = this.#publish(mock, this.#live.session.overlay);
    if (isRefusal(published)) this.remembered.files = before;
    return published;
  }

  #withSettings(settings: Pick<MockSettings, 'latency'>): SessionOverlay {
    const { overlay } = this.#live.session;
    return { ...overlay, settings: { ...overlay.settings, ...settings } };
  }

  #publish(mock: Mock, overlay: SessionOverlay): Promise<boolean> | Refusal {
    const filesBytes = bytesOfFiles(this.remembered.files);
    if (isRefusal(filesBytes)) return filesBytes;
    let [bytes, overlayBytes] = [0, filesBytes];
    for (const stub of this.#stubs) {
      bytes += stub.bytes;
      overlayBytes += stub.bytes + stub.sourceBytes;
    }
    if (bytes > OVERLAY_BYTES_MAX) return refuseLimit(`${OVERLAY_BYTES_MAX} bytes of the stubs of a session`);
    const published = this.#sessions.putOverlay(this.#live, mock, { overlay, overlayBytes });
    if (!isRefusal(published)) this.#overlay = overlay;
    return published;
  }

  /** Somebody may have replaced the overlay in the meantime: stubs whose routes it lacks are gone. */
  #follow(): void {
    const { overlay } = this.#live.session;
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
