/** Edits of the working copy, all or none of a call; those of a session, which is one test's own, hold at once. */
import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { StagedInput } from '../../client/shapes.ts';
import { SwitchyardError } from '../../client/switchyard-error.ts';
import { DEFAULT_LIMITS } from '../../limits.ts';
import type { MockDefinition, MockResponse, MockRoute } from '../../model/mocks/definition/definition.ts';
import { responseShape, routeShape, settingsShape } from '../../model/mocks/definition/schema.ts';
import { mergeShape } from '../../model/mocks/sessions/session-schema.ts';
import { Type } from '../../model/schema-type.ts';
import { compact, type ToolAnswer } from '../answer.ts';
import { ToolError } from '../tool-error.ts';
import {
  asResponse,
  asRoute,
  findRoute,
  readableRoute,
  routeName,
  type ResponseDraft,
  type RouteDraft,
} from './mock-texts.ts';
import { memberNames, mock, named, session, tool, type Api } from './tool.ts';

const ROUTE = memberNames(routeShape(DEFAULT_LIMITS.mocks));
const RESPONSE = memberNames(responseShape(DEFAULT_LIMITS.mocks));
/** Attempts of an edit while others edit the same working copy. */
const ATTEMPTS = 5;

/** @param edit Returns the new working copy, and what the tool answers. */
async function editStaged(
  api: Api,
  id: string,
  edit: (staged: MockDefinition) => StagedInput & { readonly said: object },
): Promise<ToolAnswer> {
  for (let attempt = 1; ; attempt++) {
    const staged = await api.mocks.staged.get(id);
    const { said, ...body } = edit(staged);
    try {
      const after = await api.mocks.staged.put(id, body, { ifMatch: staged });
      return edited({ ...said, warnings: api.mocks.warningsOf(after) });
    } catch (error) {
      if (!(error instanceof SwitchyardError)) throw error;
      if (error.status === 412 && attempt < ATTEMPTS) continue;
      const nameIn = (path: string) =>
        path.replace(/^\/routes\/(\d+)/, (whole, at) => routeName(body.routes?.[at] as MockRoute) + whole);
      const details = error.details.map(({ path, message }) => ({ path: nameIn(path), message }));
      throw new ToolError(error.status, error.refusal, details);
    }
  }
}

const routeOfCall = Type.String({ description: 'Id, or "GET /users/:id".' });

export const editMock = tool({
  name: 'mocks_edit',
  verb: 'mocks edit',
  access: 'write',
  description:
    'Edits the working copy of a mock: changes settings (others stay), adds routes or replaces those with the same id, or method and path, and removes routes. Conditions in `rules` of a response: {target: header|query|body|cookie|urlParam, property, operator: equals|contains|regex|exists|…, value}; docs_search explains operators, templates and faults.',
  input: Type.Object({
    mock,
    settings: Type.Optional(named(settingsShape)),
    routes: Type.Optional(
      Type.Unsafe<RouteDraft[]>({
        type: 'array',
        items: { type: 'object' },
        description: `{${ROUTE}}; a response: {${RESPONSE}}, its body text or JSON, its headers a list or {name: value}.`,
      }),
    ),
    remove: Type.Optional(Type.Array(routeOfCall)),
  }),
  run(api, { mock: id, settings, routes: drafts = [], remove = [] }) {
    const [only] = drafts;
    if (only !== undefined && drafts.length === 1 && remove.length === 0 && settings === undefined)
      return putRoute(api, id, asRoute(only));
    return editStaged(api, id, (staged) => {
      const removed = remove.map((wanted) => findRoute(staged.routes, wanted));
      const routes: (MockRoute | ReturnType<typeof asRoute>)[] = staged.routes.filter(
        (each) => !removed.includes(each),
      );
      const said = drafts.map((draft) => {
        const route = asRoute(draft);
        const at = placeOf(routes, route);
        if (at === -1) routes.push(route);
        else routes[at] = { ...route, id: (routes[at] as MockRoute).id };
        return `${at === -1 ? 'added' : 'replaced'} ${route.method} ${route.path}`;
      });
      return {
        ...(settings === undefined ? {} : { settings: { ...staged.settings, ...settings } }),
        routes,
        said: { routes: said, removed: removed.map(readableRoute) },
      };
    });
  },
});

/** Writes this route alone: edits that others make at the same time cannot conflict with it. */
async function putRoute(api: Api, id: string, route: ReturnType<typeof asRoute>): Promise<ToolAnswer> {
  const present = await api.mocks.staged.routes(id);
  const before = present[placeOf(present, route)];
  const { staged } = api.mocks;
  const made = await (before === undefined ? staged.addRoute(id, route) : staged.putRoute(id, before.id, route));
  const said = `${before === undefined ? 'added' : 'replaced'} ${routeName(made)}`;
  return edited({ routes: [said], warnings: api.mocks.warningsOf(made) });
}

function edited(said: object): ToolAnswer {
  return { data: { ...compact(said), next: 'Not served yet: save it with mocks_apply.' }, isRecorded: true };
}

/** @returns The index of the route with its id; without an id, of that with its method and path; -1 for none. */
function placeOf(routes: readonly NamedRoute[], { id, method, path }: NamedRoute): number {
  if (id !== undefined) return routes.findIndex((each) => each.id === id);
  const same = routes.filter((each) => each.method === method && each.path === path);
  return same.length === 0 ? -1 : routes.indexOf(findRoute(same as MockRoute[], `${method} ${path}`) as NamedRoute);
}

interface NamedRoute {
  readonly id?: string;
  readonly method?: string;
  readonly path?: string;
}

const MERGED = Object.keys(mergeShape(DEFAULT_LIMITS.mocks).properties.merge.properties);

export const patchResponses = tool({
  name: 'responses_patch',
  verb: 'responses patch',
  access: 'write',
  description:
    'Changes members of responses, several per call: in the working copy, or with `session` at once in that session only. Each patch: {route: id or "GET /users/:id", status: of the response to change (or `response`: its label or id; without either, all responses of the route), set: members, null removes one; headers by name}. For example set {"status": 503}, {"body": {"id": 7}}, {"latency": 500} or {"fault": {"kind": "reset"}}.',
  input: Type.Object({
    mock,
    session,
    patches: Type.Unsafe<Patch[]>({
      type: 'array',
      items: { type: 'object' },
      description: `Members of \`set\`: {${RESPONSE}}.`,
    }),
  }),
  async run(api, { mock: id, session: sessionId, patches }) {
    for (const patch of patches) checkPatch(patch);
    if (sessionId !== undefined) return patchSession(api, id, sessionId, patches);
    return editStaged(api, id, ({ settings, routes: before }) => {
      const routes = [...before];
      const said = patches.map((patch) => {
        const route = findRoute(routes, patch.route);
        const changed = chosenOf(route, patch);
        const responses = route.responses.map((each) => (changed.includes(each) ? patched(each, patch.set) : each));
        routes[routes.indexOf(route)] = { ...route, responses: responses as MockResponse[] };
        return `${routeName(route)}: ${changed.map(({ status }) => status).join(', ')}`;
      });
      return { settings, routes, said: { changed: said } };
    });
  },
});

interface Patch {
  readonly route: string;
  readonly status?: number;
  readonly response?: string;
  readonly set: JsonObject;
}

const PATCH = new Set(['route', 'status', 'response', 'set']);

function checkPatch({ route, set, ...patch }: Patch): void {
  const unknown = Object.keys(patch).filter((member) => !PATCH.has(member));
  if (unknown.length > 0)
    throw new ToolError(400, `a patch has no ${unknown.join(', ')}: put the changes into \`set\``);
  if (typeof route !== 'string' || !isObject(set)) throw new ToolError(400, 'a patch has `route` and `set`');
}

/** @returns One response, or all of the route where none is named. @throws ToolError where none is meant, or several may be. */
function chosenOf(route: MockRoute, { status, response }: Patch): readonly MockResponse[] {
  const { responses } = route;
  if (status === undefined && response === undefined) return responses;
  const chosen = responses.filter(
    (each) => (status ?? each.status) === each.status && [undefined, each.id, each.label].includes(response),
  );
  if (chosen.length === 1) return chosen;
  const names = (chosen.length === 0 ? responses : chosen).map(({ id, label, status: of }) => `${of} ${label} (${id})`);
  const which = `${routeName(route)} has ${names.join(', ')}`;
  if (chosen.length === 0) throw new ToolError(404, 'Response not found', [{ path: '/patches', message: which }]);
  throw new ToolError(400, `several responses match; name one with \`response\`, its label or id: ${which}`);
}

/** @param set A body in it is a text, or JSON that needs a type only where there is none; headers replace those of their names. */
function patched(response: object, { headers, ...set }: JsonObject): object {
  const text = 'body' in set ? { bodyEncoding: 'text' } : {};
  const changed = Object.entries({ ...response, ...text, ...set }).filter(([, value]) => value !== null);
  const before = (response as Partial<MockResponse>).headers ?? [];
  const lines = isObject(headers) ? mergedHeaders(before, headers) : (headers ?? before);
  return asResponse(Object.fromEntries([...changed, ['headers', lines]]) as ResponseDraft);
}

function mergedHeaders(before: MockResponse['headers'], given: JsonObject): readonly object[] {
  const names = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const lines = Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
  return [...before.filter(({ name }) => !names.has(name.toLowerCase())), ...lines];
}

/** Members that a session merges are set in all responses of a route; others make of one response what it always answers. */
async function patchSession(api: Api, id: string, sessionId: string, patches: readonly Patch[]): Promise<ToolAnswer> {
  const { version } = await api.mocks.get(id);
  const [{ routes }, opened] = await Promise.all([
    api.mocks.version(id, version),
    api.mocks.openSession(id, sessionId),
  ]);
  const { overlay } = await opened.read();
  const responses: Record<string, object> = { ...overlay.responses };
  const said = patches.map((patch) => {
    const route = findRoute(routes, patch.route);
    const chosen = chosenOf(route, patch);
    const before = responses[route.id];
    const merge = before !== undefined && 'merge' in before ? (before.merge as object) : {};
    if (chosen === route.responses && Object.keys(patch.set).every((member) => MERGED.includes(member))) {
      responses[route.id] = { merge: compact(patched(merge, patch.set)) };
      return `${routeName(route)}: all responses`;
    }
    const { id: _id, rules: _rules, ...answer } = chosen[0] as MockResponse;
    responses[route.id] = patched({ ...answer, ...merge }, patch.set);
    return `${routeName(route)}: always this response, based on ${answer.status}`;
  });
  await opened.putOverlay({ ...overlay, responses });
  const note = 'Takes effect now, in this session only.';
  return { data: { changed: said, note }, isRecorded: true };
}
