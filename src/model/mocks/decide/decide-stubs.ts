/**
 * Decides changes of stubs by the interface of another product: each is an edit of the routes and a save of it in one, since these
 * products know no working copy. The order of the routes is that in which stubs are asked.
 */
import { isRefusal, Refusal } from '../../../errors.ts';
import { MOCK_VERSIONS_MAX } from '../../../limits.ts';
import type { Command } from '../../command.ts';
import { stepsOf } from '../behaviour/behaviour-checks.ts';
import { refuseSteps } from '../behaviour/scenario-checks.ts';
import type { MockRoute, MockSettings, Scenario } from '../definition/definition.ts';
import { definitionOf, hasStagedChanges, savedVersionOf, type Mock } from '../mock.ts';
import { findEditableMock } from './find-mock.ts';
import { replaceStaged } from './staged-edit.ts';
import { writeMock } from './write-mock.ts';

export interface StubsChange {
  readonly mockId: string;
  /** Routes with their `stub`. One of a known id takes its place; others come before those of their priority. */
  readonly put: readonly MockRoute[];
  readonly scenarios: readonly Scenario[];
  readonly removed: ReadonlySet<string>;
  readonly latency?: MockSettings['latency'];
  /** The version that the last change made, which this one replaces if it is young: versions worth restoring stay. */
  readonly replaces: number | undefined;
}

const YOUNG_MS = 60_000;

export const changeStubs: Command<StubsChange, Mock> = {
  name: 'mock.save',
  decide(state, { mockId, put, scenarios, removed, latency, replaces }, context) {
    const mock = findEditableMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (hasStagedChanges(mock))
      return new Refusal('preconditionFailed', undefined, 'save or discard the staged edits first');
    const { settings, routes: before } = definitionOf(mock.saved);
    let routes = before.filter(({ id }) => !removed.has(id));
    for (const route of put) routes = withStub(routes, route);
    const next = {
      settings: {
        ...settings,
        ...(latency === undefined ? {} : { latency }),
        ...withScenarios(settings, scenarios, before, routes),
      },
      routes,
    };
    const refusal = refuseSteps(next);
    if (refusal !== undefined) return refusal;
    const { staged, added, nextRevision } = replaceStaged(mock, next);
    const last = savedVersionOf(mock);
    const isReplaced = last.number === replaces && context.date - last.savedAt < YOUNG_MS;
    const version = {
      number: last.number + 1,
      savedAt: context.date,
      savedBy: context.principal.userId,
      settings: staged.settings,
      revisions: staged.routes.map(({ revision }) => revision),
    };
    const versions = [...(isReplaced ? mock.versions.slice(0, -1) : mock.versions), version].slice(-MOCK_VERSIONS_MAX);
    const saved: Mock = { ...mock, staged, saved: staged, stagedVersion: context.version, versions, nextRevision };
    return writeMock(state, mock, saved, added, context);
  },
};

const PRIORITY = 5;

/** Among those of one priority the newest is asked first. */
export function priorityOf({ stub }: Pick<MockRoute, 'stub'>): number {
  return Number(stub?.priority ?? PRIORITY) || PRIORITY;
}

function withStub(routes: readonly MockRoute[], route: MockRoute): MockRoute[] {
  const known = routes.find(({ id }) => id === route.id);
  if (known !== undefined && priorityOf(known) === priorityOf(route))
    return routes.map((each) => (each.id === route.id ? route : each));
  const others = routes.filter(({ id }) => id !== route.id);
  const at = others.findIndex((each) => each.stub === undefined || priorityOf(each) >= priorityOf(route));
  return others.toSpliced(at === -1 ? others.length : at, 0, route);
}

/** Scenarios come into being with the stubs that name them, and go with the last one. */
function withScenarios(
  { scenarios: known = [] }: MockSettings,
  added: readonly Scenario[],
  before: readonly MockRoute[],
  after: readonly MockRoute[],
): Pick<MockSettings, 'scenarios'> {
  if (known.length === 0 && added.length === 0) return {};
  const [named, still] = [namedIn(before), namedIn(after)];
  const kept = known.filter(({ name }) => still.has(name) || !named.has(name));
  const states = new Map(kept.map((scenario) => [scenario.name, scenario]));
  for (const { name, states: own } of added) {
    const scenario = states.get(name);
    states.set(name, { ...scenario, name, states: [...new Set([...(scenario?.states ?? []), ...own])] });
  }
  return states.size === 0 && known.length === 0 ? {} : { scenarios: [...states.values()] };
}

function namedIn(routes: readonly MockRoute[]): ReadonlySet<string> {
  return new Set(
    routes.flatMap(({ responses }) => responses.flatMap(({ scenario }) => stepsOf(scenario).map(({ name }) => name))),
  );
}
