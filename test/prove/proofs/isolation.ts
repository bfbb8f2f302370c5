/**
 * Who reaches what: every keyed route of the API, as its OpenAPI lists it, with every kind of key and every kind of id.
 *
 * A route that takes a body and has no row in ROUTES fails, so that nobody adds one that was not thought of. Everything that is refused is asked for first:
 * then neither owner has changed. What may be done comes last, on records of its own, with the same bodies: no refusal came from
 * those. Outcomes: docs/api.md, "Order of checks" and "Ids".
 */
import { once } from 'node:events';
import { request as askGateway } from 'node:http';
import { WebSocket } from 'ws';
import { revokeKey } from '../../../src/cli/keys.ts';
import { TOOLS } from '../../../src/mcp/tools/all-tools.ts';
import { askMock } from '../../support/ask-mock.ts';
import { eventually } from '../../support/process.ts';
import { postTool } from '../../support/mcp.ts';
import { readOwner } from '../../support/read-owner.ts';
import { recordOnce } from '../../support/record-once.ts';
import { rulePayload } from '../../support/samples.ts';
import { TestServer, type Answer, type RequestOptions } from '../../support/server.ts';
import type { Proof, Tally } from '../proof.ts';
import { attackCompat } from './compat-attack.ts';
import { Secrets } from './secrets.ts';

/** Records of one owner that the parameters of a path may name. */
interface Places {
  readonly rule: string;
  readonly group: string;
  readonly mock: string;
  readonly route: string;
  readonly response: string;
  readonly version: string;
  readonly request: string;
  /** The request is one in it. */
  readonly session: string;
  readonly scenario: string;
  /** Of the gateway. */
  readonly exchange: string;
  readonly drift: string;
  readonly stream: string;
  readonly store: string;
  readonly item: string;
  readonly socket: string;
  readonly gatewaySession: string;
}

type Kind = keyof Places;

interface RouteRow {
  readonly access: 'read' | 'write' | 'admin';
  /** A body that the route takes as it stands, when it wants one. */
  readonly body?: (own: Places) => unknown;
  /** Asked for and let go of: it has no end. */
  readonly streams?: true;
  /** It is let in, and finds nothing to work on: the message of its 400. */
  readonly empty?: string;
}

const READ: RouteRow = { access: 'read' };
const WRITE: RouteRow = { access: 'write' };
const ADMIN: RouteRow = { access: 'admin' };
const writes = (body: (own: Places) => unknown): RouteRow => ({ access: 'write', body });
const reads = (body: (own: Places) => unknown): RouteRow => ({ access: 'read', body });

function isEmpty(json: { readonly message?: unknown }, route: string): boolean {
  return json.message !== undefined && json.message === ROUTES[route]?.empty;
}

/** Of a mock, without its routes. */
const FILE = { switchyard: 1, kind: 'mock', name: 'another' };
const NEW_ROUTE = { method: 'GET', path: '/new', responses: [{ body: 'new' }] };
/** No connection is made to a port of another protocol. */
const DRIFT = { upstream: 'http://127.0.0.1:1' };
const MOCK = '/v1/mocks/{id}';
const ROUTE = `${MOCK}/staged/routes/{routeId}`;
const RESPONSE = `${ROUTE}/responses/{responseId}`;
const SESSION = `${MOCK}/sessions/{sid}`;
const GATEWAY_SESSION = '/v1/gateway/sessions/{sid}';

/** The routes that take a body, and those whose access does not follow from their method: a GET reads, any other writes. */
const ROUTES: Readonly<Record<string, RouteRow>> = {
  'POST /v1/rules': writes(({ group }) => rulePayload('Cancel', { groupId: group })),
  'POST /v1/rules/batch': writes(({ rule, group }) => ({ ids: [rule], set: { status: 'Inactive', groupId: group } })),
  'POST /v1/rules/evaluate': reads(() => ({ request: { url: 'http://example.com/' }, details: 'all' })),
  'POST /v1/rules/import': writes(() => [{ objectType: 'rule', ...rulePayload('Cancel') }]),
  'PUT /v1/rules/{ruleId}': writes(() => rulePayload('Cancel')),
  'PATCH /v1/rules/{ruleId}': writes(({ group }) => ({ status: 'Inactive', groupId: group })),
  'POST /v1/groups': writes(() => ({ name: 'another' })),
  'PUT /v1/groups/{id}': writes(() => ({ name: 'changed' })),
  'POST /v1/mocks': writes(() => ({ name: 'another', routes: [NEW_ROUTE] })),
  'POST /v1/mocks/import': writes(() => ({ ...FILE, routes: [NEW_ROUTE] })),
  [`PUT ${MOCK}`]: writes(() => ({ name: 'changed' })),
  [`POST ${MOCK}/start`]: WRITE,
  [`POST ${MOCK}/stop`]: WRITE,
  [`PUT ${MOCK}/staged`]: writes(() => ({ routes: [NEW_ROUTE] })),
  [`PUT ${MOCK}/staged/import`]: writes(() => ({ ...FILE, routes: [NEW_ROUTE] })),
  [`POST ${MOCK}/staged/routes`]: writes(() => NEW_ROUTE),
  [`PUT ${MOCK}/staged/order`]: writes(({ route }) => ({ ids: [route] })),
  [`PUT ${ROUTE}`]: writes(() => NEW_ROUTE),
  [`POST ${ROUTE}/responses`]: writes(() => ({ body: 'another' })),
  [`PUT ${RESPONSE}`]: writes(() => ({ body: 'changed' })),
  [`POST ${MOCK}/save`]: WRITE,
  [`POST ${MOCK}/discard`]: WRITE,
  [`POST ${MOCK}/versions/{n}/restore`]: WRITE,
  [`PUT ${MOCK}/scenarios/{name}`]: writes(() => ({ state: 'one' })),
  [`PUT ${MOCK}/stores/{name}`]: writes(() => ({ value: [{ id: 1 }] })),
  [`PATCH ${MOCK}/stores/{name}`]: writes(() => ({ value: [{ id: 1, a: 2 }] })),
  [`PUT ${MOCK}/stores/{name}/{itemId}`]: writes(() => ({ value: { a: 1 } })),
  [`PATCH ${MOCK}/stores/{name}/{itemId}`]: writes(() => ({ value: { a: 2 } })),
  [`POST ${MOCK}/streams/send`]: writes(() => ({ events: [{ data: 'x' }] })),
  [`POST ${MOCK}/ws/send`]: writes(() => ({ messages: [{ data: 'x' }] })),
  [`POST ${MOCK}/verify`]: reads(() => ({ match: { path: '/' }, atLeast: 0 })),
  [`GET ${MOCK}/requests/stream`]: { access: 'read', streams: true },
  [`POST ${MOCK}/recording/stage`]: writes(() => ({})),
  [`POST ${MOCK}/recording/check`]: reads(() => ({ entries: 'samples' })),
  [`POST ${MOCK}/try`]: reads(() => ({ against: 'saved', method: 'GET', path: '/' })),
  [`POST ${MOCK}/drifts`]: writes(() => DRIFT),
  [`POST ${MOCK}/sessions`]: writes(() => ({ label: 'another' })),
  [`PUT ${SESSION}/overlay`]: writes(() => ({ routes: [NEW_ROUTE] })),
  [`POST ${SESSION}/reset`]: WRITE,
  [`GET ${SESSION}/requests/stream`]: { access: 'read', streams: true },
  [`PUT ${SESSION}/scenarios/{name}`]: writes(() => ({ state: 'one' })),
  [`PUT ${SESSION}/stores/{name}`]: writes(() => ({ value: [{ id: 1 }] })),
  [`PATCH ${SESSION}/stores/{name}`]: writes(() => ({ value: [{ id: 1, a: 2 }] })),
  [`PUT ${SESSION}/stores/{name}/{itemId}`]: writes(() => ({ value: { a: 1 } })),
  [`PATCH ${SESSION}/stores/{name}/{itemId}`]: writes(() => ({ value: { a: 2 } })),
  [`POST ${SESSION}/streams/send`]: writes(() => ({ events: [{ data: 'x' }] })),
  [`POST ${SESSION}/ws/send`]: writes(() => ({ messages: [{ data: 'x' }] })),
  [`POST ${SESSION}/verify`]: reads(() => ({ match: { path: '/' }, atLeast: 0 })),
  [`POST ${SESSION}/try`]: reads(() => ({ against: 'saved', method: 'GET', path: '/' })),
  'GET /v1/gateway/requests/stream': { access: 'read', streams: true },
  'POST /v1/gateway/requests/stage': { ...writes(() => ({ host: '192.0.2.1' })), empty: 'Nothing recorded' },
  'POST /v1/gateway/verify': reads(() => ({ match: {}, exactly: 999 })),
  'PUT /v1/gateway/settings': writes(({ mock, scenario }) => ({
    attach: [{ host: `${scenario}.test`, mockId: mock }],
  })),
  [`POST ${GATEWAY_SESSION}/reset`]: WRITE,
  'POST /v1/gateway/sessions': writes(({ rule, mock }) => ({
    overlay: { disabledRules: [rule], attach: { 'a.test': mock } },
  })),
  [`PUT ${GATEWAY_SESSION}/overlay`]: writes(({ rule }) => ({ enabledRules: [rule] })),
  [`POST ${GATEWAY_SESSION}/verify`]: reads(() => ({ match: {}, exactly: 999 })),
  // It reads, but for editors alone.
  'GET /v1/history': WRITE,
  'GET /v1/changes': { access: 'read', streams: true },
  // Admins alone, and those of their own owner: test/api/keys.test.ts.
  'GET /v1/keys': ADMIN,
  'POST /v1/keys': ADMIN,
  'DELETE /v1/keys/{id}': ADMIN,
};

function rowOf(route: string): RouteRow | undefined {
  const plain = route.startsWith('GET ') ? READ : route.startsWith('DELETE ') ? WRITE : undefined;
  return ROUTES[route] ?? plain;
}

type Outcome = readonly [status: number, message: string];

const UNAUTHORIZED: Outcome = [401, 'Unauthorized action'];

/** Ids that nobody has; a group's own form is checked first. */
const NOBODYS: Readonly<Record<Kind, readonly (readonly [id: string, outcome: Outcome])[]>> = {
  rule: [
    ['Cancel_00000000000000000000', [404, 'Rule not found']],
    ['x', [404, 'Rule not found']],
    ['__proto__', [404, 'Rule not found']],
  ],
  group: [
    ['Group_00000000000000000000', [404, 'Group not found']],
    ['x', [400, 'Invalid Group Id']],
    ['constructor', [400, 'Invalid Group Id']],
  ],
  mock: [
    ['m000000000000000', [404, 'Mock not found']],
    ['X', [404, 'Mock not found']],
    ['__proto__', [404, 'Mock not found']],
  ],
  route: [
    ['nobodys', [404, 'Route not found']],
    ['__proto__', [404, 'Route not found']],
  ],
  response: [
    ['nobodys', [404, 'Response not found']],
    ['__proto__', [404, 'Response not found']],
  ],
  version: [
    ['999', [404, 'Version not found']],
    ['0', [404, 'Version not found']],
    ['x', [404, 'Version not found']],
  ],
  request: [
    ['999', [404, 'Request not found']],
    ['0', [404, 'Request not found']],
    ['x', [404, 'Request not found']],
  ],
  exchange: [
    ['999999', [404, 'Exchange not found']],
    ['0', [404, 'Exchange not found']],
    ['__proto__', [404, 'Exchange not found']],
  ],
  session: [
    ['nobodys', [404, 'Session not found']],
    ['__proto__', [404, 'Session not found']],
  ],
  gatewaySession: [
    ['nobodys', [404, 'Session not found']],
    ['__proto__', [404, 'Session not found']],
  ],
  scenario: [
    ['nobodys', [404, 'Scenario not found']],
    ['__proto__', [404, 'Scenario not found']],
    ['%zz', [404, 'Scenario not found']],
  ],
  stream: [
    ['nobodys', [404, 'Stream not found']],
    ['__proto__', [404, 'Stream not found']],
  ],
  store: [
    ['nobodys', [404, 'Store not found']],
    ['__proto__', [404, 'Store not found']],
    ['%zz', [404, 'Store not found']],
  ],
  // One that is put is made.
  item: [],
  socket: [
    ['nobodys', [404, 'WebSocket not found']],
    ['__proto__', [404, 'WebSocket not found']],
  ],
  drift: [
    ['nobodys', [404, 'Drift not found']],
    ['__proto__', [404, 'Drift not found']],
  ],
};

/** A mark in everything of the other owner: no answer to anybody else may show it. */
const MARK = 'mark-of-globex';

export const proof: Proof = {
  name: 'isolation',
  onEveryStore: true,
  promise: 'A key reaches what its owner holds, as far as its role goes, and learns nothing of others.',
  async run(tally: Tally) {
    const server = await TestServer.start(['--log-level', 'trace', '--no-bootstrap', '--gateway-port', '0']);
    const attack = new Attack(server, tally);
    await attack.prepare();
    await attack.refusedKeys();
    await attack.refusedIds();
    await attack.foreignReferences();
    await attack.tools();
    await attack.check('nothing has changed by then');
    await attack.retries();
    await attack.allowed();
    await attack.compat();
    await attack.secrets();
    await server.end();
  },
};

class Attack {
  readonly #server: TestServer;
  readonly #tally: Tally;
  /** Routes of the API with a key, as OpenAPI has them: "GET /v1/rules". */
  #routes: string[] = [];
  #keys: Record<'editor' | 'viewer' | 'colleague' | 'other' | 'revoked', string> = {
    editor: '',
    viewer: '',
    colleague: '',
    other: '',
    revoked: '',
  };
  #own!: Places;
  #second!: Places;
  #foreign!: Places;
  #before = '';

  constructor(server: TestServer, tally: Tally) {
    this.#server = server;
    this.#tally = tally;
  }

  async prepare(): Promise<void> {
    const server = this.#server;
    this.#keys = {
      editor: await server.key('acme', 'ann'),
      viewer: await server.key('acme', 'vic', 'viewer'),
      colleague: await server.key('acme', 'cora'),
      other: await server.key('globex', 'gus'),
      revoked: await server.key('acme', 'rob'),
    };
    await revokeKey(server.data, this.#keys.revoked.split('_')[1] as string);
    const isRefused = async (): Promise<boolean> =>
      (await server.request('GET', '/v1/rules', { key: this.#keys.revoked })).status === 401;
    this.#tally.check('a key revoked a moment ago', await eventually(isRefused), () => 'it is still taken');

    const { json } = await server.request('GET', '/v1/openapi.json');
    for (const [path, operations] of Object.entries<Record<string, { security?: unknown[] }>>(json.paths)) {
      for (const [method, { security }] of Object.entries(operations)) {
        const isPublic = security?.length === 0 || !path.startsWith('/v1/');
        if (!isPublic && !path.endsWith('z')) this.#routes.push(`${method.toUpperCase()} ${path}`);
      }
    }
    for (const route of new Set([...this.#routes, ...Object.keys(ROUTES)])) {
      const isKnown = rowOf(route) !== undefined && this.#routes.includes(route);
      this.#tally.check('every route has a row', isKnown, () => route);
    }
    this.#own = await this.#make(this.#keys.editor, 'own');
    this.#second = await this.#make(this.#keys.editor, 'second');
    this.#foreign = await this.#make(this.#keys.other, MARK);
    for (const { mock } of [this.#own, this.#foreign]) {
      for (let count = 1; count < 3; count++) await askMock(server.mockPort, `/${MARK}`, { mock });
    }
    this.#before = await this.#state();
  }

  /** Every route with keys that open nothing, and with a viewer's where it writes: 401, whatever the id. */
  async refusedKeys(): Promise<void> {
    const { editor, viewer, revoked } = this.#keys;
    const bad: Record<string, string | undefined> = {
      'no key': undefined,
      'an empty key': '',
      'a malformed key': 'sy_x',
      'a key of a wrong secret': `${editor.slice(0, -1)}${editor.endsWith('A') ? 'B' : 'A'}`,
      'a key of an unknown id': editor.replace(/^sy_.{12}/, 'sy_000000000000'),
      'a key cut short': editor.slice(0, -1),
      'a revoked key': revoked,
    };
    for (const route of this.#routes) {
      for (const [name, key] of Object.entries(bad)) {
        for (const places of [this.#own, this.#foreign]) await this.#refused(name, route, key, places, UNAUTHORIZED);
      }
      if (rowOf(route)?.access === 'admin')
        await this.#refused("an editor's use of keys", route, editor, this.#own, UNAUTHORIZED);
      if (rowOf(route)?.access !== 'read')
        await this.#refused("a viewer's write", route, viewer, this.#own, UNAUTHORIZED);
    }
  }

  /** Every parameter of every route with ids of others and of nobody. */
  async refusedIds(): Promise<void> {
    const { editor, viewer } = this.#keys;
    for (const route of this.#routes) {
      if (rowOf(route)?.access === 'admin') continue;
      const key = rowOf(route)?.access === 'read' ? viewer : editor;
      for (const kind of kindsOf(route)) {
        const isRecord = kind === 'rule' || kind === 'group' || kind === 'mock';
        if (isRecord) {
          await this.#refused("another owner's id", route, key, this.#foreign, UNAUTHORIZED);
          const mixed = { ...this.#own, [kind]: this.#foreign[kind] };
          await this.#refused("another owner's id", route, key, mixed, UNAUTHORIZED);
        } else if (kind !== 'version' && kind !== 'request' && kind !== 'exchange' && kind !== 'item') {
          // A part of another mock, of one's own and of another owner's, is not a part of this one.
          const outcome = (NOBODYS[kind][0] as readonly [string, Outcome])[1];
          // That of the gateway is no part of a mock.
          const others = kind === 'gatewaySession' ? [this.#foreign] : [this.#second, this.#foreign];
          for (const { [kind]: id } of others)
            await this.#refused('a part of another mock', route, key, { ...this.#own, [kind]: id }, outcome);
        }
        for (const [id, outcome] of NOBODYS[kind])
          await this.#refused("nobody's id", route, key, { ...this.#own, [kind]: id }, outcome);
      }
    }
  }

  /** Ids of others inside of a body. */
  async foreignReferences(): Promise<void> {
    const body = rulePayload('Cancel', { groupId: this.#foreign.group });
    const request = { url: 'http://example.com/' };
    const routes: [string, unknown, Outcome][] = [
      ['POST /v1/rules', body, UNAUTHORIZED],
      ['PUT /v1/rules/{ruleId}', body, UNAUTHORIZED],
      ['PATCH /v1/rules/{ruleId}', { groupId: this.#foreign.group }, UNAUTHORIZED],
      ['POST /v1/rules/batch', { ids: [this.#own.rule, this.#foreign.rule], delete: true }, UNAUTHORIZED],
      ['POST /v1/rules/batch', { ids: [this.#own.rule], set: { groupId: this.#foreign.group } }, UNAUTHORIZED],
      ['POST /v1/rules/evaluate', { request, ruleId: this.#foreign.rule }, UNAUTHORIZED],
      ['POST /v1/rules/evaluate', { request, rules: [body] }, [400, 'Rule Payload is invalid']],
      [`PUT ${MOCK}/staged/order`, { ids: [this.#foreign.route] }, [400, 'Mock Payload is invalid']],
      [`PUT ${MOCK}/staged/order`, { ids: [this.#second.route] }, [400, 'Mock Payload is invalid']],
    ];
    for (const [route, sent, outcome] of routes)
      await this.#refused('an id of others in a body', route, this.#keys.editor, this.#own, outcome, sent);
  }

  /** Every tool of agents: with a key that opens nothing, with a viewer's where it writes, and with ids of others and of nobody. */
  async tools(): Promise<void> {
    const { editor, viewer, revoked } = this.#keys;
    for (const { name, access, input } of TOOLS) {
      const [own = {}] = toolInputs(name, this.#own);
      for (const key of [undefined, revoked, `${editor.slice(0, -1)}!`]) {
        const { status } = await postTool(this.#server, key, name, own);
        this.#tally.check('a tool without a key that is valid', status === 401, () => `${name}: ${status}`);
      }
      if (access !== 'read') {
        const { error } = await postTool(this.#server, viewer, name, own);
        this.#tally.check(
          "a viewer's use of a tool that writes",
          error?.includes('editor key') === true,
          () => `${name}: ${error}`,
        );
      }
      const takesRecord = RECORD_MEMBERS.some((member) => member in input.properties);
      this.#tally.check('a tool is given ids', !takesRecord || toolInputs(name, this.#own).length > 0, () => name);
      const nobodys = { ...this.#own, mock: 'm000000000000000', rule: 'Cancel_00000000000000000000' };
      for (const places of [
        this.#foreign,
        { ...this.#own, mock: this.#foreign.mock, rule: this.#foreign.rule },
        nobodys,
      ]) {
        for (const given of toolInputs(name, places)) {
          const { isError, text } = await postTool(this.#server, editor, name, given);
          const isKept = isError && !text.includes(MARK);
          const what = () => `${name} ${JSON.stringify(given)}: ${text}`;
          this.#tally.check("a tool with another owner's id, or nobody's", isKept, what);
        }
      }
    }
  }

  /** An Idempotency-Key is one's own: another owner's, another user's and another path's use of it is their first. */
  async retries(): Promise<void> {
    const headers = { 'idempotency-key': 'the same' };
    const ids = new Set<string>();
    const bodies = { '/v1/rules': rulePayload('Cancel'), '/v1/groups': { name: 'once' } };
    for (const key of [this.#keys.editor, this.#keys.colleague, this.#keys.other]) {
      for (const [path, body] of Object.entries(bodies)) {
        const first = await this.#server.request('POST', path, { key, body, headers });
        const again = await this.#server.request('POST', path, { key, body, headers });
        const id = first.json.data?.id as string;
        const isOwn = first.status === 200 && again.json.data?.id === id && !ids.has(id);
        this.#tally.check("another's Idempotency-Key", isOwn, () => `${path}: ${JSON.stringify(again.json)}`);
        ids.add(id);
      }
    }
  }

  /** What may be done is done, on records made for it, and tells nothing of the other owner. */
  async allowed(): Promise<void> {
    for (const route of this.#routes) {
      if (rowOf(route)?.access === 'admin') continue;
      const { editor, viewer, colleague } = this.#keys;
      for (const key of rowOf(route)?.access === 'read' ? [editor, viewer, colleague] : [editor, colleague]) {
        const own = await this.#make(editor, 'own');
        if (route.endsWith('/recording/stage')) await recordOnce(this.#server, editor, own.mock);
        const answer = await this.#ask(route, key, own);
        const isShown = JSON.stringify(answer.json).includes(MARK);
        this.#tally.check(
          'what a key may do',
          (answer.status === 200 || (answer.status === 400 && isEmpty(answer.json, route))) && !isShown,
          () => `${route}: ${answer.status} ${JSON.stringify(answer.json)}`,
        );
      }
    }
    const { json } = await this.#server.request('GET', '/v1/rules?q=mark', { key: this.#keys.editor });
    const isApart = json.total === 0 && json.data.length === 0;
    this.#tally.check("totals and searches of another's list", isApart, () => JSON.stringify(json));
    await this.#checkForeign('after everything that was allowed');
  }

  compat(): Promise<void> {
    return attackCompat(this.#server, this.#keys, this.#tally);
  }

  /** Neither the secrets of keys nor what was sent is anywhere but where it belongs. */
  async secrets(): Promise<void> {
    const secrets = new Secrets(Object.values(this.#keys), [MARK]);
    await secrets.check(this.#server, this.#tally);
  }

  /** Holds the state of both owners against that before. */
  async check(when: string): Promise<void> {
    const after = await this.#state();
    this.#tally.check('what was refused changes nothing', after === this.#before, () => when);
  }

  async #checkForeign(when: string): Promise<void> {
    const { total } = await this.#counts(this.#keys.other, this.#foreign.mock);
    this.#tally.check('traffic of another owner', total === 3, () => `${total} requests, ${when}`);
  }

  async #refused(
    fault: string,
    route: string,
    key: string | undefined,
    places: Places,
    [status, message]: Outcome,
    body?: unknown,
  ): Promise<void> {
    const answer = await this.#ask(route, key, places, body);
    const isSo = answer.status === status && answer.json.message === message && answer.json.success === false;
    const tells = JSON.stringify(answer.json).includes(MARK);
    this.#tally.check(fault, isSo && !tells, () => `${route}: ${answer.status} ${JSON.stringify(answer.json)}`);
  }

  #ask(route: string, key: string | undefined, places: Places, body?: unknown): Promise<Answer> {
    const [method = '', path = ''] = route.split(' ');
    const row = rowOf(route) ?? WRITE;
    const url = path.replaceAll(/\{\w+\}/g, (parameter) => places[kindOf(path, parameter)]);
    const options: RequestOptions = { key, body: body ?? row.body?.(places) };
    return row.streams === true ? this.#glance(url, key) : this.#server.request(method, url, options);
  }

  /** The beginning of an answer that does not end. */
  async #glance(path: string, key: string | undefined): Promise<Answer> {
    const headers = key === undefined ? {} : { 'x-api-key': key };
    const leave = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${this.#server.port}${path}`, { headers, signal: leave.signal });
    const json = answer.status === 200 ? {} : await answer.json();
    leave.abort();
    return { status: answer.status, headers: answer.headers, json };
  }

  async #make(key: string, name: string): Promise<Places> {
    const made = async (path: string, body: unknown): Promise<Answer['json']> => {
      const { status, json } = await this.#server.request('POST', path, { key, body });
      if (status !== 200) throw new Error(`POST ${path}: ${status} ${JSON.stringify(json)}`);
      return json.data;
    };
    const group = await made('/v1/groups', { name });
    const rule = await made('/v1/rules', rulePayload('Cancel', { name, groupId: group.id }));
    const asksForStream = [{ target: 'query', property: 'open', operator: 'exists' }];
    const open = { label: name, rules: asksForStream, stream: { events: [{ data: name }], end: 'open' } };
    const routes = [{ method: 'GET', path: `/${name}`, responses: [{ body: name }, { body: 'spare' }, open] }];
    const overlay = { routes: [{ kind: 'ws', method: 'GET', path: '/ws', responses: [{ body: name }] }] };
    const mock = await made('/v1/mocks', {
      name,
      routes,
      settings: { scenarios: [{ name, states: ['one', 'two'] }], stores: [{ name, value: [{ id: 1, name }] }] },
      start: true,
    });
    const session = await made(`/v1/mocks/${mock.id}/sessions`, { label: name, overlay });
    await askMock(this.#server.mockPort, `/${name}`, { mock: mock.id, headers: { 'x-mock-session': session.id } });
    await askMock(this.#server.mockPort, `/${name}`, { mock: mock.id });
    await fetch(`http://127.0.0.1:${this.#server.mockPort}/__mock/${mock.id}/__session/${session.id}/${name}?open`);
    const [stream] = (await this.#server.request('GET', `/v1/mocks/${mock.id}/streams`, { key })).json.data;
    const address = `ws://127.0.0.1:${this.#server.mockPort}/__mock/${mock.id}/__session/${session.id}/ws`;
    await once(new WebSocket(address), 'open');
    const [socket] = (await this.#server.request('GET', `/v1/mocks/${mock.id}/ws`, { key })).json.data;
    // It is refused, and kept.
    await this.#throughGateway(key, `http://192.0.2.1/${name}`);
    const exchanges = await this.#server.request('GET', '/v1/gateway/requests?limit=1', { key });
    const gatewaySession = await made('/v1/gateway/sessions', { label: name, overlay: { mocks: { [mock.id]: {} } } });
    const drift = await made(`/v1/mocks/${mock.id}/drifts`, DRIFT);
    // Few of one owner run at a time.
    await this.#server.request('GET', `/v1/mocks/${mock.id}/drifts/${drift.id}?waitMs=5000`, { key });
    const { json } = await this.#server.request('GET', `/v1/mocks/${mock.id}/staged`, { key });
    const [route] = json.data.routes;
    return {
      rule: rule.id,
      group: group.id,
      mock: mock.id,
      route: route.id,
      response: route.responses[0].id,
      version: '1',
      request: '1',
      session: session.id,
      scenario: name,
      exchange: exchanges.json.data[0].id,
      drift: drift.id,
      stream: stream.id,
      store: name,
      item: '1',
      socket: socket.id,
      gatewaySession: gatewaySession.id,
    };
  }

  #throughGateway(key: string, path: string): Promise<void> {
    const port = Number(/gateway http:\/\/127\.0\.0\.1:(\d+)/.exec(this.#server.stdout)?.[1]);
    const headers = { host: new URL(path).host, 'proxy-authorization': `Basic ${btoa(`key:${key}`)}` };
    return new Promise((resolve, reject) => {
      const sent = askGateway({ host: '127.0.0.1', port, path, headers, agent: false }, (reply) => {
        reply.resume().on('end', () => resolve());
      });
      sent.on('error', reject).end();
    });
  }

  async #state(): Promise<string> {
    const { editor, other } = this.#keys;
    return JSON.stringify([
      await readOwner(this.#server, editor),
      await readOwner(this.#server, other),
      await this.#counts(editor, this.#own.mock),
      await this.#counts(other, this.#foreign.mock),
    ]);
  }

  async #counts(key: string, mock: string): Promise<Answer['json']> {
    return (await this.#server.request('GET', `/v1/mocks/${mock}/counts`, { key })).json.data;
  }
}

/** Members of a tool's input that name a record. */
const RECORD_MEMBERS = ['mock', 'into', 'kind', 'ruleId'];

/** Inputs of a tool that takes the id of a record: each of its ways. */
function toolInputs(name: string, { mock, route, session, request, rule }: Places): readonly object[] {
  const patches = [{ route, set: { body: 'changed' } }];
  const inputs: Readonly<Record<string, readonly object[]>> = {
    mocks_read: [{}, { route }, ...['diff', 'file', 'sessions', 'versions'].map((what) => ({ what }))],
    mocks_create: [{ into: mock, content: JSON.stringify(FILE) }],
    mocks_edit: [{ routes: [NEW_ROUTE] }, { remove: [route] }, { settings: { seed: 1 } }],
    responses_patch: [{ patches }, { session, patches }],
    mocks_try: [{ path: '/' }, { request }, { session, path: '/' }],
    mocks_apply: ['serve', 'save', 'start', 'stop', 'discard', 'delete'].map((action) => ({ action })),
    traffic_list: [{}, { session }],
    traffic_verify: [{ match: {} }, { session, match: {} }],
    sessions_create: [{}],
    sessions_end: [{ session }],
    rules_list: [{ id: rule }],
    gateway_requests: [{ id: rule }],
    rules_evaluate: [{ request: { url: 'http://example.com/' }, ruleId: rule }],
    rules_put: [{ value: { name: 'changed' } }, { delete: true }].map((each) => ({ kind: 'rule', id: rule, ...each })),
  };
  const isOfMock = !/^rules|^gateway|create$/.test(name) || name === 'sessions_create';
  return (inputs[name] ?? []).map((input) => ({ ...(isOfMock ? { mock } : {}), ...input }));
}

/** What the parameters of a route name, in their order. */
function kindsOf(route: string): Kind[] {
  const [, path = ''] = route.split(' ');
  return [...path.matchAll(/\{\w+\}/g)].map(([parameter]) => kindOf(path, parameter));
}

function kindOf(path: string, parameter: string): Kind {
  switch (parameter) {
    case '{ruleId}':
      return 'rule';
    case '{routeId}':
      return 'route';
    case '{responseId}':
      return 'response';
    case '{n}':
      return 'version';
    case '{requestId}':
      return 'request';
    case '{exchangeId}':
      return 'exchange';
    case '{sid}':
      return path.startsWith('/v1/gateway') ? 'gatewaySession' : 'session';
    case '{name}':
      return path.includes('/stores/') ? 'store' : 'scenario';
    case '{itemId}':
      return 'item';
    case '{streamId}':
      return 'stream';
    case '{socketId}':
      return 'socket';
    case '{driftId}':
      return 'drift';
    default:
      return path.startsWith('/v1/groups') ? 'group' : 'mock';
  }
}
