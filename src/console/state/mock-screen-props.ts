/** What every screen below `#/mocks/:id` is given. */
import type { MockRecord } from '../../client/shapes.ts';
import type { Resource } from './resource.ts';

export interface MockScreenProps {
  /** To be reloaded, or replaced by a write's answer, when a screen has changed something of the mock. */
  readonly mock: Resource<MockRecord>;
  /** What it holds now. */
  readonly record: MockRecord;
  /** The address below the tab: `[':routeId', ':responseId']` of `#/mocks/:id/routes/:routeId/:responseId`. */
  readonly path: readonly string[];
}
