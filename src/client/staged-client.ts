/** The working copy of a mock: `client.mocks.staged`. Changes are served once they are saved. */
import type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition/definition.ts';
import type { StagedDiff } from '../model/mocks/show/diff.ts';
import { fileOptions } from './import-file.ts';
import type {
  Conditional,
  ImportSource,
  MockRecord,
  ReadOptions,
  Repeatable,
  ResponseInput,
  CrudRouteInput,
  RouteInput,
  RouteSummary,
  StagedImport,
  StagedInput,
} from './shapes.ts';
import type { Transport } from './transport.ts';

/** `ifMatch` takes the result of a method of this class: the ETag of the working copy differs from the mock's. */
export class StagedClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(mockId: string): Promise<MockDefinition> {
    return this.#transport.record('GET', ['mocks', mockId, 'staged']);
  }

  /** Replaces the working copy. Routes and responses that are sent with their ids keep them. */
  put(mockId: string, body: StagedInput, options?: Conditional): Promise<MockDefinition> {
    return this.#transport.record('PUT', ['mocks', mockId, 'staged'], { ...options, body });
  }

  /** Replaces the working copy by a file of another tool. Routes of the same method and path keep their ids. */
  import(mockId: string, file: ImportSource, options: ReadOptions & Conditional = {}): Promise<StagedImport> {
    const { ifMatch, ...query } = options;
    const sent = fileOptions(file, query);
    return this.#transport.record('PUT', ['mocks', mockId, 'staged', 'import'], {
      ...sent,
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
  }

  /** The routes without descriptions, headers, rules and bodies. `ifMatch` takes the result. */
  routes(mockId: string): Promise<readonly RouteSummary[]> {
    return this.#transport.record('GET', routePath(mockId), { query: { fields: 'summary' } });
  }

  /** The changes that a save would make, and probable mistakes. */
  diff(mockId: string): Promise<StagedDiff> {
    return this.#transport.record('GET', ['mocks', mockId, 'staged', 'diff']);
  }

  /** @param ids The ids of all routes, in their new order. */
  orderRoutes(mockId: string, ids: readonly string[], options?: Conditional): Promise<MockDefinition> {
    return this.#transport.record('PUT', ['mocks', mockId, 'staged', 'order'], { ...options, body: { ids } });
  }

  addRoute(mockId: string, body: RouteInput | CrudRouteInput, options?: Conditional & Repeatable): Promise<MockRoute> {
    return this.#transport.record('POST', routePath(mockId), { ...options, body });
  }

  getRoute(mockId: string, routeId: string): Promise<MockRoute> {
    return this.#transport.record('GET', routePath(mockId, routeId));
  }

  putRoute(
    mockId: string,
    routeId: string,
    body: RouteInput | CrudRouteInput,
    options?: Conditional,
  ): Promise<MockRoute> {
    return this.#transport.record('PUT', routePath(mockId, routeId), { ...options, body });
  }

  deleteRoute(mockId: string, routeId: string, options?: Conditional): Promise<MockRecord> {
    return this.#transport.record('DELETE', routePath(mockId, routeId), options);
  }

  addResponse(
    mockId: string,
    routeId: string,
    body: ResponseInput,
    options?: Conditional & Repeatable,
  ): Promise<MockResponse> {
    return this.#transport.record('POST', [...routePath(mockId, routeId), 'responses'], { ...options, body });
  }

  getResponse(mockId: string, routeId: string, responseId: string): Promise<MockResponse> {
    return this.#transport.record('GET', [...routePath(mockId, routeId), 'responses', responseId]);
  }

  putResponse(
    mockId: string,
    routeId: string,
    responseId: string,
    body: ResponseInput,
    options?: Conditional,
  ): Promise<MockResponse> {
    const path = [...routePath(mockId, routeId), 'responses', responseId];
    return this.#transport.record('PUT', path, { ...options, body });
  }

  deleteResponse(mockId: string, routeId: string, responseId: string, options?: Conditional): Promise<MockRecord> {
    return this.#transport.record('DELETE', [...routePath(mockId, routeId), 'responses', responseId], options);
  }
}

function routePath(mockId: string, ...routeId: readonly string[]): string[] {
  return ['mocks', mockId, 'staged', 'routes', ...routeId];
}
