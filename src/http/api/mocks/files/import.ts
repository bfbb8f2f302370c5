/** Files of other tools become mocks; docs/interchange.md. A thread reads them (sandbox/imports.ts). */
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import { WARNINGS_MAX } from '../../../../limits.ts';
import type { ImportOptions } from '../../../../interchange/format.ts';
import { MOCK_FORMAT_NAMES } from '../../../../interchange/mock-formats.ts';
import { readRecipe, RECIPE_NAMES } from '../../../../interchange/recipes.ts';
import type { MockImport, MockPreview } from '../../../../interchange/import-mocks.ts';
import type { ImportProblem } from '../../../../interchange/reading/open-source.ts';
import { reportSchema } from '../../../../interchange/report/report-schema.ts';
import type { Report } from '../../../../interchange/report/report.ts';
import { importMocks, stageImport } from '../../../../model/mocks/decide/decide-import.ts';
import { RECORDED_PATHS } from '../../../../model/mocks/upstream/replay-schema.ts';
import { CHOSEN_ID, CHOSEN_ID_FORM } from '../../../../model/mocks/mock-id.ts';
import { diffSchema, diffStaged } from '../../../../model/mocks/show/diff.ts';
import { definitionOf, mockSchema } from '../../../../model/mocks/mock.ts';
import { upstreamWarnings } from '../../../../model/mocks/upstream/placed-upstreams.ts';
import { warningsOf } from '../../../../model/mocks/show/warnings.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { Call } from '../../../call.ts';
import { NO_FILE, type Endpoint } from '../../../endpoint.ts';
import { operations } from '../../operation.ts';
import { readDeclaredQuery } from '../../declared-query.ts';
import { FILE_BODY, refuseImport } from '../../import-body.ts';
import { EXAMPLE_FILES } from './examples.ts';
import { withIds } from './report-ids.ts';
import { asStaged, changeMock, mockInput, mockJson, warned, type MocksContext } from '../replies.ts';

const operation = operations('Mocks');

/** The uploaded file and its options. */
interface MocksUpload {
  readonly source: { readonly upload: Buffer; readonly entry: string | undefined };
  readonly options: ImportOptions;
}

/** Has files read in a thread. undefined: it took too long. */
interface ImportThread {
  readonly mocks: (ownerId: string, upload: MocksUpload) => Promise<MockImport | ImportProblem | undefined | Refusal>;
  readonly preview: (
    ownerId: string,
    upload: MocksUpload,
  ) => Promise<MockPreview | ImportProblem | undefined | Refusal>;
}

const readingQuery = {
  format: Type.Optional(
    Type.Enum(['auto', ...MOCK_FORMAT_NAMES], {
      default: 'auto',
      description: 'Format of the file. auto: detects it.',
    }),
  ),
  host: Type.Optional(Type.String({ description: 'HAR: the host to mock. Default: the most frequent.' })),
  validate: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'OpenAPI: refuses requests that lack a required parameter, body or credential.',
    }),
  ),
  faker: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'OpenAPI: generates bodies from schemas as templates with random values.',
    }),
  ),
  crud: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'OpenAPI: binds operations on a list and its items to a store, which starts with the examples.',
    }),
  ),
  latency: Type.Optional(Type.Boolean({ default: false, description: 'HAR: turns recorded times into latencies.' })),
  paths: Type.Optional(
    Type.Enum([...RECORDED_PATHS], {
      default: 'exact',
      description:
        'HAR: which ids in paths become parameters. auto: ids with several values in the same place; ids: all; exact: none.',
    }),
  ),
  parameterise: Type.Optional(Type.Boolean({ default: false, description: 'HAR: like `paths` `ids`.' })),
  distinguishBy: Type.Optional(
    Type.String({
      description: 'HAR: names of request headers, separated by commas, that tell requests apart.',
    }),
  ),
  rewriteUrls: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'HAR, Postman: URLs of the recorded host become those of the mock.',
    }),
  ),
  jsonTemplates: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Escapes values in templates so that JSON bodies stay JSON.',
    }),
  ),
  globalTemplates: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'WireMock: bodies and headers of all stubs are templates, as with --global-response-templating.',
    }),
  ),
  entry: Type.Optional(Type.String({ description: 'For a bundle: path of the entry file.' })),
};

const stagedQuery = Type.Object(readingQuery);

const TWO_FILES = { path: 'recipe', message: 'is a file itself: send no body with it' };

const importQuery = Type.Object({
  ...readingQuery,
  recipe: Type.Optional(
    Type.Enum([...RECIPE_NAMES], { description: 'A recipe that comes with Switchyard, instead of a body.' }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Dry run: returns what the import would create, and stores nothing.' }),
  ),
  start: Type.Optional(Type.Boolean({ default: false, description: 'Starts the mock at once.' })),
  id: Type.Optional(
    Type.String({
      pattern: CHOSEN_ID.source,
      description: `Id of the mock, if the file makes only one: ${CHOSEN_ID_FORM}. Generated when absent.`,
    }),
  ),
  name: Type.Optional(Type.String({ description: 'Name of the mock. Default: the title in the file.' })),
  fileName: Type.Optional(
    Type.String({ description: 'Name of the file or folder: names a mock whose content has no title.' }),
  ),
});

type ImportInput =
  | ({ readonly start: boolean; readonly id: string | undefined } & MockImport)
  | ({ readonly start?: undefined } & MockPreview);

export function mockImportApi(context: MocksContext, thread: ImportThread): Endpoint[] {
  return [
    operation<ImportInput>('importMocks', 'POST /v1/mocks/import', {
      summary: 'Import mocks from a file of another tool, with a report of what is lost',
      query: importQuery,
      warned: Type.Object({
        mocks: Type.Optional(Type.Array(mockSchema)),
        definitions: Type.Optional(Type.Array(Type.Unknown(), { description: 'True for a dry run.' })),
        report: reportSchema,
      }),
      untagged: true,
      repeatable: true,
      refuses: ['mockIdTaken'],
      body: {
        ...FILE_BODY,
        optional: true,
        examples: EXAMPLE_FILES,
        async read(bytes, call) {
          const query = readDeclaredQuery(call.head.query, importQuery);
          if (isRefusal(query)) return query;
          const { recipe, ...reading } = query;
          if ((recipe === undefined) === (bytes.length === 0)) {
            return refuse('importInvalid', [recipe === undefined ? NO_FILE : TWO_FILES]);
          }
          const upload = uploadOf(recipe === undefined ? bytes : Buffer.from(await readRecipe(recipe)), reading);
          call.releaseBody();
          const { ownerId } = call.caller;
          if (query.dryRun === true) return refusedOr(await thread.preview(ownerId, upload));
          const found = refusedOr(await thread.mocks(ownerId, upload));
          return isRefusal(found) ? found : { ...found, start: query.start === true, id: query.id };
        },
      },
      handle(call, imported) {
        if (!isRefusal(imported) && imported.start === undefined) return replyPreview(call, imported);
        const report = isRefusal(imported) ? undefined : JSON.stringify(imported.report);
        return changeMock(context, call, {
          command: importMocks,
          input: { imported },
          publishes: true,
          represent(mocks, ownerId, urlsOf) {
            const [mockId = '', ...otherIds] = mocks.map(({ id }) => id);
            const records = mocks.map((mock) => mockJson(mock, ownerId, urlsOf)).join();
            const warnings = mocks
              .flatMap(({ saved }) => {
                const definition = definitionOf(saved);
                return [...upstreamWarnings(definition, context.upstreamRefusal), ...warningsOf(definition)];
              })
              .slice(0, WARNINGS_MAX);
            const data = `{"mocks":[${records}],"report":${report}}`;
            return { mockId, otherIds, data, warnings: JSON.stringify(warnings) };
          },
        });
      },
    }),
    operation<MockImport>('importStaged', 'PUT /v1/mocks/:id/staged/import', {
      summary: 'Replace the working copy with a file; routes of the same method and path keep their ids',
      query: stagedQuery,
      warned: Type.Object({ report: reportSchema, diff: diffSchema }),
      conditional: true,
      body: {
        ...FILE_BODY,
        async read(bytes, call) {
          const query = readDeclaredQuery(call.head.query, stagedQuery);
          if (isRefusal(query)) return query;
          const upload = uploadOf(bytes, query);
          call.releaseBody();
          return refusedOr(await thread.mocks(call.caller.ownerId, upload));
        },
      },
      handle(call, read) {
        const imported = isRefusal(read) ? read : read.mocks;
        const report = isRefusal(read) ? undefined : read.report;
        return changeMock(context, call, {
          command: stageImport,
          input: { ...mockInput(call), imported },
          represent({ mock, renamed }) {
            const data = { report: report && withIds(report, renamed), diff: diffStaged(mock) };
            const others = upstreamWarnings(definitionOf(mock.staged), context.upstreamRefusal);
            return warned(asStaged(mock, data), mock.staged, undefined, others);
          },
        });
      },
    }),
  ];
}

type ReadingQuery = { readonly [Name in keyof typeof readingQuery]?: string | boolean } & {
  readonly name?: string;
  readonly fileName?: string;
};

const OPTIONS: ReadonlySet<string> = new Set(
  'name fileName format host validate faker crud latency paths parameterise distinguishBy rewriteUrls jsonTemplates globalTemplates'.split(
    ' ',
  ),
);

/** The bytes are copied: they are only valid during the call. */
function uploadOf(bytes: Buffer, { entry, ...query }: ReadingQuery): MocksUpload {
  const options = Object.fromEntries(
    Object.entries(query).filter(
      ([name, value]) => OPTIONS.has(name) && value !== '' && !(name === 'format' && value === 'auto'),
    ),
  );
  const { distinguishBy = '', ...others } = options;
  const names = String(distinguishBy)
    .split(',')
    .flatMap((name) => name.trim() || []);
  const read = names.length === 0 ? others : { ...others, distinguishBy: names };
  return { source: { upload: Buffer.from(bytes), entry: entry as string | undefined }, options: read };
}

function refusedOr<Found extends object>(found: Found | ImportProblem | undefined | Refusal): Found | Refusal {
  if (isRefusal(found)) return found;
  return found === undefined || 'details' in found ? refuseImport(found) : found;
}

function replyPreview(call: Call, { definitions, report }: { definitions: Buffer; report: Report }): void {
  const parts = [
    Buffer.from('{"success":true,"data":{"definitions":'),
    definitions,
    Buffer.from(`,"report":${JSON.stringify(report)}},"warnings":[]}`),
  ];
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  call.answer(bytes, () => call.sendJson(Buffer.concat(parts)), 1);
}
