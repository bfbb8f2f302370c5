/**
 * The routes of the versions that answered a mock's recorded requests, for verify: a route counts as it was then.
 *
 * Old versions are in the store. Each is read once per verification, and in pieces, so that no turn of the owner takes
 * long.
 */
import { isRefusal, type Refusal } from '../../../../errors.ts';
import type { Mock, RouteRevision } from '../../../../model/mocks/mock.ts';
import { readMock, readRevisions } from '../../../../model/mocks/show/query-mock.ts';
import { parametersOf, type RoutePath } from '../../../../model/mocks/recorded-conditions.ts';
import type { SessionOverlay } from '../../../../model/mocks/sessions/session.ts';
import type { Principal } from '../../../../model/principal.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';

/** Bytes of old versions' routes that a verification reads in one turn of the owner: a few milliseconds. */
const REVISIONS_READ_BYTES = 1_048_576;

interface AnsweringRoute {
  readonly id: string;
  /** Path of the route; undefined for that of the version. */
  readonly path: RoutePath | undefined;
  /** Its path without the names of parameters: renaming one does not change which requests it answers. */
  readonly pattern: string;
  readonly responseIds: readonly string[];
}

export class AnsweringRoutes {
  readonly #owners: OwnerDirectory;
  readonly #caller: Principal;
  readonly #mockId: string;
  /** The sessions in question: what they add is in every version. */
  readonly #overlays: () => Iterable<SessionOverlay>;
  readonly #byRevision = new Map<number, AnsweringRoute>();
  readonly #byVersion = new Map<number, readonly AnsweringRoute[]>();
  /** Whether a version that answered is no longer stored: its routes are unknown. */
  #lacksVersion = false;

  constructor(owners: OwnerDirectory, caller: Principal, mockId: string, overlays: () => Iterable<SessionOverlay>) {
    this.#owners = owners;
    this.#caller = caller;
    this.#mockId = mockId;
    this.#overlays = overlays;
  }

  /** @returns Whether any of the versions is new; a refusal when one cannot be read now. */
  async learn(versions: readonly number[]): Promise<boolean | Refusal> {
    const unknown = versions.filter((number) => !this.#byVersion.has(number));
    if (unknown.length === 0) return false;
    const mock = await this.#owners.ask(readMock, { mockId: this.#mockId }, this.#caller);
    if (isRefusal(mock)) return mock;
    const listed = new Map(mock.versions.map(({ number, revisions }) => [number, revisions]));
    const wanted = new Set(unknown.flatMap((number) => listed.get(number) ?? []));
    const refusal = await this.#read(
      mock,
      [...wanted].filter((revision) => !this.#byRevision.has(revision)),
    );
    if (refusal !== undefined) return refusal;
    for (const number of unknown) {
      const revisions = listed.get(number);
      this.#lacksVersion ||= revisions === undefined;
      this.#byVersion.set(
        number,
        (revisions ?? []).map((revision) => this.#byRevision.get(revision) as AnsweringRoute),
      );
    }
    return true;
  }

  /** The ids of the routes with a pattern, by version; versions without such a route are absent. */
  withPattern(path: string): ReadonlyMap<number, ReadonlySet<string>> {
    const pattern = patternOf(path);
    const found = new Map<number, ReadonlySet<string>>();
    const added = this.#added();
    for (const [number, routes] of this.#byVersion) {
      const ids = [...routes, ...added].filter((route) => route.pattern === pattern).map(({ id }) => id);
      if (ids.length > 0) found.set(number, new Set(ids));
    }
    return found;
  }

  /** Paths of the routes that have one of these parameters, by version and id. */
  withParameters(names: ReadonlySet<string>): ReadonlyMap<number, ReadonlyMap<string, RoutePath>> {
    const parsed = new Map<string, boolean>();
    const hasOne = (given: RoutePath): boolean => {
      const key = `${given.pathKind ?? ''} ${given.path}`;
      const known = parsed.get(key) ?? parametersOf(given).some((name) => names.has(name));
      parsed.set(key, known);
      return known;
    };
    const added = this.#added();
    return new Map(
      [...this.#byVersion].map(([number, routes]) => [
        number,
        new Map(
          [...routes, ...added].flatMap(({ id, path }) => (path !== undefined && hasOne(path) ? [[id, path]] : [])),
        ),
      ]),
    );
  }

  /** Whether a version has, or may have had, this response in this route; undefined matches any. */
  mayHave(routeId: string | undefined, responseId: string | undefined): boolean {
    if (this.#lacksVersion) return true;
    const isMeant = ({ id, responseIds }: AnsweringRoute): boolean =>
      (routeId === undefined || id === routeId) && (responseId === undefined || responseIds.includes(responseId));
    return [...this.#byVersion.values(), this.#added()].some((routes) => routes.some(isMeant));
  }

  /** Routes and responses that overlays add. Responses of existing routes get no pattern here. */
  #added(): AnsweringRoute[] {
    return [...this.#overlays()].flatMap(({ routes, responses }) => [
      ...routes.map(answeringRoute),
      ...Object.entries(responses).flatMap(([id, change]) =>
        change.kind === 'replace' ? [{ id, path: undefined, pattern: '', responseIds: [change.response.id] }] : [],
      ),
    ]);
  }

  /** @returns The refusal of a read that failed. */
  async #read(mock: Mock, revisions: readonly number[]): Promise<Refusal | undefined> {
    for (let start = 0; start < revisions.length;) {
      let end = start;
      for (let bytes = 0; end < revisions.length && bytes < REVISIONS_READ_BYTES; end++) {
        bytes += mock.kept.get(revisions[end] as number) ?? 0;
      }
      const read = await this.#owners.ask(
        readRevisions,
        { mockId: mock.id, revisions: revisions.slice(start, end) },
        this.#caller,
      );
      if (isRefusal(read)) return read;
      for (const { revision, route } of read) this.#byRevision.set(revision, answeringRoute(route));
      start = end;
    }
    return undefined;
  }
}

function answeringRoute({ id, path, pathKind, responses }: RouteRevision['route']): AnsweringRoute {
  return {
    id,
    path: { path, ...(pathKind === undefined ? {} : { pathKind }) },
    pattern: patternOf(path),
    responseIds: responses.map((response) => response.id),
  };
}

function patternOf(path: string): string {
  return path.replaceAll(/(?<=\/):[A-Za-z_][A-Za-z0-9_-]*/g, ':');
}
