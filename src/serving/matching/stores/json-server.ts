/** Answers of operations on a store as json-server 0.17 gives them. json-server-list.ts reads the parameters of lists. */
import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { draws, streamOf } from '../../../base/seeded-draw.ts';
import { take } from '../../../languages/work-budget.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { isPluralOf } from '../../../model/mocks/stores/store.ts';
import type { RequestView } from '../request/request-view.ts';
import { uuidFrom } from '../templates/helpers/random.ts';
import {
  type bodyValue,
  exactValue,
  failure,
  originOf,
  pathOf,
  type OperationAnswer,
  type StoreCall,
} from './answer-operation.ts';
import {
  findItem,
  idMemberOf,
  itemsIn,
  JsonServerError,
  listPart,
  scriptText,
  withRelatedItems,
  type Query,
} from './json-server-list.ts';
import { FULL, type OperationResult } from './operations.ts';
import { disown, indexOf, isId, numbersIn } from './own-list.ts';
import type { StoreTurn } from './store-turn.ts';
import type { StoreValue } from './store-value.ts';

/** Work of looking at an item, or at one of its members. In units of RULE_WORK_MAX. */
const ITEM_WORK = 5;
const MEMBER_WORK = 10;

/** @param refused What is wrong with the body. */
export function answerAsJsonServer(
  view: RequestView,
  call: StoreCall,
  body: unknown,
  refused?: OperationResult,
): OperationAnswer {
  const { stores: turn } = view;
  const query: Query = { ...view.queryObject, ...Object.fromEntries(call.members ?? []) };
  const answer = (): OperationAnswer => {
    const store = turn?.get(call.name);
    if (turn === undefined || store === undefined) return missing(call);
    if (refused !== undefined && refused.kind !== 'done') return failure(call, refused.kind, refused.problem);
    try {
      const value = call.op === 'create' && call.members?.length ? withParents(body, call.members) : body;
      const given = { view, call, query, turn, store, value };
      return Array.isArray(store.first.value) ? answerList(given) : answerObject(given);
    } catch (error) {
      if (!(error instanceof JsonServerError)) throw error;
      return { status: 500, body: { message: error.message }, headers: NO_LINES };
    }
  };
  const { callback } = query;
  const name = Array.isArray(callback) ? (callback as unknown[])[0] : callback;
  const made = answer();
  // An empty list forgets the parameters that none of its items has, this one, too.
  const isOfNone = call.op === 'list' && isEmptyList(turn?.get(call.name)?.value);
  const isPlain = typeof name !== 'string' || name === '' || made.status >= 500 || isOfNone;
  return isPlain ? made : { ...made, callback: name.replaceAll(/[^[\]\w$.]/g, '') };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

interface StoreRequest {
  readonly view: RequestView;
  readonly call: StoreCall;
  readonly query: Query;
  readonly turn: StoreTurn;
  readonly store: StoreValue;
  readonly value: unknown;
}

function withParents(body: unknown, members: NonNullable<StoreCall['members']>): unknown {
  return isObject(body) ? { ...body, ...Object.fromEntries(members) } : body;
}

const NO_LINES: readonly HeaderLine[] = [];

function missing(call: StoreCall): OperationAnswer {
  return failure(call, 'missing', `${JSON.stringify(call.name)} has nothing there`);
}

function kept(isKept: boolean, { call, turn }: StoreRequest, answer: OperationAnswer): OperationAnswer {
  if (isKept) return answer;
  const { kind, problem } = turn.notKept ?? FULL;
  return failure(call, kind, problem);
}

function answerObject(given: StoreRequest): OperationAnswer {
  const { view, call, turn, store, value } = given;
  const { op, status } = call;
  const put = (next: unknown, headers = NO_LINES): OperationAnswer =>
    kept(turn.set(store, next, view), given, { status, body: next, headers });
  switch (op) {
    case 'list':
      return { status, body: store.value, headers: NO_LINES };
    case 'create':
      return put(value, [{ name: 'location', value: fullUrl(view) }]);
    case 'replaceAll':
      return put(value);
    case 'mergeAll':
      return put(Object.assign(Array.isArray(store.value) ? [] : {}, store.value, value));
    default:
      return missing(call);
  }
}

function answerList(given: StoreRequest): OperationAnswer {
  const { view, call, query, turn, store, value } = given;
  const { op, name, id, status } = call;
  const list = store.value as readonly unknown[];
  if (op === 'list') {
    const { items, total, page } = listPart(list, query, view);
    // A template may keep it.
    if (items === list) disown(list);
    const body = withRelatedItems(items, name, query, turn, view);
    const headers: HeaderLine[] = total === undefined ? [] : [{ name: 'x-total-count', value: String(total) }];
    const url = page === undefined || page.links.length === 0 ? '' : fullUrl(view);
    const links = page?.links.map(
      ([rel, to]) => `<${url.replace(`page=${page.current}`, `page=${to}`)}>; rel="${rel}"`,
    );
    if (url !== '') headers.push({ name: 'link', value: links?.join(', ') ?? '' });
    return { status, body, headers };
  }
  view.work -= ITEM_WORK * list.length;
  if (op === 'create') return create(given, list);
  const member = idMemberOf(turn, name);
  const item = id === undefined ? undefined : findItem(list, member, id);
  if (op === 'remove') return remove(given, list, item);
  if (id === undefined || !isObject(item)) return missing(call);
  if (op === 'get') return { status, body: withRelatedItems([item], name, query, turn, view)[0], headers: NO_LINES };
  if (op !== 'replace' && op !== 'merge') return missing(call);
  const own = Object.fromEntries([[member, item[member]]]);
  const next = { ...(op === 'merge' ? item : {}), ...(value as object), ...own };
  const isKept = turn.splice(store, indexOf(list, member, id), 1, [next], view);
  return kept(isKept, given, { status, body: next, headers: NO_LINES });
}

function create(given: StoreRequest, list: readonly unknown[]): OperationAnswer {
  const { view, call, turn, store, value } = given;
  const member = idMemberOf(turn, call.name);
  const own = isObject(value) ? value[member] : undefined;
  const id = isTrue(own) ? own : newId(list, member, given);
  const text = scriptText(id);
  if (!isId(text) || (typeof id === 'number' && id > Number.MAX_SAFE_INTEGER))
    return failure(call, 'unfit', 'the item cannot have such an id');
  if (findItem(list, member, text) !== undefined) return failure(call, 'taken', `the id ${text} is taken`);
  const item = isObject(value) ? { ...value, ...Object.fromEntries([[member, id]]) } : value;
  const location = { name: 'location', value: `${fullUrl(view)}/${encodeURIComponent(text)}` };
  const answer = { status: call.status, body: item, headers: [location] };
  return kept(turn.splice(store, list.length, 0, [item], view), given, answer);
}

/** Whether JavaScript takes a value for true. */
function isTrue(value: unknown): boolean {
  return Boolean(value);
}

/** The number after the highest id; a UUID where the highest is a text. */
function newId(list: readonly unknown[], member: string, { turn, call }: StoreRequest): unknown {
  if (list.length === 0) return 1;
  const { highest, areAllNumbers } = numbersIn(list, member);
  if (areAllNumbers && highest > 0) return highest + 1;
  let last: unknown;
  for (const item of list) {
    const id = isObject(item) ? item[member] : undefined;
    // json-server gives a list that is posted the next number, and shows it to nobody.
    if (Array.isArray(item) && typeof last === 'number') last++;
    else if (id !== undefined && id !== null && (last === undefined || (id as number) > (last as number))) last = id;
  }
  if (last === undefined) throw new JsonServerError('no item has an id to follow');
  if (typeof last === 'number') return last + 1;
  const { seed } = turn;
  return seed === null ? randomUUID() : uuidFrom(draws(seed, streamOf('store', call.name), turn.nextId()));
}

/** Removes items that refer to an item that is not there, too: in every list, whatever was removed. */
function remove(given: StoreRequest, list: readonly unknown[], item: unknown): OperationAnswer {
  const { view, call, turn, store } = given;
  if (item !== undefined && !turn.splice(store, list.lastIndexOf(item), 1, [], view))
    return kept(false, given, missing(call));
  const orphans = turn.names().map((name) => [name, orphansIn(name, turn, view)] as const);
  for (const [name, found] of orphans) {
    const from = turn.get(name);
    if (from === undefined || found.length === 0) continue;
    const member = idMemberOf(turn, name);
    const at = found.findIndex((each) => each[member] === undefined);
    const gone = new Set<unknown>(at === -1 ? found : found.slice(0, at));
    const left = (from.value as readonly unknown[]).filter((each) => !gone.has(each));
    if (!turn.set(from, left, view)) return kept(false, given, missing(call));
    if (at !== -1 && left.some((each) => isObject(each) && each[member] !== undefined))
      throw new JsonServerError('an item without an id refers to an item that is not there');
  }
  return item === undefined ? missing(call) : { status: call.status, body: {}, headers: NO_LINES };
}

function orphansIn(name: string, turn: StoreTurn, view: RequestView): readonly JsonObject[] {
  const value = turn.get(name)?.value;
  const parents = new Map<string, string | undefined>();
  const refersToNone = ([member, id]: [string, unknown]): boolean => {
    if (!member.endsWith('Id') || !take(view, MEMBER_WORK)) return false;
    if (!parents.has(member)) {
      const noun = member.slice(0, -2).replaceAll('.', '_');
      parents.set(
        member,
        turn.names().find((each) => isPluralOf(each, noun)),
      );
    }
    const parent = parents.get(member);
    if (parent === undefined) return false;
    const list = itemsIn(turn, parent);
    if (id === null && list.some(isObject)) throw new JsonServerError(`${member} is null`);
    return findItem(list, idMemberOf(turn, parent), scriptText(id)) === undefined;
  };
  const items = Array.isArray(value) ? (value as readonly unknown[]).filter(isObject) : [];
  return items.filter((item) => {
    if (!take(view, MEMBER_WORK * Object.keys(item).length)) return false;
    // Each is looked at: a null behind an orphan ends the request, too.
    return Object.entries(item).filter(refersToNone).length > 0;
  });
}

/** URL of the request, with its query. */
function fullUrl(view: RequestView): string {
  const { path, query } = view.request;
  return `${originOf(view)}${pathOf(view)}${path.endsWith('/') ? '/' : ''}${query === '' ? '' : `?${query}`}`;
}

/** A body that declares neither JSON nor a form is an empty object. */
export function jsonServerBody(view: RequestView): ReturnType<typeof bodyValue> {
  const type = (view.header('content-type') ?? '').toLowerCase();
  const isJson = /^\s*application\/json\s*(?:;|$)/.test(type);
  if (view.bodyText === '' || !(isJson || type.includes('x-www-form-urlencoded'))) return { value: {} };
  if (!isJson) return { value: view.formObject ?? {} };
  const value = view.json?.value;
  if (typeof value === 'object' && value !== null) return exactValue(view.bodyText, value, view);
  return { kind: 'malformed', problem: 'the body must be a JSON object or array' };
}
