/** Files for imports in a page, as its file field takes them. */

interface PageFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

export const pageFile = (name: string, content: string | object): PageFile => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content, null, 2)),
});

/** An OpenAPI document of which much is lost. */
export const LOSSY_DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Pet store', description: 'Pets, and who looks after them', version: '1' },
  servers: [{ url: 'https://pets.example/v2' }, { url: 'https://staging.pets.example/v2' }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
  paths: {
    '/pets': {
      get: {
        parameters: [{ name: 'owner', in: 'query', required: true, schema: { type: 'string' } }],
        responses: {
          '200': {
            description: 'All',
            content: { 'application/json': { schema: { type: 'array', items: { type: 'string' } } } },
            links: { one: { operationId: 'pet' } },
          },
          '4XX': { description: 'Wrong' },
        },
      },
      post: {
        responses: { '201': { description: 'Made' } },
        callbacks: { made: { '/hook': { post: { responses: { '200': { description: 'Ok' } } } } } },
      },
    },
    '/pets/{id}': {
      get: {
        operationId: 'pet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { '200': { description: 'One', content: { 'application/json': { example: { id: 'p1' } } } } },
      },
    },
    '/<b>bold</b>/{id}': { get: { responses: { '200': { description: 'One' } } } },
  },
};

/** A document of two files. */
export const BUNDLE = [
  pageFile('api.yaml', `openapi: 3.1.0\ninfo: {title: Two files, version: '1'}\npaths:\n  /one:\n    $ref: one.yaml\n`),
  pageFile('one.yaml', `get:\n  responses:\n    '200': {description: ok, content: {text/plain: {example: one}}}\n`),
];

/** A recording of two hosts. */
export const RECORDING = {
  log: {
    version: '1.2',
    creator: { name: 'test', version: '1' },
    entries: ['https://a.example/users/1', 'https://a.example/users/2', 'https://b.example/other'].map((url) => ({
      startedDateTime: '2024-01-01T00:00:00.000Z',
      time: 120,
      request: { method: 'GET', url, httpVersion: 'HTTP/1.1', headers: [], queryString: [], cookies: [] },
      response: {
        status: 200,
        statusText: 'OK',
        httpVersion: 'HTTP/1.1',
        headers: [],
        cookies: [],
        content: { size: 2, mimeType: 'text/plain', text: 'ok' },
      },
      cache: {},
      timings: { send: 0, wait: 120, receive: 0 },
    })),
  },
};
