/** A response where it stands: what is compiled of it depends on its route, the settings of its mock, and its place in both. */
import type { MockResponse, MockRoute, MockSettings } from '../../../model/mocks/definition/definition.ts';
import type { RouteTargets } from '../request/condition-target.ts';

export interface PlacedResponse {
  readonly route: MockRoute;
  readonly response: MockResponse;
  /** In its route, which decides the draws. */
  readonly index: number;
  readonly settings: MockSettings;
  /** Those of its route. */
  readonly targets: RouteTargets;
}

/** With its counters: closures of what is compiled keep fields of it, and never the whole. */
export interface CountedResponse extends PlacedResponse {
  /** Index among all responses of the mock. */
  readonly place: number;
  /** Index of the first of its `otherStatusesOf` among those of all responses of the mock. */
  readonly otherPlace: number;
}
