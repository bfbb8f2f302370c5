/**
 * OpenAPI 3.1 of the API, made of the routes and the TypeBox schemas that the server itself checks requests with.
 *
 * TypeBox schemas are JSON Schema 2020-12, which OpenAPI 3.1 takes as they are.
 */
import type { TSchema } from 'typebox';
import { REFUSALS, type RefusalKind } from '../errors.ts';
import { formatTitles } from '../interchange/mock-formats.ts';
import { Type } from '../model/schema-type.ts';
import type { Endpoint, EndpointBody, EndpointDoc } from './endpoint.ts';

export const OPENAPI_PATH = '/v1/openapi.json';

const DESCRIPTION = `A self-hosted service for tests and development:

- **Rules** say how requests of a client are to be changed: redirected, blocked, delayed, their headers, query or bodies replaced. **Groups** organise them. The service stores both, and evaluates on request what they would do; clients apply them.
- **Mocks** are servers made of routes and responses. They answer on a port of their own: by rules on the request, in sequence or at random, with templates and latency. A mock is edited in a working copy and served from its saved version. It can be made of a file of ${formatTitles()}, with a report of what is lost and what to do instead.
- **Traffic** is what a mock was asked: listed, counted, followed live, and verified against what a test expects.
- The **history** says who changed what, and when.

Every request carries a key in the header \`x-api-key\`; it belongs to one owner, whose records it opens. Answers are JSON: \`{"success": true, "data": …}\`, or \`{"success": false, "message": …, "details": […]}\`, of which \`details\` name each mistake and its place. Beta.`;

const TAGS = [
  {
    name: 'Rules',
    description: 'Rules that change the requests of a client. Nine types, each with its own form of pairs.',
  },
  { name: 'Groups', description: 'Groups organise rules, by `groupId`.' },
  {
    name: 'Gateway',
    description: 'The gateway applies rules to live requests: exchanges, counts, sessions and settings.',
  },
  {
    name: 'Mocks',
    description: 'Mock servers: records, working copies, saved versions and dry runs.',
  },
  {
    name: 'Sessions',
    description:
      'A session gives each test its own view of a running mock: responses, sequences, states, seed and traffic.',
  },
  { name: 'Traffic', description: 'Requests that a mock received: listed, counted, followed live and verified.' },
  { name: 'Drift', description: 'Drift runs compare a mock with the real service and report differences.' },
  {
    name: 'WireMock',
    description:
      'The admin interface of WireMock, for suites that use it. Paths, bodies and answers are those of WireMock, not described here. The key may also be sent as `Authorization: Bearer` or as the password of `Basic`; the secret of a session in the path replaces it.',
  },
  { name: 'History', description: 'Who changed what, and when. For editors.' },
  { name: 'Account', description: 'The key of the request: its owner, its role and the limits.' },
  { name: 'Operations', description: 'For operators: version, liveness and readiness.' },
];

/** Refusals that any route with a key can answer. */
const ALWAYS: readonly RefusalKind[] = [
  'malformedRequest',
  'unauthorized',
  'tooManyRequests',
  'overloaded',
  'serverError',
];
/** Refusals that any route that writes can answer. */
const WRITING: readonly RefusalKind[] = ['storageFull'];
/** Refusals that any route with a body can answer. */
const WITH_BODY: readonly RefusalKind[] = ['payloadTooLarge', 'unsupportedMediaType'];

const HEADER_TEXTS = {
  'If-Match': 'Entity tags (`ETag`), one of which must match the record, or `*`. Otherwise 412.',
  'If-None-Match':
    'Entity tags (`ETag`) that the client has cached. When the current one is among them: 304, without a body.',
  'Idempotency-Key':
    'A repeated request with the same key and body within 24 hours gets the first answer and has no second effect.',
  'Last-Event-ID':
    'The `id` of the last event that the client received: the stream resumes after it. Takes precedence over `after`.',
} as const;

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'Created by `switchyard keys create`; the first start prints one.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same key, as a bearer token.' },
  basic: { type: 'http', scheme: 'basic', description: 'The same key, as the password. The user is ignored.' },
};

const envelopeRefused = Type.Object(
  {
    success: Type.Literal(false),
    message: Type.String(),
    details: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
        description: 'The mistakes, with their places.',
      }),
    ),
    expired: Type.Optional(Type.Literal(true, { description: 'True for a session that has expired.' })),
  },
  { description: 'The body of every error.' },
);

export function openApiDocument(routes: readonly Endpoint[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.doc === undefined) continue;
    const at = (paths[namedRest(route.path).replace(/:(\w+)/g, '{$1}')] ??= {});
    at[route.method.toLowerCase()] = operation(route, route.doc);
  }
  const schemas: Record<string, unknown> = { Refused: envelopeRefused };
  const named = namedSchemas(paths, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      description: DESCRIPTION,
    },
    tags: TAGS.filter(({ name }) => routes.some(({ doc }) => doc?.tag === name)),
    security: [{ apiKey: [] }],
    paths: named,
    components: { securitySchemes: SECURITY_SCHEMES, schemas },
  };
}

/** OpenAPI has no sign for the rest of a path: it is a parameter. */
function namedRest(path: string): string {
  return path.replace(/\*$/, ':rest');
}

/**
 * A copy with a reference to components in place of every schema that has a title, which is added to them: "Delay pair" as DelayPair.
 * Pages and generated clients then have a name for it. Its description stays beside the reference, too: what a member is for can be read
 * where it stands.
 */
function namedSchemas(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => namedSchemas(each, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(
    // The content of an example is not a schema.
    Object.entries(value).map(([name, each]) => [name, name === 'examples' ? each : namedSchemas(each, schemas)]),
  );
  if (typeof copy.title !== 'string') return copy;
  const name = copy.title.replaceAll(/ (\w)/g, (_blank, letter: string) => letter.toUpperCase());
  schemas[name] = copy;
  const { description } = copy;
  return { $ref: `#/components/schemas/${name}`, ...(typeof description === 'string' ? { description } : {}) };
}

function operation(route: Endpoint, doc: EndpointDoc): object {
  const { path, body } = route;
  return {
    operationId: doc.operationId,
    tags: [doc.tag],
    summary: doc.summary,
    ...securityOf(route),
    parameters: [...pathParameters(path, doc), ...queryParameters(doc), ...headerParameters(doc)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.optional !== true,
            content: {
              'application/json': { schema: body.schema, ...exampleValues(body) },
              ...(body.anyMediaType && doc.product === undefined
                ? { 'application/yaml': { schema: Type.String() } }
                : {}),
            },
          },
        }),
    responses: doc.product === undefined ? responsesOf(route, doc) : responsesOfProduct(doc.product),
  };
}

/** Absent where the key is sent as everywhere. */
function securityOf({ access, takesBearer, takesBasic, callerByPath }: Endpoint): { security?: readonly object[] } {
  if (access === 'public') return { security: [] };
  const others = [...(takesBearer ? [{ bearer: [] }] : []), ...(takesBasic ? [{ basic: [] }] : [])];
  return others.length === 0 ? {} : { security: [{ apiKey: [] }, ...others, ...(callerByPath ? [{}] : [])] };
}

function responsesOf({ access, body }: Endpoint, doc: EndpointDoc): object {
  const keyed = access !== 'public';
  const writing = access === 'write' || access === 'admin' ? WRITING : [];
  const refusals = keyed ? [...ALWAYS, ...writing, ...(body ? WITH_BODY : []), ...doc.refusals] : doc.refusals;
  return {
    200: {
      description: 'Success',
      ...tagHeader(keyed, doc),
      content:
        doc.contentType === undefined
          ? { 'application/json': { schema: successSchema(doc.answer) } }
          : { [doc.contentType]: { schema: Type.String() } },
    },
    ...(doc.headers?.includes('If-None-Match')
      ? { 304: { description: 'Not modified: the client has the current version.' } }
      : {}),
    ...refusalResponses(refusals),
  };
}

function responsesOfProduct(product: string): object {
  return {
    200: { description: `As ${product} answers`, content: { 'application/json': {} } },
    default: { description: `As ${product} refuses`, content: { 'application/json': {} } },
  };
}

function successSchema(answer: EndpointDoc['answer']): TSchema {
  return Type.Object({ success: Type.Literal(true), ...answer.properties });
}

function exampleValues({ examples }: EndpointBody<unknown>): object {
  if (examples === undefined) return {};
  return { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) };
}

function tagHeader(keyed: boolean, doc: EndpointDoc): object {
  const header = doc.headers?.includes('If-None-Match') ? 'If-None-Match' : 'If-Match';
  if (header === 'If-Match' && !(keyed && isTagged(doc))) return {};
  return { headers: { ETag: { schema: Type.String(), description: `For \`${header}\`.` } } };
}

/** Whether the answer is sent with an entity tag: one record is, unless it says otherwise. */
function isTagged({ answer, tagged, untagged }: EndpointDoc): boolean {
  if (tagged) return true;
  return untagged !== true && answer.properties.data !== undefined && 'properties' in answer.properties.data;
}

function pathParameters(path: string, { params }: EndpointDoc): object[] {
  return [...namedRest(path).matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: Type.String(),
    description: params?.[name],
  }));
}

function queryParameters({ query }: EndpointDoc): object[] {
  return Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    description: (schema as { description?: string }).description,
    schema,
  }));
}

function headerParameters({ headers = [] }: EndpointDoc): object[] {
  return headers.map((name) => ({
    name,
    in: 'header',
    required: false,
    schema: Type.String(),
    description: HEADER_TEXTS[name],
  }));
}

/** Groups refusals into one response per status, which lists its possible messages. */
function refusalResponses(kinds: readonly RefusalKind[]): Record<number, object> {
  const messages = new Map<number, Set<string>>();
  for (const kind of kinds) {
    const { status, message } = REFUSALS[kind];
    const known = messages.get(status);
    if (known === undefined) messages.set(status, new Set([message]));
    else known.add(message);
  }
  return Object.fromEntries(
    [...messages].map(([status, texts]) => [
      status,
      {
        description: [...texts].map((text) => `\`${text}\``).join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refused' } } },
      },
    ]),
  );
}
