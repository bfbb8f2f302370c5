/**
 * One version of a mock as a thread serves it, or of a mock as one of its sessions sees it: the compiled mock, its counters, and
 * remembered replies to requests that match no route.
 *
 * One class for both, so that reading its members costs a request no more where there are sessions. Immutable except for its sessions
 * and what it remembers: a new version is a new object, which replaces the old one by one assignment.
 */
import type { Account } from '../../base/owner-account.ts';
import type { MockDefinition, MockSettings } from '../../model/mocks/definition/definition.ts';
import type { MessageDirection } from '../../model/mocks/sockets/message-record.ts';
import { proxiesMisses } from '../../model/mocks/upstream/proxy.ts';
import type { CompiledMock, FoundRoute } from '../matching/compile/compiled-mock.ts';
import type { StateLayout } from '../shared/mock-state.ts';
import { Counters } from '../shared/counters.ts';
import { failureSlotOf, otherSlotOf, slotOf } from '../shared/publication.ts';
import { Overlay } from '../matching/overlay.ts';
import type { Signer } from '../matching/signing/signing-keys.ts';
import type { StoreSet } from '../matching/stores/store-turn.ts';
import { storesIn } from '../../model/mocks/sessions/definition-in-session.ts';
import type { StoreDefinition } from '../../model/mocks/stores/store-schema.ts';
import { partsOf, type OverlayParts } from './overlay-parts.ts';
import { gateOf, type Gate } from './rate-gate.ts';
import type { PassedRoute } from '../matching/explain/explain-miss.ts';
import { jsonHead } from './reply/reply-heads.ts';
import { NO_PLACE, type MockAnswer, type Outcome } from '../matching/request/mock-request.ts';
import { loadLocales } from '../matching/templates/faker.ts';
import { nearestRoutes } from '../matching/routing/nearest-routes.ts';
import type { ValidHost } from '../../wire/framing.ts';
import type { MockTraffic } from './traffic/traffic-blocks.ts';
import type { MockForThread, SessionForThread, SharedCounters } from '../shared/messages.ts';
import { definitionIn } from '../shared/mock-bytes.ts';
import type { PreparedMock } from './prepare-mock.ts';

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
  /** Gate before requests are answered; undefined without a rate limit. */
  gate: Gate | undefined;
  /** Upstream settings; null proxies nothing. Undefined if only a response may name an upstream. */
  proxy: MockSettings['proxy'];
  readonly version: number;
  /** The settings `traffic` and `cors`, copied next to the other fields that a request reads. */
  readonly isRecorded: boolean;
  cors: MockSettings['cors'];
  /** A session has a setting of its own, which heads are not prepared for. */
  overlaysCors = false;
  /** Whose keys templates use; undefined without the setting `signing`. */
  signer: Signer | undefined;
  faker: MockSettings['faker'];
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
  /** Overlay of a session, or of a mock without routes; undefined for the mock alone. */
  overlay: Overlay | typeof NO_ROUTES | undefined;
  /** The session's, where every request is sent on, and the mock answers those whose upstream fails. */
  #overlayBehind: Overlay | undefined;
  /** "" outside of sessions. */
  readonly sessionId: string;
  /** The mock of a session. */
  readonly base: ServedMock | undefined;
  /** Live sessions of the mock that this thread has; undefined while it has none. */
  sessions: Map<string, ServedMock> | undefined;
  /** When each of the others was made: this thread asks for one when a request names it. */
  unasked: Map<string, number> | undefined;
  /** Sessions that have expired, and until when that is reported: milliseconds since 1970. */
  expired: Map<string, number> | undefined;
  /** By path, for the method that was used last. */
  readonly #misses = new Map<string, Miss>();
  /** Identifies the initial values of the stores. */
  storesOf: number;
  /** Its stores, in the thread that is their home, once a request has used them. */
  stores: StoreSet | undefined = undefined;
  #overlayStores: MockSettings['stores'];
  readonly prepared: PreparedMock;
  readonly #session: SessionForThread | undefined;
  /** Undefined without an overlay. */
  readonly #parts: OverlayParts | undefined;
  readonly #sharedDomains: readonly string[];
  #definition: MockDefinition | undefined;
  readonly #routeCount: number;
  readonly #responseCount: number;
  readonly #drawsBy: { readonly seed: number | null; readonly layout: StateLayout };

  /** @param base The mock of a session. @param before The session until now, if it was there. */
  constructor(
    prepared: PreparedMock,
    of: MockForThread | SessionForThread,
    sharedDomains: readonly string[],
    base?: ServedMock,
    before?: ServedMock,
  ) {
    const session = 'sessionId' in of ? of : undefined;
    this.#parts = session && partsOf(session, before === undefined ? undefined : before.#parts);
    this.prepared = prepared;
    this.#session = session;
    this.#sharedDomains = sharedDomains;
    const { mockId, ownerId, state, version, slots } = prepared.version;
    this.mockId = mockId;
    this.ownerId = ownerId;
    this.isRunning = state === 'running';
    this.version = version;
    this.compiled = prepared.compiled;
    this.storesOf = of.storesOf;
    this.base = base;
    this.sessionId = session?.sessionId ?? '';
    const { routeCount, responseCount } = session ?? slots;
    this.#routeCount = routeCount;
    this.#responseCount = responseCount;
    if (!('sessionId' in of)) {
      this.bytes = prepared.bytes;
      this.#drawsBy = prepared.drawsBy;
      this.unasked = of.sessions.size === 0 ? undefined : new Map(of.sessions);
      this.expired = of.expired.length === 0 ? undefined : new Map(of.expired);
    } else {
      this.bytes = SESSION_BYTES + OVERLAY_BYTES_PER_BYTE * (this.#parts?.bytes ?? 0);
      this.#drawsBy = { seed: of.seed, layout: of.stateLayout };
      this.unasked = undefined;
      this.expired = undefined;
    }
    this.isRecorded = this.compiled.settings.traffic;
    this.cors = this.compiled.settings.cors;
    this.signer = this.#signerBy(this.compiled.settings);
    this.faker = this.compiled.settings.faker;
    this.gate = gateOf(this.isRunning, this.compiled.settings);
    this.counters = new Counters(of.counters, this.#drawsBy);
    this.proxy = this.compiled.settings.proxy;
    this.overlay = this.#parts === undefined && this.proxy?.when === 'always' ? NO_ROUTES : undefined;
    this.sessions = undefined;
  }

  /** Makes a session, or replaces what defines it. @param before It until now, if it was there. @returns It. */
  putSession(session: SessionForThread, before?: ServedMock): ServedMock {
    const served = new ServedMock(this.prepared, session, this.#sharedDomains, this, before);
    served.account = this.account;
    this.sessions ??= new Map();
    this.sessions.set(session.sessionId, served);
    this.unasked?.delete(session.sessionId);
    this.expired?.delete(session.sessionId);
    return served;
  }

  /** When a live session was made: milliseconds since 1970. @returns undefined for an unknown one. */
  createdAtOf(sessionId: string): number | undefined {
    return this.sessions?.get(sessionId)?.sessionCreatedAt ?? this.unasked?.get(sessionId);
  }

  /** The overlay is compiled, or there is none. */
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
    this.overlaysCors = overlay.settings.cors !== undefined;
    this.cors = overlay.settings.cors ?? base.cors;
    this.faker = overlay.settings.faker ?? base.faker;
    if (overlay.settings.faker !== undefined) loadLocales(overlay.settings.faker);
    if (overlay.settings.signing !== undefined) this.signer = this.#signerBy(overlay.settings);
    this.#overlayStores = overlay.settings.stores;
    this.proxy = overlay.settings.proxy === undefined ? base.proxy : overlay.settings.proxy;
    const overlaid = { compiled: base.compiled, definition: () => base.#definitionOf() };
    const isProxied = this.proxy?.when === 'always';
    const routes =
      isProxied && this.proxy?.onFailure !== 'mock'
        ? undefined
        : new Overlay(overlaid, overlay, parts.places, this.#sharedDomains, parts.compiled);
    this.overlay = isProxied ? NO_ROUTES : routes;
    this.#overlayBehind = isProxied ? routes : undefined;
  }

  /** The same as `overlay`, as if the mock proxied nothing. */
  get ownOverlay(): Overlay | undefined {
    return this.overlay instanceof Overlay ? this.overlay : this.#overlayBehind;
  }

  #signerBy({ signing: setting }: Pick<MockSettings, 'signing'>): Signer | undefined {
    return setting && { mockId: this.mockId, sessionId: this.sessionId, setting };
  }

  /** Drops what it has compiled. */
  release(): void {
    this.ownOverlay?.release();
  }

  /** Requests that name an unknown session create it. */
  get makesSessions(): boolean {
    return this.isRunning && this.compiled.settings.sessions === 'auto';
  }

  isExpired(sessionId: string): boolean {
    return (this.expired?.get(sessionId) ?? 0) > Date.now();
  }

  /** Parsed when a session first changes a route of it. */
  #definitionOf(): MockDefinition {
    this.#definition ??= definitionIn(this.prepared.version);
    return this.#definition;
  }

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

  /** Requests may go to an upstream, so they need their bodies. */
  get mayProxy(): boolean {
    return this.counters.state.countsProxied;
  }

  /** Requests that no route answers go to an upstream. */
  get proxiesMisses(): boolean {
    return proxiesMisses(this);
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
    const miss = { method, head: bytesOf(jsonHead(404, this.cors === true)), body: bytesOf(body) };
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

/** A session without its overlay, and each byte of its overlay's JSON. */
const SESSION_BYTES = 2_048;
const OVERLAY_BYTES_PER_BYTE = 8;
