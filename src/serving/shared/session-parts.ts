/** Parts of a session on their way to the threads: where its own responses are counted, and what has changed in its overlay. */

/** The place of a route's first response among all responses, and of the first of their other statuses. */
export interface FirstPlaces {
  readonly place: number;
  readonly otherPlace: number;
  /** Counts the requests of a route of the overlay, after those of the mock; absent for a route of the mock. */
  readonly slot?: number;
}

/** The overlay that a thread has is changed: what is compiled of the other routes stays. Each as UTF-8 JSON. */
export interface OverlayChange {
  readonly at: number;
  readonly removed: number;
  /** The routes that are there instead. */
  readonly added: SharedArrayBuffer;
  /** The rest of the overlay, as it is now. */
  readonly rest: SharedArrayBuffer;
}
