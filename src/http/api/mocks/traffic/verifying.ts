/** A verification in progress, and its polls of recorded requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import { savedVersionOf } from '../../../../model/mocks/mock.ts';
import type { TrafficFilter } from '../../../../model/mocks/traffic.ts';
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

type Page = NonNullable<Awaited<ReturnType<MockTraffic['requests']>>>;

interface Look {
  readonly page: Page;
  /** Whether a version was learnt that the filter did not know: it must be made again. */
  readonly learnt: boolean;
  /** Whether the result of this look is the answer. */
  readonly isLast: boolean;
}

/**
 * Reads what was recorded, once the data plane is there.
 *
 * @returns undefined when the time is over before that.
 */
export async function readRecorded(
  { traffic, scoped, routes, isOver }: Verifying,
  filter: Omit<TrafficFilter, 'namesVersions'>,
): Promise<Look | Refusal | undefined> {
  const { mock } = scoped;
  for (;;) {
    const page = await traffic.requests(mock.id, { ...filter, namesVersions: true });
    if (!scoped.isLive()) return refuse('sessionNotFound');
    const isLast = isOver();
    if (page !== undefined) {
      const learnt = await routes.learn([savedVersionOf(mock).number, ...page.versions]);
      return isRefusal(learnt) ? learnt : { page, learnt, isLast };
    }
    if (isLast) return undefined;
    await sleep(VERIFY_EVERY_MS);
  }
}
