/**
 * What rules, templates and explanations read of a GraphQL request, over HTTP with two threads: from each kind of request, by each
 * property, within bounds; in a session's overlay and of recorded requests. docs/mocks-matching.md, "GraphQL".
 */
import { describe, expect, test } from 'vitest';
import type { Ask } from '../support/ask-mock.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const on = (property: string, operator: string, value = '', more: Fields = {}): Fields => ({
  target: 'graphql',
  property,
  operator,
  value,
  ...more,
});
const json = (body: unknown): Ask => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const QUERY = `query GetUser($id: ID!, $first: Int = 10) {
  me: user(id: $id, first: $first, by: {field: NAME, at: [1, 2.50, null]}) { ...Name }
  ...Others # both
}
fragment Name on User { name }
fragment Others on Query { ... on Query { version } ...Others }`;
const operations = JSON.stringify({ query: QUERY, variables: { id: '7' } });
const url = (members: Readonly<Record<string, string>>): string => `/echo?${new URLSearchParams(members).toString()}`;
const multipart: Ask = {
  method: 'POST',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${operations}\r\n--b\r\nContent-Disposition: form-data; name="0"; filename="a"\r\n\r\nx\r\n--b--\r\n`,
};

/** The routes of one mock: making many would take the longest. */
const routes: Fields[] = [];
/** @returns The path of a route that answers "held" or "not". */
function held(rule: Fields): string {
  const path = `/${routes.length}`;
  routes.push(route(`ANY ${path}`, [{ body: 'held', rules: [rule] }, { body: 'not' }]));
  return path;
}
const PARTS = ['operation', 'type', 'field', 'variables.id', 'variables.first', 'hash', 'valid'];
routes.push(
  route('ANY /echo', [{ body: PARTS.map((part) => `{{graphql '${part}' '-'}}`).join('|'), templated: true }]),
  route('POST /json', [
    { body: `{"id": {{graphql 'variables.id'}}, "at": {{graphql 'argument.user.by.at'}}}`, templated: 'json' },
  ]),
);

const ALL = 'GetUser|query|user|7|10|-|true';
const HASHED = { extensions: { persistedQuery: { version: 1, sha256Hash: 'ab12' } } };
const CARRIED: readonly (readonly [what: string, path: string, ask: Ask, read: string])[] = [
  ['JSON', '/echo', json({ query: QUERY, variables: { id: '7' } }), ALL],
  [
    'a document alone',
    '/echo?variables={"id":"7"}',
    { method: 'POST', headers: { 'content-type': 'application/graphql; charset=utf-8' }, body: QUERY },
    ALL,
  ],
  ['parameters of the URL', url({ query: QUERY, variables: '{"id":"7"}' }), {}, ALL],
  ['a form with files', '/echo', multipart, ALL],
  ['a batch, of which it is the first', '/echo', json([JSON.parse(operations), { query: '{ b }' }]), ALL],
  [
    'a persisted query',
    '/echo',
    json({ operationName: 'GetUser', variables: { id: 7 }, ...HASHED }),
    'GetUser|-|-|7|-|ab12|-',
  ],
  [
    'a persisted query in the URL',
    url({ operationName: 'A', extensions: JSON.stringify(HASHED.extensions) }),
    {},
    'A|-|-|-|-|ab12|-',
  ],
  ['a persisted document', '/echo', json({ documentId: 'sha256:ab' }), '-|-|-|-|-|sha256:ab|-'],
  [
    'the named operation of several',
    '/echo',
    json({ query: 'query A { a } mutation B { b }', operationName: 'B' }),
    'B|mutation|b|-|-|-|true',
  ],
  ['several without a name', '/echo', json({ query: 'query A { a } query B { b }' }), '-|-|-|-|-|-|false'],
  [
    'a name that the document lacks',
    '/echo',
    json({ query: 'query A { a }', operationName: 'C' }),
    '-|-|-|-|-|-|false',
  ],
  ['a document without an operation', '/echo', json({ query: 'type A { a: B }' }), '-|-|-|-|-|-|false'],
  ['a document that does not parse', '/echo', json({ query: '{ a(' }), '-|-|-|-|-|-|false'],
  ['an anonymous query', '/echo', json({ query: '{ a }', variables: null }), '-|query|a|-|-|-|true'],
  ['other JSON', '/echo', json({ name: 'a' }), '-|-|-|-|-|-|-'],
  ['no body and no parameters', '/echo', { method: 'POST' }, '-|-|-|-|-|-|-'],
  // reaches GRAPHQL_DEPTH_MAX
  ['brackets at the bound', '/echo', json({ query: `${'{a'.repeat(200)}${'}'.repeat(200)}` }), '-|query|a|-|-|-|true'],
  ['too many brackets', '/echo', json({ query: `${'{a'.repeat(201)}${'}'.repeat(201)}` }), '-|-|-|-|-|-|false'],
  ['far too many', '/echo', json({ query: '{a(b:'.repeat(19_000) }), '-|-|-|-|-|-|false'],
  // reaches GRAPHQL_TOKENS_MAX
  ['tokens at the bound', '/echo', json({ query: `{${'a '.repeat(19_998)}}` }), '-|query|a|-|-|-|true'],
  ['too many tokens', '/echo', json({ query: `{${'a '.repeat(19_999)}}` }), '-|-|-|-|-|-|false'],
  // reaches GRAPHQL_CHARS_MAX
  ['characters at the bound', '/echo', json({ query: `{a}`.padEnd(100_000) }), '-|query|a|-|-|-|true'],
  ['too many characters', '/echo', json({ query: `{a}`.padEnd(100_001) }), '-|-|-|-|-|-|false'],
];

const asked = json({ query: QUERY, variables: { id: '7', tags: ['a', 'b'], big: 1 } });
const mutation = (query: string, variables?: object): Ask => json({ query, ...(variables && { variables }) });
const RULES = (
  [
    [on('operation', 'equals', 'GetUser'), asked, true],
    [on('type', 'equals', 'mutation'), asked, false],
    [on('type', 'equals', 'mutation'), mutation('mutation { a }'), true],
    [on('field', 'equals', 'user'), asked, true],
    [on('field', 'equals', 'me'), asked, false],
    [on('field', 'equals', 'version'), asked, true],
    [on('field', 'equals', 'name'), asked, false],
    [on('field', 'arrayIncludes', 'version'), asked, true],
    [on('variables.tags', 'arrayIncludes', 'b'), asked, true],
    [on('variables.tags.1', 'equals', 'b'), asked, true],
    [on('variables.first', 'gte', '10'), asked, true],
    [on('variables', 'jsonIncludes', '{"id": "7", "first": 10}'), asked, true],
    [on('variables', 'jsonSchema', '{"required": ["none"]}'), asked, false],
    [on('variables.none', 'exists'), asked, false],
    [on('variables.id', 'equals', '12345678901234567890'), {}, true],
    [on('argument.user.id', 'equals', '7'), asked, true],
    [on('argument.me.id', 'exists'), asked, false],
    [on('argument.user.by.field', 'equals', 'NAME'), asked, true],
    [on('argument.user.by', 'jsonEquals', '{"field": "NAME", "at": [1, 2.5, null]}'), asked, true],
    [on('argument.user', 'jsonIncludes', '{"first": 10}'), asked, true],
    [on('argument.a.b', 'equals', '12345678901234567890'), mutation('{ a(b: 12345678901234567890) }'), true],
    [on('argument.a.b.__proto__', 'equals', '1'), mutation('{ a(b: {__proto__: 1}) }'), true],
    [on('argument.a.b', 'exists'), mutation('query($b: Int) { a(b: $b) }'), false],
    [on('argument.a.b', 'equals', '2'), mutation('{ x: a(b: 1) y: a(b: 2) }'), true],
    [on('query', 'equals', 'query { a(b:1,c:"x"), d }'), mutation('{\n  a(b: 1 c: "x")  # none\n  d\n}'), true],
    [on('query', 'equals', '{ a b }'), mutation('{ b a }'), false],
    [on('query', 'contains', 'user( id : $id'), asked, true],
    [on('query', 'regex', '^query GetUser'), asked, true],
    [on('query', 'equals', '{ a('), mutation('{ a ('), true],
    [on('hash', 'equals', 'ab12'), json(HASHED), true],
    [on('valid', 'equals', 'false'), mutation('{'), true],
    [{ not: on('field', 'exists') }, json({ name: 'a' }), true],
  ] as const
).map(([rule, ask, holds]) => ({ what: JSON.stringify(rule), path: held(rule), ask: ask as Ask, holds }));

const several = route('POST /graphql', [
  { body: 'a', rules: [on('query', 'equals', '{ a, a2 }')] },
  { body: 'b', rules: [on('query', 'equals', '{ b }')] },
  { body: 'none' },
]);
routes.push(several);
const mock = await two.mock(routes);

describe('a request is read from', () => {
  test.each(CARRIED)('%s', async (_what, path, ask, read) => {
    expect((await two.ask(mock, path, ask)).text).toBe(read);
  });
});

describe('a rule', () => {
  test.each(RULES)('$what is $holds', async ({ path, ask, holds }) => {
    const long = { method: 'POST', body: '{"query": "{ a }", "variables": {"id": 12345678901234567890}}' };
    const sent = ask.method === undefined ? long : ask;
    expect((await two.ask(mock, path, sent)).text).toBe(holds ? 'held' : 'not');
  });

  test('on the same property as others chooses among responses', async () => {
    const answers = ['{ a a2 }', '{b}', '{ c }'].map((query) => two.ask(mock, '/graphql', json({ query })));
    expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(['a', 'b', 'none']);
  });

  test('with a property that there is none of is refused', async () => {
    for (const property of ['', 'name', 'variables.', 'argument', 'argument.']) {
      const refused = await two.api('POST', '', {
        name: 'refused',
        routes: [route('POST /', [{ rules: [on(property, 'exists')] }])],
      });
      expect(refused.json.details[0]).toMatchObject({ path: '/routes/0/responses/0/rules/0' });
    }
  });
});

test('values keep their kind in JSON', async () => {
  const { text } = await two.ask(mock, '/json', asked);
  expect(JSON.parse(text)).toEqual({ id: '7', at: [1, 2.5, null] });
});

test("a session's overlay has such rules, too", async () => {
  const overlay = {
    routes: [route('POST /graphql', [{ body: 'own', rules: [on('operation', 'equals', 'GetUser')] }])],
  };
  const { id } = await two.data('POST', `/${mock}/sessions`, { overlay });
  const ask = { ...asked, headers: { ...asked.headers, 'x-mock-session': id } };
  expect((await two.ask(mock, '/graphql', ask)).text).toBe('own');
  expect((await two.ask(mock, '/graphql', asked)).text).toBe('none');
});

test('recorded requests are verified by them', async () => {
  const match = {
    path: '/graphql',
    rules: [on('argument.user.id', 'equals', 'verified'), on('type', 'equals', 'query')],
  };
  await two.both(mock, '/graphql', json({ query: QUERY, variables: { id: 'verified' } }));
  expect(await two.data('POST', `/${mock}/verify`, { match, exactly: 2 })).toMatchObject({
    verified: true,
    unjudged: 0,
  });
});

describe('try', () => {
  const tried = (path: string, body: unknown) =>
    two.data('POST', `/${mock}/try`, { method: 'POST', path, body: JSON.stringify(body) });

  test('shows what was read, and what a rule has seen', async () => {
    const { graphqlReadAs, explanation } = await tried('/graphql', { query: QUERY, variables: { id: '7' } });
    expect(graphqlReadAs).toEqual({
      from: 'json',
      operation: 'GetUser',
      type: 'query',
      fields: ['user', 'version'],
      variables: '{"first":10,"id":"7"}',
    });
    expect(explanation.candidates[0].rules[0].actual[0]).toMatch(/^query GetUser\(\$id:ID!\$first:Int=10\)\{me:user\(/);
  });

  test('says what is wrong with a document, and that a request is none', async () => {
    expect((await tried('/graphql', { query: '{ a' })).graphqlReadAs).toEqual({
      from: 'json',
      problem: 'Syntax Error: Expected Name, found <EOF> (line 1, column 4)',
    });
    expect((await tried('/graphql', { query: '{a'.repeat(300) })).graphqlReadAs.problem).toMatch(
      /nested more than 200/,
    );
    expect((await tried('/graphql', { a: 1 })).graphqlReadAs).toBeNull();
  });

  test('is silent about it where nothing reads it', async () => {
    const { id } = await two.data('POST', '', { name: 'plain', routes: [route('POST /')] });
    const answer = await two.data('POST', `/${id}/try`, { method: 'POST', path: '/', body: '{"query": "{ a }"}' });
    expect(answer).not.toHaveProperty('graphqlReadAs');
  });
});
