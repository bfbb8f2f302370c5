/**
 * Imposters and stubs as clients send them: what mountebank itself refuses, in its words; then each stub by the importer, as one route. What
 * is not exact is refused, with the code of the report.
 */
import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import { scalarText } from '../../../interchange/reading/members.ts';
import type { ReadStub, StubProblem } from '../../../interchange/stubs/one-stub.ts';
import type { MockRoute, Scenario, ScenarioStep } from '../../../model/mocks/definition/definition.ts';
import { upstreamsIn } from '../../../model/mocks/upstream/placed-upstreams.ts';
import { readSources, weightOf } from '../read-sources.ts';
import { routeIdOf, type NewStub } from '../world.ts';
import { BAD_DATA, Failure, INVALID_INJECTION, type MountebankError } from './errors.ts';
import type { MountebankParts, RealPorts } from './question.ts';
import { realPortsOf, type NewImposter } from './space.ts';

/** What is taken although the importer does not call it exact: what mountebank ignores, too, and what docs/compat.md names. */
const TAKEN: ReadonlySet<string | undefined> = new Set([
  'import.unknown',
  'mountebank.name-case',
  'mountebank.proxied',
]);

/** Each request would go to the other server, where mountebank repeats or collects answers: no lenient server takes it. */
const RECORDS = 'mountebank.recording';

const PORT_MAX = 65_535;
/** They are kept and returned. */
const HEADER_CHARS_MAX = 65_536;

/** @returns The imposter, with the codes of what is not exact in its stubs. */
export async function readImposter(
  parts: MountebankParts,
  { ownerId, space }: { readonly ownerId: string; readonly space: string },
  sent: unknown,
): Promise<NewImposter | Failure | Refusal> {
  if (!isObject(sent))
    return new Failure(400, [{ code: BAD_DATA, message: 'an imposter must be an object', source: sent }]);
  const { stubs, ...header } = sent;
  const headerText = JSON.stringify(header);
  if (headerText.length > HEADER_CHARS_MAX)
    return new Failure(400, [
      { code: BAD_DATA, message: `an imposter has at most ${HEADER_CHARS_MAX} characters beside its stubs` },
    ]);
  const problems = headerErrors(header, realPortsOf(parts, space));
  if (problems.length > 0) return new Failure(400, problems);
  const listed = listOf(stubs ?? []);
  if (listed instanceof Failure) return listed;
  const { allowCORS, defaultResponse } = header;
  const own = { protocol: 'http', ...(allowCORS === undefined ? {} : { allowCORS }), ...withDefault(defaultResponse) };
  const read = await readAll(parts, ownerId, [
    { stub: { responses: [{ is: {} }] }, header: own },
    ...ofHeader(listed, header),
  ]);
  if (read instanceof Failure || isRefusal(read)) return read;
  const [fallback, ...others] = read as [NewStub, ...NewStub[]];
  const port = header.port === undefined || header.port === null ? undefined : Number(header.port);
  // What an imposter keeps counts, too.
  const sourceBytes = fallback.sourceBytes + Buffer.byteLength(headerText);
  return { port, header, stubs: others, fallback: { ...fallback, sourceBytes } };
}

/** Stubs of an imposter that exists. */
export async function readStubs(
  parts: MountebankParts,
  ownerId: string,
  header: JsonObject,
  stubs: readonly unknown[],
): Promise<readonly NewStub[] | Failure | Refusal> {
  return readAll(parts, ownerId, ofHeader(stubs, header));
}

export function listOf(stubs: unknown): readonly unknown[] | Failure {
  return Array.isArray(stubs) ? stubs : new Failure(400, [{ code: BAD_DATA, message: "'stubs' must be an array" }]);
}

interface Placed {
  readonly stub: unknown;
  /** Members of the imposter that decide what the stub answers. */
  readonly header: JsonObject;
}

function ofHeader(stubs: readonly unknown[], { defaultResponse }: JsonObject): Placed[] {
  return stubs.map((stub) => ({ stub, header: { protocol: 'http', ...withDefault(defaultResponse) } }));
}

function withDefault(defaultResponse: unknown): JsonObject {
  return defaultResponse === undefined ? {} : { defaultResponse };
}

async function readAll(
  parts: MountebankParts,
  ownerId: string,
  placed: readonly Placed[],
): Promise<readonly NewStub[] | Failure | Refusal> {
  const errors = placed.flatMap(({ stub }) => stubErrors(stub));
  if (errors.length > 0) return new Failure(400, errors);
  const stubs = placed.map(({ stub }) => stub as JsonObject);
  const sources = placed.map(({ stub, header }, index) => {
    const json = JSON.stringify({ ...header, stubs: [stub] });
    return { stub: stubs[index] as JsonObject, source: { format: 'mountebank' as const, json } };
  });
  const read = await readSources(parts, ownerId, sources);
  if (isRefusal(read)) return read;
  const refused = read.flatMap(({ problems, route }, index) => {
    const source = stubs[index];
    const untaken = problems.filter(({ code }) => !TAKEN.has(code));
    const isSlight = route !== undefined && untaken.every(({ code }) => code !== RECORDS);
    if (untaken.length > 0 && !(parts.isLenient && isSlight)) return untaken.map((problem) => errorOf(problem, source));
    if (route === undefined) return [{ code: BAD_DATA, message: 'import.refused: no route can be made of it', source }];
    return [...upstreamsIn({ routes: [route] })].flatMap(({ upstream }) => {
      const problem = parts.upstreamRefusal(upstream);
      return problem === undefined ? [] : [invalid(`mountebank.proxy: ${upstream}: ${problem}`, source)];
    });
  });
  if (refused.length > 0) return new Failure(400, refused);
  return read.map((each, index) => newStub(stubs[index] as JsonObject, each));
}

function errorOf({ code, pointer, detail }: StubProblem, source: unknown): MountebankError {
  const isScript = code === 'mountebank.script';
  const message = code === undefined ? detail : `${code}: ${detail}`;
  return {
    code: isScript ? INVALID_INJECTION : BAD_DATA,
    message,
    source,
    pointer: pointer.replace(/^\/stubs\/0/, ''),
  };
}

/** States that the importer counts rotations with are those of this stub alone. */
function newStub(source: JsonObject, { route: made, scenarios, problems }: ReadStub): NewStub {
  const id = randomUUID();
  const own = (name: string): string => `${id.slice(0, 8)} ${name}`;
  const { responses, ...rest } = made as MockRoute;
  const route = {
    ...rest,
    id: routeIdOf(id),
    responses: responses.map((response) => {
      const { scenario } = response;
      if (scenario === undefined) return response;
      const [step] = [scenario].flat() as [ScenarioStep];
      return { ...response, scenario: { ...step, name: own(step.name) } };
    }),
  };
  const approximated = new Set(
    problems.flatMap(({ code = 'import.unknown' }) => (code === 'import.unknown' ? [] : code)),
  );
  return {
    id,
    source,
    priority: 0,
    route,
    scenarios: scenarios.map((scenario): Scenario => ({ ...scenario, name: own(scenario.name) })),
    approximated: [...approximated],
    ...weightOf(route, source),
  };
}

function headerErrors(
  { port, protocol, endOfRequestResolver }: JsonObject,
  real: RealPorts | undefined,
): MountebankError[] {
  const errors: MountebankError[] = [];
  const isPort = /^\d{1,5}$/.test(scalarText(port) ?? '') && Number(port) > 0 && Number(port) <= PORT_MAX;
  const isGiven = port !== undefined && port !== null;
  if (isGiven && !isPort) errors.push(invalid("invalid value for 'port'"));
  else if (isGiven && real !== undefined && (Number(port) < real.first || Number(port) > real.last))
    errors.push(
      invalid(`invalid value for 'port': imposters have ports from ${real.first} to ${real.last} (--imposter-ports)`),
    );
  if (protocol === undefined || protocol === null) errors.push(invalid("'protocol' is a required field"));
  else if (protocol === 'https' && real?.hasTls !== true)
    errors.push(
      invalid('the https protocol needs a server with --imposter-ports and --tls-cert (mountebank.protocol)'),
    );
  else if (protocol !== 'http' && protocol !== 'https')
    errors.push(invalid(`the ${scalarText(protocol) ?? 'other'} protocol is not yet supported (mountebank.protocol)`));
  if (isObject(endOfRequestResolver) && endOfRequestResolver.inject !== undefined)
    errors.push({ ...SCRIPT, source: endOfRequestResolver });
  return errors;
}

const SCRIPT: MountebankError = {
  code: INVALID_INJECTION,
  message: 'JavaScript injection is not allowed unless mb is run with the --allowInjection flag',
};
const SHELL: MountebankError = {
  code: INVALID_INJECTION,
  message: 'Shell execution is not allowed unless mb is run with the --allowInjection flag',
};

function invalid(message: string, source?: unknown): MountebankError {
  return { code: BAD_DATA, message, ...(source === undefined ? {} : { source }) };
}

/** What mountebank refuses, too. */
function stubErrors(stub: unknown): MountebankError[] {
  const { responses, predicates = [] } = isObject(stub) ? stub : {};
  if (!Array.isArray(responses) || responses.length === 0)
    return [invalid("'responses' must be a non-empty array", stub)];
  if (!Array.isArray(predicates)) return [invalid("'predicates' must be an array", stub)];
  const inStub = [...predicates.flatMap(predicateErrors), ...responses.flatMap(responseErrors)];
  // A script is one of the stub, as mountebank reports it, and once.
  const injections = new Map(
    inStub.filter(({ code }) => code === INVALID_INJECTION).map((each) => [each.message, each]),
  );
  const others = inStub.filter(({ code }) => code !== INVALID_INJECTION);
  return [...[...injections.values()].map((each) => ({ ...each, source: stub })), ...others];
}

const OPERATORS = 'equals deepEquals contains startsWith endsWith matches exists not or and inject'.split(' ');

function predicateErrors(predicate: unknown): MountebankError[] {
  const operator = isObject(predicate) ? Object.keys(predicate).find((name) => OPERATORS.includes(name)) : undefined;
  if (operator === undefined) return [invalid('missing predicate', predicate)];
  const { [operator]: value } = predicate as JsonObject;
  if (operator === 'inject') return [SCRIPT];
  return ['not', 'or', 'and'].includes(operator) ? [value].flat().flatMap(predicateErrors) : [];
}

const KINDS = ['is', 'proxy', 'inject', 'fault'];

function responseErrors(response: unknown): MountebankError[] {
  if (!isObject(response)) return [invalid('unrecognized response type', response)];
  const kinds = KINDS.filter((kind) => Boolean(response[kind]));
  const behaviors = [response['_behaviors'], response.behaviors].flat().filter(isObject);
  const { proxy, repeat = behaviors.find((each) => each.repeat !== undefined)?.repeat } = response;
  const waits = behaviors.flatMap(({ wait = [] }) => [wait].flat());
  const addsScript = isObject(proxy) && proxy.addDecorateBehavior !== undefined;
  const isScript =
    kinds.includes('inject') ||
    addsScript ||
    behaviors.some(({ decorate }) => decorate !== undefined) ||
    waits.some((wait) => typeof wait === 'string');
  const isRepeat = repeat === undefined || (/^\d+$/.test(scalarText(repeat) ?? '') && Number(repeat) > 0);
  return [
    ...(isScript ? [SCRIPT] : []),
    ...(behaviors.some(({ shellTransform }) => shellTransform !== undefined) ? [SHELL] : []),
    ...(kinds.length === 0 ? [invalid('unrecognized response type', response)] : []),
    ...(kinds.length > 1 ? [invalid('each response object must have only one response type', response)] : []),
    ...(isRepeat ? [] : [invalid('"repeat" field must be an integer greater than 0', response)]),
    ...waits.flatMap((wait) => (typeof wait === 'string' || isWait(wait) ? [] : [invalid(WAIT, { wait })])),
  ];
}

const WAIT = 'wait behavior "wait" field must be an integer greater than or equal to 0';

function isWait(wait: unknown): boolean {
  return typeof wait === 'number' && Number.isInteger(wait) && wait >= 0;
}
