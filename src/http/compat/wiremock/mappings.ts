/** Stubs: made, listed, changed, removed. */
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import { stubIdOf, type NewStub, type Stub } from '../world.ts';
import { byMetadata } from './by-metadata.ts';
import { fail, Failure, invalidId } from './errors.ts';
import { doubt, matching } from './journal.ts';
import type { Answer, Operation, Question } from './question.ts';
import { readStubs } from './read-stubs.ts';
import { reset } from './reset.ts';

export const MAPPINGS: readonly Operation[] = [
  { method: 'GET', path: '/mappings', access: 'read', answer: list },
  { method: 'POST', path: '/mappings', access: 'write', answer: create },
  {
    method: 'DELETE',
    path: '/mappings',
    access: 'write',
    answer: (question) => remove(question, () => true),
  },
  { method: 'POST', path: '/mappings/reset', access: 'write', answer: reset },
  { method: 'POST', path: '/mappings/import', access: 'write', answer: importAll },
  { method: 'POST', path: '/mappings/save', access: 'write', answer: save },
  {
    method: 'GET',
    path: '/mappings/unmatched',
    access: 'read',
    answer: (question) => unmatched(question, (stubs) => ({ json: listed(stubs, question.query) })),
  },
  {
    method: 'DELETE',
    path: '/mappings/unmatched',
    access: 'write',
    answer: (question) => unmatched(question, (stubs) => remove(question, (stub) => stubs.includes(stub))),
  },
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

function list({ world, query }: Question): Answer {
  return { json: listed(world.stubs, query) };
}

/** @param stubs In the order of the answer. */
function listed(stubs: readonly Stub[], query: URLSearchParams): object {
  const offset = Number(query.get('offset') ?? 0) || 0;
  const limit = Number(query.get('limit') ?? stubs.length) || stubs.length;
  const mappings = stubs.slice(offset, offset + limit).map(({ source }) => source);
  return { mappings, meta: { total: stubs.length } };
}

/** WireMock's own. */
const CODE_DUPLICATE_ID = 109;

type Outcome = Answer | Failure | Refusal;

function found(
  { world, params }: Question,
  use: (stub: Stub) => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  const invalid = invalidId(params[0]);
  if (invalid !== undefined) return invalid;
  const stub = world.get(params[0] ?? '');
  return stub === undefined ? fail(404, 'Stub mapping not found', `no stub has the id ${params[0]}`) : use(stub);
}

/** An id that another stub has is refused, as WireMock does: `PUT` changes stubs. */
function create(question: Question): Outcome | Promise<Outcome> {
  const { world, body } = question;
  const id = idOf(body);
  if (world.get(id) === undefined) return put(question, body, 201);
  const detail = `ID of the provided stub mapping '${id}' is already taken by another stub mapping`;
  return new Failure(422, [{ code: CODE_DUPLICATE_ID, title: 'Duplicate stub mapping ID', detail }]);
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
  const published = await world.put(stubs, isReplaced ? ({ id }) => !ids.has(id) : undefined);
  return isRefusal(published) ? published : approximatedIn(stubs);
}

/** Where the server is lenient, what is not exact is named all the same. */
export function approximatedIn(stubs: readonly NewStub[]): Pick<Answer, 'headers'> {
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
  const given = id || uuid;
  return typeof given === 'string' ? given : '';
}

/** Stubs that answered no request of the journal. A stub whose use is unknown does not count as unused. */
async function unmatched(
  question: Question,
  use: (stubs: readonly Stub[]) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const answered = await matching(question, { matched: true }, { isSummary: true });
  if (!('records' in answered)) return answered;
  const used = new Set(answered.records.map(({ routeId }) => routeId));
  return doubt(answered) ?? use(question.world.stubs.filter(({ route }) => !used.has(route.id)));
}

/** Writes the stubs of the session into its mock, as one version; the session keeps its own. */
async function save({ world, scoped, worldOfMock }: Question): Promise<Outcome> {
  if (scoped.live === undefined || world.stubs.length === 0) return {};
  const ofMock = worldOfMock();
  if (ofMock === undefined)
    return fail(422, 'save is not supported', 'the secret of a session cannot change its mock: use a key');
  const saved = await ofMock.put(world.stubs.toReversed().map(inMock));
  return isRefusal(saved) ? saved : {};
}

/**
 * With an id that follows from its own, so that it is replaced when it is saved again: no session has a route of an id of its mock. One that
 * answers in the place of a stub of the mock replaces that.
 */
function inMock(stub: Stub): NewStub {
  const routeId = stub.replaces ?? createHash('sha256').update(stub.id).digest('hex').slice(0, 32);
  const id = stubIdOf(routeId);
  return { ...stub, id, source: { ...stub.source, id, uuid: id }, route: { ...stub.route, id: routeId } };
}
