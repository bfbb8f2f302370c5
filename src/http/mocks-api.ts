/** The mocks API: mocks.md, "Endpoints". Reads requests, asks the owner, and answers when the data plane serves what was decided. */
import { Type, type TObject } from 'typebox';
import type { JsonObject } from '../base/strict-json.ts';
import { isRefusal, refuse, refuseLimit, type Refusal, type RefusalKind } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Command } from '../model/command.ts';
import {
  addStagedResponse,
  addStagedRoute,
  createMock,
  deleteMock,
  deleteStagedResponse,
  deleteStagedRoute,
  discardStaged,
  orderStagedRoutes,
  putStaged,
  putStagedResponse,
  putStagedRoute,
  restoreVersion,
  saveMock,
  setMockState,
  updateMock,
  type MockInput,
} from '../model/mocks/decide-mock.ts';
import { diffSchema } from '../model/mocks/diff.ts';
import { definitionParser } from '../model/mocks/definition-payload.ts';
import { definitionOf, hasStagedChanges, mockSchema, savedVersionOf, type Mock } from '../model/mocks/mock.ts';
import {
  diffStaged,
  listMocks,
  readMock,
  readStagedResponse,
  readStagedRoute,
  readVersion,
} from '../model/mocks/query-mock.ts';
import { responseShape, routeShape, settingsShape } from '../model/mocks/schema.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { readBody } from './body.ts';
import type { Call } from './call.ts';
import type { Endpoint, EndpointDoc, Method } from './endpoint.ts';
import { PAGE_PARAMETERS, pageSchema, parseListQuery } from './list-query.ts';
import { replyMessage, replyPage } from './reply.ts';

/** What the API needs of the data plane. Each resolves with whether every thread serves it already. */
export interface MockServing {
  readonly urlOf: (mockId: string) => string;
  /** Serves the committed version and state of a mock. */
  readonly publish: (mockId: string) => Promise<boolean>;
}

export function mocksApi(owners: OwnerDirectory, limits: Limits, serving: MockServing): Endpoint[] {
  const parser = definitionParser(limits.mocks);
  const parseName = nameParser(limits);
  const bytesMax = limits.mocks.definitionBytesMax;
  const route = routeShape(limits.mocks);
  const response = responseShape(limits.mocks);
  const copy = Type.Object({ settings: Type.Optional(settingsShape), routes: Type.Optional(Type.Array(route)) });
  const record = Type.Object({ data: mockSchema });

  const mockJson = (mock: Mock, ownerId: string): string =>
    JSON.stringify(represent(mock, ownerId, serving.urlOf(mock.id)));
  const etag = (version: number): string => `\r\netag: "${version.toString(36)}"`;

  const replyMock = (call: Call, outcome: Mock | Refusal, more = ''): void => {
    if (isRefusal(outcome)) return call.refuse(outcome);
    const json = mockJson(outcome, call.caller.ownerId);
    return call.succeed(`"data":${json.slice(0, -1)}${more}}`, etag(outcome.modifiedVersion));
  };
  const replyStaged = (call: Call, mock: Mock | Refusal, data: unknown): void => {
    if (isRefusal(mock)) return call.refuse(mock);
    return call.succeed(`"data":${JSON.stringify(data)}`, etag(mock.stagedVersion));
  };
  /** Answers a decision that changes what is served, once it is served. */
  const replyPublished = (call: Call, outcome: Mock | Refusal): void => {
    if (isRefusal(outcome)) return call.refuse(outcome);
    return void serving
      .publish(outcome.id)
      .then((published) => call.protect(() => replyMock(call, outcome, published ? '' : ',"published":false')));
  };

  const inputOf = (call: Call): MockInput => ({ mockId: call.params[0] ?? '', ifMatch: call.head.ifMatch });
  const read = <Answer>(call: Call, then: (body: JsonObject | Refusal) => Answer): void =>
    readBody(call, bytesMax, 'mockPayloadInvalid', then);
  /** An endpoint without a body whose decision changes the mock. */
  const act = <Input extends MockInput>(
    call: Call,
    command: Command<Input, Mock>,
    input: Input,
    reply: typeof replyMock,
  ): void => owners.command(command, input, call.caller, (outcome) => reply(call, outcome));

  const define = (
    method: Method,
    path: string,
    doc: Omit<EndpointDoc, 'tag' | 'refusals'> & { refusals?: readonly RefusalKind[] },
    handle: Endpoint['handle'],
  ): Endpoint => {
    const addressed = path.includes(':') ? (['mockNotFound'] as const) : [];
    return {
      method,
      path: `/v1/mocks${path}`,
      access: method === 'GET' ? 'read' : 'write',
      doc: { tag: 'Mocks', ...doc, refusals: [...addressed, ...(doc.refusals ?? [])] },
      handle,
    };
  };
  const ofData = (data: TObject): TObject => Type.Object({ data });

  const commands = {
    create: createMock(parser, parseName),
    update: updateMock(parseName),
    start: setMockState('running'),
    stop: setMockState('stopped'),
    putStaged: putStaged(parser),
    addRoute: addStagedRoute(parser),
    putRoute: putStagedRoute(parser),
    order: orderStagedRoutes(),
    addResponse: addStagedResponse(parser),
    putResponse: putStagedResponse(parser),
  };
  const PAYLOAD = ['mockPayloadInvalid', 'limitReached'] as const;

  return [
    define(
      'GET',
      '',
      {
        operationId: 'listMocks',
        summary: 'List mocks in order of creation',
        query: Type.Object(PAGE_PARAMETERS),
        answer: pageSchema(mockSchema),
        refusals: ['badRequest'],
      },
      (call) => {
        const query = parseListQuery(call.head.query, {});
        if (isRefusal(query)) return call.refuse(query);
        return owners.query(listMocks, { page: query.page }, call.caller, (page) => replyPage(call, page, mockJson));
      },
    ),
    define(
      'POST',
      '',
      {
        operationId: 'createMock',
        summary: 'Create a mock, saved as version 1',
        body: Type.Object({
          name: Type.String({ minLength: 1 }),
          description: Type.Optional(Type.String()),
          ...copy.properties,
          start: Type.Optional(Type.Boolean()),
        }),
        examples: { Mock: { name: 'Payments', start: true, routes: [EXAMPLE_ROUTE] } },
        answer: record,
        headers: ['Idempotency-Key'],
        refusals: [...PAYLOAD, 'idempotencyKeyReused'],
      },
      (call) =>
        readBody(call, bytesMax, 'mockPayloadInvalid', (body, idempotency) =>
          owners.command(
            commands.create,
            { body },
            call.caller,
            (outcome) => replyPublished(call, outcome),
            idempotency,
          ),
        ),
    ),
    define('GET', '/:id', { operationId: 'readMock', summary: 'Read a mock', answer: record }, (call) =>
      owners.query(readMock, inputOf(call), call.caller, (outcome) => replyMock(call, outcome)),
    ),
    define(
      'PUT',
      '/:id',
      {
        operationId: 'updateMock',
        summary: 'Change name and description',
        body: Type.Object({ name: Type.String({ minLength: 1 }), description: Type.Optional(Type.String()) }),
        answer: record,
        headers: ['If-Match'],
        refusals: [...PAYLOAD, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(commands.update, { ...inputOf(call), body }, call.caller, (outcome) =>
            replyMock(call, outcome),
          ),
        ),
    ),
    define(
      'DELETE',
      '/:id',
      {
        operationId: 'deleteMock',
        summary: 'Delete a mock',
        answer: Type.Object({ message: Type.Literal('Mock deleted successfully') }),
        headers: ['If-Match'],
        refusals: ['preconditionFailed'],
      },
      (call) =>
        owners.command(deleteMock, inputOf(call), call.caller, (outcome) => {
          if (isRefusal(outcome)) return call.refuse(outcome);
          return void serving
            .publish(outcome.id)
            .then(() => call.protect(() => replyMessage(call, outcome, 'Mock deleted successfully')));
        }),
    ),
    ...(['start', 'stop'] as const).map((verb) =>
      define(
        'POST',
        `/:id/${verb}`,
        {
          operationId: `${verb}Mock`,
          summary: verb === 'start' ? 'Serve the saved version' : 'Answer 503',
          answer: record,
          headers: ['If-Match'],
          refusals: ['preconditionFailed'],
        },
        (call) => act(call, commands[verb], inputOf(call), replyPublished),
      ),
    ),
    define(
      'GET',
      '/:id/staged',
      { operationId: 'readStaged', summary: 'Read the working copy', answer: ofData(copy) },
      (call) =>
        owners.query(readMock, inputOf(call), call.caller, (mock) =>
          replyStaged(call, mock, isRefusal(mock) ? undefined : definitionOf(mock.staged)),
        ),
    ),
    define(
      'PUT',
      '/:id/staged',
      {
        operationId: 'replaceStaged',
        summary: 'Replace the working copy',
        body: copy,
        answer: ofData(copy),
        headers: ['If-Match'],
        refusals: [...PAYLOAD, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(commands.putStaged, { ...inputOf(call), body }, call.caller, (mock) =>
            replyStaged(call, mock, isRefusal(mock) ? undefined : definitionOf(mock.staged)),
          ),
        ),
    ),
    define(
      'GET',
      '/:id/staged/diff',
      { operationId: 'diffStaged', summary: 'What a save would change', answer: ofData(diffSchema) },
      (call) =>
        owners.query(diffStaged, inputOf(call), call.caller, (diff) =>
          isRefusal(diff) ? call.refuse(diff) : call.succeed(`"data":${JSON.stringify(diff)}`),
        ),
    ),
    define(
      'POST',
      '/:id/staged/routes',
      {
        operationId: 'addStagedRoute',
        summary: 'Stage another route',
        body: route,
        examples: { Route: EXAMPLE_ROUTE },
        answer: ofData(route),
        headers: ['If-Match'],
        refusals: [...PAYLOAD, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(commands.addRoute, { ...inputOf(call), body }, call.caller, (outcome) =>
            isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.route),
          ),
        ),
    ),
    define(
      'PUT',
      '/:id/staged/order',
      {
        operationId: 'orderStagedRoutes',
        summary: 'Reorder the staged routes',
        body: Type.Object({ ids: Type.Array(Type.String()) }),
        answer: ofData(copy),
        headers: ['If-Match'],
        refusals: [...PAYLOAD, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(commands.order, { ...inputOf(call), body }, call.caller, (mock) =>
            replyStaged(call, mock, isRefusal(mock) ? undefined : definitionOf(mock.staged)),
          ),
        ),
    ),
    define(
      'GET',
      '/:id/staged/routes/:routeId',
      {
        operationId: 'readStagedRoute',
        summary: 'Read a staged route',
        answer: ofData(route),
        refusals: ['routeNotFound'],
      },
      (call) =>
        owners.query(readStagedRoute, { ...inputOf(call), routeId: call.params[1] ?? '' }, call.caller, (outcome) =>
          isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.route),
        ),
    ),
    define(
      'PUT',
      '/:id/staged/routes/:routeId',
      {
        operationId: 'replaceStagedRoute',
        summary: 'Replace a staged route',
        body: route,
        answer: ofData(route),
        headers: ['If-Match'],
        refusals: ['routeNotFound', ...PAYLOAD, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(
            commands.putRoute,
            { ...inputOf(call), routeId: call.params[1] ?? '', body },
            call.caller,
            (outcome) => (isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.route)),
          ),
        ),
    ),
    define(
      'DELETE',
      '/:id/staged/routes/:routeId',
      {
        operationId: 'deleteStagedRoute',
        summary: 'Remove a staged route',
        answer: record,
        headers: ['If-Match'],
        refusals: ['routeNotFound', 'preconditionFailed'],
      },
      (call) => act(call, deleteStagedRoute, { ...inputOf(call), routeId: call.params[1] ?? '' }, replyMock),
    ),
    define(
      'POST',
      '/:id/staged/routes/:routeId/responses',
      {
        operationId: 'addStagedResponse',
        summary: 'Stage another response',
        body: response,
        examples: { Response: { status: 404, body: 'no such payment' } },
        answer: ofData(response),
        headers: ['If-Match'],
        refusals: ['routeNotFound', ...PAYLOAD, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(
            commands.addResponse,
            { ...inputOf(call), routeId: call.params[1] ?? '', body },
            call.caller,
            (outcome) =>
              isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.response),
          ),
        ),
    ),
    define(
      'GET',
      '/:id/staged/routes/:routeId/responses/:responseId',
      {
        operationId: 'readStagedResponse',
        summary: 'Read a staged response',
        answer: ofData(response),
        refusals: ['routeNotFound', 'responseNotFound'],
      },
      (call) =>
        owners.query(readStagedResponse, responseInput(call, inputOf(call)), call.caller, (outcome) =>
          isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.response),
        ),
    ),
    define(
      'PUT',
      '/:id/staged/routes/:routeId/responses/:responseId',
      {
        operationId: 'replaceStagedResponse',
        summary: 'Replace a staged response',
        body: response,
        answer: ofData(response),
        headers: ['If-Match'],
        refusals: ['routeNotFound', 'responseNotFound', ...PAYLOAD, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(
            commands.putResponse,
            { ...responseInput(call, inputOf(call)), body },
            call.caller,
            (outcome) =>
              isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.response),
          ),
        ),
    ),
    define(
      'DELETE',
      '/:id/staged/routes/:routeId/responses/:responseId',
      {
        operationId: 'deleteStagedResponse',
        summary: 'Remove a staged response',
        answer: record,
        headers: ['If-Match'],
        refusals: ['routeNotFound', 'responseNotFound', 'mockPayloadInvalid', 'preconditionFailed'],
      },
      (call) => act(call, deleteStagedResponse, responseInput(call, inputOf(call)), replyMock),
    ),
    define(
      'POST',
      '/:id/save',
      {
        operationId: 'saveMock',
        summary: 'The working copy becomes the next version, and is served',
        answer: record,
        headers: ['If-Match'],
        refusals: ['preconditionFailed'],
      },
      (call) => act(call, saveMock, inputOf(call), replyPublished),
    ),
    define(
      'POST',
      '/:id/discard',
      {
        operationId: 'discardStaged',
        summary: 'The working copy becomes the saved version again',
        answer: record,
        headers: ['If-Match'],
        refusals: ['preconditionFailed'],
      },
      (call) => act(call, discardStaged, inputOf(call), replyMock),
    ),
    define(
      'GET',
      '/:id/versions',
      {
        operationId: 'listVersions',
        summary: 'List saved versions, newest first',
        answer: Type.Object({ data: Type.Array(versionSchema) }),
      },
      (call) =>
        owners.query(readMock, inputOf(call), call.caller, (mock) =>
          isRefusal(mock)
            ? call.refuse(mock)
            : call.succeed(`"data":${JSON.stringify(mock.versions.toReversed().map(representVersion))}`),
        ),
    ),
    define(
      'GET',
      '/:id/versions/:n',
      {
        operationId: 'readVersion',
        summary: 'Read a saved version',
        answer: ofData(Type.Object({ ...versionSchema.properties, ...copy.properties })),
        refusals: ['versionNotFound'],
      },
      (call) =>
        owners.query(readVersion, versionInput(call), call.caller, (outcome) => {
          if (isRefusal(outcome)) return call.refuse(outcome);
          const { version, routes } = outcome;
          const whole = {
            ...representVersion(version),
            settings: version.settings,
            routes: routes.map((each) => each.route),
          };
          return call.succeed(`"data":${JSON.stringify(whole)}`);
        }),
    ),
    define(
      'POST',
      '/:id/versions/:n/restore',
      {
        operationId: 'restoreVersion',
        summary: 'Stage a saved version',
        answer: record,
        headers: ['If-Match'],
        refusals: ['versionNotFound', 'preconditionFailed'],
      },
      (call) =>
        owners.query(readVersion, versionInput(call), call.caller, (outcome) => {
          if (isRefusal(outcome)) return call.refuse(outcome);
          const input = { ...inputOf(call), number: outcome.version.number, routes: outcome.routes };
          return act(call, restoreVersion, input, replyMock);
        }),
    ),
  ];
}

const EXAMPLE_ROUTE = {
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

const versionSchema = Type.Object({
  version: Type.Integer(),
  savedAt: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  savedBy: Type.String(),
  routeCount: Type.Integer(),
});

function representVersion({ number, savedAt, savedBy, revisions }: Mock['versions'][number]) {
  return { version: number, savedAt, savedBy, routeCount: revisions.length };
}

function represent(mock: Mock, ownerId: string, url: string) {
  const { number, savedAt } = savedVersionOf(mock);
  return {
    id: mock.id,
    name: mock.name,
    description: mock.description,
    state: mock.state,
    url,
    version: number,
    savedAt,
    hasStagedChanges: hasStagedChanges(mock),
    routeCount: mock.saved.routes.length,
    creationDate: mock.creationDate,
    modificationDate: mock.modificationDate,
    createdBy: mock.createdBy,
    lastModifiedBy: mock.lastModifiedBy,
    currentOwnerId: ownerId,
  };
}

function responseInput(call: Call, input: MockInput) {
  return { ...input, routeId: call.params[1] ?? '', responseId: call.params[2] ?? '' };
}

function versionInput(call: Call) {
  return { mockId: call.params[0] ?? '', number: /^\d{1,9}$/.test(call.params[1] ?? '') ? Number(call.params[1]) : 0 };
}

/** Reads `name` and `description` of a body. */
function nameParser(limits: Limits) {
  return (body: JsonObject): { name: string; description: string } | Refusal => {
    const { name, description = '' } = body;
    if (typeof name !== 'string' || name === '') {
      return refuse('mockPayloadInvalid', [
        { path: '/name', message: 'is required and must be a string that is not empty' },
      ]);
    }
    if (typeof description !== 'string' && description !== null) {
      return refuse('mockPayloadInvalid', [{ path: '/description', message: 'expected string' }]);
    }
    if (name.length > limits.nameCharsMax) return refuseLimit(`name of ${limits.nameCharsMax} characters`, '/name');
    if ((description ?? '').length > limits.textCharsMax)
      return refuseLimit(`description of ${limits.textCharsMax} characters`, '/description');
    return { name, description: description ?? '' };
  };
}
