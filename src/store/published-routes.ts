/**
 * Routes of the mocks that were saved or published last: a suite that adds a stub to a thousand has one of them read. A revision never
 * changes, so nothing here is ever outdated.
 */
import type { RouteRevision } from '../model/mocks/mock.ts';

/** Their length as JSON, of all mocks; they take some times as much. */
const BYTES_MAX = 8 * 1_048_576;

interface OfMock {
  readonly routes: ReadonlyMap<number, RouteRevision>;
  readonly bytes: number;
}

export class PublishedRoutes {
  /** The one that was published last is the last. */
  readonly #byMock = new Map<string, OfMock>();
  #bytes = 0;

  /** @param read Those that are unknown; undefined when one is missing. @returns As it does. */
  of(
    mock: string,
    revisions: readonly number[],
    read: (unknown: readonly number[]) => readonly RouteRevision[] | undefined,
  ): readonly RouteRevision[] | undefined {
    const known = this.#byMock.get(mock)?.routes;
    const unknown = known === undefined ? revisions : revisions.filter((revision) => !known.has(revision));
    const found = read(unknown);
    if (found === undefined) return undefined;
    const added = new Map(found.map((each) => [each.revision, each]));
    const routes = revisions.map((revision) => (known?.get(revision) ?? added.get(revision)) as RouteRevision);
    this.keep(mock, routes);
    return routes;
  }

  /** @param routes Those that are stored of the mock, and published next. */
  keep(mock: string, routes: readonly RouteRevision[]): void {
    const bytes = routes.reduce((sum, route) => sum + route.bytes, 0);
    this.#forget(mock);
    if (bytes > BYTES_MAX) return;
    this.#byMock.set(mock, { routes: new Map(routes.map((each) => [each.revision, each])), bytes });
    this.#bytes += bytes;
    for (const [oldest] of this.#byMock) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#forget(oldest);
    }
  }

  #forget(mock: string): void {
    this.#bytes -= this.#byMock.get(mock)?.bytes ?? 0;
    this.#byMock.delete(mock);
  }
}
