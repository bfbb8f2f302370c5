/**
 * What a team has after some days, for pictures of screens: mocks in every state, one with saved versions, unsaved changes and traffic;
 * rules of every type and groups.
 */
import type { Client, ResponseInput, RouteInput, RuleInput } from '../../../src/client/index.ts';
import { SAMPLES } from '../../support/samples.ts';

export interface Example {
  /** The mock that has everything. */
  readonly mockId: string;
  readonly routeId: string;
  readonly emptyMockId: string;
  /** Of the mock that has everything. */
  readonly sessionId: string;
  readonly ruleId: string;
  readonly groupId: string;
}

const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];

const PAYMENT: ResponseInput = {
  label: 'found',
  templated: true,
  headers: [...JSON_TYPE, { name: 'cache-control', value: 'no-store' }],
  body: JSON.stringify(
    { id: "{{urlParam 'id'}}", amount: { cents: 12_50, currency: 'EUR' }, state: 'settled' },
    null,
    2,
  ),
};

const ROUTES: readonly RouteInput[] = [
  {
    method: 'GET',
    path: '/payments/:id',
    description: 'One payment',
    responses: [
      {
        label: 'unknown id',
        status: 404,
        headers: JSON_TYPE,
        body: '{"error":"no such payment"}',
        rules: [
          { target: 'urlParam', property: 'id', operator: 'equals', value: '0' },
          {
            all: [
              { target: 'query', property: 'as', operator: 'equals', value: 'guest' },
              { not: { target: 'cookie', property: 'session', operator: 'exists' } },
            ],
          },
        ],
        rulesOperator: 'OR',
      },
      { ...PAYMENT, default: true },
    ],
  },
  {
    method: 'POST',
    path: '/payments',
    responses: [
      {
        label: 'too much',
        status: 422,
        rules: [{ target: 'body', property: 'cents', operator: 'gt', value: '100000' }],
      },
      { label: 'made', status: 201, headers: JSON_TYPE, body: '{"id":"p_1"}', default: true },
    ],
  },
  {
    method: 'GET',
    path: '/status',
    selection: 'sequential',
    responses: [{ body: 'warming up' }, { body: 'ready' }, { status: 503, body: 'away' }],
  },
  { method: 'DELETE', path: '/payments/:id', enabled: false, responses: [{ status: 204 }] },
];

/** Of the mock with everything: answered, missed, and with what pages must not take for markup. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: string])[] = [
  ['GET', '/payments/42'],
  ['GET', '/payments/0'],
  ['POST', '/payments', '{"cents":1250,"currency":"EUR"}'],
  ['POST', '/payments', '{"cents":250000}'],
  ['GET', '/payment/27'],
  ['GET', '/payment/28'],
  ['PUT', '/payments/42', '{"state":"refunded"}'],
  ['GET', '/status'],
  ['GET', '/status'],
  ['GET', '/search?q=%3Cb%3Ebold%3C%2Fb%3E&page=2'],
];

/** Leaves the example behind; its mocks take requests. */
export async function makeExample(client: Client): Promise<Example> {
  const { mocks } = client;
  const full = await mocks.create({
    name: 'Payments',
    description: 'The provider’s sandbox',
    start: true,
    routes: ROUTES,
  });
  await mocks.create({
    name: 'Inventory of the warehouses in the north, with a name that is longer than its column is wide',
  });
  await mocks.create({ name: 'Search', start: true, routes: manyRoutes(400) });
  const empty = await mocks.create({ name: 'Webhooks', start: true, routes: [] });
  const { routes } = await mocks.staged.get(full.id);
  const routeId = routes[0]?.id as string;

  await mocks.staged.addRoute(full.id, { method: 'GET', path: '/refunds', responses: [{ body: '[]' }] });
  await mocks.save(full.id);
  for (const [method, path, body] of REQUESTS) {
    await mocks.fetch(full, path, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    });
  }
  // Not saved, with a route that is never reached.
  await mocks.staged.putResponse(full.id, routeId, routes[0]?.responses[1]?.id as string, {
    ...PAYMENT,
    default: true,
    latency: 250,
    body: PAYMENT.body?.replace('settled', 'pending') as string,
  });
  await mocks.staged.addRoute(full.id, { method: 'GET', path: '/payments/:number', responses: [{ body: '{}' }] });

  const session = await mocks.session(full.id, {
    id: 'checkout-1',
    label: 'checkout: a payment that is refused',
    idleMs: 3_600_000,
    overlay: { routes: [{ method: 'GET', path: '/limits', responses: [{ body: '{}' }] }] },
  });
  for (const path of ['/limits', '/payments/42', '/limit']) await session.fetch(path);

  const { ruleId, groupId } = await makeRules(client);
  return { mockId: full.id, routeId, emptyMockId: empty.id, sessionId: session.id, ruleId, groupId };
}

/** A rule of each type in each dialect, half of them in groups, of which one is off. */
async function makeRules({ rules, groups }: Client): Promise<Pick<Example, 'ruleId' | 'groupId'>> {
  const checkout = await groups.create({ name: 'Checkout' });
  const off = await groups.create({ name: 'Slow network', status: 'Inactive' });
  const ids: string[] = [];
  for (const [index, { ruleType, pair }] of SAMPLES.entries()) {
    const groupId = [checkout.id, '', off.id, ''][index % 4] as string;
    const status = index % 5 === 0 ? 'Inactive' : 'Active';
    const input = { name: `${ruleType} ${index + 1}`, ruleType, pairs: [pair], status, groupId };
    ids.push((await rules.create(input as RuleInput)).id);
  }
  return { ruleId: ids[0] as string, groupId: checkout.id };
}

export function manyRoutes(count: number): RouteInput[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'GET',
    path: `/items/${index}`,
    responses: [{ body: `{"item":${index}}` }],
  }));
}
