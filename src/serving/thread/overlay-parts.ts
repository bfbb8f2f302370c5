/**
 * The overlay of a session in a thread: as it came, with the changes that followed, parsed with the first request that needs it. What is
 * compiled of its routes stays with it, so that a change compiles what is new alone.
 */
import { EMPTY_OVERLAY, type SessionOverlay } from '../../model/mocks/sessions/session.ts';
import type { MockRoute } from '../../model/mocks/definition/definition.ts';
import { CompiledRoutes } from '../matching/compile/compiled-routes.ts';
import type { SessionForThread } from '../shared/messages.ts';
import type { FirstPlaces, OverlayChange } from '../shared/session-parts.ts';

export class OverlayParts {
  readonly compiled = new CompiledRoutes();
  readonly places: Map<string, FirstPlaces>;
  /** Length of what has come as JSON, with what later changes have replaced. */
  bytes: number;
  readonly #whole: SharedArrayBuffer | undefined;
  #parsed: SessionOverlay | undefined;
  #changes: OverlayChange[] = [];

  constructor(whole: SharedArrayBuffer | undefined, places: SessionForThread['places']) {
    this.#whole = whole;
    this.#parsed = whole === undefined ? EMPTY_OVERLAY : undefined;
    this.bytes = whole?.byteLength ?? 0;
    this.places = new Map(places);
  }

  change(change: OverlayChange, places: SessionForThread['places']): void {
    this.#changes.push(change);
    this.bytes += change.added.byteLength;
    for (const [id, place] of places) this.places.set(id, place);
  }

  get overlay(): SessionOverlay {
    let overlay = this.#parsed ?? (parse(this.#whole as SharedArrayBuffer) as SessionOverlay);
    for (const { at, removed, added, rest } of this.#changes) {
      const routes = overlay.routes.toSpliced(at, removed, ...(parse(added) as MockRoute[]));
      overlay = { ...(parse(rest) as SessionOverlay), routes };
    }
    this.#parsed = overlay;
    this.#changes = [];
    return overlay;
  }
}

/** @param before Those of the session until now. @returns undefined without an overlay. */
export function partsOf(
  { overlay, overlayChange, places }: SessionForThread,
  before: OverlayParts | undefined,
): OverlayParts | undefined {
  if (overlayChange === undefined) return overlay && new OverlayParts(overlay, places);
  const parts = before ?? new OverlayParts(undefined, new Map());
  parts.change(overlayChange, places);
  return parts;
}

function parse(bytes: SharedArrayBuffer): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}
