/** The live sessions of mocks: makes, changes, ends and expires them, and notifies the data plane. */
import { randomInt } from 'node:crypto';
import type { WaitingBytes } from '../base/waiting-bytes.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import type { MockRoute, PublishedMock } from '../model/mocks/definition/definition.ts';
import { definitionOf, type Mock } from '../model/mocks/mock.ts';
import { mayOverlayProxy } from '../model/mocks/sessions/overlay-proxy.ts';
import { mayProxy } from '../model/mocks/upstream/proxy.ts';
import { checkOverlayOf, checkSessionOf } from '../model/mocks/sessions/session-checks.ts';
import { EMPTY_SESSION, type OverlayDraft, type SessionDraft } from '../model/mocks/sessions/session-payload.ts';
import {
  changeOfRoutes,
  SESSION_ID,
  type SentSession,
  type SessionDefinition,
  type SessionEnd,
  type SessionPut,
  type SessionUse,
} from '../model/mocks/sessions/session.ts';
import { Book, type Uses } from './book.ts';
import { LiveSessions, sessionBytes, type LiveSession } from './live-sessions.ts';

/** Questions to the data plane; serving/supervisor/data-plane.ts says what each does. */
export interface SessionPlane {
  readonly epoch: string;
  putSession(mockId: string, session: SessionDefinition, put: SessionPut): Promise<boolean>;
  refuseSession(mockId: string, sessionId: string, reason?: string): void;
  endSession(mockId: string, sessionId: string, options?: { expired?: boolean }): Promise<SessionEnd | undefined>;
  resetSession(mockId: string, sessionId: string): Promise<boolean>;
  sessionUses(mockIds: readonly string[]): Promise<Uses<SessionUse> | undefined>;
}

interface SessionBookOptions {
  /** For all sessions of mocks and gateways. */
  readonly bytesMax?: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** A mock with its owner; undefined when it does not exist, or cannot be read. */
  readonly mockOf: (mockId: string) => Promise<{ readonly mock: Mock; readonly ownerId: string } | undefined>;
  /** The callbacks of sessions. */
  readonly callbacks?: {
    /** @returns How many are not sent. */
    readonly cancel: (live: LiveSession) => Promise<number>;
    readonly forget: (live: LiveSession) => Promise<void>;
  };
}

export class SessionBook extends Book<LiveSession, SessionUse, SessionPlane> {
  /** Those of gateways are taken from it, too. */
  readonly bytes: WaitingBytes;
  readonly #options: SessionBookOptions;

  constructor(options: SessionBookOptions) {
    const bytes = sessionBytes(options.bytesMax);
    super(new LiveSessions(({ mockId }) => mockId, 'mock', bytes), options.clock);
    this.bytes = bytes;
    this.#options = options;
  }

  *of(mockId: string): Iterable<SessionDefinition> {
    for (const { session } of this.sessions.of(mockId)) yield session;
  }

  /** @returns The session, with whether every thread serves it already. */
  create(
    mock: Mock,
    ownerId: string,
    draft: SessionDraft,
  ): { readonly live: LiveSession; readonly published: Promise<boolean> } | Refusal {
    const refusal = checkSessionOf(draft, definitionOf(mock.saved));
    if (refusal !== undefined) return refusal;
    const { label, idleMs, overlay, state, stores } = draft;
    const id = draft.id ?? this.freeId(mock.id);
    const createdAt = this.clock();
    const seed = draft.seed ?? seedOf(mock.saved.settings.seed, id);
    const session: SessionDefinition = {
      id,
      label,
      createdAt,
      idleMs,
      seed,
      overlay,
      state,
      ...(stores && { stores }),
    };
    const bytes = bytesOf(mock, draft);
    const { id: mockId, createdVersion: mockCreatedVersion } = mock;
    const live: LiveSession = { mockId, ownerId, mockCreatedVersion, session, bytes, usedAt: createdAt };
    if (this.count === 0) this.knowUses();
    const refused = this.sessions.add(live);
    if (refused !== undefined) return refused;
    this.watchExpiry();
    return { live, published: this.plane.putSession(mock.id, session, { isNew: true }) };
  }

  /** @param changed Its routes that are to be checked: by default all. */
  putOverlay(
    live: LiveSession,
    mock: Mock,
    draft: OverlayDraft,
    changed = draft.overlay.routes,
  ): Promise<boolean> | Refusal {
    const before = live.session.overlay.routes;
    const refusal =
      checkOverlayOf({ ...draft.overlay, routes: changed }, definitionOf(mock.saved), '') ??
      this.sessions.replace(live, { ...live.session, overlay: draft.overlay }, bytesOf(mock, draft));
    return refusal ?? this.plane.putSession(live.mockId, live.session, { isNew: false, sent: sentOf(live, before) });
  }

  async reset(live: LiveSession): Promise<boolean> {
    const isReset = await this.plane.resetSession(live.mockId, live.session.id);
    await this.#options.callbacks?.forget(live);
    return isReset;
  }

  /** To be called once it has ended. @returns How many callbacks that it was still to send are not sent. */
  async cancelCallbacks(live: LiveSession): Promise<number> {
    return (await this.#options.callbacks?.cancel(live)) ?? 0;
  }

  /** @returns What it leaves; undefined when that was lost with the data plane. It is ended in either case. */
  end(live: LiveSession): Promise<SessionEnd | undefined> {
    this.sessions.remove(live);
    return this.plane.endSession(live.mockId, live.session.id);
  }

  /** A mock was deleted, and there may be another of its id: the data plane forgets the sessions of the one before with it. */
  endAllBut(mock: Pick<PublishedMock, 'ownerId' | 'createdVersion'> | undefined, mockId: string): void {
    for (const { ownerId, mockCreatedVersion } of this.sessions.of(mockId)) {
      if (mock?.ownerId !== ownerId || mock.createdVersion !== mockCreatedVersion)
        return this.sessions.removeAll(mockId);
    }
    if (mock === undefined) this.sessions.removeAll(mockId);
  }

  /** The data plane has lost all mocks, with their sessions, and others may serve them now. */
  endAll(): void {
    for (const { mockId } of this.sessions.all()) this.sessions.removeAll(mockId);
  }

  protected override placeOf({ mockId }: SessionUse): string {
    return mockId;
  }

  protected override usesIn(mockIds: readonly string[]): Promise<Uses<SessionUse> | undefined> {
    return this.plane.sessionUses(mockIds);
  }

  /** One of a gateway session ends with it. */
  protected override mayExpire({ isOfGateway }: LiveSession): boolean {
    return isOfGateway !== true;
  }

  override expire(live: LiveSession, now: number): void {
    if (!this.sessions.remove(live, now)) return;
    const { mockId, session } = live;
    void this.plane.endSession(mockId, session.id, { expired: true }).then(() => this.cancelCallbacks(live));
  }

  /** Makes a session that a request names, of a mock whose sessions are made so; or lets the request be refused. */
  wanted(mockId: string, id: string): void {
    void this.#make(mockId, id).catch(() => this.plane.refuseSession(mockId, id));
  }

  async #make(mockId: string, id: string): Promise<void> {
    const found = SESSION_ID.test(id) ? await this.#options.mockOf(mockId) : undefined;
    const live = this.sessions.get(mockId, id);
    // It was made in the meantime, or the data plane has lost it.
    if (live !== undefined) return void this.plane.putSession(mockId, live.session, { isNew: false });
    const isAuto = found?.mock.saved.settings.sessions === 'auto';
    const made = isAuto ? this.create(found.mock, found.ownerId, { ...EMPTY_SESSION, id }) : undefined;
    if (made === undefined) return this.plane.refuseSession(mockId, id);
    if (isRefusal(made)) this.plane.refuseSession(mockId, id, made.message);
  }
}

function sentOf({ session }: LiveSession, before: readonly MockRoute[]): SentSession {
  const routesChange = changeOfRoutes(before, session.overlay.routes);
  return routesChange === undefined
    ? session
    : { ...session, overlay: { ...session.overlay, routes: [] }, routesChange };
}

/** In a mock with a seed, a session of a given id always has the same one. */
function seedOf(mockSeed: number | null, id: string): number {
  if (mockSeed === null) return randomInt(2 ** 32);
  let hash = 0x811c9dc5;
  for (const char of `${mockSeed}/${id}`) hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193);
  return hash >>> 0;
}

const BYTES_AT_LEAST = 1_024;
const BYTES_PER_COUNTER = 8;
/** Bytes for a route that is counted apart from the mock's: its ids, and its place in each thread. Measured. */
const BYTES_PER_OWN_ROUTE = 640;
/** Words of a rate limit by header. */
const BYTES_OF_SLOTS = 16_384;
/** Counts of what upstreams answer, by status. */
const BYTES_OF_STATUSES = 4_808;

/** Counters of each route and of the hits and failures of each response, and what the overlay adds. */
function bytesOf({ saved }: Mock, { overlay, overlayBytes }: OverlayDraft): number {
  const counters = saved.routes.reduce((sum, { route }) => sum + 1 + 2 * route.responses.length, 0);
  const { rateLimit = saved.settings.rateLimit, faults } = overlay.settings;
  const changed = faults === undefined ? Object.keys(overlay.responses).length : saved.routes.length;
  const own = BYTES_PER_OWN_ROUTE * (changed + overlay.routes.length);
  const slots = (rateLimit?.by ?? 'mock') === 'mock' ? 0 : BYTES_OF_SLOTS;
  const isProxied = mayOverlayProxy(overlay) || mayProxy(definitionOf(saved));
  const statuses = isProxied ? BYTES_OF_STATUSES : 0;
  return BYTES_AT_LEAST + BYTES_PER_COUNTER * counters + own + slots + statuses + overlayBytes;
}
