/** A dry run: what a mock would answer to a request, and why; docs/mocks-fields.md, `POST /mocks/:id/try`. */
import { bodyMembers } from '../../../base/body-members.ts';
import { BASE64 } from '../../../base/base64.ts';
import type { Static } from 'typebox';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX } from '../../../limits.ts';
import { givenHeadersSchema, givenLines } from '../../../model/header-lines.ts';
import { type MockDefinition, type SocketEvent } from '../../../model/mocks/definition/definition.ts';
import { refusesHandshake } from '../../../model/mocks/sockets/socket.ts';
import { definitionInSession } from '../../../model/mocks/sessions/definition-in-session.ts';
import type { SigningSetting } from '../../../model/mocks/definition/signing-schema.ts';
import { isCertificate } from '../../../model/mocks/definition/client-cert.ts';
import { pointerTo } from '../../../model/mocks/definition/pointer.ts';
import { unknownScenario, unknownState } from '../../../model/mocks/behaviour/scenario-checks.ts';
import { GRAPHQL_PLACES, type BodyReading, type GraphqlReading } from '../../../model/mocks/definition/body-reading.ts';
import { bodyReadingSchema, type TrafficFilter } from '../../../model/mocks/traffic.ts';
import { Type, EXPECTED } from '../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import { checkedBody } from '../../checked-reader.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operationsOf } from '../operation.ts';
import { againstSchema } from '../../../model/mocks/show/against-schema.ts';
import { definitionAgainst } from './addressed-version.ts';
import type { MockStates } from './scenarios.ts';
import type { MockStores } from './stores.ts';
import { scopeFilter, type TrafficSubject, type TrafficScope } from './traffic/traffic-scope.ts';
import { SOCKET_EVENTS } from '../../../model/mocks/sockets/socket-schema.ts';

interface Signer {
  readonly mockId: string;
  readonly sessionId: string;
  readonly setting: SigningSetting;
}

/** The task of the sandbox. */
interface TryRun {
  readonly definition: MockDefinition;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    /** Names in lower case and values, alternating. */
    readonly headers: readonly string[];
    readonly body: Uint8Array | undefined;
    readonly clientIp?: string | undefined;
    /** PEM. */
    readonly clientCertPem?: string | undefined;
    /** Whose keys templates use; undefined without the setting `signing`. */
    readonly signer?: Signer | undefined;
  };
  /** From 1. */
  readonly requestNumber: number;
  /** By scenario, where they are not the initial ones. */
  readonly states: Readonly<Record<string, string>>;
  readonly when?: SocketEvent;
  /** Current values of the stores, as JSON. */
  readonly stores?: string | undefined;
}

/** The sandbox's answer; its other members are passed on as the explanation. */
interface TryAnswer {
  readonly response:
    | {
        readonly status: number;
        readonly headers: readonly { readonly name: string; readonly value: string }[];
        readonly body: Uint8Array;
      }
    | undefined;
  readonly route: { readonly routeId: string } | undefined;
  readonly chosen: object | undefined;
  readonly bodyReadAs: BodyReading | null;
  readonly graphqlReadAs?: GraphqlReading | null;
}

/** @returns undefined when it took too long. */
type ExplainRequest = (ownerId: string, run: TryRun) => Promise<TryAnswer | undefined | Refusal>;

interface MockNumbers {
  /** @returns The number that the next request of a route gets; undefined when the data plane does not answer. */
  readonly upcoming: (
    mockId: string,
    routeId: string,
    of: Pick<TrafficFilter, 'session'>,
  ) => Promise<number | undefined>;
}

const trySchema = Type.Object({
  method: Type.String({ minLength: 1, maxLength: 32 }),
  path: Type.String({
    pattern: '^/',
    maxLength: 8_000,
    [EXPECTED]: 'a path that starts with /',
    description: 'Path with query.',
  }),
  headers: Type.Optional(givenHeadersSchema),
  clientIp: Type.Optional(
    Type.String({
      maxLength: 45,
      description: 'Client address of the request. Default: none.',
    }),
  ),
  clientCert: Type.Optional(
    Type.String({ maxLength: 20_000, description: 'Client certificate of the request, in PEM. Default: none.' }),
  ),
  body: Type.Optional(Type.String({ description: 'Text; for JSON, the result of `JSON.stringify`.' })),
  bodyEncoding: Type.Optional(
    Type.Enum(['text', 'base64'], { default: 'text', description: 'Use `base64` for bytes that are not text.' }),
  ),
  when: Type.Optional(
    Type.Enum([...SOCKET_EVENTS], {
      description: 'For a WebSocket route: tries a message (the body), a handshake or a tick.',
    }),
  ),
  against: Type.Optional(againstSchema),
  requestNumber: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Number of the request to its route since the last start, save or reset. Decides `sequential`, seeded randomness and `{{requestNumber}}`. Default: 1; with a `seed`, against the saved version, the next.',
    }),
  ),
  scenarios: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      [EXPECTED]: 'an object of states by scenario',
      description: 'States by scenario, instead of the current ones. No state changes.',
    }),
  ),
});

type Try = Static<typeof trySchema>;

const graphqlReadingSchema = Type.Object({
  from: Type.Enum(GRAPHQL_PLACES, { description: 'Where the operation was found.' }),
  operation: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  fields: Type.Optional(Type.Array(Type.String(), { description: 'Top-level fields.' })),
  variables: Type.Optional(Type.String({ description: 'As JSON text.' })),
  hash: Type.Optional(Type.String({ description: 'Of a persisted query.' })),
  batch: Type.Optional(Type.Integer({ description: 'Count of requests in the batch; this is the first.' })),
  problem: Type.Optional(Type.String({ description: 'Why the document is not valid.' })),
});

const tryAnswerSchema = Type.Object({
  response: Type.Union([
    Type.Object({
      status: Type.Integer(),
      headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
      body: Type.String({ description: 'Text, or base64 with `bodyEncoding`.' }),
      bodyEncoding: Type.Optional(Type.Literal('base64', { description: 'Present when the body is not valid UTF-8.' })),
      events: Type.Optional(
        Type.Array(
          Type.Object({
            atMs: Type.Number({ description: 'Milliseconds after the head.' }),
            text: Type.String(),
            encoding: Type.Optional(Type.Literal('base64', { description: 'Present when the event is not text.' })),
          }),
          { description: 'The first 100 events of a stream.' },
        ),
      ),
      eventsProblem: Type.Optional(Type.String({ description: 'Why no further event can be rendered.' })),
    }),
    Type.Null(),
  ]),
  route: Type.Unknown(),
  chosen: Type.Unknown(),
  bodyReadAs: Type.Union([bodyReadingSchema, Type.Null()], {
    description: 'How conditions and templates parse the body; null when that exceeds the work limit of a request.',
  }),
  graphqlReadAs: Type.Optional(
    Type.Union([graphqlReadingSchema, Type.Null()], {
      description: 'The GraphQL operation, for a route that reads it; null when the request is not GraphQL.',
    }),
  ),
  explanation: Type.Unknown({
    description:
      'Each candidate, condition by condition; on a miss the closest routes; the changes to stores; each fault with its probability: `response` is the response without faults.',
  }),
});

export function mockTryApi(
  owners: OwnerDirectory,
  scopes: readonly TrafficScope[],
  bodyBytesMax: number,
  dataPlane: MockStates & MockNumbers & MockStores,
  explain: ExplainRequest,
): Endpoint[] {
  const body = checkedBody(trySchema, 'mockPayloadInvalid', bodyBytesMax, { Try: { method: 'GET', path: '/' } });
  return scopes.map((scope) =>
    operationsOf('Mocks', scope)('tryMock', 'POST /try', {
      access: 'read',
      summary: 'Try a request: what the mock would answer, and why; counts and traffic do not change',
      data: tryAnswerSchema,
      refuses: ['versionNotFound'],
      body,
      async run(call, { found: scoped, body: asked }) {
        const request = requestOf(asked);
        if (isRefusal(request)) return request;
        const { against = 'saved', requestNumber, scenarios: given = {}, when } = asked;
        const ofMock = await definitionAgainst(owners, call, scoped.mock, against);
        if (isRefusal(ofMock)) return ofMock;
        const definition = inScope(ofMock, scoped);
        const unknown = refuseStates(given, definition);
        if (unknown !== undefined) return unknown;
        call.releaseBody();
        // Without an answer of the data plane they are the initial ones.
        const current = usesScenarios(definition)
          ? await dataPlane.scenarios(scoped.mock.id, scopeFilter(scoped))
          : undefined;
        const live = usesStores(definition)
          ? await dataPlane.stores({ mockId: scoped.mock.id, ...scopeFilter(scoped), action: { kind: 'dump' } })
          : undefined;
        const stores = live?.kind === 'stores' ? live.dump : undefined;
        const states = { ...current, ...given };
        const explained = (number: number): ReturnType<ExplainRequest> =>
          explain(call.caller.ownerId, {
            definition,
            request: { ...request, signer: signerOf(scoped, definition) },
            requestNumber: number,
            states,
            stores,
            ...(when === undefined ? {} : { when }),
          });
        const isNumbered = when === undefined || when === 'message';
        const isNext =
          requestNumber === undefined && isNumbered && against === 'saved' && definition.settings.seed !== null;
        const answer = isNext
          ? await explainNext(explained, (routeId) => dataPlane.upcoming(scoped.mock.id, routeId, scopeFilter(scoped)))
          : await explained(requestNumber ?? 1);
        if (isRefusal(answer)) return answer;
        if (answer === undefined) return refuse('mockPayloadInvalid', [TOO_LONG]);
        return represent(answer, asked);
      },
    }),
  );
}

/** The definition with the overlay and the seed of the session. */
function inScope(definition: MockDefinition, { live }: TrafficSubject): MockDefinition {
  if (live === undefined) return definition;
  const { overlay, seed } = live.session;
  const seen = definitionInSession(definition, overlay);
  return { ...seen, settings: { ...seen.settings, seed } };
}

function signerOf({ mock, live }: TrafficSubject, { settings }: MockDefinition): Signer | undefined {
  const { signing: setting } = settings;
  return setting && { mockId: mock.id, sessionId: live?.session.id ?? '', setting };
}

function usesStores({ settings: { stores = [] } }: MockDefinition): boolean {
  return stores.length > 0;
}

function usesScenarios({ settings: { scenarios = [] } }: MockDefinition): boolean {
  return scenarios.length > 0;
}

function refuseStates(
  given: Readonly<Record<string, string>>,
  { settings: { scenarios = [] } }: MockDefinition,
): Refusal | undefined {
  const details = Object.entries(given).flatMap(([name, state]) => {
    const path = `/scenarios/${pointerTo(name)}`;
    const scenario = scenarios.find((each) => each.name === name);
    if (scenario === undefined) return [{ path, message: unknownScenario(name, scenarios) }];
    return scenario.states.includes(state) ? [] : [{ path, message: unknownState(state, scenario) }];
  });
  return details.length === 0 ? undefined : refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
}

/** Which route it is shows only once it is explained. */
async function explainNext(
  explained: (number: number) => ReturnType<ExplainRequest>,
  upcoming: (routeId: string) => ReturnType<MockNumbers['upcoming']>,
): ReturnType<ExplainRequest> {
  const first = await explained(1);
  if (isRefusal(first) || first?.route === undefined) return first;
  const number = (await upcoming(first.route.routeId)) ?? 1;
  return number === 1 ? first : explained(number);
}

const TOO_LONG = { path: '', message: 'the dry run took too long' };

function requestOf({
  method,
  path,
  headers = {},
  body,
  bodyEncoding,
  clientIp,
  clientCert,
}: Try): TryRun['request'] | Refusal {
  if (bodyEncoding === 'base64' && body !== undefined && !BASE64.test(body)) {
    return refuse('mockPayloadInvalid', [{ path: '/body', message: 'the body is not base64' }]);
  }
  if (clientCert !== undefined && !isCertificate(clientCert))
    return refuse('mockPayloadInvalid', [{ path: '/clientCert', message: 'is not a certificate in PEM format' }]);
  const question = path.indexOf('?');
  return {
    method,
    path: question === -1 ? path : path.slice(0, question),
    query: question === -1 ? '' : path.slice(question + 1),
    headers: givenLines(headers).flatMap(({ name, value }) => [name.toLowerCase(), value]),
    clientIp,
    clientCertPem: clientCert,
    body: body === undefined ? undefined : Buffer.from(body, bodyEncoding === 'base64' ? 'base64' : 'utf8'),
  };
}

/** Leaves out the head for a reply on a WebSocket, whose handshake was accepted before. */
function asSent(response: NonNullable<TryAnswer['response']>, when: SocketEvent | undefined) {
  if (when === undefined || refusesHandshake({ when, status: response.status })) return response;
  return { ...response, status: 101, headers: when === 'open' ? response.headers : [] };
}

/** The response as a client receives it: without a body where HTTP forbids one. */
function represent(
  { response, route, chosen, bodyReadAs, graphqlReadAs, ...explanation }: TryAnswer,
  { method, when }: Try,
): object {
  const isBodyless = method === 'HEAD' || response?.status === 204 || response?.status === 304;
  const sent = response && { ...asSent(response, when), ...(isBodyless ? { body: '' } : bodyMembers(response.body)) };
  const readAs = { bodyReadAs, ...(graphqlReadAs === undefined ? {} : { graphqlReadAs }) };
  return { response: sent ?? null, route: route ?? null, chosen: chosen ?? null, ...readAs, explanation };
}
