/**
 * Parses a mock's definition from a request body, with its defaults, or returns a refusal that names route, response
 * and field.
 *
 * Shapes come from schema.ts; edit-checks.ts checks what shapes cannot express (patterns, paths, templates, headers).
 * The data plane compiles only definitions that have passed here.
 */
import { BASE64 } from '../../../base/base64.ts';
import { randomId } from '../../../base/random-id.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { isRefusal, refuse, refuseLimit, type Detail, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX, MOCK_INSTRUCTIONS_MAX, type MockLimits } from '../../../limits.ts';
import { normaliser } from '../../normalise.ts';
import { compileCheck, refusalOf, quoteValue } from '../../validate.ts';
import {
  checkBehaviour,
  checkSettings as checkBehaviourOfAll,
  checkLatency,
  type Report,
} from '../behaviour/behaviour-checks.ts';
import { bodyBytes } from './body-bytes.ts';
import { METHOD_ANY, type MockDefinition, type MockResponse, type MockRoute, type MockSettings } from './definition.ts';
import { checkAdded } from './settings-checks.ts';
import { headerProblem, pathProblem, routeInstructions, conditionProblem } from './edit-checks.ts';
import { templateProblem } from '../../../languages/templates/template-checks.ts';
import { placedConditions, refuseConditions } from './condition-payload.ts';
import { refuseSteps } from '../behaviour/scenario-checks.ts';
import { checkSocketResponse, checkSocketRoute, isOfSocket } from '../sockets/socket-checks.ts';
import { checkStream, streamBytes } from '../streams/stream-checks.ts';
import { checkCallbacks } from '../upstream/callback-checks.ts';
import { checkStoreStep, crudProblem } from '../stores/store-checks.ts';
import { checkResponseProxy } from '../upstream/proxy.ts';
import { checkSample } from '../upstream/sample.ts';
import { ID_CHARS, responseShape, routeShape, settingsShape } from './schema.ts';

/** Characters of the headers of a response. (shown: Mock definitions) */
export const RESPONSE_HEADERS_CHARS_MAX = 65_536;

export interface DefinitionParser {
  /**
   * `at` is the JSON pointer of the value in the body: "" for the whole body. For routes, it is the pointer of their parent: theirs
   * follows with "/routes".
   */
  readonly settings: (body: unknown, at: string) => MockSettings | Refusal;
  readonly routes: (body: unknown, at?: string) => readonly MockRoute[] | Refusal;
  readonly route: (body: unknown, at: string) => MockRoute | Refusal;
  /** @param isPart Whether it is merged into other responses: what it may have with a stream, it may have without. */
  readonly response: (body: unknown, at: string, isPart?: boolean) => MockResponse | Refusal;
  /**
   * `{settings?, routes?}`: absent settings take their defaults, absent routes become one that answers `GET /` with
   * `{}`.
   */
  readonly definition: (body: JsonObject) => MockDefinition | Refusal;
}

export function definitionParser(limits: MockLimits): DefinitionParser {
  const [ofRoute, ofResponse] = [routeShape(limits), responseShape(limits)];
  const checkSettings = compileCheck(settingsShape);
  const checkRoute = compileCheck(ofRoute);
  const checkResponse = compileCheck(ofResponse);
  const normaliseSettings = normaliser(settingsShape);
  const normaliseRoute = normaliser(ofRoute);
  const normaliseResponse = normaliser(ofResponse);

  const settings: DefinitionParser['settings'] = (body, at) => {
    const problems = checkSettings(body, at);
    if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
    const filled = normaliseSettings(body);
    const details: Detail[] = [];
    const report: Report = (path, message) => details.push({ path: `${at}${path}`, message });
    checkLatency(filled.latency, (path, problem) => report(`/latency${path}`, problem));
    checkBehaviourOfAll(filled, report);
    checkAdded(filled, limits.sharedDomains, report);
    return details.length > 0 ? refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX)) : filled;
  };

  const response: DefinitionParser['response'] = (body, at, isPart = false) => {
    const problems = checkResponse(body, at);
    if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
    const refused = refuseConditionsOf(body as Partial<MockResponse>, at, limits);
    if (refused !== undefined) return refused;
    const filled = normaliseResponse(body);
    return checkDeeper(filled, at, limits, { isPart, isSocket: isOfSocket(body as Partial<MockResponse>) }) ?? filled;
  };

  const route: DefinitionParser['route'] = (sent, at) => {
    const body = withCrudDefaults(sent);
    const problems = checkRoute(body, at);
    if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
    const given = body as Partial<MockRoute> & Pick<MockRoute, 'method' | 'path' | 'responses'>;
    const problem = pathProblem(given);
    if (problem !== undefined) return refuse('mockPayloadInvalid', [{ path: `${at}/path`, message: problem }]);
    if (given.otherwise === 'next' && (given.selection ?? 'rules') !== 'rules') {
      const message = 'next requires the selection rules: with any other selection some response always answers';
      return refuse('mockPayloadInvalid', [{ path: `${at}/otherwise`, message }]);
    }
    for (const [index, each] of given.responses.entries()) {
      const refused = refuseConditionsOf(each, `${at}/responses/${index}`, limits);
      if (refused !== undefined) return refused;
    }
    const normal = normaliseRoute(body);
    const responses = withIds(normal.responses);
    const filled: MockRoute = { ...normal, responses };
    const ofKind: Detail[] = [];
    checkSocketRoute(filled, (path, message) => ofKind.push({ path: `${at}${path}`, message }));
    if (ofKind.length > 0) return refuse('mockPayloadInvalid', ofKind.slice(0, DETAILS_MAX));
    const crud = crudProblem(filled);
    if (crud !== undefined) return refuse('mockPayloadInvalid', [{ ...crud, path: `${at}${crud.path}` }]);
    // Before anything is compiled.
    if (routeInstructions(filled) > MOCK_INSTRUCTIONS_MAX) return tooManyInstructions(at);
    for (const [index, each] of responses.entries()) {
      const refusal = checkDeeper(each, `${at}/responses/${index}`, limits, {
        route: filled,
      });
      if (refusal !== undefined) return refusal;
    }
    return filled;
  };

  const routes: DefinitionParser['routes'] = (body, at = '') => {
    const path = `${at}/routes`;
    if (!Array.isArray(body)) {
      return refuse('mockPayloadInvalid', [{ path, message: `expected an array, got ${quoteValue(body)}` }]);
    }
    const { routesPerMockMax } = limits;
    if (body.length > routesPerMockMax) return refuseLimit(`${routesPerMockMax} routes per mock`, path);
    const parsed: MockRoute[] = [];
    let instructions = 0;
    for (const [index, each] of body.entries()) {
      const one = route(each, `${path}/${index}`);
      if (isRefusal(one)) return one;
      instructions += routeInstructions(one);
      if (instructions > MOCK_INSTRUCTIONS_MAX) return tooManyInstructions(path);
      parsed.push(one);
    }
    return withIds(parsed);
  };

  const definition: DefinitionParser['definition'] = (body) => {
    const parsedSettings = settings(body.settings ?? {}, '/settings');
    if (isRefusal(parsedSettings)) return parsedSettings;
    const parsedRoutes = routes(body.routes ?? [{ method: 'GET', path: '/', responses: [{ body: '{}' }] }]);
    if (isRefusal(parsedRoutes)) return parsedRoutes;
    const parsed = { settings: parsedSettings, routes: parsedRoutes };
    return refuseSteps(parsed) ?? parsed;
  };

  return { settings, routes, route, response, definition };
}

/** The cost of a definition's conditions in every serving thread. */
export function tooManyInstructions(path: string): Refusal {
  return refuseLimit(`${MOCK_INSTRUCTIONS_MAX} instructions of patterns, JSONPaths and schemas per mock`, path);
}

/** Conditions of the response itself, and of its callbacks. */
function refuseConditionsOf(
  { rules, callbacks = [] }: Partial<MockResponse>,
  at: string,
  { rulesPerResponseMax: most }: MockLimits,
): Refusal | undefined {
  const refused = refuseConditions(rules, `${at}/rules`, most);
  if (refused !== undefined) return refused;
  for (const [index, { when }] of callbacks.entries()) {
    const refusal = refuseConditions(when, `${at}/callbacks/${index}/when`, most);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** A route of the kind crud needs neither a method nor a response. Its last response answers what no conditions choose. */
function withCrudDefaults(sent: unknown): unknown {
  if (!isObject(sent) || sent.kind !== 'crud') return sent;
  const { method = METHOD_ANY, responses = [{}] } = sent;
  if (!Array.isArray(responses) || responses.length < 2) return { ...sent, method, responses };
  const last: unknown = responses.at(-1);
  const fallback = isObject(last) ? { ...last, default: true } : last;
  return { ...sent, method, responses: [...responses.slice(0, -1), fallback] };
}

/** Checks that the shape cannot express. Paths point to the field; messages name the route where there is one. */
function checkDeeper(
  response: MockResponse,
  at: string,
  limits: MockLimits,
  {
    route,
    isPart = false,
    isSocket = route?.kind === 'ws',
  }: { readonly route?: MockRoute; readonly isPart?: boolean; readonly isSocket?: boolean },
): Refusal | undefined {
  const details: Detail[] = [];
  const report = (path: string, problem: string | undefined): void => {
    if (problem === undefined || details.length >= DETAILS_MAX) return;
    const named = route === undefined ? problem : `${route.method} ${route.path}: ${problem}`;
    details.push({ path: `${at}${path}`, message: named });
  };
  for (const [index, { name, value }] of response.headers.entries()) {
    report(`/headers/${index}`, headerProblem(name, value, limits.sharedDomains));
    if (response.templated !== false) report(`/headers/${index}/value`, templateProblem(value, 'text'));
  }
  for (const { rule, at: place } of placedConditions(response.rules)) report(`/rules${place}`, conditionProblem(rule));
  if (response.bodyEncoding === 'base64') {
    report('/body', BASE64.test(response.body) ? undefined : 'the body is not base64');
    report('/templated', response.templated !== false ? 'a base64 body cannot be a template' : undefined);
  } else if (response.templated !== false) {
    report('/body', templateProblem(response.body, response.templated === 'json' ? 'json' : 'text'));
  }
  checkLatency(response.latency, (path, problem) => report(`/latency${path}`, problem));
  checkBehaviour(response, report);
  checkStream(response, isPart, report, isSocket);
  if (route !== undefined) checkSocketResponse(route, response, report);
  checkResponseProxy(response, report);
  checkStoreStep(response, report);
  checkSample(response.sample, report);
  checkCallbacks(response, limits.sharedDomains, report);
  if (details.length > 0) return refuse('mockPayloadInvalid', details);
  const headerChars = response.headers.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  if (headerChars > RESPONSE_HEADERS_CHARS_MAX) {
    return refuseLimit(`${RESPONSE_HEADERS_CHARS_MAX} characters of a response's headers`, `${at}/headers`);
  }
  if (bodyBytes(response) > limits.responseBodyBytesMax) {
    return refuseLimit(`${limits.responseBodyBytesMax} bytes of a response body`, `${at}/body`);
  }
  if (streamBytes(response) > limits.responseBodyBytesMax)
    return refuseLimit(`${limits.responseBodyBytesMax} bytes of the events of a stream`, `${at}/stream/events`);
  return undefined;
}

/** Gives a new id to each element that repeats an earlier one's. */
function withIds<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const id = taken.has(item.id) ? randomId(ID_CHARS) : item.id;
    taken.add(id);
    return id === item.id ? item : { ...item, id };
  });
}
