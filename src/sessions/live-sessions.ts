/** The live sessions in memory, by mock, within their limits; and the ids of those that have expired lately. */
import { refuse, refuseLimit, type Refusal } from '../errors.ts';
import {
  EXPIRED_SESSION_MS,
  SESSION_BYTES_PER_OWNER,
  SESSIONS_PER_MOCK_MAX,
  SESSIONS_PER_OWNER_MAX,
} from '../limits.ts';
import type { SessionDefinition } from '../model/mocks/sessions/session.ts';

export interface LiveSession {
  readonly mockId: string;
  readonly ownerId: string;
  readonly mockCreatedVersion: number;
  session: SessionDefinition;
  /** Its memory in the data plane, estimated. */
  bytes: number;
  /** Last request that is known of, or API call: milliseconds since 1970. */
  usedAt: number;
}

interface OfMock {
  /** In order of creation. */
  readonly live: Map<string, LiveSession>;
  /** When each expired, oldest first. As many as may live. */
  readonly expired: Map<string, number>;
}

interface OfOwner {
  count: number;
  bytes: number;
}

export class LiveSessions {
  readonly #mocks = new Map<string, OfMock>();
  readonly #owners = new Map<string, OfOwner>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  *all(): Iterable<LiveSession> {
    for (const { live } of this.#mocks.values()) yield* live.values();
  }

  /** In order of creation. */
  of(mockId: string): Iterable<LiveSession> {
    return this.#mocks.get(mockId)?.live.values() ?? [];
  }

  countOf(mockId: string): number {
    return this.#mocks.get(mockId)?.live.size ?? 0;
  }

  get(mockId: string, id: string): LiveSession | undefined {
    return this.#mocks.get(mockId)?.live.get(id);
  }

  /** @returns The refusal of a taken id, or of a reached limit. */
  add(added: LiveSession): Refusal | undefined {
    const { mockId, ownerId, session, bytes } = added;
    const mock = this.#mocks.get(mockId) ?? { live: new Map(), expired: new Map() };
    const owner = this.#owners.get(ownerId) ?? { count: 0, bytes: 0 };
    if (mock.live.has(session.id)) return refuse('sessionTaken');
    if (mock.live.size >= SESSIONS_PER_MOCK_MAX) return refuseLimit(`${SESSIONS_PER_MOCK_MAX} sessions per mock`);
    if (owner.count >= SESSIONS_PER_OWNER_MAX) return refuseLimit(`${SESSIONS_PER_OWNER_MAX} sessions per owner`);
    if (owner.bytes + bytes > SESSION_BYTES_PER_OWNER) return tooManyBytes();
    mock.live.set(session.id, added);
    mock.expired.delete(session.id);
    owner.count++;
    owner.bytes += bytes;
    this.#count++;
    this.#mocks.set(mockId, mock);
    this.#owners.set(ownerId, owner);
    return undefined;
  }

  /** @returns The refusal of a reached limit: nothing is changed then. */
  replace(live: LiveSession, session: SessionDefinition, bytes: number): Refusal | undefined {
    const owner = this.#owners.get(live.ownerId) as OfOwner;
    if (owner.bytes - live.bytes + bytes > SESSION_BYTES_PER_OWNER) return tooManyBytes();
    owner.bytes += bytes - live.bytes;
    live.session = session;
    live.bytes = bytes;
    return undefined;
  }

  /** @param expiredAt When it expired; undefined when it was ended. @returns Whether it was there. */
  remove(live: LiveSession, expiredAt?: number): boolean {
    const mock = this.#mocks.get(live.mockId);
    const { id } = live.session;
    if (mock?.live.get(id) !== live) return false;
    mock.live.delete(id);
    this.#release(live);
    if (expiredAt !== undefined) mock.expired.set(id, expiredAt);
    for (const [oldest] of mock.expired) {
      if (mock.expired.size <= SESSIONS_PER_MOCK_MAX) break;
      mock.expired.delete(oldest);
    }
    if (mock.live.size + mock.expired.size === 0) this.#mocks.delete(live.mockId);
    return true;
  }

  removeMock(mockId: string): void {
    for (const live of this.of(mockId)) this.#release(live);
    this.#mocks.delete(mockId);
  }

  hasExpired(mockId: string, id: string): boolean {
    return this.#mocks.get(mockId)?.expired.has(id) === true;
  }

  /** Forgets what expired more than EXPIRED_SESSION_MS ago. @returns Whether anything is left to forget later. */
  forget(now: number): boolean {
    let isAnyLeft = false;
    for (const [mockId, { live, expired }] of this.#mocks) {
      for (const [id, at] of expired) {
        if (at + EXPIRED_SESSION_MS > now) break;
        expired.delete(id);
      }
      isAnyLeft ||= expired.size > 0;
      if (live.size + expired.size === 0) this.#mocks.delete(mockId);
    }
    return isAnyLeft;
  }

  #release({ ownerId, bytes }: LiveSession): void {
    const owner = this.#owners.get(ownerId) as OfOwner;
    owner.count--;
    owner.bytes -= bytes;
    this.#count--;
    if (owner.count === 0) this.#owners.delete(ownerId);
  }
}

function tooManyBytes(): Refusal {
  return refuseLimit(`${SESSION_BYTES_PER_OWNER} bytes of sessions per owner`);
}
