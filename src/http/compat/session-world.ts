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

/** Totals over all stubs of a session. */
interface Sums {
  readonly bytes: number;
  readonly sourceBytes: number;
  readonly instructions: number;
  /** How many name scenarios. */
  readonly withScenarios: number;
}

const NO_SUMS: Sums = { bytes: 0, sourceBytes: 0, instructions: 0, withScenarios: 0 };

/** Hangs on the live session: one that replaces it under its id has its own. */
export class SessionStubs {
  readonly remembered = newRemembered();
  readonly #live: LiveSession;
  readonly #sessions: SessionBook;
  #stubs: readonly Stub[] = [];
  #byId = new Map<string, Stub>();
  #sums = NO_SUMS;
  #overlay: SessionOverlay | undefined;
  /** Whether the routes of the stubs are the first of the overlay, in the order of the stubs. */
  #isOurs = true;
  /** Ids of routes of the mock in whose place a stub answers. */
  #replaced: ReadonlySet<string> = new Set();
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
      put: async (stubs, isRemoved) => this.#put(mock, stubs, isRemoved),
      remove: async (isRemoved) => {
        this.#follow();
        const kept = this.#stubs.filter((stub) => !isRemoved(stub));
        return kept.length === this.#stubs.length ? true : this.#replace(mock, kept);
      },
      setFiles: async (files) => this.#setFiles(mock, files),
      setLatency: async (latency) => this.#publish(mock, this.#withSettings({ latency }), []),
    };
  }

  #put(mock: Mock, given: readonly NewStub[], isRemoved?: (stub: Stub) => boolean): Promise<boolean | Refusal> {
    this.#follow();
    // The last of two with one id counts.
    const byId = new Map(given.map((stub) => [stub.id, stub]));
    const numbered = [...byId.values()].map((stub) => ({
      ...stub,
      number: this.#byId.get(stub.id)?.number ?? ++this.#number,
    }));
    const [only] = numbered;
    if (only !== undefined && numbered.length === 1 && isRemoved === undefined && this.#isOurs)
      return this.#putOne(mock, only);
    const kept = this.#stubs.filter((stub) => !byId.has(stub.id) && isRemoved?.(stub) !== true);
    const stubs = [...kept, ...numbered];
    return this.#replace(mock, stubs.toSorted(inOrder), numbered);
  }

  /** Adds one stub without rebuilding the others, because a suite adds hundreds one by one. */
  #putOne(mock: Mock, stub: Stub): Promise<boolean | Refusal> {
    const known = this.#byId.get(stub.id);
    const { routes } = this.#live.session.overlay;
    let [stubs, own, sums] = [this.#stubs, routes, added(this.#sums, stub, 1)];
    if (known !== undefined) {
      const index = stubs.indexOf(known);
      stubs = stubs.toSpliced(index, 1);
      own = own.toSpliced(index, 1);
      sums = added(sums, known, -1);
    }
    const at = placeFor(stub, stubs);
    return this.#change(mock, { stubs: stubs.toSpliced(at, 0, stub), routes: own.toSpliced(at, 0, stub.route), sums }, [
      stub,
    ]);
  }

  #replace(mock: Mock, stubs: readonly Stub[], changed: readonly Stub[] = []): Promise<boolean | Refusal> {
    const routes = [...stubs.map(({ route }) => route), ...this.#others()];
    return this.#change(mock, { stubs, routes, sums: sumsOf(stubs) }, changed);
  }

  /** @param changed Those that are new or another. */
  async #change(
    mock: Mock,
    { stubs, routes, sums }: { stubs: readonly Stub[]; routes: readonly MockRoute[]; sums: Sums },
    changed: readonly Stub[],
  ): Promise<boolean | Refusal> {
    const { overlay } = this.#live.session;
    const before = { stubs: this.#stubs, sums: this.#sums };
    if (sums.instructions > MOCK_INSTRUCTIONS_MAX)
      return refuseLimit(`${MOCK_INSTRUCTIONS_MAX} instructions of patterns, JSONPaths and schemas per session`);
    const { scenarios: known = [], ...settings } = overlay.settings;
    const ofStubs = sums.withScenarios === 0 ? [] : stubs.flatMap((stub) => stub.scenarios);
    const names = new Set(ofStubs.map(({ name }) => name));
    // A scenario keeps its state while stubs are in it, though none may name that state any more.
    const kept = known.filter(
      ({ name, states }) => routes.length > stubs.length || (names.has(name) && states.length < STATES_KEPT_MAX),
    );
    const scenarios = joined([...kept, ...ofStubs]);
    const next = { ...overlay, routes, settings: { ...settings, ...(scenarios.length === 0 ? {} : { scenarios }) } };
    this.#take(stubs, sums, next, changed);
    const published = this.#publish(
      mock,
      next,
      changed.map(({ route }) => route),
    );
    if (isRefusal(published)) this.#take(before.stubs, before.sums, overlay);
    else this.#isOurs = true;
    return published;
  }

  #setFiles(mock: Mock, files: World['remembered']['files']): Promise<boolean> | Refusal {
    const { files: before } = this.remembered;
    this.remembered.files = files;
    const published = this.#publish(mock, this.#live.session.overlay, []);
    if (isRefusal(published)) this.remembered.files = before;
    return published;
  }

  #withSettings(settings: Pick<MockSettings, 'latency'>): SessionOverlay {
    const { overlay } = this.#live.session;
    return { ...overlay, settings: { ...overlay.settings, ...settings } };
  }

  /** @param changed Routes that are to be checked: the others were. */
  #publish(mock: Mock, overlay: SessionOverlay, changed: readonly MockRoute[]): Promise<boolean> | Refusal {
    const filesBytes = bytesOfFiles(this.remembered.files);
    if (isRefusal(filesBytes)) return filesBytes;
    const { bytes, sourceBytes } = this.#sums;
    if (Math.max(bytes, sourceBytes) > OVERLAY_BYTES_MAX)
      return refuseLimit(`${OVERLAY_BYTES_MAX} bytes of the stubs of a session`);
    const overlayBytes = bytes + sourceBytes + filesBytes;
    const replaced = this.#replacedOf(mock);
    const byOthers = overlay.disabled.filter((id) => !this.#replaced.has(id));
    const next = { ...overlay, disabled: [...new Set([...byOthers, ...replaced])] };
    const published = this.#sessions.putOverlay(this.#live, mock, { overlay: next, overlayBytes }, changed);
    if (isRefusal(published)) return published;
    this.#overlay = next;
    this.#replaced = replaced;
    return published;
  }

  /** The mock may have lost some since. */
  #replacedOf({ saved }: Mock): ReadonlySet<string> {
    const named = new Set(this.#stubs.flatMap(({ replaces = [] }) => replaces));
    return named.size === 0 ? named : new Set(saved.routes.map(({ route }) => route.id).filter((id) => named.has(id)));
  }

  /** Somebody may have replaced the overlay in the meantime: stubs whose routes it lacks are gone. */
  #follow(): void {
    const { session } = this.#live;
    if (session.overlay === this.#overlay) return;
    const routes = new Set(session.overlay.routes.map(({ id }) => id));
    const stubs = this.#stubs.filter(({ route }) => routes.has(route.id));
    this.#take(stubs, sumsOf(stubs), session.overlay);
    this.#replaced = new Set();
    this.#isOurs = stubs.every(({ route }, index) => route === session.overlay.routes[index]);
  }

  /** @param changed Those that are new or another; undefined where any may be. */
  #take(stubs: readonly Stub[], sums: Sums, overlay: SessionOverlay, changed?: readonly Stub[]): void {
    const isGrown = changed !== undefined && stubs.length >= this.#stubs.length;
    this.#stubs = stubs;
    this.#sums = sums;
    this.#overlay = overlay;
    if (isGrown) for (const stub of changed) this.#byId.set(stub.id, stub);
    else this.#byId = new Map(stubs.map((stub) => [stub.id, stub]));
  }

  /** Routes of the overlay that are not a stub's. */
  #others(): readonly MockRoute[] {
    const { routes } = this.#live.session.overlay;
    if (routes.length === this.#stubs.length) return [];
    const own = new Set(this.#stubs.map(({ route }) => route.id));
    return routes.filter(({ id }) => !own.has(id));
  }
}

/** By priority, and the newest first. */
function inOrder(one: Stub, other: Stub): number {
  return one.priority - other.priority || other.number - one.number;
}

/** @param stubs In order. */
function placeFor(stub: Stub, stubs: readonly Stub[]): number {
  let [low, high] = [0, stubs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (inOrder(stubs[middle] as Stub, stub) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function added(sums: Sums, { bytes, sourceBytes, instructions, scenarios }: Stub, times: 1 | -1): Sums {
  return {
    bytes: sums.bytes + times * bytes,
    sourceBytes: sums.sourceBytes + times * sourceBytes,
    instructions: sums.instructions + times * instructions,
    withScenarios: sums.withScenarios + (scenarios.length === 0 ? 0 : times),
  };
}

function sumsOf(stubs: readonly Stub[]): Sums {
  return stubs.reduce((sums, stub) => added(sums, stub, 1), NO_SUMS);
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
