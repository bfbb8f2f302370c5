/**
 * The live sessions of mocks: makes, changes, ends and expires them, and notifies the data plane.
 *
 * It is in the API process, so that sessions outlive the data plane: a new one gets their definitions from here. They do not outlive
 * this process. Requests go to the data plane alone, which is asked when they were made before a session expires.
 */
import { randomInt } from 'node:crypto';
import type { WaitingBytes } from '../base/waiting-bytes.ts';
import { randomId } from '../base/random-id.ts';
import { isRefusal, refuse, type Refusal } from '../errors.ts';
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
import {
  isDue,
  LiveSessions,
  sessionBytes,
  SESSION_EXPIRED,
  SESSION_ID_CHARS,
  SESSION_SWEEP_MS,
  type LiveSession,
} from './live-sessions.ts';

/** What is asked of the data plane; serving/supervisor/data-plane.ts says what each does. */
export interface SessionPlane {
  readonly epoch: string;
  putSession(mockId: string, session: SessionDefinition, put: SessionPut): Promise<boolean>;
  refuseSession(mockId: string, sessionId: string, reason?: string): void;
  endSession(mockId: string, sessionId: string, options?: { expired?: boolean }): Promise<SessionEnd | undefined>;
  resetSession(mockId: string, sessionId: string): Promise<boolean>;
  sessionUses(
    mockIds: readonly string[],
  ): Promise<{ readonly sessions: readonly SessionUse[]; readonly epoch: string } | undefined>;
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

export class SessionBook {
  /** Those of gateways are taken from it, too. */
  readonly bytes: WaitingBytes;
  readonly #sessions: LiveSessions<LiveSession>;
  readonly #options: SessionBookOptions;
  #plane: SessionPlane | undefined;
  /** The data plane's epoch whose uses are known. */
  #epoch = '';
  #sweeping: NodeJS.Timeout | undefined;
  #isAsking = false;

  constructor(options: SessionBookOptions) {
    this.#options = options;
    this.bytes = sessionBytes(options.bytesMax);
    this.#sessions = new LiveSessions(({ mockId }) => mockId, 'mock', this.bytes);
  }

  /** To be called once, before any session is made. */
  attach(plane: SessionPlane): void {
    this.#plane = plane;
  }

  /** Count of live sessions. */
  get count(): number {
    return this.#sessions.count;
  }

  all(): Iterable<LiveSession> {
    return this.#sessions.all();
  }

  *of(mockId: string): Iterable<SessionDefinition> {
    for (const { session } of this.#sessions.of(mockId)) yield session;
  }

  /** The newest first. */
  list(mockId: string): readonly LiveSession[] {
    return [...this.#sessions.of(mockId)].toReversed();
  }

  /** A session that is named in a call of the API, which is a use of it. @returns 404 when it is not there (any more). */
  find(mockId: string, id: string): LiveSession | Refusal {
    const live = this.#sessions.get(mockId, id);
    if (live === undefined) return this.#sessions.hasExpired(mockId, id) ? SESSION_EXPIRED : refuse('sessionNotFound');
    live.usedAt = this.#options.clock();
    return live;
  }

  /** Without using it. */
  peek(mockId: string, id: string): LiveSession | undefined {
    return this.#sessions.get(mockId, id);
  }

  /** Whether it is the one that lives under its id. */
  isLive(live: LiveSession): boolean {
    return this.#sessions.get(live.mockId, live.session.id) === live;
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
    const id = draft.id ?? this.#freeId(mock.id);
    const createdAt = this.#options.clock();
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
    if (this.count === 0) this.#epoch = this.#attached.epoch;
    const refused = this.#sessions.add(live);
    if (refused !== undefined) return refused;
    this.#sweeping ??= setInterval(() => void this.#sweep(), SESSION_SWEEP_MS).unref();
    return { live, published: this.#attached.putSession(mock.id, session, { isNew: true }) };
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
      this.#sessions.replace(live, { ...live.session, overlay: draft.overlay }, bytesOf(mock, draft));
    return (
      refusal ?? this.#attached.putSession(live.mockId, live.session, { isNew: false, sent: sentOf(live, before) })
    );
  }

  async reset(live: LiveSession): Promise<boolean> {
    const isReset = await this.#attached.resetSession(live.mockId, live.session.id);
    await this.#options.callbacks?.forget(live);
    return isReset;
  }

  /** To be called once it has ended. @returns How many callbacks that it was still to send are not sent. */
  async cancelCallbacks(live: LiveSession): Promise<number> {
    return (await this.#options.callbacks?.cancel(live)) ?? 0;
  }

  /** @returns What it leaves; undefined when that was lost with the data plane. It is ended in either case. */
  end(live: LiveSession): Promise<SessionEnd | undefined> {
    this.#sessions.remove(live);
    return this.#attached.endSession(live.mockId, live.session.id);
  }

  /** A mock was deleted, and there may be another of its id: the data plane forgets the sessions of the one before with it. */
  endAllBut(mock: Pick<PublishedMock, 'ownerId' | 'createdVersion'> | undefined, mockId: string): void {
    for (const { ownerId, mockCreatedVersion } of this.#sessions.of(mockId)) {
      if (mock?.ownerId !== ownerId || mock.createdVersion !== mockCreatedVersion)
        return this.#sessions.removeAll(mockId);
    }
    if (mock === undefined) this.#sessions.removeAll(mockId);
  }

  /** The data plane has lost all mocks, with their sessions, and others may serve them now. */
  endAll(): void {
    for (const { mockId } of this.#sessions.all()) this.#sessions.removeAll(mockId);
  }

  /** How the sessions of a mock were used, by id; undefined while the data plane is away. */
  async uses(mockId: string): Promise<ReadonlyMap<string, SessionUse> | undefined> {
    const uses = await this.#attached.sessionUses([mockId]);
    if (uses === undefined) return undefined;
    this.#learn(uses.sessions);
    return new Map(uses.sessions.map((use) => [use.sessionId, use]));
  }

  /** Makes a session that a request names, of a mock whose sessions are made so; or lets the request be refused. */
  wanted(mockId: string, id: string): void {
    void this.#make(mockId, id).catch(() => this.#attached.refuseSession(mockId, id));
  }

  /** Stops the expiry, with the service. */
  stop(): void {
    clearInterval(this.#sweeping);
  }

  async #make(mockId: string, id: string): Promise<void> {
    const found = SESSION_ID.test(id) ? await this.#options.mockOf(mockId) : undefined;
    const live = this.#sessions.get(mockId, id);
    // It was made in the meantime, or the data plane has lost it.
    if (live !== undefined) return void this.#attached.putSession(mockId, live.session, { isNew: false });
    const isAuto = found?.mock.saved.settings.sessions === 'auto';
    const made = isAuto ? this.create(found.mock, found.ownerId, { ...EMPTY_SESSION, id }) : undefined;
    if (made === undefined) return this.#attached.refuseSession(mockId, id);
    if (isRefusal(made)) this.#attached.refuseSession(mockId, id, made.message);
  }

  /** Ends what was not used for too long. */
  async #sweep(): Promise<void> {
    const now = this.#options.clock();
    const isAnyExpired = this.#sessions.forget(now);
    if (this.count === 0 && !isAnyExpired) {
      clearInterval(this.#sweeping);
      this.#sweeping = undefined;
    }
    const due = [...this.#sessions.all()].filter((live) => live.isOfGateway !== true && isDue(live, now));
    if (due.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    try {
      // While the data plane is away nothing expires: what its requests used is not known.
      if (!(await this.refresh(due, now))) return;
      for (const live of due) if (isDue(live, now)) this.expire(live, now);
    } finally {
      this.#isAsking = false;
    }
  }

  /** Finds out when these sessions were used last. @returns Whether that is known. */
  async refresh(of: Iterable<LiveSession>, now: number): Promise<boolean> {
    const mockIds = new Set(Array.from(of, ({ mockId }) => mockId));
    const uses = await this.#attached.sessionUses([...mockIds]);
    if (uses === undefined) return false;
    if (uses.epoch === this.#epoch) this.#learn(uses.sessions);
    else this.#countAnew(uses.epoch, now);
    return true;
  }

  expire(live: LiveSession, now: number): void {
    if (!this.#sessions.remove(live, now)) return;
    const { mockId, session } = live;
    void this.#attached.endSession(mockId, session.id, { expired: true }).then(() => this.cancelCallbacks(live));
  }

  /** The data plane was replaced, and with it the knowledge of the last requests. */
  #countAnew(epoch: string, now: number): void {
    this.#epoch = epoch;
    for (const live of this.#sessions.all()) live.usedAt = now;
  }

  #learn(uses: readonly SessionUse[]): void {
    for (const { mockId, sessionId, lastUsedAt } of uses) {
      const live = this.#sessions.get(mockId, sessionId);
      if (live !== undefined) live.usedAt = Math.max(live.usedAt, lastUsedAt);
    }
  }

  #freeId(mockId: string): string {
    for (;;) {
      const id = randomId(SESSION_ID_CHARS);
      if (this.#sessions.get(mockId, id) === undefined) return id;
    }
  }

  get #attached(): SessionPlane {
    if (this.#plane === undefined) throw new Error('the data plane is attached before sessions are made');
    return this.#plane;
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
