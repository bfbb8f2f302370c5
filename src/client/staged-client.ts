/** The working copy of a mock: `client.mocks.staged`. Nothing here changes what is served until it is saved. */
import type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition.ts';
import type { StagedDiff } from '../model/mocks/diff.ts';
import type { Guarded, MockRecord, Repeatable, ResponseInput, RouteInput, StagedInput } from './shapes.ts';
import type { Transport } from './transport.ts';

/** `ifMatch` takes what a method of this class returned: the working copy has an ETag of its own. */
export class StagedClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(mockId: string): Promise<MockDefinition> {
    return this.#transport.record('GET', ['mocks', mockId, 'staged']);
  }

  /** Replaces the whole of it; routes and responses whose ids are sent back keep them. */
  put(mockId: string, body: StagedInput, options?: Guarded): Promise<MockDefinition> {
    return this.#transport.record('PUT', ['mocks', mockId, 'staged'], { ...options, body });
  }

  /** What a save would change, and what looks like a mistake. */
  diff(mockId: string): Promise<StagedDiff> {
    return this.#transport.record('GET', ['mocks', mockId, 'staged', 'diff']);
  }

  /** @param ids Of all its routes, in their new order. */
  orderRoutes(mockId: string, ids: readonly string[], options?: Guarded): Promise<MockDefinition> {
    return this.#transport.record('PUT', ['mocks', mockId, 'staged', 'order'], { ...options, body: { ids } });
  }

  addRoute(mockId: string, body: RouteInput, options?: Guarded & Repeatable): Promise<MockRoute> {
    return this.#transport.record('POST', routePath(mockId), { ...options, body });
  }

  getRoute(mockId: string, routeId: string): Promise<MockRoute> {
    return this.#transport.record('GET', routePath(mockId, routeId));
  }

  putRoute(mockId: string, routeId: string, body: RouteInput, options?: Guarded): Promise<MockRoute> {
    return this.#transport.record('PUT', routePath(mockId, routeId), { ...options, body });
  }

  deleteRoute(mockId: string, routeId: string, options?: Guarded): Promise<MockRecord> {
    return this.#transport.record('DELETE', routePath(mockId, routeId), options);
  }

  addResponse(
    mockId: string,
    routeId: string,
    body: ResponseInput,
    options?: Guarded & Repeatable,
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
    options?: Guarded,
  ): Promise<MockResponse> {
    const path = [...routePath(mockId, routeId), 'responses', responseId];
    return this.#transport.record('PUT', path, { ...options, body });
  }

  deleteResponse(mockId: string, routeId: string, responseId: string, options?: Guarded): Promise<MockRecord> {
    return this.#transport.record('DELETE', [...routePath(mockId, routeId), 'responses', responseId], options);
  }
}

function routePath(mockId: string, ...routeId: readonly string[]): string[] {
  return ['mocks', mockId, 'staged', 'routes', ...routeId];
}
