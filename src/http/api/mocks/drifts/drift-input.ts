/** Input of a drift run: the schema of the body, and the checks that need the mock. */
import type { Static } from 'typebox';
import { jsonPathProblem } from '../../../../drift/json-places.ts';
import { refuse, type Detail, type Refusal } from '../../../../errors.ts';
import { DETAILS_MAX, DRIFT_IGNORE_MAX, DRIFT_REPEAT_MAX } from '../../../../limits.ts';
import { headerLineSchema } from '../../../../model/header-lines.ts';
import type { HeaderEdit, MockDefinition } from '../../../../model/mocks/definition/definition.ts';
import { checkProxy } from '../../../../model/mocks/upstream/proxy.ts';
import { Type } from '../../../../model/schema-type.ts';
import { againstSchema } from '../../../../model/mocks/show/against-schema.ts';

const HEADERS_MAX = 100;
const ROUTES_MAX = 5_000;
const URL_CHARS_MAX = 2_000;
/** Shorter JSONPaths are all that a body needs. */
const PATH_CHARS_MAX = 1_000;

export const driftSchema = Type.Object(
  {
    upstream: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: URL_CHARS_MAX,
        description:
          'URL of the service, http or https, with its base path. Default: the upstream in `settings.proxy`.',
      }),
    ),
    routes: Type.Optional(
      Type.Array(Type.String(), { maxItems: ROUTES_MAX, description: 'Ids of the routes to compare. Default: all.' }),
    ),
    against: Type.Optional(againstSchema),
    unsafe: Type.Optional(
      Type.Boolean({ default: false, description: 'Also sends requests other than GET and HEAD.' }),
    ),
    compare: Type.Optional(
      Type.Enum(['shape', 'values'], {
        default: 'shape',
        description: 'Compares statuses, media types and the shape of JSON bodies, or their values as well.',
      }),
    ),
    ignore: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: PATH_CHARS_MAX }), {
        maxItems: DRIFT_IGNORE_MAX,
        description: 'JSONPaths to ignore.',
      }),
    ),
    repeat: Type.Optional(
      Type.Integer({
        default: 2,
        minimum: 1,
        maximum: DRIFT_REPEAT_MAX,
        description: 'How often to send each request. Values that differ between the responses count as volatile.',
      }),
    ),
    headers: Type.Optional(
      Type.Array(headerLineSchema, {
        maxItems: HEADERS_MAX,
        description:
          'Headers for each request, such as credentials. They replace those of the same name, and are never stored.',
      }),
    ),
    stage: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Stages the response of the service for responses with breaking changes.',
      }),
    ),
  },
  { additionalProperties: false },
);

export type DriftInput = Static<typeof driftSchema>;

interface Target {
  readonly upstream: string;
  /** In place of lines of the request. */
  readonly edits: readonly HeaderEdit[];
}

/** Where a run sends its requests, and what it adds to them. */
export function targetOf(
  { upstream, headers = [], ignore = [], routes = [] }: DriftInput,
  { settings: { proxy }, routes: known }: MockDefinition,
): Target | Refusal {
  const to = upstream ?? proxy?.upstream;
  if (to === undefined) return refuse('mockPayloadInvalid', [NO_UPSTREAM]);
  const details: Detail[] = [];
  const report = (path: string, message: string): void =>
    void details.push({ path: path.replace('/requestHeaders', '/headers'), message });
  checkProxy({ upstream: to, requestHeaders: headers }, [], report);
  for (const [index, path] of ignore.entries()) {
    const problem = jsonPathProblem(path);
    if (problem !== undefined) report(`/ignore/${index}`, `not a JSONPath: ${problem}`);
  }
  const ids = new Set(known.map(({ id }) => id));
  for (const [index, id] of routes.entries())
    if (!ids.has(id)) report(`/routes/${index}`, `the mock has no route with the id ${id}`);
  if (details.length > 0) return refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
  // What is set up for the upstream of the mock may be credentials: no other service gets them.
  const own = upstream === undefined ? (proxy?.requestHeaders ?? []) : [];
  const given = new Set(headers.map(({ name }) => name.toLowerCase()));
  return { upstream: to, edits: [...own.filter(({ name }) => !given.has(name.toLowerCase())), ...headers] };
}

const NO_UPSTREAM = {
  path: '/upstream',
  message: 'is required: the settings of the mock have no proxy, so name the service to compare with',
};
