/**
 * One version of a mock as a thread serves it, or of a mock as one of its sessions sees it: the compiled mock, its counters, and
 * remembered replies to requests that match no route.
 *
 * One class for both, so that reading its members costs a request no more where there are sessions. Immutable except for its sessions
 * and what it remembers: a new version is a new object, which replaces the old one by one assignment.
 */
import type { Account } from '../../base/owner-turns.ts';
import { INSTRUCTION_BYTES } from '../../limits.ts';
import type { MockDefinition, MockRoute, MockSettings } from '../../model/mocks/definition/definition.ts';
import { routeInstructions } from '../../model/mocks/definition/edit-checks.ts';
import type { MessageDirection } from '../../model/mocks/sockets/message-record.ts';
import { eventsOf, eventTexts } from '../../model/mocks/streams/stream.ts';
import { templatesOf } from '../../model/mocks/upstream/callbacks.ts';
import { mayProxy, sendsOn } from '../../model/mocks/upstream/proxy.ts';
import { splitPath } from '../../languages/paths/route-path.ts';
import { compileMock } from '../matching/compile/compile.ts';
import type { CompiledMock, FoundRoute } from '../matching/compile/compiled-mock.ts';
import { stateLayoutOf, type StateLayout } from '../shared/mock-state.ts';
import { Counters } from '../shared/counters.ts';
import { failureSlotOf, otherSlotOf, slotOf } from '../shared/publication.ts';
import { Overlay } from '../matching/overlay.ts';
import type { StoreSet } from '../matching/stores/store-turn.ts';
import { firstValue } from '../matching/stores/store-value.ts';
import { storesIn } from '../../model/mocks/sessions/definition-in-session.ts';
import type { StoreDefinition } from '../../model/mocks/stores/store.ts';
import { partsOf, type OverlayParts } from './overlay-parts.ts';
import { gateOf, type Gate } from './rate-gate.ts';
import type { PassedRoute } from '../matching/explain/explain-miss.ts';
import { jsonHead } from './reply/reply-heads.ts';
import { NO_PLACE, type MockAnswer, type Outcome } from '../matching/request/mock-request.ts';
import { nearestRoutes } from '../matching/routing/nearest-routes.ts';
import type { ValidHost } from '../../wire/framing.ts';
import type { MockTraffic } from './traffic/traffic-blocks.ts';
import type { MockForThread, SessionForThread, SharedCounters } from '../shared/messages.ts';
import { fromThreadMock } from '../shared/mock-bytes.ts';
import { KnownRoutes } from './known-routes.ts';

/** A reply to requests that match no route. */
interface Miss {
  readonly method: string;
  readonly head: ArrayBuffer;
  readonly body: ArrayBuffer;
}

/** Replies remembered for one version, and the longest path of one: about 100 kB. */
const MISSES_MAX = 64;
const SESSION_MISSES_REMEMBERED_MAX = 2;
const MISS_CHARS_MAX = 200;

export class ServedMock {
  readonly mockId: string;
  readonly ownerId: string;
  readonly isRunning: boolean;
  /** What requests pass before they are answered; undefined when all do. */
  gate: Gate | undefined;
  /** What is sent on, and where to; null: nothing. Undefined where only a response may name an upstream. */
  proxy: MockSettings['proxy'];
  readonly version: number;
  /** The settings `traffic` and `cors`, copied next to the other fields that a request reads. */
  readonly isRecorded: boolean;
  readonly hasCors: boolean;
  readonly compiled: CompiledMock;
  /** Its estimated memory. */
  readonly bytes: number;
  counters: Counters;
  /** The cache's tick at its last request: the least recently used mock leaves the cache first. */
  usedAt = 0;
  /** Its owner's use of this thread, set by the first request. */
  account: Account | undefined;
  /** Its recorded traffic in this thread, set by the first request: the same for all versions. */
  traffic: MockTraffic | undefined;
  /** Hosts for which the cache remembers this mock. */
  readonly hosts: ValidHost[] = [];
  /** What a session has over its mock, or that no route answers: undefined where routes are looked up in the mock alone. */
  overlay: Overlay | typeof NO_ROUTES | undefined;
  /** The session's, where every request is sent on, and the mock answers those whose upstream fails. */
  #overlayBehind: Overlay | undefined;
  /** "" outside of sessions. */
  readonly sessionId: string;
  /** The mock of a session. */
  readonly base: ServedMock | undefined;
  /** Live sessions of the mock; undefined while it has none. */
  sessions: Map<string, ServedMock> | undefined;
  /** Sessions that have expired, and until when that is reported: milliseconds since 1970. */
  expired: Map<string, number> | undefined;
  /** By path, for the method that was used last. */
  readonly #misses = new Map<string, Miss>();
  /** What identifies the stores as they began. */
  storesOf: number;
  /** Its stores, in the thread that is their home, once a request has used them. */
  stores: StoreSet | undefined = undefined;
  #overlayStores: MockSettings['stores'];
  readonly #mock: MockForThread;
  readonly #session: SessionForThread | undefined;
  /** Undefined without an overlay. */
  readonly #parts: OverlayParts | undefined;
  readonly #sharedDomains: readonly string[];
  readonly #known: KnownRoutes | undefined;
  #definition: MockDefinition | undefined;
  readonly #routeCount: number;
  readonly #responseCount: number;
  readonly #drawsBy: { readonly seed: number | null; readonly layout: StateLayout };

  /** @param inSession Of a session: it shares what is compiled with its mock. @param replaced The version of the mock before. */
  constructor(
    mock: MockForThread,
    sharedDomains: readonly string[],
    inSession?: {
      readonly base: ServedMock;
      readonly session: SessionForThread;
      readonly before?: ServedMock | undefined;
    },
    replaced?: ServedMock,
  ) {
    const { base, session, before } = inSession ?? {};
    this.#parts = session && partsOf(session, before === undefined ? undefined : before.#parts);
    this.#mock = mock;
    this.#session = session;
    this.#sharedDomains = sharedDomains;
    this.mockId = mock.mockId;
    this.ownerId = mock.ownerId;
    this.isRunning = mock.state === 'running';
    this.version = mock.version;
    this.storesOf = session?.storesOf ?? mock.storesOf;
    this.base = base;
    this.sessionId = session?.sessionId ?? '';
    if (base === undefined || session === undefined) {
      const { mockId, ownerId, state, version, parts, slots } = mock;
      // Versions of stubs follow each other; of other mocks nothing more is kept in memory.
      const known = parts === undefined ? undefined : ((replaced && replaced.#known) ?? new KnownRoutes());
      this.#known = known;
      const definition = known?.read(mock) ?? fromThreadMock(mock).definition;
      const { routes, settings } = definition;
      this.#routeCount = slots.routeCount;
      this.#responseCount = slots.responseCount;
      const compiling = { known: known?.compiled, slots };
      this.compiled = compileMock({ mockId, ownerId, state, version, definition }, sharedDomains, compiling);
      this.bytes = compiledBytes((known === undefined ? 1 : 2) * mock.definition.byteLength, routes, settings.stores);
      this.#drawsBy = { seed: settings.seed, layout: stateLayoutOf(settings, mayProxy(definition)) };
      this.expired = mock.expired.length === 0 ? undefined : new Map(mock.expired);
    } else {
      this.#routeCount = session.routeCount;
      this.#responseCount = session.responseCount;
      this.compiled = base.compiled;
      this.bytes = SESSION_BYTES + OVERLAY_BYTES_PER_BYTE * (this.#parts?.bytes ?? 0);
      this.#drawsBy = { seed: session.seed, layout: session.stateLayout };
      this.expired = undefined;
    }
    this.isRecorded = this.compiled.settings.traffic;
    this.hasCors = this.compiled.settings.cors;
    this.gate = gateOf(this.isRunning, this.compiled.settings);
    this.counters = new Counters(session?.counters ?? mock.counters, this.#drawsBy);
    this.proxy = this.compiled.settings.proxy;
    this.overlay = this.#parts === undefined && this.proxy?.when === 'always' ? NO_ROUTES : undefined;
    this.sessions = undefined;
    for (const each of base === undefined ? mock.sessions : []) this.putSession(each);
  }

  /** Makes a session, or replaces what defines it. @param before It until now, if it was there. @returns It. */
  putSession(session: SessionForThread, before?: ServedMock): ServedMock {
    const served = new ServedMock(this.#mock, this.#sharedDomains, { base: this, session, before });
    this.sessions ??= new Map();
    this.sessions.set(session.sessionId, served);
    this.expired?.delete(session.sessionId);
    return served;
  }

  /** Whether its overlay is compiled, if it has one. */
  get isPrepared(): boolean {
    return this.overlay !== undefined || this.#parts === undefined;
  }

  /** Compiles the overlay: with the first request of the session. */
  prepare(): void {
    const base = this.base;
    const parts = this.#parts;
    if (base === undefined || parts === undefined) return;
    const { overlay } = parts;
    this.gate = gateOf(this.isRunning, { ...base.compiled.settings, ...overlay.settings });
    this.#overlayStores = overlay.settings.stores;
    this.proxy = overlay.settings.proxy === undefined ? base.proxy : overlay.settings.proxy;
    const overlaid = { compiled: base.compiled, definition: () => base.#definitionOf() };
    const isSentOn = this.proxy?.when === 'always';
    const routes =
      isSentOn && this.proxy?.onFailure !== 'mock'
        ? undefined
        : new Overlay(overlaid, overlay, parts.places, this.#sharedDomains, parts.compiled);
    this.overlay = isSentOn ? NO_ROUTES : routes;
    this.#overlayBehind = isSentOn ? routes : undefined;
  }

  /** As `overlay`, as if nothing were sent on. */
  get ownOverlay(): Overlay | undefined {
    return this.overlay instanceof Overlay ? this.overlay : this.#overlayBehind;
  }

  /** What it has compiled is not needed any more. */
  release(): void {
    this.ownOverlay?.release();
  }

  /** Whether requests that name an unknown session make it. */
  get makesSessions(): boolean {
    return this.isRunning && this.compiled.settings.sessions === 'auto';
  }

  isExpired(sessionId: string): boolean {
    return (this.expired?.get(sessionId) ?? 0) > Date.now();
  }

  /** Parsed when a session first changes a route of it. */
  #definitionOf(): MockDefinition {
    this.#definition ??= fromThreadMock(this.#mock).definition;
    return this.#definition;
  }

  /** What its stores begin with. */
  storeDefinitions(): readonly StoreDefinition[] {
    const { settings } = this.compiled;
    const all = storesIn(settings, { settings: { ...(this.#overlayStores && { stores: this.#overlayStores }) } });
    const given = this.#session?.storeValues;
    if (given === undefined) return all;
    const values = JSON.parse(Buffer.from(given).toString()) as Readonly<Record<string, unknown>>;
    return all.map((store) => {
      if (!Object.hasOwn(values, store.name)) return store;
      const { templated: _template, ...plain } = store;
      return { ...plain, value: values[store.name] };
    });
  }

  reset(counters: SharedCounters, storesOf: number): void {
    this.storesOf = storesOf;
    this.stores = undefined;
    this.counters = new Counters(counters, this.#drawsBy);
  }

  /** Counts a hit of a response. @returns The number of this request among all of the mock. */
  hit({ place }: Outcome): number {
    return this.counters.hit(slotOf(this.#routeCount, place));
  }

  /** Counts an accepted WebSocket handshake. @param place Of the response to it; NO_PLACE without one. @returns As `hit`. */
  countOpened(place: number): number {
    return this.counters.opened(place === NO_PLACE ? undefined : slotOf(this.#routeCount, place));
  }

  /** Counts a message on a WebSocket. @param place Of the response to it; NO_PLACE without one. @returns As `hit`. */
  countMessage(direction: MessageDirection, place = NO_PLACE): number {
    return this.counters.message(direction, place === NO_PLACE ? undefined : slotOf(this.#routeCount, place));
  }

  /** When the session was made: milliseconds since 1970; 0 outside of sessions. */
  get sessionCreatedAt(): number {
    return this.#session?.createdAt ?? 0;
  }

  /** Whether requests may be sent on to an upstream: they need their bodies then. */
  get mayProxy(): boolean {
    return this.counters.state.countsProxied;
  }

  /** Whether requests that no route answers are sent on. */
  get sendsMissesOn(): boolean {
    return sendsOn(this);
  }

  /** Counts an answer of an upstream. Without a place it counts for no response. @returns As `hit`. */
  countProxied({ place, routeId, status }: Outcome): number {
    const slot = place === NO_PLACE ? undefined : slotOf(this.#routeCount, place);
    return this.counters.proxied(status, slot, routeId === '');
  }

  /** Counts that a hit was answered 500. */
  fail({ place }: Outcome): void {
    this.counters.fail(failureSlotOf(this.#routeCount, this.#responseCount, place));
  }

  /** Counts that a hit was answered with another status than the response's own. */
  countOtherStatus({ otherPlace }: MockAnswer): void {
    if (otherPlace === NO_PLACE) return;
    this.counters.fail(otherSlotOf(this.#routeCount, this.#responseCount, otherPlace));
  }

  /**
   * The reply when no route answers. Clients repeat such requests, so the nearest routes are searched once.
   *
   * @param passedOn Routes that matched and had no answer, which depends on more than method and path.
   */
  missOf(method: string, path: string, passedOn: readonly PassedRoute[]): Miss {
    const known = this.#misses.get(path);
    if (known?.method === method && passedOn.length === 0) return known;
    const { routes: nearest, declaredFor } =
      this.overlay === undefined ? nearestRoutes(this.compiled, method, path) : this.overlay.nearest(method, path);
    const served = `version ${this.version} is served`;
    const declared = declaredFor.length === 0 ? '' : `this path is declared for ${declaredFor.join(' and ')} only; `;
    const reply =
      passedOn.length === 0
        ? { nearest, hint: `${declared}${served}` }
        : { nearest, passedOn, hint: `${passedText(passedOn)}; ${served}` };
    const body = JSON.stringify({ success: false, message: 'No route matches', ...reply });
    const miss = { method, head: bytesOf(jsonHead(404, this.hasCors)), body: bytesOf(body) };
    if (path.length <= MISS_CHARS_MAX && passedOn.length === 0) {
      const max = this.base === undefined ? MISSES_MAX : SESSION_MISSES_REMEMBERED_MAX;
      if (this.#misses.size >= max) this.#misses.clear();
      this.#misses.set(path, miss);
    }
    return miss;
  }
}

/** In place of the routes of a mock that sends every request on. */
const NO_ROUTES = {
  find: () => undefined,
  findOptions: () => undefined,
  findSocket: () => undefined,
  *matching(): Generator<FoundRoute> {},
  nearest: () => ({ routes: [], declaredFor: [] }),
};

const PASSED_CHARS_MAX = 2_000;

/** "POST /cart matches, but requires state Started of scenario cart; it is: has item" */
export function passedText(passedOn: readonly PassedRoute[]): string {
  // Most misses, and they are many.
  if (passedOn.length === 0) return '';
  const text = passedOn.map(({ method, path, reason }) => `${method} ${path} matches, but ${reason}`).join('; ');
  // It is recorded, where texts have one line.
  return text.slice(0, PASSED_CHARS_MAX).replaceAll(/[\r\n]/g, ' ');
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text)).buffer;
}

/**
 * Estimates the memory of a compiled mock: measured amounts for the mock and each route and response, and for patterns
 * by their instructions, including those that are compiled later. Bodies count twice: as the text of the definition and
 * as bytes.
 */
function compiledBytes(
  definitionBytes: number,
  routes: readonly MockRoute[],
  stores: MockSettings['stores'] = [],
): number {
  const values = stores.reduce((sum, store) => sum + firstValue(store, store.value).heap, 0);
  return routes.reduce((sum, route) => sum + routeBytes(route), MOCK_BYTES + 2 * definitionBytes + values);
}

/** What was estimated before, of the routes of mocks that are kept from version to version. */
const estimated = new WeakMap<MockRoute, number>();

function routeBytes(route: MockRoute): number {
  const known = estimated.get(route);
  if (known !== undefined) return known;
  let bytes = ROUTE_BYTES + splitPath(route.path).length * SEGMENT_BYTES + routeInstructions(route) * INSTRUCTION_BYTES;
  for (const response of route.responses) {
    const { templated, body, headers, proxy, callbacks = [] } = response;
    for (const event of eventsOf(response))
      bytes +=
        EVENT_BYTES +
        (templated === false ? [] : eventTexts(event)).reduce(
          (sum, { text }) => sum + (text.split('{{').length - 1),
          0,
        ) *
          HELPER_BYTES;
    for (const callback of callbacks)
      bytes +=
        RESPONSE_BYTES +
        templatesOf(callback).reduce((sum, text) => sum + (text.split('{{').length - 1), 0) * HELPER_BYTES;
    const texts = templated ? [body, proxy?.path ?? '', ...headers.map(({ value }) => value)] : [];
    bytes += RESPONSE_BYTES + texts.reduce((sum, text) => sum + (text.split('{{').length - 1), 0) * HELPER_BYTES;
  }
  estimated.set(route, bytes);
  return bytes;
}

/** A session without its overlay, and each byte of its overlay's JSON. */
const SESSION_BYTES = 2_048;
const OVERLAY_BYTES_PER_BYTE = 8;
const MOCK_BYTES = 8_192;
const ROUTE_BYTES = 4_096;
const RESPONSE_BYTES = 3_072;
const SEGMENT_BYTES = 600;
const EVENT_BYTES = 1_024;
const HELPER_BYTES = 400;
