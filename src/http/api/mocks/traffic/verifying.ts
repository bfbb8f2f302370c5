/** What a verification in progress has. */
import type { AnsweringRoutes } from './answering-routes.ts';
import type { ExplainRecorded } from './closest-requests.ts';
import type { MockTraffic } from './traffic.ts';
import type { Scoped } from './traffic-scope.ts';

export const VERIFY_EVERY_MS = 50;

export interface Verifying {
  readonly traffic: MockTraffic;
  readonly scoped: Scoped;
  readonly ownerId: string;
  readonly routes: AnsweringRoutes;
  /** Whether it ends with the current result: its time is over, its client has left, or the service stops. */
  readonly isOver: () => boolean;
  readonly explain: ExplainRecorded;
}
