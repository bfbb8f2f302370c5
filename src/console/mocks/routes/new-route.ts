/** Routes and responses as they begin. */
import type { MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';

/** As the server would make one. It keeps ids that it is sent. */
export const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return [...bytes].map((byte) => (byte % 36).toString(36)).join('');
};

export const newResponse = (given: Partial<MockResponse> = {}): MockResponse => ({
  id: newId(),
  label: '',
  status: 200,
  headers: [],
  body: '',
  bodyEncoding: 'text',
  latency: 0,
  default: false,
  rules: [],
  rulesOperator: 'AND',
  templated: false,
  weight: 1,
  ...given,
});

export const newRoute = (given: Partial<MockRoute> = {}): MockRoute => ({
  id: newId(),
  method: 'GET',
  path: '/',
  description: '',
  enabled: true,
  selection: 'rules',
  responses: [newResponse()],
  ...given,
});

/** With ids of its own. */
export const copyOf = (route: MockRoute): MockRoute => ({
  ...route,
  id: newId(),
  responses: route.responses.map((response) => ({ ...response, id: newId() })),
});
