/** The scenarios that mock servers are compared in: the mocks, the requests, and the answers, as data. */
import type { Response, Route, Rule, Scenario } from './scenario.ts';

/** How large they are: the tiny ones only show that all of it works. */
export interface ScenarioSizes {
  readonly routes: number;
  readonly routesLong: number;
  readonly patterns: number;
  readonly mocks: number;
}

export const FULL_SIZES: ScenarioSizes = { routes: 100, routesLong: 1_000, patterns: 100, mocks: 1_000 };
export const TINY_SIZES: ScenarioSizes = { routes: 10, routesLong: 20, patterns: 10, mocks: 5 };

const PIPELINED = 16;
/** What a pipelined run is for: the work per request in the server, the system's calls spread over sixteen of them. */
const PIPELINED_SCENARIOS = new Set(['static', 'parameter', 'query', 'header', 'last-route']);
const PIPELINED_CONTENDERS = ['raw', 'defensive', 'switchyard', 'switchyard-unrecorded'];

export const JSON_HEADERS = [{ name: 'content-type', value: 'application/json' }];
const BIG_BODY_BYTES = 100 * 1_024;
const ORDER = '{"kind":"order","user":{"plan":"gold","id":12345}}';
const ORDER_LINES = 100;

export function scenarios(sizes: ScenarioSizes): Scenario[] {
  const single = [
    staticRoute(sizes),
    lastRoute(sizes),
    parameter(),
    rule('query', 'query rule', { target: 'query', property: 'plan' }, get('/offers?page=2&plan=gold')),
    rule('header', 'header rule', { target: 'header', property: 'x-plan' }, get('/offers', { 'x-plan': 'gold' })),
    rule('body', 'JSON body rule', { target: 'body', property: 'user.plan' }, post(ORDER)),
    rule('jsonpath', 'JSONPath rule, 10 KB body', { target: 'body', property: '$.lines[40].plan' }, post(longOrder())),
    regex(sizes),
    template(),
    miss(sizes),
    bigBody(),
    manyMocks(sizes),
    churn(sizes),
  ];
  const pipelined = single.filter(({ name }) => PIPELINED_SCENARIOS.has(name)).map(pipeline);
  return [...single, ...pipelined];
}

const alone = { mockCount: 1, rawWork: 'reply' } as const;

function staticRoute({ routes: count }: ScenarioSizes): Scenario {
  return numberedRoute('static', `static, 1 of ${amount(count)} routes`, count, count / 2);
}

function lastRoute({ routesLong: count }: ScenarioSizes): Scenario {
  return numberedRoute('last-route', `last of ${amount(count)} routes`, count, count - 1);
}

function numberedRoute(name: string, title: string, count: number, index: number): Scenario {
  const answer = { status: 200, body: itemBody(index) };
  return { ...alone, name, title, routes: numberedRoutes(count), request: get(numberedPath(index)), answer };
}

function parameter(): Scenario {
  const responses = [{ headers: JSON_HEADERS, body: itemBody(1) }];
  return {
    ...alone,
    name: 'parameter',
    title: 'path parameters',
    routes: [{ method: 'GET', path: '/users/:user/orders/:order', responses }],
    request: get('/users/42/orders/1007'),
    answer: { status: 200, body: itemBody(1) },
  };
}

/** One route of three responses: two with a rule, of which the second holds, and one for whatever else comes. */
function rule(
  name: string,
  title: string,
  on: Pick<Rule, 'target' | 'property'>,
  request: Scenario['request'],
): Scenario {
  const when = (value: string): Response => ({
    headers: JSON_HEADERS,
    body: discountBody(value),
    rules: [{ ...on, operator: 'equals', value }],
  });
  const otherwise = { headers: JSON_HEADERS, body: discountBody('other'), default: true };
  const [path] = request.path.split('?') as [string];
  return {
    mockCount: 1,
    rawWork: on.target === 'body' ? 'parse' : 'reply',
    name,
    title,
    routes: [{ method: request.method, path, responses: [when('silver'), when('gold'), otherwise] }],
    request,
    answer: { status: 200, body: discountBody('gold') },
  };
}

function regex({ patterns: count }: ScenarioSizes): Scenario {
  const when = (index: number): Response => {
    const value = `^[A-Z]{2}-${numbered(index)}-\\d+$`;
    const rules = [{ target: 'query', property: 'sku', operator: 'regex', value } as const];
    return { headers: JSON_HEADERS, body: itemBody(index), rules };
  };
  return {
    ...alone,
    name: 'regex',
    title: `${amount(count)}th of ${amount(count)} patterns`,
    routes: [{ method: 'GET', path: '/stock', responses: Array.from({ length: count }, (_, index) => when(index)) }],
    request: get(`/stock?sku=AB-${numbered(count - 1)}-2718`),
    answer: { status: 200, body: itemBody(count - 1) },
  };
}

function template(): Scenario {
  const text = (id: string, page: string) => `{"id":"${id}","page":"${page}","items":[1,2,3]}`;
  const body = text("{{urlParam 'id'}}", "{{queryParam 'page'}}");
  return {
    ...alone,
    name: 'template',
    title: 'template',
    routes: [{ method: 'GET', path: '/greetings/:id', responses: [{ headers: JSON_HEADERS, body, templated: true }] }],
    request: get('/greetings/42?page=7'),
    answer: { status: 200, body: text('42', '7') },
  };
}

function miss(sizes: ScenarioSizes): Scenario {
  const request = get('/catalogue/nothing');
  return { ...staticRoute(sizes), name: 'miss', title: 'miss (404)', request, answer: { status: 404 } };
}

function bigBody(): Scenario {
  const item = `${itemBody(1)},`;
  const items = item.repeat(Math.floor(BIG_BODY_BYTES / item.length));
  const body = `[${items}${itemBody(1)}]`;
  return {
    ...alone,
    name: 'big-body',
    title: '100 KB body',
    routes: [{ method: 'GET', path: '/export', responses: [{ headers: JSON_HEADERS, body }] }],
    request: get('/export'),
    answer: { status: 200, body },
  };
}

function manyMocks(sizes: ScenarioSizes): Scenario {
  const title = `${amount(sizes.mocks)} mocks, requests to all in turn`;
  return { ...staticRoute({ ...sizes, routes: 20 }), name: 'many-mocks', title, mockCount: sizes.mocks };
}

function churn(sizes: ScenarioSizes): Scenario {
  const { request, ...scenario } = staticRoute(sizes);
  return { ...scenario, name: 'churn', title: 'a connection per request', request: { ...request, reconnect: true } };
}

function pipeline(scenario: Scenario): Scenario {
  return {
    ...scenario,
    name: `${scenario.name}-pipelined`,
    title: `${scenario.title}, pipelined ×${PIPELINED}`,
    request: { ...scenario.request, pipelining: PIPELINED },
    contenders: PIPELINED_CONTENDERS,
  };
}

function get(path: string, headers: Readonly<Record<string, string>> = {}): Scenario['request'] {
  return { method: 'GET', path, headers };
}

function post(body: string): Scenario['request'] {
  return { method: 'POST', path: '/orders', headers: { 'content-type': 'application/json' }, body };
}

/** Some 10 KB. */
function longOrder(): string {
  const lines = Array.from({ length: ORDER_LINES }, (_, index) => ({
    sku: `AB-${numbered(index)}`,
    name: 'Wool jumper, blue, with a collar',
    plan: 'gold',
    price: 49.9,
    quantity: 2,
  }));
  return JSON.stringify({ kind: 'order', id: 12_345, lines });
}

/** Static routes of one length each. */
export function numberedRoutes(count: number): Route[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'GET',
    path: numberedPath(index),
    responses: [{ headers: JSON_HEADERS, body: itemBody(index) }],
  }));
}

export function numberedPath(index: number): string {
  return `/resources/${numbered(index)}/details`;
}

/** Some 90 bytes. */
export function itemBody(index: number): string {
  return JSON.stringify({ id: numbered(index), name: 'Wool jumper', price: 49.9, tags: ['new', 'warm', 'blue'] });
}

function discountBody(plan: string): string {
  return JSON.stringify({ accepted: true, plan, discount: { silver: 5, gold: 10 }[plan] ?? 0 });
}

function numbered(index: number): string {
  return String(index).padStart(6, '0');
}

function amount(count: number): string {
  return count.toLocaleString('en');
}
