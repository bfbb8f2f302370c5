/** The mock that both builds serve, as a client sends it, and the requests to it. */

interface RoutePayload {
  readonly method: string;
  readonly path: string;
  readonly responses: readonly object[];
}

const JSON_HEADERS = [{ name: 'content-type', value: 'application/json' }];

export const STATIC_PATH = '/catalogue/offers';
export const ORDER_PATH = '/orders';
const GREETING_PATH = '/greetings/:id';

/** 50 bytes; neither the first response nor the default. */
export const ORDER_BODY = '{"kind":"order","user":{"plan":"gold","id":12345}}';
const ORDER_BODIES = {
  silver: '{"accepted":true,"discount":5}',
  gold: '{"accepted":true,"discount":10}',
  other: '{"accepted":true,"discount":0}',
} as const;

function greetingBody(id: string, page: string): string {
  return `{"id":"${id}","page":"${page}","items":[1,2,3]}`;
}

/** One route of each kind that is compared. */
export function mixedRoutes(): RoutePayload[] {
  const choice = (plan: 'silver' | 'gold') => ({
    headers: JSON_HEADERS,
    body: ORDER_BODIES[plan],
    rules: [{ target: 'body', property: 'user.plan', operator: 'equals', value: plan }],
  });
  return [
    { method: 'GET', path: STATIC_PATH, responses: [staticResponse(0)] },
    { method: 'GET', path: '/users/:id', responses: [staticResponse(1)] },
    {
      method: 'POST',
      path: ORDER_PATH,
      responses: [choice('silver'), choice('gold'), { headers: JSON_HEADERS, body: ORDER_BODIES.other, default: true }],
    },
    {
      method: 'GET',
      path: GREETING_PATH,
      responses: [
        {
          headers: JSON_HEADERS,
          body: greetingBody("{{urlParam 'id'}}", "{{queryParam 'page'}}"),
          templated: true,
        },
      ],
    },
  ];
}

/** Some 100 bytes of body. */
function staticResponse(index: number): object {
  const body = { id: String(index).padStart(6, '0'), name: 'Wool jumper', price: 49.9, tags: ['new', 'warm', 'blue'] };
  return { headers: JSON_HEADERS, body: JSON.stringify(body) };
}
