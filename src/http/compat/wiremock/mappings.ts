/** Stubs: made, listed, changed, removed. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import type { NewStub, Stub } from '../world.ts';
import { fail, Failure } from './errors.ts';
import type { Answer, Operation, Question } from './question.ts';
import { readPattern, readStubs } from './read-stubs.ts';

export const MAPPINGS: readonly Operation[] = [
  { method: 'GET', path: '/mappings', access: 'read', answer: list },
  { method: 'POST', path: '/mappings', access: 'write', answer: (question) => put(question, question.body, 201) },
  {
    method: 'DELETE',
    path: '/mappings',
    access: 'write',
    answer: (question) => remove(question, () => true),
  },
  {
    method: 'POST',
    path: '/mappings/reset',
    access: 'write',
    answer: (question) => remove(question, () => true),
  },
  { method: 'POST', path: '/mappings/import', access: 'write', answer: importAll },
  { method: 'POST', path: '/mappings/remove', access: 'write', answer: removeLike },
  { method: 'POST', path: '/mappings/edit', access: 'write', answer: edit },
  {
    method: 'POST',
    path: '/mappings/find-by-metadata',
    access: 'read',
    answer: (question) => byMetadata(question, (stubs) => ({ json: listed(stubs, question.query) })),
  },
  {
    method: 'POST',
    path: '/mappings/remove-by-metadata',
    access: 'write',
    answer: (question) => byMetadata(question, (stubs) => remove(question, (stub) => stubs.includes(stub))),
  },
  {
    method: 'GET',
    path: '/mappings/:id',
    access: 'read',
    answer: (question) => found(question, ({ source }) => ({ json: source })),
  },
  {
    method: 'PUT',
    path: '/mappings/:id',
    access: 'write',
    answer: (question) => found(question, ({ id }) => put(question, { ...question.body, id, uuid: id }, 200)),
  },
  {
    method: 'DELETE',
    path: '/mappings/:id',
    access: 'write',
    answer: (question) => found(question, ({ id }) => remove(question, (stub) => stub.id === id)),
  },
];

/** The newest first, as WireMock lists them. */
function newestFirst(stubs: readonly Stub[]): readonly Stub[] {
  return stubs.toSorted((one, other) => other.number - one.number);
}

function list({ world, query }: Question): Answer {
  return { json: listed(newestFirst(world.stubs), query) };
}

/** @param stubs In the order of the answer. */
function listed(stubs: readonly Stub[], query: URLSearchParams): object {
  const offset = Number(query.get('offset') ?? 0) || 0;
  const limit = Number(query.get('limit') ?? stubs.length) || stubs.length;
  const mappings = stubs.slice(offset, offset + limit).map(({ source }) => source);
  return { mappings, meta: { total: stubs.length } };
}

type Outcome = Answer | Failure | Refusal;

function found(
  { world, params }: Question,
  use: (stub: Stub) => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  const stub = world.get(params[0] ?? '');
  return stub === undefined ? fail(404, 'Stub mapping not found', `no stub has the id ${params[0]}`) : use(stub);
}

async function put(question: Question, source: JsonObject, status: number): Promise<Outcome> {
  const { world } = question;
  const stubs = await readStubs(question, [source]);
  if (stubs instanceof Failure || isRefusal(stubs)) return stubs;
  const published = await world.put(stubs);
  return isRefusal(published) ? published : { status, json: stubs[0]?.source, ...approximatedIn(stubs) };
}

/** The stub is named by its body alone. */
function edit(question: Question): Outcome | Promise<Outcome> {
  const id = idOf(question.body);
  return found({ ...question, params: [id] }, () => put(question, question.body, 200));
}

async function importAll(question: Question): Promise<Outcome> {
  const { world, body } = question;
  const { mappings = [], importOptions } = body;
  if (!Array.isArray(mappings)) return fail(422, 'Error parsing JSON', 'it is a list of stubs', '/mappings');
  const options = isObject(importOptions) ? importOptions : {};
  // The first one is asked first: it is the newest.
  const read = await readStubs(question, mappings.toReversed(), (index) => `/mappings/${mappings.length - 1 - index}`);
  if (read instanceof Failure || isRefusal(read)) return read;
  const keeps = options.duplicatePolicy === 'IGNORE';
  const stubs = read.filter(({ id }) => !keeps || world.get(id) === undefined);
  const ids = new Set(read.map(({ id }) => id));
  const isReplaced = options.deleteAllNotInImport === true;
  const removed = isReplaced ? await world.remove(({ id }) => !ids.has(id)) : true;
  if (isRefusal(removed)) return removed;
  const published = await world.put(stubs);
  return isRefusal(published) ? published : approximatedIn(stubs);
}

/** Where the server is lenient, what is not exact is named all the same. */
function approximatedIn(stubs: readonly NewStub[]): Pick<Answer, 'headers'> {
  const codes = new Set(stubs.flatMap(({ approximated }) => approximated));
  return codes.size === 0 ? {} : { headers: `\r\nx-switchyard-approximated: ${[...codes].join(', ')}` };
}

async function remove({ world }: Question, isRemoved: (stub: Stub) => boolean): Promise<Outcome> {
  const removed = await world.remove(isRemoved);
  return isRefusal(removed) ? removed : {};
}

/** The whole stub is sent: it is found by its id, or, where the client made that up, by its request. */
function removeLike(question: Question): Promise<Outcome> {
  const { world, body } = question;
  const known = world.get(idOf(body));
  if (known !== undefined) return remove(question, (stub) => stub === known);
  const request = JSON.stringify(body.request);
  return remove(question, ({ source }) => JSON.stringify(source.request) === request);
}

function idOf({ id, uuid }: JsonObject): string {
  const given = id ?? uuid;
  return typeof given === 'string' ? given : '';
}

/** Metadata is matched as the body of a request is, by the same operators. */
async function byMetadata(
  question: Question,
  use: (stubs: readonly Stub[]) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { parts, world, call, body } = question;
  const route = await readPattern({ ...question, body: { bodyPatterns: [body] } });
  if (route instanceof Failure || isRefusal(route)) return route;
  const stubs = newestFirst(world.stubs).filter(({ source }) => source.metadata !== undefined);
  const requests = stubs.map(({ source }) => ({ ...REQUEST, body: Buffer.from(JSON.stringify(source.metadata)) }));
  const rules = route.responses[0]?.rules ?? [];
  const differences = await parts.explain(call.caller.ownerId, { rules, clock: undefined, requests });
  if (differences === undefined)
    return fail(500, 'Metadata cannot be judged', 'it takes too long: use a simpler matcher');
  return isRefusal(differences) ? differences : use(stubs.filter((_, index) => differences[index]?.length === 0));
}

const JSON_BODY = ['content-type', 'application/json'];
const REQUEST = {
  method: 'POST',
  path: '/',
  query: '',
  headers: JSON_BODY,
  bodyTruncated: false,
  time: 0,
  route: undefined,
};
