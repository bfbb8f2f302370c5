/**
 * A mock as its thread serves it: what compile.ts makes of a published mock, once per version.
 *
 * Immutable, and shared by all requests of a thread. It holds functions, so it never goes to another thread.
 */
import type { MockSettings } from '../../model/mocks/definition.ts';
import type { PathSegment } from '../../model/mocks/route-path.ts';
import type { MockAnswer, RenderProblem } from './mock-request.ts';
import type { RequestView } from './request-view.ts';
import type { RouteTable } from './route-table.ts';

export interface CompiledMock {
  readonly mockId: string;
  readonly state: 'running' | 'stopped';
  readonly version: number;
  readonly settings: MockSettings;
  /** Enabled routes at their places in the definition; undefined for disabled ones. */
  readonly routes: readonly (CompiledRoute | undefined)[];
  readonly table: RouteTable;
}

export interface CompiledRoute {
  readonly id: string;
  /** Its place in the definition, from 0, disabled routes counted. */
  readonly index: number;
  readonly method: string;
  /** As defined. */
  readonly path: string;
  readonly segments: readonly PathSegment[];
  /** In the order of the path. The rest of a path is called "*". */
  readonly parameterNames: readonly string[];
  /** Whether some rule or template looks at the body. */
  readonly needsBody: boolean;
  /** Whether each request takes a number: for a sequence, a seeded draw, or `{{requestNumber}}`. */
  readonly usesCounter: boolean;
  readonly staticAnswer: MockAnswer | undefined;
  readonly responses: readonly CompiledResponse[];
  /** @returns The index of the response. Takes from the view's budget. */
  readonly choose: (view: RequestView) => number;
  /** The find of a route without parameters: the same for every request. */
  readonly found: FoundRoute;
}

export interface CompiledResponse {
  readonly id: string;
  /** Among all of the mock, from 0, those of disabled routes counted. */
  readonly place: number;
  /** Answers without regard to the request, at once and always the same; undefined when templated or delayed at random. */
  readonly fixed: MockAnswer | undefined;
  readonly answer: (view: RequestView) => MockAnswer | RenderProblem;
}

export interface FoundRoute {
  readonly route: CompiledRoute;
  /** Percent-decoded, in the order of `route.parameterNames`; shorter when an optional one is absent. Read anew at each look. */
  readonly params: readonly string[];
}
