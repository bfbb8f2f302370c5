/**
 * OpenAPI 3.1 of the API, made of the routes and the TypeBox schemas that the server itself checks requests with.
 *
 * TypeBox schemas are JSON Schema 2020-12, which OpenAPI 3.1 takes as they are.
 */
import type { TSchema } from 'typebox';
import { REFUSALS, type RefusalKind } from '../errors.ts';
import { Type } from '../model/schema-type.ts';
import type { Access, Endpoint, EndpointDoc } from './endpoint.ts';

export const OPENAPI_PATH = '/v1/openapi.json';

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
  'If-Match': "Entity tags (`ETag`) of which one must be the record's, or `*`. Otherwise 412.",
  'Idempotency-Key':
    'Repetitions with the same key and body within 24 hours get the first answer, without a second effect.',
} as const;

const envelopeRefused = Type.Object(
  {
    success: Type.Literal(false),
    message: Type.String(),
    details: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
        description: 'What is wrong, and where.',
      }),
    ),
  },
  { description: 'Every answer that is no success.' },
);

export function openApiDocument(routes: readonly Endpoint[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path, access, doc } of routes) {
    if (doc === undefined) continue;
    const at = (paths[path.replace(/:(\w+)/g, '{$1}')] ??= {});
    at[method.toLowerCase()] = operation(path, access, doc);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version,
      description: 'Stores traffic-modification rules and the groups that organise them. Beta.',
    },
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
      schemas: { Refused: envelopeRefused },
    },
  };
}

function operation(path: string, access: Access, doc: EndpointDoc): object {
  const keyed = access !== 'public';
  const writing = access === 'write' ? WRITING : [];
  const refusals = keyed ? [...ALWAYS, ...writing, ...(doc.body ? WITH_BODY : []), ...doc.refusals] : doc.refusals;
  return {
    operationId: doc.operationId,
    tags: [doc.tag],
    summary: doc.summary,
    ...(keyed ? {} : { security: [] }),
    parameters: [...pathParameters(path), ...queryParameters(doc), ...headerParameters(doc)],
    ...(doc.body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { 'application/json': { schema: doc.body, ...exampleValues(doc) } } },
        }),
    responses: {
      200: {
        description: 'Success',
        ...(isRecord(doc) ? { headers: { ETag: { schema: Type.String(), description: 'For `If-Match`.' } } } : {}),
        content:
          doc.contentType === undefined
            ? { 'application/json': { schema: successSchema(doc.answer) } }
            : { [doc.contentType]: { schema: Type.String() } },
      },
      ...refusalResponses(refusals),
    },
  };
}

function successSchema(answer: EndpointDoc['answer']): TSchema {
  return Type.Object({ success: Type.Literal(true), ...answer.properties });
}

function exampleValues({ examples }: EndpointDoc): object {
  if (examples === undefined) return {};
  return { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) };
}

/** Whether the answer is one record, which has an entity tag. */
function isRecord({ answer }: EndpointDoc): boolean {
  return answer.properties.data !== undefined && 'properties' in answer.properties.data;
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: Type.String() }));
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

/** One response per status, which names all messages that it can carry. */
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
