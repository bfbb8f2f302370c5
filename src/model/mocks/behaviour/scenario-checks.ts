/**
 * Holds the responses of a mock against its settings: each names only scenarios and states that there are, requires a state only where
 * conditions choose, and uses keys only where there are any. So whatever is staged can be served.
 *
 * An edit of settings alone must leave what the routes use: new scenarios are staged before the routes that use them,
 * old ones removed after these.
 */
import { refuse, type Detail, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX } from '../../../limits.ts';
import { tokenHelperIn } from '../../../languages/templates/template-checks.ts';
import { needsSigning, tokenUseOf } from '../definition/signing-checks.ts';
import { requiredStates, stepsOf } from './behaviour-checks.ts';
import type {
  MockDefinition,
  MockResponse,
  MockRoute,
  MockSettings,
  Scenario,
  Selection,
} from '../definition/definition.ts';

/** Routes that a message names. */
const NAMED_MAX = 5;

/** @param at JSON pointer of the definition in the body. @returns A refusal with the first faults, or undefined. */
export function refuseSteps({ settings, routes }: MockDefinition, at = ''): Refusal | undefined {
  const details = headerTokens(settings, at);
  for (const [index, route] of routes.entries()) {
    details.push(...routeSteps(route, settings, `${at}/routes/${index}`));
    if (details.length >= DETAILS_MAX) break;
  }
  return refusalOf(details);
}

export function refuseRouteSteps(route: MockRoute, settings: MockSettings): Refusal | undefined {
  return refusalOf(routeSteps(route, settings, ''));
}

export function refuseResponseSteps(
  response: MockResponse,
  selection: Selection,
  settings: MockSettings,
  at = '',
): Refusal | undefined {
  return refusalOf(responseSteps(response, selection, settings, at));
}

/** For settings whose routes stay. @returns A refusal that names the routes which use what is no longer there. */
export function refuseUsedScenarios({ settings, routes }: MockDefinition): Refusal | undefined {
  const refused = refusalOf(headerTokens(settings, ''));
  if (refused !== undefined) return refused;
  const users = routes.filter((route) => routeSteps(route, settings, '').length > 0);
  const [first] = users;
  if (first === undefined) return undefined;
  const problem = routeSteps(first, settings, '')[0]?.message;
  const named = users.slice(0, NAMED_MAX).map(({ method, path }) => `${method} ${path}`);
  const more = users.length > NAMED_MAX ? ` and ${users.length - NAMED_MAX} more` : '';
  const isSigning = settings.signing === undefined && first.responses.some((each) => tokenUseOf(each) !== undefined);
  const what = isSigning ? 'keys' : 'scenarios or states';
  const message = `routes use ${what} that the settings lack (${named.join(', ')}${more}): change these first, or send both together; the first: ${problem}`;
  return refusalOf([{ path: `/settings/${isSigning ? 'signing' : 'scenarios'}`, message }]);
}

function refusalOf(details: readonly Detail[]): Refusal | undefined {
  return details.length === 0 ? undefined : refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
}

/** Headers of all responses that use keys of a mock which has none. */
function headerTokens({ headers = [], signing }: MockSettings, at: string): Detail[] {
  if (signing !== undefined) return [];
  return headers.flatMap(({ value }, index) => {
    const helper = tokenHelperIn(value);
    return helper === undefined
      ? []
      : [{ path: `${at}/settings/headers/${index}/value`, message: needsSigning(helper) }];
  });
}

function routeSteps({ responses, selection }: MockRoute, settings: MockSettings, at: string): Detail[] {
  return responses.flatMap((response, index) =>
    responseSteps(response, selection, settings, `${at}/responses/${index}`),
  );
}

function responseSteps(
  response: MockResponse,
  selection: Selection,
  { scenarios = [], signing }: MockSettings,
  at: string,
): readonly Detail[] {
  const { scenario } = response;
  const use = signing === undefined ? tokenUseOf(response) : undefined;
  if (scenario === undefined && use === undefined) return NONE;
  const details: Detail[] = [];
  if (use !== undefined) details.push({ path: `${at}/${use.member}`, message: needsSigning(use.helper) });
  for (const [index, step] of stepsOf(scenario).entries()) {
    const own = `${at}/scenario${Array.isArray(scenario) ? `/${index}` : ''}`;
    const known = scenarios.find(({ name }) => name === step.name);
    if (known === undefined) {
      details.push({ path: `${own}/name`, message: unknownScenario(step.name, scenarios) });
      continue;
    }
    const required = requiredStates(step) ?? [];
    if (step.requires !== undefined && selection !== 'rules') {
      const message = `requires the selection rules, and the route has ${selection}; moveTo works with any selection`;
      details.push({ path: `${own}/requires`, message });
    }
    for (const [place, state] of required.entries()) {
      if (known.states.includes(state)) continue;
      const path = `${own}/requires${Array.isArray(step.requires) ? `/${place}` : ''}`;
      details.push({ path, message: unknownState(state, known) });
    }
    if (step.moveTo !== undefined && !known.states.includes(step.moveTo)) {
      details.push({ path: `${own}/moveTo`, message: unknownState(step.moveTo, known) });
    }
  }
  return details;
}

const NONE: readonly Detail[] = [];

export function unknownScenario(name: string, scenarios: readonly Scenario[]): string {
  const known = scenarios.length === 0 ? 'has none' : `has ${listed(scenarios.map((each) => each.name))}`;
  return `no scenario is named ${JSON.stringify(name)}: settings.scenarios ${known}`;
}

export function unknownState(state: string, { name, states }: Scenario): string {
  return `${JSON.stringify(state)} is not a state of scenario ${JSON.stringify(name)}, which has ${listed(states)}`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}
