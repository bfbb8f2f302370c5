/**
 * Lets a client follow a redirect of its rules: the place that it was just sent to is passed on once, though rules may match
 * it. Without that, a rule whose destination matches its own source would redirect for ever.
 */

/** How soon a client follows a redirect. */
const FOLLOWED_MS = 10_000;
const KEPT_MAX = 10_000;

export class RedirectGuard {
  /** The oldest come first. */
  readonly #sent = new Map<string, number>();

  /** The client was sent to `location`. */
  note(ownerId: string, client: string, location: string): void {
    const key = keyOf(ownerId, client, location);
    if (this.#sent.size >= KEPT_MAX) this.#sent.delete(this.#sent.keys().next().value as string);
    this.#sent.delete(key);
    this.#sent.set(key, performance.now() + FOLLOWED_MS);
  }

  /** @returns Whether the client follows a redirect; true once for each. */
  follows(ownerId: string, client: string, url: string): boolean {
    if (this.#sent.size === 0) return false;
    const key = keyOf(ownerId, client, url);
    const until = this.#sent.get(key);
    this.#sent.delete(key);
    return until !== undefined && performance.now() < until;
  }
}

/** Clients write a URL in their own way, and never send its fragment. */
function keyOf(ownerId: string, client: string, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined) parsed.hash = '';
  return `${ownerId} ${client} ${parsed?.href ?? url}`;
}
