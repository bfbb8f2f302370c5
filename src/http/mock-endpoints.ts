/** What the files of the mocks API share: how a mock is represented, when a reply may leave, and how its endpoints are declared. */
import { Type, type TObject } from 'typebox';
import type { JsonObject } from '../base/strict-json.ts';
import { isRefusal, type Refusal, type RefusalKind } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Command } from '../model/command.ts';
import type { MockInput } from '../model/mocks/decide-mock.ts';
import { definitionParser } from '../model/mocks/definition-payload.ts';
import { hasStagedChanges, mockSchema, savedVersionOf, type Mock } from '../model/mocks/mock.ts';
import { responseShape, routeShape, settingsShape } from '../model/mocks/schema.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { readBody } from './body.ts';
import type { Call } from './call.ts';
import type { Endpoint, EndpointDoc, Method } from './endpoint.ts';

/** What the API needs of the data plane. Each resolves with whether every thread serves it already. */
export interface MockServing {
  readonly urlOf: (mockId: string) => string;
  /** Serves the committed version and state of a mock. */
  readonly publish: (mockId: string) => Promise<boolean>;
}

/** Refusals of whatever takes a part of a definition. */
export const PAYLOAD_REFUSALS = ['mockPayloadInvalid', 'limitReached'] as const;

export type MockEndpoints = ReturnType<typeof mockEndpoints>;

export function mockEndpoints(owners: OwnerDirectory, limits: Limits, serving: MockServing) {
  const parser = definitionParser(limits.mocks);
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
  /** After an edit of the working copy: the record, with the working copy's tag, which guards the next edit. */
  const replyEdited = (call: Call, outcome: Mock | Refusal): void => {
    if (isRefusal(outcome)) return call.refuse(outcome);
    return call.succeed(`"data":${mockJson(outcome, call.caller.ownerId)}`, etag(outcome.stagedVersion));
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
  const read = (call: Call, then: (body: JsonObject | Refusal) => void): void =>
    readBody(call, bytesMax, 'mockPayloadInvalid', then);
  /** An endpoint without a body whose decision changes the mock. */
  const act = <Input extends MockInput>(
    call: Call,
    command: Command<Input, Mock>,
    input: Input,
    reply: (call: Call, outcome: Mock | Refusal) => void,
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

  return {
    owners,
    parser,
    bytesMax,
    shapes: { route, response, copy },
    record,
    mockJson,
    replyMock,
    replyEdited,
    replyStaged,
    replyPublished,
    inputOf,
    read,
    act,
    define,
    ofData,
  };
}

/** A route that works as it stands, for the page that shows the API. */
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
