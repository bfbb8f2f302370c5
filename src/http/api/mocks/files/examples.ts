/** Bodies that work as they stand, for the page that shows the API: what a mock can do, in as few lines as will do. */

export const EXAMPLE_ROUTE = {
  method: 'GET',
  path: '/payments/:id',
  responses: [
    {
      headers: [{ name: 'content-type', value: 'application/json' }],
      body: '{"id":"{{urlParam \'id\'}}"}',
      templated: true,
    },
  ],
};

const JSON_HEADERS = [{ name: 'content-type', value: 'application/json' }];

/** The right password gets a token, any other is refused after a moment; of nothing else in the body depends what is answered. */
const LOGIN = {
  method: 'POST',
  path: '/login',
  description: 'By conditions: the first response whose conditions hold, else the one without conditions.',
  responses: [
    {
      label: 'right password',
      rules: [
        { target: 'body', property: 'user', operator: 'exists' },
        { target: 'body', property: 'password', operator: 'equals', value: 'secret' },
      ],
      headers: JSON_HEADERS,
      body: '{"token":"token-of-{{body \'user\'}}"}',
      templated: true,
    },
    {
      label: 'anything else',
      status: 401,
      headers: JSON_HEADERS,
      body: '{"error":"wrong user or password"}',
      latency: { min: 100, max: 300 },
    },
  ],
};

/** A job that goes on whenever it is asked for. */
const JOB = {
  method: 'GET',
  path: '/jobs/:id',
  description: 'In sequence: one response after another.',
  selection: 'sequential',
  responses: ['queued', 'running', 'done'].map((state) => ({
    label: state,
    headers: JSON_HEADERS,
    body: `{"id":"{{urlParam 'id'}}","state":"${state}"}`,
    templated: true,
  })),
};

export const EXAMPLE_MOCKS = {
  'One route': { name: 'Payments', start: true, routes: [EXAMPLE_ROUTE] },
  'Conditions, a sequence and latency': {
    name: 'Accounts and jobs',
    start: true,
    settings: { latency: 20 },
    routes: [LOGIN, JOB],
  },
};

/** Files to import. */
export const EXAMPLE_FILES = {
  OpenAPI: {
    openapi: '3.1.0',
    info: { title: 'Payments', version: '1' },
    paths: {
      '/payments/{id}': {
        get: {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
          responses: {
            200: {
              description: 'A payment',
              content: { 'application/json': { examples: { paid: { value: { id: 7, state: 'paid' } } } } },
            },
            404: { description: 'No such payment' },
          },
        },
      },
    },
  },
  Switchyard: {
    switchyard: 2,
    kind: 'mock',
    name: 'Payments',
    routes: [
      {
        method: 'GET',
        path: '/payments/:id',
        responses: [{ headers: JSON_HEADERS, bodyJson: { id: 7, state: 'paid' } }],
      },
    ],
  },
  HAR: {
    log: {
      version: '1.2',
      entries: [
        {
          request: { method: 'GET', url: 'https://api.example.com/payments/7' },
          response: {
            status: 200,
            headers: JSON_HEADERS,
            content: { mimeType: 'application/json', text: '{"id":7}' },
          },
        },
      ],
    },
  },
};
