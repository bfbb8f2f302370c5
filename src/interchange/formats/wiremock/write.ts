/** A mock as stubs of WireMock: one for each response, with priorities in the order in which they are asked. */
import type {
  MockDefinition,
  MockResponse,
  MockRoute,
  MockSettings,
  Condition,
  ScenarioStep,
} from '../../../model/mocks/definition/definition.ts';
import type { NamedDefinition } from '../../format.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import { listedRoutes } from '../../stubs/listed-routes.ts';
import { placeOf, writtenRequest } from './write-matchers.ts';
import { withCatchAll } from './write-proxy.ts';
import { writtenResponse } from './write-response.ts';
import { writtenUrl } from './write-url.ts';
import { writtenWebhooks } from './write-webhook.ts';

/** @returns The text of the file, which ends with a newline. */
export function writeWiremock({ definition }: NamedDefinition, report: ReportWriter): string {
  const mock = report.item('mock');
  noteSettings(mock, definition.settings);
  for (const route of definition.routes)
    if (!route.enabled) report.item('route').note('wiremock-export.disabled', undefined, route.path);
  const { scenarios = [] } = definition.settings;
  const initial = new Map(scenarios.map(({ name, states, initial: first = states[0] }) => [name, first as string]));
  const stubs = listedRoutes(definition).flatMap((route, index) => stubsOf(route, index, definition, initial, report));
  const mappings = withCatchAll(stubs, definition.settings, mock).map((stub, index) => ({
    priority: index + 1,
    ...stub,
  }));
  return `${JSON.stringify({ mappings }, undefined, 2)}\n`;
}

/** Settings that WireMock has no place for, and what they usually are. A latency and headers are written with each stub. */
const SETTINGS_LOST: Readonly<
  Record<Exclude<keyof MockSettings, 'precedence' | 'scenarios' | 'traffic' | 'headers' | 'latency' | 'proxy'>, unknown>
> = {
  cors: false,
  seed: null,
  forced: false,
  faults: undefined,
  rateLimit: undefined,
  stores: undefined,
  sessions: undefined,
  clock: undefined,
  variables: undefined,
  debugHeaders: undefined,
};

function noteSettings(mock: Item, settings: MockSettings): void {
  for (const [name, usual] of Object.entries(SETTINGS_LOST))
    if (settings[name as keyof MockSettings] !== usual) mock.note('wiremock-export.settings', undefined, name);
  if (settings.latency !== 0) mock.note('wiremock-export.settings', undefined, 'latency');
  if (settings.headers !== undefined) mock.note('wiremock-export.settings', undefined, 'headers');
}

/** A response under the conditions of which it answers. */
interface Case {
  readonly response: MockResponse;
  readonly rules: readonly Condition[];
  readonly step?: ScenarioStep | undefined;
}

function stubsOf(
  route: MockRoute,
  index: number,
  { settings }: Pick<MockDefinition, 'settings'>,
  initial: ReadonlyMap<string, string>,
  report: ReportWriter,
): object[] {
  const routeItem = report.item('route');
  routeItem.target.routeId = route.id;
  if (route.kind === 'ws') {
    routeItem.note('wiremock-export.websocket');
    return [];
  }
  const url = writtenUrl(route);
  return casesOf(route, index, routeItem).flatMap((each) => {
    const { response, rules, step } = each;
    const item = report.item('response');
    Object.assign(item.target, { routeId: route.id, responseId: response.id });
    const request = writtenRequest(rules, url);
    const steps = step === undefined ? stepsOf(response, item) : [step];
    const written = writtenResponse(response, settings, item);
    if (typeof request === 'string') item.note('wiremock-export.rule', undefined, request);
    if (typeof request === 'string' || written === undefined || steps === undefined) return [];
    const scenarios = steps.length === 0 ? [{}] : steps.flatMap((own) => scenarioOf(own, initial));
    return scenarios.map((scenario) => ({
      ...scenario,
      request: { method: route.method, ...request },
      response: written,
      ...writtenWebhooks(response, item),
    }));
  });
}

/** In the order in which they are asked. */
function casesOf({ selection, otherwise, responses }: MockRoute, index: number, item: Item): Case[] {
  const fallback =
    responses.find((each) => each.default) ?? responses.find(({ rules }) => rules.length === 0) ?? responses[0];
  switch (selection) {
    case 'sequential': {
      const name = `route ${index + 1}`;
      return responses.map((response, at) => ({
        response,
        rules: [],
        ...(responses.length === 1
          ? {}
          : { step: { name, requires: stateOf(at), moveTo: stateOf((at + 1) % responses.length) } }),
      }));
    }
    case 'random':
      if (responses.length > 1) item.note('wiremock-export.selection');
      return responses.slice(0, 1).map((response) => ({ response, rules: [] }));
    case 'default':
      return fallback === undefined ? [] : [{ response: fallback, rules: [] }];
    case 'rules': {
      const ruled = responses.flatMap((response) => {
        const requires = [response.scenario ?? []].flat().some((step) => step.requires !== undefined);
        const isAsked = response.rules.length > 0 || (requires && otherwise === 'next');
        return isAsked ? alternativesOf(response).map((rules) => ({ response, rules })) : [];
      });
      const last = otherwise === 'next' || fallback === undefined ? [] : [{ response: fallback, rules: [] }];
      return [...ruled, ...last];
    }
  }
}

/** Each is a stub of its own where any of several rules will do. */
function alternativesOf({ rules, rulesOperator }: MockResponse): readonly (readonly Condition[])[] {
  if (rulesOperator === 'OR' && rules.length > 1) return rules.map((rule) => [rule]);
  const [only] = rules;
  const isSplit = rules.length === 1 && only !== undefined && 'any' in only && placeOf(only) === undefined;
  return isSplit ? only.any.map((rule) => [rule]) : [rules];
}

/** The state of a sequence before its response of that index. */
function stateOf(index: number): string {
  return index === 0 ? STARTED : String(index + 1);
}

/** What WireMock calls the first state of a scenario. */
const STARTED = 'Started';

/** @returns undefined for a response with parts in several scenarios. */
function stepsOf({ scenario }: MockResponse, item: Item): readonly ScenarioStep[] | undefined {
  const steps = [scenario ?? []].flat();
  if (steps.length <= 1) return steps;
  item.note('wiremock-export.scenario');
  return undefined;
}

/** One for each state that it requires. */
function scenarioOf({ name, requires, moveTo }: ScenarioStep, initial: ReadonlyMap<string, string>): object[] {
  const named = (state: string): string => (initial.get(name) === state ? STARTED : state);
  const states = requires === undefined ? [undefined] : [requires].flat();
  return states.map((state) => ({
    scenarioName: name,
    ...(state === undefined ? {} : { requiredScenarioState: named(state) }),
    ...(moveTo === undefined ? {} : { newScenarioState: named(moveTo) }),
  }));
}
