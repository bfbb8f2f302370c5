/** What the files of the mocks API share: how a mock is represented, when a reply may leave, and how its endpoints are declared. */
import type { TObject } from 'typebox';
import { isRefusal, type Refusal, type RefusalKind } from '../../errors.ts';
import { DRAFT_BYTES_INLINE_MAX, type Limits } from '../../limits.ts';
import type { Command } from '../../model/command.ts';
import { parseBody } from '../../model/json-body.ts';
import type { MockInput } from '../../model/mocks/decide-mock.ts';
import { hasStagedChanges, savedVersionOf, type Mock } from '../../model/mocks/mock.ts';
import { isHeavyDraft, mockParser, type DraftKind, type Drafts } from '../../model/mocks/mock-payload.ts';
import { responseShape, routeShape, settingsShape } from '../../model/mocks/schema.ts';
import { etagOf } from '../../model/precondition.ts';
import { Type } from '../../model/schema-type.ts';
import type { Repeatable } from '../../owners/owner-actor.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import { readBytes, readRepeatable, repeatableOf } from '../body.ts';
import type { Call } from '../call.ts';
import type { Endpoint, EndpointDoc, Method } from '../endpoint.ts';

/** What the API needs of the data plane. Both resolve with whether every thread serves it already. */
export interface MockServing {
  readonly urlOf: (mockId: string) => string;
  /** Serves the committed version and state of a mock. */
  readonly publish: (mockId: string) => Promise<boolean>;
  /** Whatever was last published of a mock: for repetitions, which must not publish again. */
  readonly published: (mockId: string) => Promise<boolean>;
}

/** Parses what was sent of a mock off the event loop. Given bytes it may keep. */
export type ParseDraft = <Kind extends DraftKind>(
  ownerId: string,
  kind: Kind,
  json: Buffer,
) => Promise<Drafts[Kind] | Refusal>;

/** What is written of an answer, and kept for its repetitions. */
export interface MockReply {
  readonly mockId: string;
  /** The value of `data`, as JSON. */
  readonly data: string;
  /** The version that the entity tag names. */
  readonly tag: number;
}

/** Refusals of whatever takes a part of a definition. */
export const PAYLOAD_REFUSALS = ['mockPayloadInvalid', 'limitReached'] as const;

export type MockEndpoints = ReturnType<typeof mockEndpoints>;

export function mockEndpoints(
  owners: OwnerDirectory,
  limits: Limits,
  serving: MockServing,
  parseElsewhere: ParseDraft,
) {
  const parse = mockParser(limits);
  const bytesMax = limits.mocks.definitionBytesMax;
  const route = routeShape(limits.mocks);
  const response = responseShape(limits.mocks);
  const copy = Type.Object({ settings: Type.Optional(settingsShape), routes: Type.Optional(Type.Array(route)) });

  const mockJson = (mock: Mock, ownerId: string): string =>
    JSON.stringify(represent(mock, ownerId, serving.urlOf(mock.id)));

  /** The record, with its own tag. */
  const asRecord = (mock: Mock, ownerId: string): MockReply => ({
    mockId: mock.id,
    data: mockJson(mock, ownerId),
    tag: mock.modifiedVersion,
  });
  /** The record after an edit of the working copy, with the working copy's tag, which guards the next edit. */
  const asEdited = (mock: Mock, ownerId: string): MockReply => ({
    ...asRecord(mock, ownerId),
    tag: mock.stagedVersion,
  });
  /** A part of the working copy. */
  const asStaged = (mock: Mock, data: unknown): MockReply => ({
    mockId: mock.id,
    data: JSON.stringify(data),
    tag: mock.stagedVersion,
  });

  const reply = (call: Call, { data, tag }: MockReply, isPublished = true): void => {
    const json = isPublished ? data : `${data.slice(0, -1)},"published":false}`;
    call.succeed(`"data":${json}`, `\r\netag: ${etagOf(tag)}`);
  };
  /** Answers a query. */
  const answer =
    <Answer>(call: Call, as: (found: Answer, ownerId: string) => MockReply) =>
    (outcome: Answer | Refusal): void =>
      isRefusal(outcome) ? call.refuse(outcome) : reply(call, as(outcome, call.caller.ownerId));

  /**
   * Gives a command to the owner and answers it once it is durable; and, when it `publishes`, once every thread serves it. A
   * repetition gets the first answer again.
   */
  const command = <Input, Answer>(
    call: Call,
    decided: Command<Input, Answer>,
    input: Input,
    as: (outcome: Answer, ownerId: string) => MockReply,
    { publishes = false, repeatable }: { publishes?: boolean; repeatable?: Repeatable | undefined } = {},
  ): void => {
    const { ownerId } = call.caller;
    const send = (made: MockReply, published: (mockId: string) => Promise<boolean>): void => {
      if (!publishes) return reply(call, made);
      // It is durable.
      call.settleBody();
      return void call.later(published(made.mockId), (isPublished) => reply(call, made, isPublished));
    };
    owners.command(
      decided,
      input,
      call.caller,
      (outcome) => (isRefusal(outcome) ? call.refuse(outcome) : send(as(outcome, ownerId), serving.publish)),
      repeatable && {
        ...repeatable,
        kept: (outcome) => as(outcome, ownerId),
        reply: (kept) => (isRefusal(kept) ? call.refuse(kept) : send(kept as MockReply, serving.published)),
      },
    );
  };

  const inputOf = (call: Call): MockInput => ({ mockId: call.params[0] ?? '', ifMatch: call.head.ifMatch });

  /** Reads what is sent of a mock. What is wrong with it is handed on: the mock that is addressed is looked for first. */
  const read = <Kind extends DraftKind>(
    call: Call,
    kind: Kind,
    then: (draft: Drafts[Kind] | Refusal, repeatable: Repeatable | undefined) => void,
  ): void =>
    readBytes(call, bytesMax, 'mockPayloadInvalid', (bytes) => {
      if (isRefusal(bytes)) return then(bytes, undefined);
      const repeatable = repeatableOf(call, bytes);
      const elsewhere = (): void =>
        void call.later(parseElsewhere(call.caller.ownerId, kind, Buffer.from(bytes)), (draft) =>
          then(draft, repeatable),
        );
      if (bytes.length > DRAFT_BYTES_INLINE_MAX) return elsewhere();
      const body = parseBody(bytes, 'mockPayloadInvalid');
      if (isRefusal(body)) return then(body, repeatable);
      return isHeavyDraft(body) ? elsewhere() : then(parse[kind](body), repeatable);
    });

  /** A command without a body. */
  const act = <Input, Answer>(
    call: Call,
    decided: Command<Input, Answer>,
    input: Input,
    as: (outcome: Answer, ownerId: string) => MockReply,
    options: { publishes?: boolean } = {},
  ): void => {
    const repeatable = readRepeatable(call);
    if (isRefusal(repeatable)) return call.refuse(repeatable);
    return command(call, decided, input, as, { ...options, repeatable });
  };

  const define = (
    method: Method,
    path: string,
    doc: Omit<EndpointDoc, 'tag' | 'refusals' | 'headers'> & {
      headers?: readonly ['If-Match'];
      refusals?: readonly RefusalKind[];
    },
    handle: Endpoint['handle'],
  ): Endpoint => {
    const { headers = [], refusals = [] } = doc;
    const addressed = path.includes(':') ? (['mockNotFound'] as const) : [];
    const guarded = headers.length > 0 ? (['preconditionFailed'] as const) : [];
    // Every POST here does what must not be done twice.
    const repeated = method === 'POST' ? (['idempotencyKeyReused', 'limitReached'] as const) : [];
    return {
      method,
      path: `/v1/mocks${path}`,
      access: method === 'GET' ? 'read' : 'write',
      doc: {
        tag: 'Mocks',
        ...doc,
        headers: [...headers, ...(method === 'POST' ? (['Idempotency-Key'] as const) : [])],
        refusals: [...addressed, ...repeated, ...refusals, ...guarded],
      },
      handle,
    };
  };
  const ofData = (data: TObject): TObject => Type.Object({ data });

  return {
    owners,
    bytesMax,
    shapes: { route, response, copy },
    mockJson,
    asRecord,
    asEdited,
    asStaged,
    answer,
    command,
    act,
    read,
    inputOf,
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
