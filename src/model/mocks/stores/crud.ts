/** Routes of the kind `crud`: the methods and paths that each serves, what each does, and which of its responses does it. */
import type { MockResponse, MockRoute } from '../definition/definition.ts';
import { routingMethod } from '../sockets/socket.ts';
import type { StoreOperation } from './store.ts';

interface Place {
  readonly method: string;
  readonly path: string;
}

const OF_ALL: Readonly<Record<string, StoreOperation>> = {
  GET: 'list',
  POST: 'create',
  PUT: 'replaceAll',
  PATCH: 'mergeAll',
  DELETE: 'clear',
};
const OF_ONE: Readonly<Record<string, StoreOperation>> = {
  GET: 'get',
  PUT: 'replace',
  PATCH: 'merge',
  DELETE: 'remove',
};

/** The parameter that has the id of an item: another name where the path of the route has one of this name. */
export function itemParameter({ path }: Pick<MockRoute, 'path'>): string {
  return /:id(?![A-Za-z0-9_])/.test(path) ? 'itemId' : 'id';
}

/** Parameters of a path below an item of any resource, where json-server has the items that belong to it. */
export const PARENT_RESOURCE = 'parentResource';
export const PARENT_ID = 'parentId';

/** Methods and paths that a route serves; for an ordinary route just its own. */
export function servedPlaces(route: Pick<MockRoute, 'kind' | 'method' | 'path' | 'dialect'>): readonly Place[] {
  const { kind, path } = route;
  if (kind !== 'crud') return [{ method: routingMethod(route), path }];
  const ofItem = `${path.replace(/\/+$/, '')}/:${itemParameter(route)}`;
  return [
    ...Object.keys(OF_ALL).map((each) => ({ method: each, path })),
    ...Object.keys(OF_ONE).map((each) => ({ method: each, path: ofItem })),
    ...(route.dialect === 'json-server' ? ['GET', 'POST'].map((each) => ({ method: each, path: belowAny(path) })) : []),
  ];
}

function belowAny(path: string): string {
  const at = path.replace(/\/+$/, '').lastIndexOf('/');
  return `${path.slice(0, at)}/:${PARENT_RESOURCE}/:${PARENT_ID}${path.slice(at)}`;
}

/** @param isOfItem Whether the request has an id. */
export function crudOperation(method: string, isOfItem: boolean): StoreOperation {
  const asked = method === 'HEAD' ? 'GET' : method;
  return (isOfItem ? OF_ONE[asked] : OF_ALL[asked]) ?? (isOfItem ? 'get' : 'list');
}

/** Whether a response is what its store answers: the last of a route of the kind. */
export function answersByStore({ kind, responses }: Pick<MockRoute, 'kind' | 'responses'>, index: number): boolean {
  return kind === 'crud' && index === responses.length - 1;
}

/** Helpers that change stores, by all of their names. */
const WRITERS = /\b(?:storeSet|globalSet|setData|setGlobalVar)\b/;

/** Whether its templates may change stores. */
function writesStores({ templated, body, headers, callbacks = [] }: MockResponse): boolean {
  const own = templated === false ? '' : [body, ...headers.map(({ value }) => value)].join('\n');
  return WRITERS.test(own) || (callbacks.length > 0 && WRITERS.test(JSON.stringify(callbacks)));
}

/** Statuses of a crud route that are not those of its response. */
const CRUD_STATUSES: readonly number[] = [201, 400, 404, 409, 415, 422, 500, 507];
const STATUS = { missing: 404, taken: 409, full: 507 } as const;

/** Statuses that a store operation can answer instead; empty without a store step. */
export function storeStatusesOf(
  route: Pick<MockRoute, 'kind' | 'responses'>,
  response: MockResponse,
): readonly number[] {
  if (response.store !== undefined) {
    const { missing, taken, full, invalid } = { ...STATUS, invalid: undefined, ...response.store };
    return [missing, taken, full, ...(invalid === undefined ? [400, 415, 422] : [invalid])];
  }
  if (route.kind === 'crud' && response === route.responses.at(-1)) return CRUD_STATUSES;
  return writesStores(response) ? [STATUS.full] : [];
}
