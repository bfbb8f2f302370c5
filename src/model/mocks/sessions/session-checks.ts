/**
 * Checks the parts of the mock that a session names against the served version: refused at creation, reported as
 * warnings once a save has removed it.
 */
import { DETAILS_MAX, SCENARIOS_MAX, STORES_MAX } from '../../../limits.ts';
import { refuse, type Detail, type Refusal } from '../../../errors.ts';
import { checkBehaviour } from '../behaviour/behaviour-checks.ts';
import type { MockDefinition, MockResponse, MockRoute, MockSettings, Scenario } from '../definition/definition.ts';
import { checkSocketResponse, refuseSocketResponse } from '../sockets/socket-checks.ts';
import { checkStream } from '../streams/stream-checks.ts';
import type { StoreDefinition } from '../stores/store-schema.ts';
import { valueProblem } from '../stores/store-checks.ts';
import { checkCallbacks } from '../upstream/callback-checks.ts';
import { checkResponseProxy } from '../upstream/proxy.ts';
import { templateProblem } from '../../../languages/templates/template-checks.ts';
import { changedRoute, scenariosIn, settingsIn, storesIn } from './definition-in-session.ts';
import { needsSigning, tokenUseOf } from '../definition/signing-checks.ts';
import { refuseResponseSteps, refuseSteps, unknownScenario, unknownState } from '../behaviour/scenario-checks.ts';
import { pointerTo } from '../definition/pointer.ts';
import type { ResponseChange, ResponseMerge, SessionDefinition, SessionOverlay } from './session.ts';

type Report = (path: string, message: string) => void;

/** @param at Pointer of the overlay in the body. */
export function checkOverlayOf(overlay: SessionOverlay, mock: MockDefinition, at: string): Refusal | undefined {
  return refusalOf(reported((report) => overlayProblems(overlay, mock, at, report)));
}

export function checkSessionOf(session: CheckedSession, mock: MockDefinition): Refusal | undefined {
  return refusalOf(sessionProblems(session, mock));
}

type CheckedSession = Pick<SessionDefinition, 'overlay' | 'state' | 'stores'>;

/** Parts without effect, or with a wrong one; the first DETAILS_MAX. */
export function sessionProblems({ overlay, state, stores }: CheckedSession, mock: MockDefinition): Detail[] {
  return reported((report) => {
    overlayProblems(overlay, mock, '/overlay', report);
    stateProblems(state, scenariosIn(mock.settings, overlay), report);
    storeProblems(stores, storesIn(mock.settings, overlay), report);
  });
}

function reported(find: (report: Report) => void): Detail[] {
  const details: Detail[] = [];
  find((path, message) => {
    if (details.length < DETAILS_MAX) details.push({ path, message });
  });
  return details;
}

function refusalOf(details: readonly Detail[]): Refusal | undefined {
  return details.length > 0 ? refuse('mockPayloadInvalid', details) : undefined;
}

function overlayProblems(overlay: SessionOverlay, mock: MockDefinition, at: string, report: Report): void {
  const { routes, responses, disabled } = overlay;
  const settings = settingsIn(mock.settings, overlay);
  if ((settings.scenarios?.length ?? 0) > SCENARIOS_MAX)
    report(
      `${at}/settings/scenarios`,
      `a session may have at most ${SCENARIOS_MAX} scenarios, including those of its mock`,
    );
  const byId = new Map(mock.routes.map((route) => [route.id, route]));
  for (const [index, { id }] of routes.entries()) {
    if (!byId.has(id)) continue;
    report(
      `${at}/routes/${index}/id`,
      'is the id of a route of the mock: remove it, or change that route in `responses`',
    );
  }
  addTo(refuseSteps({ settings, routes }, at), report);
  for (const [routeId, change] of Object.entries(responses)) {
    const path = `${at}/responses/${pointerTo(routeId)}`;
    const route = byId.get(routeId);
    if (route === undefined) report(path, noRoute(routeId));
    else changeProblems(change, route, settings, path, report);
  }
  for (const [index, routeId] of disabled.entries()) {
    if (!byId.has(routeId)) report(`${at}/disabled/${index}`, noRoute(routeId));
  }
}

function noRoute(routeId: string): string {
  return `the mock has no route with the id ${JSON.stringify(routeId)}`;
}

function changeProblems(
  change: ResponseChange,
  route: MockRoute,
  settings: MockSettings,
  at: string,
  report: Report,
): void {
  if (change.kind === 'pick') {
    const ids = route.responses.map(({ id }) => id);
    if (!ids.includes(change.responseId))
      report(`${at}/responseId`, `is not one of the responses of the route: ${ids.join(', ')}`);
  } else if (change.kind === 'replace') {
    addTo(refuseSocketResponse(route, change.response, at), report);
    addTo(refuseResponseSteps(change.response, route.selection, settings, at), report);
  } else {
    const { responses } = changedRoute(route, change);
    const { fault } = change.merge;
    const isNowhere = fault !== undefined && responses.every((response) => response.fault !== fault);
    for (const response of responses) {
      mergeProblems(change.merge, isNowhere ? { ...response, fault } : response, route, `${at}/merge`, report);
      const use = settings.signing === undefined ? tokenUseOf(response) : undefined;
      if (use !== undefined) report(`${at}/merge/${use.member}`, needsSigning(use.helper));
    }
  }
}

function addTo(refusal: Refusal | undefined, report: Report): void {
  for (const { path, message } of refusal?.details ?? []) report(path, message);
}

/** Each response was checked, and so was the merge on its own: what is wrong comes from both. */
function mergeProblems(merge: ResponseMerge, merged: MockResponse, route: MockRoute, at: string, report: Report): void {
  const named = `with the response ${merged.label === '' ? merged.id : merged.label}: `;
  const ofMerged: Report = (path, message) => {
    const [, member = ''] = path.split('/');
    report(member in merge ? `${at}${path}` : at, `${named}${member in merge ? '' : `${member} `}${message}`);
  };
  checkBehaviour(merged, ofMerged);
  checkStream(merged, false, ofMerged, route.kind === 'ws');
  checkSocketResponse(route, merged, ofMerged);
  checkResponseProxy(merged, ofMerged);
  if (merged.proxy !== undefined && merge.callbacks !== undefined) checkCallbacks(merged, [], ofMerged);
  if (!merged.templated) return;
  for (const [index, { value }] of (merge.headers ?? []).entries()) {
    const problem = templateProblem(value, 'text');
    if (problem !== undefined) report(`${at}/headers/${index}/value`, named + problem);
  }
}

function storeProblems(
  values: SessionDefinition['stores'] = {},
  stores: readonly StoreDefinition[],
  report: Report,
): void {
  if (stores.length > STORES_MAX) report('/overlay/settings/stores', `a session may have at most ${STORES_MAX} stores`);
  for (const [name, value] of Object.entries(values)) {
    const path = `/stores/${pointerTo(name)}`;
    const store = stores.find((each) => each.name === name);
    const { templated: _template, ...known } = store ?? { name, value };
    const problem = store === undefined ? 'the mock has no store with this name' : valueProblem({ ...known, value });
    if (problem !== undefined) report(path, problem);
  }
}

function stateProblems(state: SessionDefinition['state'], scenarios: readonly Scenario[], report: Report): void {
  for (const [name, given] of Object.entries(state)) {
    const path = `/state/${pointerTo(name)}`;
    const scenario = scenarios.find((each) => each.name === name);
    if (scenario === undefined) report(path, unknownScenario(name, scenarios));
    else if (!scenario.states.includes(given)) report(path, unknownState(given, scenario));
  }
}
