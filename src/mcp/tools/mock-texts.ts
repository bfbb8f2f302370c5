/** How tools show mocks, routes, diffs and reports, and take routes: without defaults, bodies that are JSON as JSON. */
import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { MockRecord, ResponseInput, RouteInput, RouteSummary } from '../../client/shapes.ts';
import { routeOf } from '../../interchange/formats/switchyard.ts';
import type { MockRoute } from '../../model/mocks/definition/definition.ts';
import type { CopyDiff, FieldChange } from '../../model/mocks/show/diff.ts';
import { compact, terse } from '../answer.ts';
import { ToolError } from '../tool-error.ts';

type NamedRoute = Pick<RouteSummary, 'method' | 'path'>;

/** A mock in a few words. */
export function factsOf({ id, name, state, url, version, routeCount, hasStagedChanges, file }: MockRecord): object {
  const staged = hasStagedChanges ? { hasStagedChanges } : {};
  return compact({ id, name, state, url, version, routeCount, ...staged, file });
}

export function routeName({ method, path }: NamedRoute): string {
  return `${method} ${path}`;
}

type ListedRoute = NamedRoute & {
  readonly enabled: boolean;
  readonly selection: string;
  readonly responses: readonly { readonly status: number; readonly label?: string }[];
};

/** Its responses by status, and by label where they have one. */
export function listedRoute({ enabled, selection, responses, ...route }: ListedRoute): object {
  return {
    route: routeName(route),
    responses: responses.map(({ status, label = '' }) => `${status} ${label}`.trim()).join(', '),
    ...(enabled ? {} : { enabled }),
    ...(selection === 'rules' ? {} : { selection }),
  };
}

/** @param wanted An id, or "METHOD /path". @throws ToolError where it names no route, or several. */
export function findRoute<Route extends NamedRoute & { readonly id: string }>(
  routes: readonly Route[],
  wanted: string,
): Route {
  const found = routes.filter((each) => each.id === wanted || routeName(each) === wanted);
  const [route] = found;
  if (route === undefined) throw new ToolError(404, 'Route not found', [{ path: '/route', message: wanted }]);
  if (found.length === 1) return route;
  throw new ToolError(400, `several routes match ${wanted}: use an id, ${found.map(({ id }) => id).join(', ')}`);
}

/** A route as mocks_edit takes it. */
export function readableRoute(route: MockRoute): object {
  const { responses, ...members } = routeOf(route) as { readonly responses: readonly JsonObject[] };
  const bodies = responses.map(({ bodyJson, ...response }) =>
    bodyJson === undefined ? response : { ...response, body: bodyJson },
  );
  return { ...members, responses: bodies };
}

/** A response whose body may be a JSON value, and whose headers may be an object. */
export type ResponseDraft = Omit<ResponseInput, 'body' | 'headers'> & {
  readonly body?: unknown;
  readonly headers?: unknown;
};
export type RouteDraft = Omit<RouteInput, 'responses'> & { readonly responses?: readonly ResponseDraft[] };

export function asRoute({ responses, ...route }: RouteDraft): RouteInput {
  return { ...route, ...(Array.isArray(responses) ? { responses: responses.map(asResponse) } : {}) } as RouteInput;
}

/** The API checks what is neither. */
export function asResponse({ body, headers, ...response }: ResponseDraft): ResponseInput {
  const lines = isObject(headers) ? Object.entries(headers).map(([name, value]) => ({ name, value })) : headers;
  if (body === undefined || typeof body === 'string') return { ...response, ...compactInput({ body, headers: lines }) };
  const list = Array.isArray(lines) ? (lines as { readonly name: string }[]) : [];
  const isTyped = list.some(({ name }) => name.toLowerCase() === 'content-type');
  const typed = isTyped ? list : [...list, { name: 'content-type', value: 'application/json' }];
  return { ...response, body: JSON.stringify(body), bodyEncoding: 'text', headers: typed } as ResponseInput;
}

function compactInput(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** A diff without what did not change; a change of a field as a line. */
export function briefly(diff: CopyDiff): object {
  const lines: unknown = JSON.parse(
    JSON.stringify(diff, (_member, value: unknown) => {
      if (!isObject(value)) return value;
      if ('field' in value) return fieldOf(value as unknown as FieldChange);
      if (!('path' in value && 'routeId' in value)) return value;
      const { routeId: _id, method, path, ...changes } = value;
      const name = `${String(method)} ${String(path)}`;
      return Object.keys(changes).length === 0 ? name : { route: name, ...changes };
    }),
  );
  const brief = terse(lines as object);
  return Object.keys(brief).length === 0 ? { nothing: 'no differences' } : brief;
}

/** With the bytes of a value that is not shown. */
function fieldOf({ field, before, after, beforeBytes, afterBytes }: FieldChange): string {
  const text = (value: unknown, bytes: number | undefined): string => {
    if (value === null) return bytes === undefined ? 'none' : `${bytes} bytes`;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return `${field}: ${text(before, beforeBytes)} -> ${text(after, afterBytes)}`;
}
