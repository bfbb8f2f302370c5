/** Mocks: which there are, what one has, how one is made, and what it would answer. */
import type { ImportedMocks, MockInput, NamedReadOptions, ReadOptions, TryInput } from '../../client/shapes.ts';
import { settingsOf } from '../../interchange/formats/switchyard.ts';
import { MOCK_EXPORT_NAMES, MOCK_FORMAT_NAMES } from '../../interchange/mock-formats.ts';
import { RECIPE_NAMES } from '../../interchange/recipes.ts';
import { settingsShape } from '../../model/mocks/definition/schema.ts';
import { proposeRoute } from '../../model/mocks/propose-route.ts';
import { briefReport } from '../../interchange/report/brief-report.ts';
import { MOCK_STATES } from '../../model/mocks/show/list-mocks.ts';
import { Type } from '../../model/schema-type.ts';
import { ANSWER_BYTES_MAX, compact, pageOf, terse, type ToolAnswer } from '../answer.ts';
import { ToolError } from '../tool-error.ts';
import {
  asRoute,
  briefly,
  factsOf,
  findRoute,
  listedRoute,
  readableRoute,
  routeName,
  type RouteDraft,
} from './mock-texts.ts';
import { mock, named, offset, session, tool, trafficOf, type Api } from './tool.ts';
import { askedAgain } from './traffic.ts';
import { targetOf, withoutSecrets } from './without-secrets.ts';

const PAGE = 30;

export const listMocks = tool({
  name: 'mocks_list',
  verb: 'mocks list',
  access: 'read',
  description: 'Lists mock servers with ids, addresses and state. Start here: other tools take the id of a mock.',
  input: Type.Object({
    q: Type.Optional(Type.String({ description: 'Part of name or description.' })),
    state: Type.Optional(Type.Enum([...MOCK_STATES])),
    offset,
  }),
  async run(api, { offset: from = 0, ...filters }) {
    const { records, total } = await api.mocks.list({ ...filters, offset: from, pageSize: PAGE });
    return { data: pageOf('mocks', records.map(factsOf), from, total) };
  },
});

const WHAT = ['routes', 'diff', 'file', 'sessions', 'versions'] as const;
/** Bound of a file, as a text in JSON. */
export const FILE_BYTES_MAX = ANSWER_BYTES_MAX - 5_000;

const copy = (description: string) => Type.Optional(Type.String({ description }));

interface ReadInput {
  readonly mock: string;
  readonly copy?: string;
  readonly from?: string;
  readonly q?: string;
  readonly session?: string;
  readonly format?: (typeof MOCK_EXPORT_NAMES)[number];
  readonly offset?: number;
}

export const readMock = tool({
  name: 'mocks_read',
  verb: 'mocks read',
  access: 'read',
  description:
    'Reads a mock: state, settings, counts, and its routes with their statuses; with `route` one route completely. Or `what`: "diff" (what a save would change, with warnings of likely mistakes), "file" (the mock as a file), "sessions" (with counts; `session` for one) or "versions".',
  input: Type.Object({
    mock,
    what: Type.Optional(Type.Enum([...WHAT])),
    route: Type.Optional(Type.String({ description: 'Id, or "GET /users/:id".' })),
    copy: copy('"staged": the working copy (default); "saved": the served version; or a version number.'),
    from: copy('For a diff: the copy to compare with. Default: "saved".'),
    q: Type.Optional(Type.String({ description: 'Only routes with this text in "METHOD /path".' })),
    session,
    format: Type.Optional(Type.Enum([...MOCK_EXPORT_NAMES], { description: 'Format of the file.' })),
    offset,
  }),
  async run(api, { what = 'routes', route, ...input }) {
    if (route === undefined) return { data: await READERS[what](api, input), isRecorded: true };
    const { routes } = await definitionOf(api, input.mock, input.copy);
    return { data: readableRoute(findRoute(routes, route)), isRecorded: true };
  },
});

const READERS: Readonly<Record<(typeof WHAT)[number], (api: Api, input: ReadInput) => Promise<object>>> = {
  async routes(api, { mock: id, copy: name, q = '', offset: from = 0 }) {
    const [record, counts, { settings, routes }] = await Promise.all([
      api.mocks.get(id),
      api.mocks.counts(id, { sessions: true }),
      definitionOf(api, id, name),
    ]);
    const wanted = routes.filter((each) => routeName(each).toLowerCase().includes(q.toLowerCase()));
    const items = wanted.slice(from).map((each) => ({ id: each.id, ...listedRoute(each) }));
    const { total, unmatched, statuses } = counts;
    const requests = terse({ total, unmatched, statuses });
    const { description } = record;
    return {
      ...factsOf(record),
      ...compact({ description, ...settingsOf(settings), requests }),
      ...pageOf('routes', items, from, wanted.length),
    };
  },
  async diff(api, { mock: id, copy: to = 'staged', from = 'saved' }) {
    return briefly(await api.mocks.diff(id, { from: copyOf(from), to: copyOf(to) }));
  },
  async file(api, { mock: id, copy: name = 'saved', format }) {
    if (name !== 'saved' && name !== 'staged') throw new ToolError(400, 'a file can only be of "saved" or "staged"');
    const { file, report } = await api.mocks.export(id, { from: name, ...(format === undefined ? {} : { format }) });
    const bytes = Buffer.byteLength(JSON.stringify(file));
    if (bytes <= FILE_BYTES_MAX) return { file, ...briefReport(report) };
    const todo = `run \`switchyard export ${id}\`, or read its routes one by one`;
    throw new ToolError(413, `the file has ${bytes} bytes, which is too large for an answer: ${todo}`);
  },
  async sessions(api, { mock: id, session: sessionId, offset: from = 0 }) {
    if (sessionId !== undefined) {
      const { record } = await api.mocks.openSession(id, sessionId);
      return compact({ ...record, counts: terse(await trafficOf(api, id, sessionId).counts()) });
    }
    const { records, total } = await api.mocks.sessions(id, { offset: from, pageSize: PAGE });
    const items = records.map(({ id: each, label, total: requests, unmatched, expiresAt, seed }) =>
      compact({ id: each, label, total: requests, unmatched, expiresAt: new Date(expiresAt).toISOString(), seed }),
    );
    return pageOf('sessions', items, from, total);
  },
  async versions(api, { mock: id, offset: from = 0 }) {
    const versions = await api.mocks.versions(id);
    const items = versions
      .slice(from)
      .map(({ savedAt, ...each }) => ({ ...each, savedAt: new Date(savedAt).toISOString() }));
    return pageOf('versions', items, from, versions.length);
  },
};

/** A number, or a name that the API knows. */
function copyOf(name: string): number | 'saved' | 'staged' {
  return /^\d+$/.test(name) ? Number(name) : (name as 'saved');
}

async function definitionOf(api: Api, id: string, name = 'staged') {
  if (name === 'staged') return api.mocks.staged.get(id);
  return api.mocks.version(id, name === 'saved' ? (await api.mocks.get(id)).version : Number(name));
}

/** Members of the input of mocks_create, by what the mock is made of. */
const READ_OPTIONS = ['format', 'faker', 'crud', 'validate'] as const;
const TAKEN = {
  file: ['content', 'path', ...READ_OPTIONS, 'id', 'name', 'preview'],
  'file for `into`': ['content', 'path', ...READ_OPTIONS, 'into'],
  recipe: ['recipe', 'id', 'name'],
  'mock without a file': ['name', 'id', 'description', 'settings', 'routes'],
};
const ROUTES_SHOWN = 50;

export const createMock = tool({
  name: 'mocks_create',
  verb: 'mocks create',
  access: 'write',
  description:
    'Creates a stopped mock from a file (`content` or `path`: OpenAPI, HAR, Postman, Mockoon, WireMock, mountebank, MockServer, db.json, Switchyard), from a `recipe`, or from `name` and `routes`. Returns its routes, and the parts of the file that are not exact. `into` replaces the working copy of a mock with a file. `preview` stores nothing. Then use responses_patch or mocks_edit, and mocks_apply.',
  input: Type.Object({
    content: Type.Optional(Type.String({ description: 'Text of the file, JSON or YAML.' })),
    path: Type.Optional(
      Type.String({ description: 'Over stdio, instead of `content`: a file in the folder that the client runs in.' }),
    ),
    recipe: Type.Optional(Type.Enum([...RECIPE_NAMES], { description: 'A recipe that comes with Switchyard.' })),
    name: Type.Optional(Type.String()),
    id: Type.Optional(Type.String({ description: 'Part of the URL: a-z, then at most 20 of a-z and 0-9.' })),
    description: Type.Optional(Type.String()),
    routes: Type.Optional(
      Type.Unsafe<RouteDraft[]>({ type: 'array', items: { type: 'object' }, description: 'Like those of mocks_edit.' }),
    ),
    settings: Type.Optional(named(settingsShape)),
    format: Type.Optional(Type.Enum(['auto', ...MOCK_FORMAT_NAMES])),
    into: Type.Optional(Type.String({ description: 'Id of a mock.' })),
    faker: Type.Optional(Type.Boolean({ description: 'OpenAPI: generates random values from the schemas.' })),
    crud: Type.Optional(Type.Boolean({ description: 'OpenAPI: GET returns what was posted.' })),
    validate: Type.Optional(
      Type.Boolean({ description: 'OpenAPI: refuses requests without a required parameter, body or credential.' }),
    ),
    preview: Type.Optional(Type.Boolean()),
  }),
  async run(api, given) {
    const { content, path, recipe, into, name, id, description, routes = [], settings, preview, ...read } = given;
    const isFile = content !== undefined || path !== undefined;
    const source =
      into !== undefined
        ? 'file for `into`'
        : isFile
          ? 'file'
          : recipe === undefined
            ? 'mock without a file'
            : 'recipe';
    const others = Object.keys(given).filter((member) => !TAKEN[source].includes(member));
    if (others.length > 0) throw new ToolError(400, `a ${source} takes no ${others.join(', ')}`);
    if (content === undefined && path !== undefined)
      throw new ToolError(400, '`path` works only over stdio: send `content`');
    const names = { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) };
    if (recipe !== undefined) return madeAnswer(api, await api.mocks.importRecipe(recipe, names));
    if (content === undefined) {
      if (into !== undefined || name === undefined)
        throw new ToolError(400, into === undefined ? 'give `content`, `recipe` or `name`' : '`content` is missing');
      const optional = {
        ...(description === undefined ? {} : { description }),
        ...(settings === undefined ? {} : { settings }),
      };
      const record = await api.mocks.create({ id, name, ...optional, routes: routes.map(asRoute) } as MockInput);
      return madeAnswer(api, { mocks: [record] }, { warnings: api.mocks.warningsOf(record) });
    }
    if (into !== undefined) {
      const { diff, report } = await api.mocks.staged.import(into, content, read as ReadOptions);
      const next = 'Not served yet: save it with mocks_apply.';
      return { data: { staged: briefly(diff), ...briefReport(report), next }, isRecorded: true };
    }
    const options = { ...read, ...names } as NamedReadOptions;
    if (preview !== true) return madeAnswer(api, await api.mocks.import(content, options));
    const { definitions, report } = await api.mocks.previewImport(content, options);
    const outlines = definitions.map((each) => ({ name: each.name, ...routesOf(each.routes) }));
    return { data: { preview: outlines, ...briefReport(report) }, isRecorded: true };
  },
});

async function madeAnswer(
  api: Api,
  { mocks, report }: Pick<ImportedMocks, 'mocks'> & Partial<ImportedMocks>,
  more: object = {},
): Promise<ToolAnswer> {
  const made = mocks.map(async (record) => ({
    ...factsOf(record),
    ...routesOf(await api.mocks.staged.routes(record.id)),
  }));
  const next = 'It answers 503 until you start it with mocks_apply.';
  const rest = { ...(report === undefined ? {} : briefReport(report)), ...compact(more), next };
  return { data: { mocks: await Promise.all(made), ...rest }, isRecorded: true };
}

function routesOf(routes: readonly Parameters<typeof listedRoute>[0][]): object {
  const shown = routes
    .slice(0, ROUTES_SHOWN)
    .map((each) => `${routeName(each)}: ${each.responses.map(({ status }) => status).join(', ')}`);
  return { routeCount: routes.length, routes: shown };
}

export const tryRequest = tool({
  name: 'mocks_try',
  verb: 'mocks try',
  access: 'read',
  description:
    'Dry run: what a mock would answer to a request, which response and why; on a miss the closest routes, why they do not match, and the path of a route that would. Use it to check edits before a save; with `request` it explains a recorded request.',
  input: Type.Object({
    mock,
    session,
    request: Type.Optional(Type.String({ description: 'Id of a recorded request, instead of method and path.' })),
    method: Type.Optional(Type.String({ maxLength: 32, description: 'GET by default.' })),
    path: Type.Optional(Type.String({ description: 'Path with query.' })),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({ type: 'object', description: 'Header values by name.' }),
    ),
    body: Type.Optional(Type.String()),
    against: copy('Like `copy` of mocks_read.'),
  }),
  async run(api, { mock: id, session: sessionId, request, against = 'staged', method = 'GET', path, ...content }) {
    const traffic = trafficOf(api, id, sessionId);
    if (request === undefined && !path?.startsWith('/'))
      throw new ToolError(400, 'give `method` and `path`, which starts with /, or the id of a recorded `request`');
    const asked: TryInput =
      request === undefined ? { method, path: path as string, ...content } : askedAgain(await traffic.request(request));
    const answer = await traffic.try({ ...asked, against: copyOf(against) });
    const { response, route, chosen, explanation, ...others } = answer;
    // Candidates without conditions say nothing that the reason does not.
    const { candidates = [], ...why } = withoutSecrets(explanation) as {
      candidates?: readonly { rules?: readonly unknown[] }[];
    };
    const telling = response === null ? candidates : candidates.filter(({ rules = [] }) => rules.length > 0);
    const { pathname } = new URL(asked.path, 'http://mock');
    return {
      data: {
        request: `${asked.method} ${targetOf(asked.path)}`,
        ...(against === 'staged' ? {} : { against }),
        response: response && { ...response, headers: response.headers.map(({ name, value }) => `${name}: ${value}`) },
        ...terse({ route, chosen, ...others, why: { ...why, candidates: telling } }),
        ...(route === null ? { wouldAnswer: proposeRoute({ method: asked.method, path: pathname }) } : {}),
      },
      isRecorded: true,
    };
  },
});
