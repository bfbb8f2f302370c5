/** Conditions on recorded requests with what a thread needs to evaluate them: the mock's clock, and the paths of the routes that answered. */
import { parametersIn, type RecordedConditions } from '../../../../model/mocks/recorded-conditions.ts';
import type { AnsweringRoutes } from './answering-routes.ts';
import type { TrafficSubject } from './traffic-scope.ts';
import type { Condition } from '../../../../model/mocks/definition/condition-schema.ts';

/** @param routes Of the versions that are known so far. */
export function recordedConditions(
  rules: readonly Condition[],
  scoped: TrafficSubject,
  routes: AnsweringRoutes,
): RecordedConditions {
  const names = parametersIn(rules);
  return {
    rules,
    clock: clockOf(scoped),
    ...(names.size === 0 ? {} : { routes: routes.withParameters(names) }),
  };
}

export function clockOf({ mock, live }: TrafficSubject): string | undefined {
  return live?.session.overlay.settings.clock ?? mock.saved.settings.clock;
}
