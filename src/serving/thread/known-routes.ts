/** The routes of a mock in a thread, from one version to the next: a version that adds one has one read and compiled. */
import type { MockDefinition, MockRoute, MockSettings } from '../../model/mocks/definition/definition.ts';
import { CompiledRoutes } from '../matching/compile/compiled-routes.ts';
import type { MockVersion } from '../shared/messages.ts';

export class KnownRoutes {
  readonly compiled = new CompiledRoutes();
  #byRevision: ReadonlyMap<number, MockRoute> = new Map();

  /** Pauses before each route that it parses. */
  *read({ definition, parts: { revisions = [], places } }: MockVersion): Generator<void, MockDefinition> {
    const bytes = Buffer.from(definition);
    const routes: MockRoute[] = [];
    for (let index = 0; index < places.length / 2; index++) {
      const known = this.#byRevision.get(revisions[index] as number);
      if (known === undefined) yield;
      routes.push(known ?? (JSON.parse(bytes.toString('utf8', places[2 * index], places[2 * index + 1])) as MockRoute));
    }
    this.#byRevision = new Map(revisions.map((revision, index) => [revision, routes[index] as MockRoute]));
    const head = bytes.toString('utf8', 0, places[0] ?? bytes.length);
    const { settings } = JSON.parse(places.length === 0 ? head : `${head}]}`) as { settings: MockSettings };
    return { settings, routes };
  }
}
