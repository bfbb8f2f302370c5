/** OpenAPI documents that have each member the reader looks at, and some that it does not. */
import type { WholeFile } from '../../support/imports.ts';

const schemaObject = (more: object = {}) => ({
  type: 'object',
  title: 't',
  required: ['id'],
  properties: { id: { type: 'integer', minimum: 1, format: 'int32' }, next: { $ref: '#/components/schemas/Pet' } },
  ...more,
});

const DOCUMENT_3_0 = {
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1', description: 'd', contact: { name: 'n' }, license: { name: 'MIT' } },
  servers: [
    { url: 'https://{host}/v1', description: 'd', variables: { host: { default: 'x', enum: ['x'] } } },
    { url: '/b' },
  ],
  tags: [{ name: 't', description: 'd' }],
  externalDocs: { url: 'u' },
  security: [{ key: [] }],
  'x-own': { a: 1 },
  paths: {
    '/pets/{id}': {
      summary: 's',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        tags: ['t'],
        summary: 's',
        description: 'd',
        operationId: 'getPet',
        deprecated: false,
        parameters: [
          { $ref: '#/components/parameters/Page' },
          { name: 'X-Id', in: 'header', required: true, description: 'd', example: '1', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            description: 'd',
            headers: { 'X-Rate': { description: 'd', schema: { type: 'integer', example: 7 } } },
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Pet' },
                examples: {
                  one: { summary: 's', value: { id: 1, tags: ['a'] } },
                  two: { $ref: '#/components/examples/Two' },
                },
              },
              'text/plain': { example: 'plain', schema: { type: 'string' } },
            },
            links: { next: { operationId: 'getPet' } },
          },
          404: { $ref: '#/components/responses/Missing' },
          default: { description: 'd' },
        },
        callbacks: { done: { x: { post: { responses: {} } } } },
      },
      post: {
        security: [],
        servers: [{ url: '/own' }],
        requestBody: {
          description: 'd',
          required: true,
          content: { 'application/json': { schema: schemaObject(), example: { id: 1 } } },
        },
        responses: { '2XX': { description: 'd', content: { 'application/json': { schema: schemaObject() } } } },
      },
    },
    '/a.{format}': { get: { responses: { 200: { description: 'd' } } } },
  },
  components: {
    schemas: { Pet: schemaObject({ example: { id: 3 } }), Unused: { type: 'string' } },
    parameters: { Page: { name: 'page', in: 'query', schema: { type: 'integer' } } },
    examples: { Two: { value: { id: 2 } } },
    responses: { Missing: { description: 'd', content: { 'application/json': { example: { message: 'none' } } } } },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
};

const DOCUMENT_3_1 = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1', summary: 's' },
  jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
  paths: {
    '/a': { $ref: '#/components/pathItems/A' },
    '/b': {
      get: {
        responses: {
          200: {
            description: 'd',
            content: {
              'application/json': {
                schema: {
                  $defs: { S: { type: ['string', 'null'] } },
                  oneOf: [{ $ref: '#/components/schemas/List', description: 'd' }, { const: 1 }],
                  if: { minItems: 1 },
                  examples: [[1], [2]],
                },
              },
            },
          },
        },
      },
    },
  },
  webhooks: { hook: { post: { responses: { 200: { description: 'd' } } } } },
  components: {
    pathItems: {
      A: { put: { responses: { 201: { description: 'd', headers: { A: { $ref: '#/components/headers/A' } } } } } },
    },
    headers: { A: { schema: { const: 'a' } } },
    schemas: { List: { type: 'array', prefixItems: [{ type: 'integer' }], items: false } },
  },
};

const DOCUMENT_2_0 = {
  swagger: '2.0',
  info: { title: 'Shop', version: '1' },
  host: 'shop.test',
  basePath: '/v1',
  schemes: ['https'],
  consumes: ['application/json'],
  produces: ['application/json', 'text/plain'],
  securityDefinitions: { key: { type: 'apiKey', in: 'query', name: 'k' } },
  security: [{ key: [] }],
  paths: {
    '/a/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, type: 'string', pattern: 'a+' }],
      get: {
        summary: 's',
        produces: ['application/json'],
        parameters: [
          { name: 'q', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'csv', required: true },
          { name: 'body', in: 'body', schema: { $ref: '#/definitions/Pet' } },
          { $ref: '#/parameters/Page' },
        ],
        responses: {
          200: {
            description: 'd',
            schema: { $ref: '#/definitions/Pet' },
            headers: { 'X-Rate': { type: 'integer', default: 7 } },
          },
          400: { $ref: '#/responses/Bad' },
        },
      },
      put: { responses: { 200: { description: 'd', examples: { 'application/json': { a: 1 } } } } },
    },
  },
  definitions: { Pet: { type: 'object', properties: { id: { type: 'integer' } } }, Unused: { type: 'string' } },
  parameters: { Page: { name: 'page', in: 'query', type: 'integer', minimum: 0 } },
  responses: { Bad: { description: 'd', schema: { type: 'object', example: { message: 'bad' } } } },
};

/** Names of what is counted or left out are data, and so is what is in it; and a constant may be of any type. */
function isCounted(change: string, pointer: string): boolean {
  if (change === 'delete') return false;
  const isLeftOut = /\/(?:callbacks|links|webhooks|security|securitySchemes|securityDefinitions|a\.\{format\})\/./;
  const isName =
    /\/(?:Unused|x-own|variables\/host|servers\/1|requestBody\/content\/application\/json|(?:properties|\$defs)\/\w+)$/;
  const isData = /\/(?:const|items|example|(?:tags|required|enum|schemes|consumes|type|examples)\/\d+(?:\/\d+)?)$/;
  return [isLeftOut, isName, isData, /\/(?:Unused|x-own|servers\/1|requestBody\/.*\/example)\//].some((each) =>
    each.test(pointer),
  );
}

export const OPENAPI_DOCUMENTS: readonly WholeFile[] = [
  { format: 'OpenAPI 3.0', source: DOCUMENT_3_0, isExempt: isCounted, changesMin: 60 },
  { format: 'OpenAPI 3.1', source: DOCUMENT_3_1, isExempt: isCounted, changesMin: 60 },
  { format: 'Swagger 2.0', source: DOCUMENT_2_0, isExempt: isCounted, changesMin: 60 },
];
