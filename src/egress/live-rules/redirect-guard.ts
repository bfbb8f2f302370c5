/**
 * Lets a client follow a redirect of its rules: the place that it was just sent to is passed on once, though rules may match
 * it. Without that, a rule whose destination matches its own source would redirect for ever.
 */
import { createHash } from 'node:crypto';

/** How soon a client follows a redirect. */
const FOLLOWED_MS = 10_000;
/** Places that clients of one owner were sent to: the oldest leave. */
const KEPT_MAX = 1_000;
/** A longer key is kept as its digest: places are as long as rules make them. */
const KEY_CHARS_MAX = 200;

interface ClientRedirects {
  /** By place: until when it may be followed. The oldest come first. */
  readonly places: Map<string, number>;
  /** The end of the newest. */
  until: number;
}

export class RedirectGuard {
  /** Those whose clients were sent somewhere last come last. */
  readonly #owners = new Map<string, ClientRedirects>();

  /** The client was sent to `location`. */
  note(ownerId: string, client: string, location: string): void {
    const now = performance.now();
    for (const [id, { until }] of this.#owners) {
      if (until > now) break;
      this.#owners.delete(id);
    }
    const { places } = this.#owners.get(ownerId) ?? { places: new Map<string, number>() };
    const until = now + FOLLOWED_MS;
    const key = keyOf(client, location);
    places.delete(key);
    if (places.size >= KEPT_MAX) places.delete(places.keys().next().value as string);
    places.set(key, until);
    this.#owners.delete(ownerId);
    this.#owners.set(ownerId, { places, until });
  }

  /** @returns Whether the client follows a redirect; true once for each. */
  follows(ownerId: string, client: string, url: string): boolean {
    const sent = this.#owners.get(ownerId);
    if (sent === undefined || performance.now() >= sent.until) return false;
    const key = keyOf(client, url);
    const until = sent.places.get(key);
    sent.places.delete(key);
    return until !== undefined && performance.now() < until;
  }
}

/** Clients write a URL in their own way, and never send its fragment. */
function keyOf(client: string, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined) parsed.hash = '';
  const key = `${client} ${parsed?.href ?? url}`;
  return key.length > KEY_CHARS_MAX ? createHash('sha256').update(key).digest('base64') : key;
}
