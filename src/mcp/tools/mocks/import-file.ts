/** Files of other tools become mocks, or working copies. */
import type { ImportedMocks, ImportPreview, StagedImport } from '../../../client/shapes.ts';
import { MOCK_FORMAT_NAMES } from '../../../interchange/mock-formats.ts';
import { RECIPE_NAMES } from '../../../interchange/recipes.ts';
import type { Report } from '../../../interchange/report/report.ts';
import { Type } from '../../../model/schema-type.ts';
import { ToolError } from '../../tool-error.ts';
import { tool } from '../tool.ts';
import { briefly, factsOf } from './mock-facts.ts';

const ROUTES_SHOWN = 50;
const ENTRIES_SHOWN = 30;

export const importFile = tool({
  name: 'mocks_import',
  verb: 'import',
  hasOwnCommand: true,
  access: 'write',
  description:
    'Makes a stopped mock of a file (OpenAPI, HAR, Postman, Mockoon, WireMock, mountebank, MockServer, db.json), with a report of what could not be carried over; or replaces the working copy `into` of a mock. `preview` stores nothing.',
  input: Type.Object({
    content: Type.Optional(Type.String({ description: 'The text of the file, JSON or YAML.' })),
    path: Type.Optional(
      Type.String({
        description: 'Instead of `content`, over stdio: a file below the folder that the client runs in.',
      }),
    ),
    recipe: Type.Optional(Type.Enum([...RECIPE_NAMES], { description: 'Instead of a file: a mock that is there.' })),
    format: Type.Optional(Type.Enum(['auto', ...MOCK_FORMAT_NAMES])),
    into: Type.Optional(Type.String({ description: 'Id of a mock whose working copy is replaced.' })),
    id: Type.Optional(Type.String({ description: 'Of the new mock, as of mocks_create.' })),
    name: Type.Optional(Type.String()),
    faker: Type.Optional(Type.Boolean({ description: 'OpenAPI: made-up values from the schemas.' })),
    crud: Type.Optional(Type.Boolean({ description: 'OpenAPI: what is posted comes back by GET.' })),
    validate: Type.Optional(Type.Boolean({ description: 'OpenAPI: refuse requests without what is required.' })),
    preview: Type.Optional(Type.Boolean()),
  }),
  async run(api, { content, path, recipe, into, id, name, preview = false, ...query }) {
    if (recipe !== undefined && into !== undefined) throw new ToolError(400, '`recipe` is of a new mock');
    if (content === undefined && recipe === undefined) {
      throw new ToolError(
        400,
        path === undefined ? '`content` is missing' : '`path` is read over stdio alone: send `content`',
      );
    }
    const file = content === undefined ? {} : { file: content };
    if (into !== undefined) {
      if (preview)
        throw new ToolError(
          400,
          '`preview` is of a new mock: an import `into` a working copy serves nothing, and mocks_discard undoes it',
        );
      const { data } = await api.send<StagedImport>('PUT', ['mocks', into, 'staged', 'import'], {
        ...file,
        query,
      });
      const next = 'Nothing served has changed: mocks_save serves it.';
      return { isRecorded: true, data: { staged: briefly(data.diff), report: brief(data.report), next } };
    }
    const options = { ...file, query: { ...query, recipe, id, name, dryRun: preview } };
    const { data } = await api.send<ImportedMocks | ImportPreview>('POST', ['mocks', 'import'], options);
    if ('definitions' in data) {
      return { isRecorded: true, data: { preview: data.definitions.map(outlineOf), report: brief(data.report) } };
    }
    const next = 'It answers 503 until mocks_run starts it.';
    return { isRecorded: true, data: { mocks: data.mocks.map(factsOf), report: brief(data.report), next } };
  },
});

function outlineOf({ name, routes }: ImportPreview['definitions'][number]): object {
  const shown = routes.slice(0, ROUTES_SHOWN).map(({ method, path }) => `${method} ${path}`);
  return { name, routeCount: routes.length, routes: shown };
}

function brief({ entries, ...report }: Report): object {
  return { ...report, entries: entries.slice(0, ENTRIES_SHOWN), entryCount: entries.length };
}
