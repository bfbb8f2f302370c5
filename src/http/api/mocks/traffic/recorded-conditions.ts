/** Conditions on recorded requests with what a thread needs to evaluate them: the mock's clock, and the paths of the routes that answered. */
import { isRefusal, type Refusal } from '../../../../errors.ts';
import type { Condition } from '../../../../model/mocks/definition/definition.ts';
import { savedVersionOf } from '../../../../model/mocks/mock.ts';
import { parametersIn, type RecordedConditions } from '../../../../model/mocks/recorded-conditions.ts';
import type { TrafficFilter } from '../../../../model/mocks/traffic.ts';
import type { AnsweringRoutes } from './answering-routes.ts';
import type { MockTraffic, RequestPage } from './traffic.ts';
import type { Scoped } from './traffic-scope.ts';

/** @param routes Of the versions that are known so far. */
export function recordedConditions(
  rules: readonly Condition[],
  scoped: Scoped,
  routes: AnsweringRoutes,
): RecordedConditions {
  const names = parametersIn(rules);
  return {
    rules,
    clock: clockOf(scoped),
    ...(names.size === 0 ? {} : { routes: routes.withParameters(names) }),
  };
}

export function clockOf({ mock, live }: Scoped): string | undefined {
  return live?.session.overlay.settings.clock ?? mock.saved.settings.clock;
}

/** A page of requests that meet conditions. It is read again when a version answered whose routes were not known, and are needed. */
export async function requestsMeeting(
  rules: readonly Condition[],
  filter: TrafficFilter,
  scoped: Scoped,
  routes: AnsweringRoutes,
  traffic: MockTraffic,
): Promise<RequestPage | Refusal | undefined> {
  const namesVersions = parametersIn(rules).size > 0;
  for (;;) {
    const conditions = recordedConditions(rules, scoped, routes);
    const page = await traffic.requests(scoped.mock.id, { ...filter, conditions, namesVersions });
    if (page === undefined || !namesVersions) return page;
    const learnt = await routes.learn([savedVersionOf(scoped.mock).number, ...page.versions]);
    if (isRefusal(learnt)) return learnt;
    if (!learnt) return page;
  }
}
