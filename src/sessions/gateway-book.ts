/** The live sessions of gateways: makes, changes, ends and expires them, with the sessions of mocks that belong to them. */
import { randomInt } from 'node:crypto';
import { isRefusal, refuse, Refusal } from '../errors.ts';
import type { ExchangeSelection } from '../model/gateway/exchange.ts';
import type {
  GatewayOverlay,
  GatewaySessionDefinition,
  GatewaySessionEnd,
  GatewaySessionUse,
} from '../model/gateway/session.ts';
import { definitionOf, type Mock } from '../model/mocks/mock.ts';
import { pointerTo } from '../model/mocks/definition/pointer.ts';
import { checkOverlayOf } from '../model/mocks/sessions/session-checks.ts';
import { EMPTY_SESSION, type OverlayDraft } from '../model/mocks/sessions/session-payload.ts';
import { EMPTY_OVERLAY } from '../model/mocks/sessions/session.ts';
import { Book, type Uses } from './book.ts';
import { LiveSessions, type HeldSession, type LiveSession } from './live-sessions.ts';
import type { SessionBook } from './session-book.ts';

export interface LiveGatewaySession extends HeldSession {
  session: GatewaySessionDefinition;
  /** By mock; one that was ended on its own stays here. */
  readonly mocks: Map<string, LiveSession>;
}

/** Selects the exchanges of a session, and not those of one before it that had the same id. */
export function exchangesOf({
  session,
}: LiveGatewaySession): Required<Pick<ExchangeSelection, 'session' | 'sessionMadeAt'>> {
  return { session: session.id, sessionMadeAt: session.createdAt };
}

type OwnedUse = GatewaySessionUse & { readonly ownerId: string };

/** Questions to the egress process. */
export interface GatewayPlane {
  /** Undefined while it does not run. */
  readonly epoch: string | undefined;
  /** @returns Whether it has it already; it gets it with its next start otherwise. */
  put(live: LiveGatewaySession): Promise<boolean>;
  /** @returns What it leaves; undefined when that was lost with the process. */
  end(ownerId: string, sessionId: string): Promise<GatewaySessionEnd | undefined>;
  /** @returns Undefined while it does not run. */
  reset(ownerId: string, sessionId: string): Promise<boolean | undefined>;
  /** Those of one owner, or all. @returns Undefined while it does not run. */
  uses(ownerId?: string): Promise<Uses<OwnedUse> | undefined>;
}

export interface GatewayOverlayDraft {
  readonly overlay: GatewayOverlay;
  /** Overlays of the sessions of mocks. */
  readonly mocks: ReadonlyMap<string, OverlayDraft>;
  /** Its memory, estimated. */
  readonly bytes: number;
}

export interface GatewaySessionDraft extends GatewayOverlayDraft {
  /** Undefined: one is made. */
  readonly id: string | undefined;
  readonly label: string;
  readonly idleMs: number;
  readonly seed: number | undefined;
}

interface GatewayBookOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly mocks: SessionBook;
  /** A mock of the owner; undefined when there is none, or it cannot be read. */
  readonly mockOf: (ownerId: string, mockId: string) => Promise<Mock | undefined>;
}

const BYTES_AT_LEAST = 2_048;

/** A mock of a session with its overlay there. */
interface OverlaidMock {
  readonly mock: Mock;
  readonly draft: OverlayDraft;
}

export class GatewayBook extends Book<LiveGatewaySession, OwnedUse, GatewayPlane> {
  readonly #options: GatewayBookOptions;

  constructor(options: GatewayBookOptions) {
    super(new LiveSessions(({ ownerId }) => ownerId, 'gateway', options.mocks.bytes), options.clock);
    this.#options = options;
  }

  /** With the sessions of its mocks: all or none. @returns It, with whether all is served already. */
  async create(
    ownerId: string,
    draft: GatewaySessionDraft,
  ): Promise<{ readonly live: LiveGatewaySession; readonly published: boolean } | Refusal> {
    const mocks = await this.#overlaid(ownerId, draft.mocks, '/overlay');
    if (isRefusal(mocks)) return mocks;
    const { label, idleMs, overlay, seed = randomInt(2 ** 32) } = draft;
    const id = draft.id ?? this.freeId(ownerId);
    const createdAt = this.clock();
    const session: GatewaySessionDefinition = { id, label, createdAt, idleMs, seed, overlay };
    const bytes = BYTES_AT_LEAST + draft.bytes;
    const live: LiveGatewaySession = { ownerId, session, bytes, usedAt: createdAt, mocks: new Map() };
    const isFirst = this.count === 0;
    const refused = this.sessions.add(live);
    if (refused !== undefined) return refused;
    const made = this.#makeAll(live, mocks, '/overlay');
    if (isRefusal(made)) {
      this.sessions.remove(live);
      return made;
    }
    this.watchExpiry();
    const published = await this.#published(live, made);
    // A process that waited runs from now on.
    if (isFirst) this.knowUses();
    return { live, published };
  }

  /** Mocks that it names get a session, and those that it does not name answer as they are. @returns As `create`. */
  async putOverlay(live: LiveGatewaySession, draft: GatewayOverlayDraft): Promise<boolean | Refusal> {
    const { mocks: book } = this.#options;
    const mocks = await this.#overlaid(live.ownerId, draft.mocks, '');
    if (isRefusal(mocks)) return mocks;
    if (!this.isLive(live)) return refuse('sessionNotFound');
    const before = { session: live.session, bytes: live.bytes };
    const session = { ...live.session, overlay: draft.overlay };
    const refused = this.sessions.replace(live, session, BYTES_AT_LEAST + draft.bytes);
    if (refused !== undefined) return refused;
    const isThere = (mockId: string): boolean => {
      const held = live.mocks.get(mockId);
      return held !== undefined && book.isLive(held);
    };
    const made = this.#makeAll(live, new Map([...mocks].filter(([mockId]) => !isThere(mockId))), '');
    if (isRefusal(made)) {
      this.sessions.replace(live, before.session, before.bytes);
      return made;
    }
    for (const [mockId, held] of live.mocks) {
      if (made.has(mockId) || !book.isLive(held)) continue;
      const named = mocks.get(mockId);
      const mock = named?.mock ?? (await this.#options.mockOf(live.ownerId, mockId));
      if (mock === undefined || !book.isLive(held)) continue;
      const published = book.putOverlay(held, mock, named?.draft ?? NO_OVERLAY);
      if (isRefusal(published)) return below(published, `/mocks/${pointerTo(mockId)}`);
      made.set(mockId, published);
    }
    return this.#published(live, made);
  }

  /** Makes the session of a mock that an exchange of this one is for, where there is none. @returns Why there is none. */
  async mockWanted(ownerId: string, sessionId: string, mockId: string): Promise<string | undefined> {
    const { mocks: book, mockOf } = this.#options;
    const mock = await mockOf(ownerId, mockId);
    if (mock === undefined) return `the mock ${mockId} does not exist`;
    const live = this.sessions.get(ownerId, sessionId);
    if (live === undefined) return 'the session has ended';
    const held = live.mocks.get(mockId);
    if (held !== undefined) return book.isLive(held) ? undefined : `its session of the mock ${mockId} has ended`;
    const made = this.#make(live, { mock, draft: NO_OVERLAY });
    if (isRefusal(made)) return made.message;
    return (await made) ? undefined : 'mocks are not available at the moment';
  }

  /** @returns What it leaves, and the sessions of mocks that are to end with it, which live until they are ended. */
  async end(
    live: LiveGatewaySession,
  ): Promise<{ readonly end: GatewaySessionEnd | undefined; readonly mocks: readonly LiveSession[] }> {
    this.sessions.remove(live);
    const end = await this.plane.end(live.ownerId, live.session.id);
    return { end, mocks: this.#livingMocks(live) };
  }

  /** With the sessions of its mocks. @returns Whether all are; false while a process is away. */
  async reset(live: LiveGatewaySession): Promise<boolean> {
    const ofMocks = this.#livingMocks(live).map((each) => this.#options.mocks.reset(each));
    const reset = await Promise.all([this.plane.reset(live.ownerId, live.session.id), ...ofMocks]);
    return reset.every(Boolean);
  }

  protected override placeOf({ ownerId }: OwnedUse): string {
    return ownerId;
  }

  protected override usesIn(owners: readonly string[]): Promise<Uses<OwnedUse> | undefined> {
    return this.plane.uses(owners.length === 1 ? owners[0] : undefined);
  }

  /** A request to a session of one of its mocks is a use of it, too. */
  override async refresh(of: readonly LiveGatewaySession[], now: number): Promise<boolean> {
    const { mocks: book } = this.#options;
    const mocks = of.flatMap((live) => this.#livingMocks(live));
    const known = await Promise.all([super.refresh(of, now), mocks.length === 0 || book.refresh(mocks, now)]);
    if (!known.every(Boolean)) return false;
    for (const live of of) live.usedAt = Math.max(live.usedAt, ...this.#livingMocks(live).map(({ usedAt }) => usedAt));
    return true;
  }

  override expire(live: LiveGatewaySession, now: number): void {
    if (!this.sessions.remove(live, now)) return;
    void this.plane.end(live.ownerId, live.session.id).catch(() => undefined);
    for (const each of this.#livingMocks(live)) this.#options.mocks.expire(each, now);
  }

  /** Checks each overlay against its mock. @param at Pointer of the overlay of the session. */
  async #overlaid(
    ownerId: string,
    drafts: ReadonlyMap<string, OverlayDraft>,
    at: string,
  ): Promise<ReadonlyMap<string, OverlaidMock> | Refusal> {
    const found = new Map<string, OverlaidMock>();
    for (const [mockId, draft] of drafts) {
      const path = `${at}/mocks/${pointerTo(mockId)}`;
      const mock = await this.#options.mockOf(ownerId, mockId);
      if (mock === undefined) return refuse('gatewayPayloadInvalid', [{ path, message: 'the mock does not exist' }]);
      const refused = checkOverlayOf(draft.overlay, definitionOf(mock.saved), path);
      if (refused !== undefined) return refuse('gatewayPayloadInvalid', refused.details);
      found.set(mockId, { mock, draft });
    }
    return found;
  }

  /** All or none. */
  #makeAll(
    live: LiveGatewaySession,
    mocks: ReadonlyMap<string, OverlaidMock>,
    at: string,
  ): Map<string, Promise<boolean>> | Refusal {
    const made = new Map<string, Promise<boolean>>();
    for (const [mockId, overlaid] of mocks) {
      const published = this.#make(live, overlaid, true);
      if (!isRefusal(published)) {
        made.set(mockId, published);
        continue;
      }
      for (const each of made.keys()) {
        const held = live.mocks.get(each);
        live.mocks.delete(each);
        if (held !== undefined) void this.#options.mocks.end(held);
      }
      return below(published, `${at}/mocks/${pointerTo(mockId)}`);
    }
    return made;
  }

  /** One that is there already, and was made on its own, belongs to this session from now on, unless it must be new. */
  #make(live: LiveGatewaySession, { mock, draft }: OverlaidMock, isNew = false): Promise<boolean> | Refusal {
    const { mocks: book } = this.#options;
    const { id, label, idleMs, seed } = live.session;
    const there = isNew ? undefined : book.find(mock.id, id);
    if (there !== undefined && !isRefusal(there)) {
      there.isOfGateway = true;
      live.mocks.set(mock.id, there);
      return Promise.resolve(true);
    }
    const made = book.create(mock, live.ownerId, { ...EMPTY_SESSION, ...draft, id, label, idleMs, seed });
    if (isRefusal(made)) return made;
    made.live.isOfGateway = true;
    live.mocks.set(mock.id, made.live);
    return made.published;
  }

  async #published(live: LiveGatewaySession, mocks: ReadonlyMap<string, Promise<boolean>>): Promise<boolean> {
    const published = await Promise.all([...mocks.values(), this.plane.put(live)]);
    return published.every(Boolean);
  }

  #livingMocks({ mocks }: LiveGatewaySession): LiveSession[] {
    return [...mocks.values()].filter((each) => this.#options.mocks.isLive(each));
  }
}

const NO_OVERLAY: OverlayDraft = { overlay: EMPTY_OVERLAY, overlayBytes: 0 };

/** A refusal of a part of the body. */
function below({ kind, details, reason }: Refusal, at: string): Refusal {
  return new Refusal(
    kind,
    details?.map(({ path, message }) => ({ path: path.startsWith(at) ? path : at + path, message })),
    reason,
  );
}
