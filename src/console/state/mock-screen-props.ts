/** The props of every screen below `#/mocks/:id`. */
import type { MockRecord } from '../../client/shapes.ts';
import type { Resource } from './resource.ts';

export interface MockScreenProps {
  /** Reload it, or replace it with a write's answer, after a change to the mock. */
  readonly mock: Resource<MockRecord>;
  /** Its current value. */
  readonly record: MockRecord;
  /** The address below the tab: `[':routeId', ':responseId']` of `#/mocks/:id/routes/:routeId/:responseId`. */
  readonly path: readonly string[];
}
