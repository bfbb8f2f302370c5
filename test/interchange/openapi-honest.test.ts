/** OpenAPI documents, changed a little: no change of a member goes unnoticed, and no document makes the reader throw. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesOf, definitionOf, tryImport } from '../support/imports.ts';

const RUNS = 150;

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

const DOCUMENTS: readonly (readonly [string, object])[] = [
  ['3.0', DOCUMENT_3_0],
  ['3.1', DOCUMENT_3_1],
  ['Swagger 2.0', DOCUMENT_2_0],
];

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

describe('no member that is deleted, renamed or of another type goes unnoticed', () => {
  test.each(DOCUMENTS)('%s', (_name, source) => {
    const before = JSON.stringify(tryImport(source));
    const unnoticed: string[] = [];
    let count = 0;
    for (const { name, source: changed } of changesOf(source, isCounted)) {
      count++;
      if (JSON.stringify(tryImport(changed)) === before) unnoticed.push(name);
    }
    expect(unnoticed).toEqual([]);
    expect(count).toBeGreaterThan(60);
  });
});

describe('no document makes the reader throw', () => {
  const scalars = [null, true, -1, 1e300, '', 'x', '{', '/', '200', '__proto__', '#/paths', 'a/b', 'http://x.test'];
  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      ...scalars,
      [],
      {},
      [null],
      [[]],
      { $ref: '#' },
      { $ref: '#/' },
      { $ref: 7 },
      { '*/*': {} },
    ),
    fc.constantFrom('#/components/schemas/Pet', '#/paths/~1b/get', '#/info', '#/definitions').map(($ref) => ({ $ref })),
  );
  const change = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('value', 'name', 'move', 'delete'),
    value: odd,
    from: fc.nat(),
  });

  test.each(DOCUMENTS)('%s', (_name, source) => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.boolean(), (changes, validate) => {
        const copy = structuredClone(source);
        for (const { at, kind, value, from } of changes) {
          const places = placesIn(copy);
          const [container, name] = places[at % places.length] as Place;
          const [other, otherName] = places[from % places.length] as Place;
          // A value is one of every change that has it: without a copy it would come to hold itself.
          if (kind === 'value') container[name] = structuredClone(value);
          else if (kind === 'move') container[name] = structuredClone(other[otherName]);
          else if (kind === 'name')
            Object.defineProperty(container, '__proto__', {
              value: container[name],
              writable: true,
              enumerable: true,
              configurable: true,
            });
          if (kind === 'name' || kind === 'delete') Reflect.deleteProperty(container, name);
          if (placesIn(copy).length === 0) return;
        }
        const found = tryImport(copy, { validate });
        if (typeof found === 'string') return;
        const { exact = 0, approximated = 0 } = found.report.items.routes ?? {};
        expect(exact + approximated).toBeGreaterThanOrEqual(definitionOf(found).routes.length);
      }),
      { numRuns: RUNS },
    );
  });
});

type Place = readonly [container: Record<string, unknown>, name: string];

function placesIn(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, child] of Object.entries(value)) {
    found.push([value as Record<string, unknown>, name]);
    placesIn(child, found);
  }
  return found;
}
