/** Stubs as clients send them: read by the importer, one route each. What is not exact is refused, with the code of the report. */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../base/json-object.ts';
import { isObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import type { ReadStub, StubProblem } from '../../../interchange/stubs/one-stub.ts';
import { priorityOf } from '../../../model/mocks/decide/decide-stubs.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { upstreamsIn } from '../../../model/mocks/upstream/placed-upstreams.ts';
import { readSources, weightOf } from '../read-sources.ts';
import { routeIdOf, type NewStub } from '../world.ts';
import { CODE_UNSUPPORTED, fail, Failure, UUID } from './errors.ts';
import type { Question } from './question.ts';

/** @param at Pointer of the stubs in the body: "" for a body that is one. */
export async function readStubs(
  question: Question,
  sources: readonly unknown[],
  at: (index: number) => string = () => '',
): Promise<readonly NewStub[] | Failure | Refusal> {
  const { parts } = question;
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
  for (const [index, source] of given.entries()) {
    const { route: made, scenarios } = read[index] as ReadStub;
    if (made === undefined) return fail(422, 'import.refused', 'no route can be made of it', at(index));
    const id = (source.id as string).toLowerCase();
    const route = { ...made, id: routeIdOf(id) };
    for (const { upstream } of upstreamsIn({ routes: [route] }, '')) {
      const problem = parts.upstreamRefusal(upstream);
      if (problem !== undefined) return fail(422, 'wiremock.webhook', `${upstream}: ${problem}`, at(index));
    }
    const priority = priorityOf({ stub: source });
    const codes = (read[index] as ReadStub).problems.flatMap(({ code }) => code ?? []);
    stubs.push({
      id,
      source,
      priority,
      route,
      scenarios,
      approximated: [...new Set(codes)],
      ...weightOf(route, source),
    });
  }
  return stubs;
}

function readAll(
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
    return { stub, source: { json: JSON.stringify({ ...stub, request, response }), file } };
  });
  return readSources(parts, call.caller.ownerId, sent);
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

/** What a pattern of requests becomes: the body of `count`, `find` and the like. */
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
