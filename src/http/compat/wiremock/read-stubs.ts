/** Stubs as clients send them: read by the importer, one route each. What is not exact is refused, with the code of the report. */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../base/json-object.ts';
import { isObject } from '../../../base/json-object.ts';
import { printJson } from '../../../base/written-numbers.ts';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { isHeavyStub, readStub, type ReadStub, type StubProblem } from '../../../interchange/stubs/one-stub.ts';
import { priorityOf } from '../../../model/mocks/decide/decide-stubs.ts';
import { unrecordedReason } from '../../../model/mocks/definition/condition-kinds.ts';
import type { Condition } from '../../../model/mocks/definition/condition-schema.ts';
import { conditionsOf } from '../../../model/mocks/definition/conditions.ts';
import type { MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { routeInstructions } from '../../../model/mocks/definition/edit-checks.ts';
import { upstreamsIn } from '../../../model/mocks/upstream/placed-upstreams.ts';
import { replacingId, routeIdOf, type NewStub } from '../world.ts';
import { CODE_UNSUPPORTED, fail, Failure, UUID } from './errors.ts';
import type { Question } from './question.ts';
import { markNow } from './recording-state.ts';

/** @param at Pointer of the stubs in the body: "" for a body that is one. */
export async function readStubs(
  question: Question,
  sources: readonly unknown[],
  at: (index: number) => string = () => '',
): Promise<readonly NewStub[] | Failure | Refusal> {
  const { parts, scoped, world } = question;
  const ofMock = new Set(scoped.live && scoped.mock.saved.routes.map(({ route }) => route.id));
  const given: JsonObject[] = [];
  for (const [index, source] of sources.entries()) {
    if (!isObject(source)) return fail(422, 'Error parsing JSON', 'a stub is an object', at(index));
    const id = source.id || source.uuid || randomUUID();
    if (typeof id !== 'string' || !UUID.test(id))
      return fail(422, 'Error parsing JSON', `${JSON.stringify(id)} is not a valid UUID`, `${at(index)}/id`);
    given.push({ ...source, id, uuid: id });
  }
  const read = await readAll(question, given);
  if (isRefusal(read)) return read;
  const problems = read.flatMap((one, index) => one.problems.map((problem) => ({ problem, index })));
  // What has no route is left out, which is never an approximation.
  const isTaken = parts.isLenient && read.every(({ route }) => route !== undefined);
  if (problems.length > 0 && !isTaken)
    return new Failure(
      422,
      problems.map(({ problem, index }) => errorOf(problem, at(index))),
    );
  const stubs: NewStub[] = [];
  let sendsOn = false;
  for (const [index, source] of given.entries()) {
    const { route: made, scenarios } = read[index] as ReadStub;
    if (made === undefined) return fail(422, 'import.refused', 'it cannot become a route', at(index));
    const id = (source.id as string).toLowerCase();
    const routeId = routeIdOf(id);
    const isReplacing = ofMock.has(routeId);
    const route = {
      ...made,
      id: isReplacing ? replacingId(routeId) : routeId,
      responses: made.responses.map(recorded),
    };
    for (const { upstream } of upstreamsIn({ routes: [route] }, '')) {
      sendsOn = true;
      const problem = parts.upstreamRefusal(upstream);
      if (problem !== undefined)
        return fail(422, 'wiremock.proxy', `${upstream}: ${problem}`, `${at(index)}${PROXY_AT}`);
    }
    const priority = priorityOf({ stub: source });
    const codes = (read[index] as ReadStub).problems.flatMap(({ code }) => code ?? []);
    stubs.push({
      id,
      source,
      priority,
      route,
      ...(isReplacing ? { replaces: routeId } : {}),
      scenarios,
      approximated: [...new Set(codes)],
      bytes: Buffer.byteLength(JSON.stringify(route)),
      sourceBytes: Buffer.byteLength(JSON.stringify(source)),
      instructions: routeInstructions(route),
    });
  }
  if (sendsOn && world.remembered.recordedSince === undefined) {
    const mark = await markNow(parts.recordings, scoped.mock.id);
    if (isRefusal(mark)) return mark;
    world.remembered.recordedSince = mark;
  }
  return stubs;
}

const PROXY_AT = '/response/proxyBaseUrl';

/** The recorder makes stubs of all that was sent on, also of what was before it began. */
function recorded(response: MockResponse): MockResponse {
  return response.proxy === undefined ? response : { ...response, proxy: { ...response.proxy, record: true } };
}

/** A light one at once, as drafts of routes are; others in the sandbox. */
async function readAll(
  { parts, call, world }: Question,
  stubs: readonly JsonObject[],
): Promise<readonly ReadStub[] | Refusal> {
  const { files } = world.remembered;
  const sent = stubs.map((stub) => {
    const name = isObject(stub.response) ? fileNameOf(stub.response) : undefined;
    const bytes = name === undefined ? undefined : files.get(name);
    const file = bytes === undefined ? undefined : { path: `__files/${name}`, bytes };
    // Without a request it takes all of them, without a response it answers 200.
    const { request = {}, response = {} } = stub;
    return { stub, source: { json: printJson({ ...stub, request, response }), file } };
  });
  const [only, ...others] = sent;
  if (only === undefined) return [];
  if (others.length === 0 && !isHeavyStub(only.stub, only.source)) return [readStub(only.source, parts.limits)];
  const sources = sent.map(({ source }) => source);
  const read = await parts.readStubs(call.caller.ownerId, sources);
  return read ?? refuse('badRequest', [{ path: '', message: 'reading the stubs took too long: send fewer at once' }]);
}

/** @returns Its `bodyFileName`, as files are named. */
export function fileNameOf({ bodyFileName }: JsonObject): string | undefined {
  return typeof bodyFileName === 'string' ? bodyFileName.replace(/^\/+/, '') : undefined;
}

function errorOf({ code, pointer, detail }: StubProblem, at: string): Failure['errors'][number] {
  return {
    code: CODE_UNSUPPORTED,
    source: { pointer: `${at}${pointer}` },
    title: code ?? 'Error parsing JSON',
    detail,
  };
}

/** Reads a request pattern, the body of `count`, `find` and others, as a route. */
export async function readPattern(question: Question): Promise<MockRoute | Failure | Refusal> {
  const read = await readAll(question, [{ request: question.body, response: {} }]);
  if (isRefusal(read)) return read;
  const [{ route, problems } = { route: undefined, problems: [] }] = read;
  if (route !== undefined && problems.length === 0) return route;
  const errors = problems.map((problem) => {
    return errorOf({ ...problem, pointer: problem.pointer.replace(/^\/request(?=\/|$)/, '') }, '');
  });
  return new Failure(422, errors);
}

/** The same for what was recorded, where it says all that is asked. */
export async function readRecordedPattern(question: Question): Promise<MockRoute | Failure | Refusal> {
  const route = await readPattern(question);
  if (route instanceof Failure || isRefusal(route)) return route;
  for (const { target } of conditionsOf(route.responses[0]?.rules ?? [])) {
    const reason = unrecordedReason(target);
    if (reason !== undefined) return fail(422, 'wiremock.matcher', reason, '');
  }
  return route;
}

const PATH_RULE = { target: 'path', property: '', operator: 'regex', invert: false } as const;

/** Conditions of a pattern, as they are judged. A regular expression of its path is the last of them: there it can be stopped. */
export function rulesOf({ path, pathKind, responses }: MockRoute): Condition[] {
  const rules = responses[0]?.rules ?? [];
  return pathKind === 'regex' ? [...rules, { ...PATH_RULE, value: `^(?:${path})$` }] : [...rules];
}
