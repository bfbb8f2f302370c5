/** The live sessions in memory, by what they are of, within their limits; and the ids of those that have expired lately. */
import { WaitingBytes } from '../base/waiting-bytes.ts';
import { refuse, refuseLimit, type Refusal } from '../errors.ts';
import {
  EXPIRED_SESSION_MS,
  SESSION_BYTES_PER_OWNER,
  SESSIONS_BYTES_MAX,
  SESSIONS_PER_MOCK_MAX,
  SESSIONS_PER_OWNER_MAX,
} from '../limits.ts';
import type { Principal } from '../model/principal.ts';
import type { SessionDefinition } from '../model/mocks/sessions/session.ts';

/** How exactly it is known when a session was used last. */
export const SESSION_USE_STEP_MS = 1_000;

/** Shared by sessions of a mock and of a gateway. */
export interface HeldSession {
  readonly ownerId: string;
  session: { readonly id: string; readonly idleMs: number };
  /** Its memory where it is served, estimated. */
  bytes: number;
  /** Last request that is known of, or API call: milliseconds since 1970. */
  usedAt: number;
}

export interface LiveSession extends HeldSession {
  readonly mockId: string;
  readonly mockCreatedVersion: number;
  session: SessionDefinition;
  /** Whether it ends with a session of the gateway, and not before. */
  isOfGateway?: boolean;
  /** Admits calls of WireMock's interface that have this secret in their path: in the name of the caller that made the session. */
  compat?: { readonly secretDigest: Buffer; readonly caller: Principal };
}

interface OfPlace<Live> {
  /** In order of creation. */
  readonly live: Map<string, Live>;
  /** When each expired, oldest first. As many as may live. */
  readonly expired: Map<string, number>;
}

/** Memory of the sessions of mocks and gateways, by owner: one has at most half. */
export function sessionBytes(bytesMax = SESSIONS_BYTES_MAX): WaitingBytes {
  return new WaitingBytes(bytesMax, Math.min(SESSION_BYTES_PER_OWNER, bytesMax / 2));
}

/** The place of a session is what it is one of: its id is unique there. */
export class LiveSessions<Live extends HeldSession> {
  readonly #places = new Map<string, OfPlace<Live>>();
  /** How many each owner has. */
  readonly #owners = new Map<string, number>();
  readonly #bytes: WaitingBytes;
  readonly placeOf: (live: Live) => string;
  /** Name of the place in refusals. */
  readonly #placeName: string;
  #count = 0;

  constructor(placeOf: (live: Live) => string, placeName: string, bytes: WaitingBytes) {
    this.#bytes = bytes;
    this.placeOf = placeOf;
    this.#placeName = placeName;
  }

  get count(): number {
    return this.#count;
  }

  *all(): Iterable<Live> {
    for (const { live } of this.#places.values()) yield* live.values();
  }

  /** In order of creation. */
  of(place: string): Iterable<Live> {
    return this.#places.get(place)?.live.values() ?? [];
  }

  countOf(place: string): number {
    return this.#places.get(place)?.live.size ?? 0;
  }

  get(place: string, id: string): Live | undefined {
    return this.#places.get(place)?.live.get(id);
  }

  /** @returns The refusal of a taken id, or of a reached limit. */
  add(added: Live): Refusal | undefined {
    const { ownerId, session, bytes } = added;
    const place = this.placeOf(added);
    const held = this.#places.get(place) ?? { live: new Map<string, Live>(), expired: new Map<string, number>() };
    const ofOwner = this.#owners.get(ownerId) ?? 0;
    if (held.live.has(session.id)) return refuse('sessionTaken');
    if (held.live.size >= SESSIONS_PER_MOCK_MAX) {
      return refuseLimit(`${SESSIONS_PER_MOCK_MAX} sessions per ${this.#placeName}`);
    }
    if (ofOwner >= SESSIONS_PER_OWNER_MAX) return refuseLimit(`${SESSIONS_PER_OWNER_MAX} sessions per owner`);
    const refused = this.#take(ownerId, bytes);
    if (refused !== undefined) return refused;
    held.live.set(session.id, added);
    held.expired.delete(session.id);
    this.#owners.set(ownerId, ofOwner + 1);
    this.#count++;
    this.#places.set(place, held);
    return undefined;
  }

  /** @returns The refusal of a reached limit: nothing is changed then. */
  replace(live: Live, session: Live['session'], bytes: number): Refusal | undefined {
    const refused = this.#take(live.ownerId, bytes - live.bytes);
    if (refused !== undefined) return refused;
    live.session = session;
    live.bytes = bytes;
    return undefined;
  }

  /** @param expiredAt When it expired; undefined when it was ended. @returns Whether it was there. */
  remove(live: Live, expiredAt?: number): boolean {
    const place = this.placeOf(live);
    const held = this.#places.get(place);
    const { id } = live.session;
    if (held?.live.get(id) !== live) return false;
    held.live.delete(id);
    this.#release(live);
    if (expiredAt !== undefined) held.expired.set(id, expiredAt);
    for (const [oldest] of held.expired) {
      if (held.expired.size <= SESSIONS_PER_MOCK_MAX) break;
      held.expired.delete(oldest);
    }
    if (held.live.size + held.expired.size === 0) this.#places.delete(place);
    return true;
  }

  removeAll(place: string): void {
    for (const live of this.of(place)) this.#release(live);
    this.#places.delete(place);
  }

  hasExpired(place: string, id: string): boolean {
    return this.#places.get(place)?.expired.has(id) === true;
  }

  /** Forgets what expired more than EXPIRED_SESSION_MS ago. @returns Whether anything is left to forget later. */
  forget(now: number): boolean {
    let isAnyLeft = false;
    for (const [place, { live, expired }] of this.#places) {
      for (const [id, at] of expired) {
        if (at + EXPIRED_SESSION_MS > now) break;
        expired.delete(id);
      }
      isAnyLeft ||= expired.size > 0;
      if (live.size + expired.size === 0) this.#places.delete(place);
    }
    return isAnyLeft;
  }

  #release({ ownerId, bytes }: Live): void {
    const left = (this.#owners.get(ownerId) as number) - 1;
    if (left === 0) this.#owners.delete(ownerId);
    else this.#owners.set(ownerId, left);
    this.#bytes.release(ownerId, bytes);
    this.#count--;
  }

  /** @returns The refusal of a reached limit. */
  #take(ownerId: string, bytes: number): Refusal | undefined {
    const exceeded = bytes > 0 ? this.#bytes.exceeded(ownerId, bytes) : undefined;
    if (exceeded === undefined) this.#bytes.release(ownerId, -bytes);
    return (
      exceeded && refuseLimit(`${exceeded.bytesMax} bytes of sessions${exceeded.of === 'holder' ? ' per owner' : ''}`)
    );
  }
}

/** Whether it was not used for longer than it may be. */
export function isDue({ usedAt, session }: HeldSession, now: number): boolean {
  return usedAt + session.idleMs + SESSION_USE_STEP_MS <= now;
}
