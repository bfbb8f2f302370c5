/** The routes of a mock in a thread, from one version to the next: a version that adds one has one read and compiled. */
import type { MockDefinition, MockRoute, MockSettings } from '../../model/mocks/definition/definition.ts';
import { CompiledRoutes } from '../matching/compile/compiled-routes.ts';
import type { MockForThread } from '../shared/messages.ts';
import { fromThreadMock } from '../shared/mock-bytes.ts';

export class KnownRoutes {
  readonly compiled = new CompiledRoutes();
  #byRevision: ReadonlyMap<number, MockRoute> = new Map();

  read(mock: MockForThread): MockDefinition {
    const { parts } = mock;
    if (parts === undefined) {
      this.#byRevision = new Map();
      return fromThreadMock(mock).definition;
    }
    const { revisions, places } = parts;
    const bytes = Buffer.from(mock.definition);
    const before = this.#byRevision;
    const routes = revisions.map((revision, index) => {
      const known = before.get(revision);
      return known ?? (JSON.parse(bytes.toString('utf8', places[2 * index], places[2 * index + 1])) as MockRoute);
    });
    this.#byRevision = new Map(revisions.map((revision, index) => [revision, routes[index] as MockRoute]));
    const head = bytes.toString('utf8', 0, places[0] ?? bytes.length);
    const { settings } = JSON.parse(places.length === 0 ? head : `${head}]}`) as { settings: MockSettings };
    return { settings, routes };
  }
}
