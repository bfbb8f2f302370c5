/**
 * `crud`: operations on a list and on its items read and change a store, which begins with the examples of the document. Replies keep the
 * status, the headers and the form that the document gives them.
 */
import { numberProblem } from '../../../base/strict-json.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { STORES_MAX } from '../../../limits.ts';
import { valueProblem } from '../../../model/mocks/stores/store-checks.ts';
import { ID_MEMBER } from '../../../model/mocks/stores/store.ts';
import type { StoreDefinition, StoreStep } from '../../../model/mocks/stores/store-schema.ts';
import type { ReadResponse, ReadRoute } from '../../format.ts';
import type { Member } from '../../source/member.ts';
import type { Reading } from './members.ts';
import {
  idMemberOf,
  itemPlace,
  listPlace,
  parseBody,
  parametersIn,
  sameName,
  storeNames,
  valueAt,
  writtenBody,
  type ParsedBody,
} from './store-shapes.ts';

/** Routes with the path of a list, and with the path of its items. */
interface Collection {
  readonly path: string;
  readonly ofAll: readonly ReadRoute[];
  readonly ofItem: readonly ReadRoute[];
}

/** A store while its operations are found. */
interface BoundStore {
  readonly name: string;
  readonly idMember: string;
  readonly item: JsonObject | undefined;
  readonly seeds: Map<string, JsonObject>;
  template: string | undefined;
}

interface Bound {
  readonly routes: readonly ReadRoute[];
  readonly stores: readonly StoreDefinition[];
}

/** @returns The same routes without the option. */
export function bindStores(routes: readonly ReadRoute[], root: Member, reading: Reading): Bound {
  if (reading.options.crud !== true) return { routes, stores: [] };
  const { report } = reading;
  const stores: BoundStore[] = [];
  const bound = new Map<ReadRoute, ReadRoute>();
  // Shorter paths first: they give a store its name.
  const found = collectionsIn(routes).toSorted((one, other) => one.path.length - other.path.length);
  for (const collection of found) {
    const store = storeFor(collection, stores);
    if (store === undefined) continue;
    if (typeof store === 'string') {
      for (const { item } of [...collection.ofAll, ...collection.ofItem])
        item.note('openapi.store-seed', undefined, store);
      continue;
    }
    const within = withinOf(collection, store);
    for (const route of [...collection.ofAll, ...collection.ofItem]) {
      const next = boundRoute(route, collection, store, within.members);
      if (next === undefined) {
        route.item.note('openapi.store-shape');
        continue;
      }
      bound.set(route, next);
      report.count('openapi.store');
      if (within.unknown.length > 0) route.item.note('openapi.store-parent', undefined, within.unknown.join(', '));
      if (store.item === undefined) route.item.note('openapi.store-id');
      if (bodyOf(route) !== undefined && route.responses.some(({ body = '' }) => numberProblem(body, UNBOUNDED)))
        route.item.note('import.number', undefined, `in the store \`${store.name}\``);
    }
  }
  if (stores.length === 0) report.itemOf(root).note('openapi.no-store', root);
  return {
    routes: routes.map((route) => bound.get(route) ?? route),
    stores: stores.map((each) => definitionOf(each, root, reading)),
  };
}

function collectionsIn(routes: readonly ReadRoute[]): Collection[] {
  const ofAll = new Map<string, ReadRoute[]>();
  const ofItem = new Map<string, ReadRoute[]>();
  for (const route of routes) {
    const [, path = route.path] = ITEM_PATH.exec(route.path) ?? [];
    const list = path === route.path ? ofAll : ofItem;
    list.set(path, [...(list.get(path) ?? []), route]);
  }
  return [...new Set([...ofAll.keys(), ...ofItem.keys()])].map((path) => ({
    path,
    ofAll: ofAll.get(path) ?? [],
    ofItem: ofItem.get(path) ?? [],
  }));
}

const UNBOUNDED = { work: Infinity };

const ITEM_PATH = /^(.*[^/])\/:\w+$/;
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The response that answers when nothing else is asked for, where it is JSON or has no body. */
function mainOf({
  responses,
}: ReadRoute): { readonly index: number; readonly body: ParsedBody | undefined } | undefined {
  const index = responses.findIndex(({ status = 200, rules = [] }) => status < 300 && rules.length === 0);
  const main = responses[index];
  if (main === undefined || main.stream !== undefined) return undefined;
  const body = parseBody(main);
  return body === 'other' ? undefined : { index, body };
}

/** @returns undefined for what is not a collection; a text: why it has no store. */
function storeFor(collection: Collection, stores: BoundStore[]): BoundStore | string | undefined {
  const { path, ofAll, ofItem } = collection;
  const named = (list: readonly ReadRoute[], method: string) => list.find((route) => route.method === method);
  const list = bodyOf(named(ofAll, 'GET'));
  const one = bodyOf(named(ofItem, 'GET'));
  const place = list && listPlace(list.value);
  if (place === undefined && !(isObject(one?.value) && one !== undefined)) return undefined;
  if (![...ofAll, ...ofItem].some(({ method }) => WRITES.has(method))) return undefined;
  const parameter = /:(\w+)$/.exec(ofItem[0]?.path ?? '')?.[1] ?? ID_MEMBER;
  const listed = list && place ? (valueAt(list.value, place) as JsonObject[]) : [];
  const singles = [one, bodyOf(named(ofAll, 'POST'))].map((body) => body?.value).filter(isObject);
  const [name = '', longer = ''] = storeNames(path);
  const idMember = idMemberOf([...listed.slice(0, 1), ...singles], parameter, name);
  const member = idMember ?? ID_MEMBER;
  const items = [...listed, ...singlesOf(collection, member)].filter(
    (item) => idMember === undefined || Object.hasOwn(item, member),
  );
  const known = stores.find((each) => each.name === name);
  const isSame = known !== undefined && isLike(known.item, items[0]) && known.idMember === member;
  const store: BoundStore = isSame
    ? known
    : {
        name: known === undefined ? name : longer,
        idMember: member,
        item: idMember === undefined ? undefined : items[0],
        seeds: new Map(),
        template: undefined,
      };
  if (!isSame) {
    if (stores.length === STORES_MAX) return `a mock may have at most ${STORES_MAX} stores`;
    if (stores.some((each) => each.name === store.name))
      return `the name ${JSON.stringify(store.name)} is used by another store`;
    stores.push(store);
  }
  if (list !== undefined && place !== undefined && list.isTemplate)
    store.template ??= writtenBody(list, valueAt(list.value, place));
  for (const item of items) {
    const id = JSON.stringify(item[member] ?? store.seeds.size);
    if (!store.seeds.has(id)) store.seeds.set(id, item);
  }
  return store;
}

function bodyOf(route: ReadRoute | undefined): ParsedBody | undefined {
  return route && mainOf(route)?.body;
}

/** The items in all examples of the reading and the creating operation. */
function singlesOf({ ofAll, ofItem }: Collection, idMember: string): JsonObject[] {
  const routes = [
    ...ofItem.filter(({ method }) => method === 'GET'),
    ...ofAll.filter(({ method }) => method === 'POST'),
  ];
  return routes.flatMap(({ responses }) =>
    responses.flatMap((response) => {
      const body = (response.status ?? 200) < 300 ? parseBody(response) : undefined;
      if (body === undefined || body === 'other' || body.isTemplate) return [];
      const place = itemPlace(body.value, idMember);
      const item = place === undefined ? undefined : valueAt(body.value, place);
      return isObject(item) ? [item] : [];
    }),
  );
}

function isLike(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const names = Object.keys(other);
  return names.filter((name) => Object.hasOwn(one, name)).length * 2 > Math.max(names.length, Object.keys(one).length);
}

/** Members of the items that have the value of a parameter in front; and parameters that no member has. */
function withinOf(
  { path }: Collection,
  { item = {} }: BoundStore,
): { readonly members: Readonly<Record<string, string>>; readonly unknown: readonly string[] } {
  const pairs = parametersIn(path).map(
    (parameter) => [Object.keys(item).find((member) => sameName(member, parameter)), parameter] as const,
  );
  return {
    members: Object.fromEntries(
      pairs.flatMap(([member, parameter]) => (member === undefined ? [] : [[member, `{{urlParam '${parameter}'}}`]])),
    ),
    unknown: pairs.flatMap(([member, parameter]) => (member === undefined ? [parameter] : [])),
  };
}

/** @returns undefined when its reply or its request does not fit. */
function boundRoute(
  route: ReadRoute,
  collection: Collection,
  store: BoundStore,
  members: Readonly<Record<string, string>>,
): ReadRoute | undefined {
  const main = mainOf(route);
  const step = stepFor(route, collection.ofItem.includes(route), store, main?.body);
  if (main === undefined || step === undefined) return undefined;
  const { within = members, ...rest } = step;
  const stored = Object.keys(within).length === 0 ? rest : { ...rest, within };
  const statuses = new Set(route.responses.map(({ status }) => status));
  const invalid = [400, 422].filter((status) => statuses.has(status));
  const isGiven = 'op' in step && TAKES_VALUE.has(step.op) && invalid.length === 1;
  const answer = replyOf(route.responses[main.index] as ReadResponse, step.op, store, main.body);
  if (answer === undefined) return undefined;
  const { value, ...body } = answer;
  const next: ReadResponse = {
    ...(route.responses[main.index] as ReadResponse),
    ...body,
    store: {
      ...stored,
      ...(value === undefined || !TAKES_VALUE.has(step.op) ? {} : { value }),
      ...(isGiven ? { invalid: invalid[0] } : {}),
    },
  };
  return { ...route, responses: route.responses.with(main.index, next) };
}

const TAKES_VALUE: ReadonlySet<string> = new Set(['create', 'replace', 'merge', 'replaceAll']);

function stepFor(
  { method, path }: ReadRoute,
  isOfItem: boolean,
  { name, idMember }: BoundStore,
  body: ParsedBody | undefined,
): StoreStep | undefined {
  if (isOfItem) {
    const op = ({ GET: 'get', PUT: 'replace', PATCH: 'merge', DELETE: 'remove' } as const)[method];
    const id = `{{urlParam '${/:(\w+)$/.exec(path)?.[1] ?? ID_MEMBER}'}}`;
    return op && { op, name, id };
  }
  switch (method) {
    case 'GET':
      return { op: 'list', name };
    case 'POST':
      return { op: 'create', name };
    case 'DELETE':
      return { op: 'clear', name };
    case 'PUT':
    case 'PATCH': {
      if (method === 'PUT' && Array.isArray(body?.value)) return { op: 'replaceAll', name };
      // The id is in the body.
      const isOne = body === undefined || itemPlace(body.value, idMember) !== undefined;
      return isOne
        ? { op: method === 'PUT' ? 'replace' : 'merge', name, id: `{{body '${idMember.replaceAll("'", '')}'}}` }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** Reply of the bound response: the result alone, or within what the document has around it. */
function replyOf(
  response: ReadResponse,
  op: StoreStep['op'],
  { name, idMember }: BoundStore,
  body: ParsedBody | undefined,
): (Pick<ReadResponse, 'body' | 'templated'> & { readonly value?: string }) | undefined {
  const plain = { body: '', templated: false };
  if (body === undefined) return op === 'list' || op === 'get' ? undefined : plain;
  const isList = op === 'list' || op === 'replaceAll';
  const place = isList ? listPlace(body.value) : itemPlace(body.value, idMember);
  if (place === undefined) {
    if (op === 'list') return undefined;
    if (op === 'get') return isObject(body.value) ? plain : undefined;
    // What it says of the change stays.
    return {
      body: response.body ?? '',
      ...(response.templated === undefined ? {} : { templated: response.templated }),
    };
  }
  if (place.length === 0) return plain;
  const written = writtenBody(body, body.value, { place, countOf: isList ? name : undefined });
  if (written === undefined) return undefined;
  const [member = ''] = place;
  const isInBody = !isList && /^\w+$/.test(member);
  const value = `{{#if (body '${member}')}}{{body '${member}'}}{{else}}{{body}}{{/if}}`;
  return { body: written, templated: 'json', ...(isInBody ? { value } : {}) };
}

function definitionOf(
  { name, idMember, seeds, template }: BoundStore,
  root: Member,
  { report }: Reading,
): StoreDefinition {
  const more = idMember === ID_MEMBER ? {} : { idMember };
  const templated =
    template === undefined ? undefined : ({ name, value: template, templated: 'json', ...more } as const);
  if (templated !== undefined && valueProblem(templated) === undefined) return templated;
  const store = { name, value: [...seeds.values()], ...more };
  const problem = valueProblem(store);
  if (problem === undefined) return store;
  report.itemOf(root).note('openapi.store-seed', root, `${name}: ${problem}`);
  return { ...store, value: [] };
}
