/**
 * A book of live sessions: finds, lists and expires them. It is in the API process, so that they outlive the process that serves
 * them, which is asked when they were used last before one expires. They do not outlive this process.
 */
import { randomId } from '../base/random-id.ts';
import { refuse, Refusal } from '../errors.ts';
import { isDue, type HeldSession, type LiveSessions } from './live-sessions.ts';

/** How often sessions that have expired are looked for. */
export const SESSION_SWEEP_MS = 1_000;
/** Characters of an id that is made. */
const ID_CHARS = 12;

const SESSION_EXPIRED = new Refusal('sessionNotFound', undefined, 'it has expired', true);

/** By the process that serves it. */
interface UsedSession {
  readonly sessionId: string;
  /** Milliseconds since 1970. */
  readonly lastUsedAt: number;
}

/** The process that serves them. */
interface Plane {
  /** Its present run; undefined while it does not run. */
  readonly epoch: string | undefined;
}

export interface Uses<Use> {
  readonly sessions: readonly Use[];
  readonly epoch: string;
}

export abstract class Book<Live extends HeldSession, Use extends UsedSession, Serving extends Plane> {
  protected readonly sessions: LiveSessions<Live>;
  /** Milliseconds since 1970. */
  protected readonly clock: () => number;
  #plane: Serving | undefined;
  /** The run whose uses are known. */
  #epoch: string | undefined;
  #sweeping: NodeJS.Timeout | undefined;
  #isAsking = false;

  constructor(sessions: LiveSessions<Live>, clock: () => number) {
    this.sessions = sessions;
    this.clock = clock;
  }

  /** Where the session of a use is one of. */
  protected abstract placeOf(use: Use): string;

  /** @returns At least those of these places; undefined while the process is away. */
  protected abstract usesIn(places: readonly string[]): Promise<Uses<Use> | undefined>;

  abstract expire(live: Live, now: number): void;

  /** Whether it expires on its own. */
  protected mayExpire(_live: Live): boolean {
    return true;
  }

  /** To be called once, before any session is made. */
  attach(plane: Serving): void {
    this.#plane = plane;
  }

  protected get plane(): Serving {
    if (this.#plane === undefined) throw new Error('the process is attached before sessions are made');
    return this.#plane;
  }

  get count(): number {
    return this.sessions.count;
  }

  all(): Iterable<Live> {
    return this.sessions.all();
  }

  /** The newest first. */
  list(place: string): readonly Live[] {
    return [...this.sessions.of(place)].toReversed();
  }

  /** A session that is named in a call of the API, which is a use of it. @returns 404 when it is not there (any more). */
  find(place: string, id: string): Live | Refusal {
    const live = this.sessions.get(place, id);
    if (live === undefined) return this.sessions.hasExpired(place, id) ? SESSION_EXPIRED : refuse('sessionNotFound');
    live.usedAt = this.clock();
    return live;
  }

  /** Without using it. */
  peek(place: string, id: string): Live | undefined {
    return this.sessions.get(place, id);
  }

  /** Whether it is the one that lives under its id. */
  isLive(live: Live): boolean {
    return this.sessions.get(this.sessions.placeOf(live), live.session.id) === live;
  }

  /** How the sessions of a place were used, by id; undefined while the process is away. */
  async uses(place: string): Promise<ReadonlyMap<string, Use> | undefined> {
    const uses = await this.usesIn([place]);
    if (uses === undefined) return undefined;
    this.#learn(uses.sessions);
    return new Map(uses.sessions.map((use) => [use.sessionId, use]));
  }

  /** Finds out when these were used last. @returns Whether that is known. */
  async refresh(of: readonly Live[], now: number): Promise<boolean> {
    const uses = await this.usesIn([...new Set(of.map((live) => this.sessions.placeOf(live)))]);
    if (uses === undefined) return false;
    if (uses.epoch === this.#epoch) this.#learn(uses.sessions);
    else {
      // The process was replaced, and with it the knowledge of the last requests.
      this.#epoch = uses.epoch;
      for (const live of this.all()) live.usedAt = now;
    }
    return true;
  }

  /** Stops the expiry, with the service. */
  stop(): void {
    clearInterval(this.#sweeping);
  }

  protected freeId(place: string): string {
    for (;;) {
      const id = randomId(ID_CHARS);
      if (this.peek(place, id) === undefined) return id;
    }
  }

  /** A first session was made: what is used is known from the present run of the process. */
  protected knowUses(): void {
    this.#epoch = this.plane.epoch;
  }

  protected watchExpiry(): void {
    this.#sweeping ??= setInterval(() => void this.#sweep(), SESSION_SWEEP_MS).unref();
  }

  /** Ends what was not used for too long. */
  async #sweep(): Promise<void> {
    const now = this.clock();
    const isAnyExpired = this.sessions.forget(now);
    if (this.count === 0 && !isAnyExpired) {
      clearInterval(this.#sweeping);
      this.#sweeping = undefined;
    }
    const due = [...this.all()].filter((live) => this.mayExpire(live) && isDue(live, now));
    if (due.length === 0 || this.#isAsking) return;
    this.#isAsking = true;
    try {
      // While a process is away nothing expires: what its requests used is not known.
      if (!(await this.refresh(due, now))) return;
      for (const live of due) if (isDue(live, now)) this.expire(live, now);
    } finally {
      this.#isAsking = false;
    }
  }

  #learn(uses: readonly Use[]): void {
    for (const use of uses) {
      const live = this.peek(this.placeOf(use), use.sessionId);
      if (live !== undefined) live.usedAt = Math.max(live.usedAt, use.lastUsedAt);
    }
  }
}
