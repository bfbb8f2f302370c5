/** Shared by the endpoints of mocks: represents a mock, makes changes, and answers them. */
import { isRefusal, type Refusal } from '../../../errors.ts';
import type { Command, Query } from '../../../model/command.ts';
import type { MockInput } from '../../../model/mocks/decide/decide-mock.ts';
import { WARNINGS_MAX } from '../../../limits.ts';
import { definitionOf, hasStagedChanges, savedVersionOf, type Mock, type MockCopy } from '../../../model/mocks/mock.ts';
import { readMock } from '../../../model/mocks/show/query-mock.ts';
import { warningsOf, type DefinitionWarning } from '../../../model/mocks/show/warnings.ts';
import { etagOf } from '../../../model/precondition.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Call } from '../../call.ts';
import type { UpstreamRefusal } from '../../../model/mocks/upstream/placed-upstreams.ts';
import type { DraftBodies } from './drafts.ts';

export interface MocksContext {
  readonly owners: OwnerDirectory;
  readonly serving: MockServing;
  readonly bodies: DraftBodies;
  readonly upstreamRefusal: UpstreamRefusal;
}

/** Base URLs of a mock, as its record has them. */
export interface MockUrls {
  readonly url: string;
  /** Absent where no port has HTTPS beside the mock port. */
  readonly httpsUrl?: string;
  readonly mtlsUrl?: string;
}

/** The part of the data plane that the API uses. Both promises resolve with whether every thread already serves the mock. */
interface MockServing {
  readonly urlOf: (mockId: string) => string;
  readonly urlsOf: (mockId: string) => MockUrls;
  /** Serves the committed version and state of a mock. */
  readonly publish: (mockId: string) => Promise<boolean>;
  /** The result of the last publish: for repetitions, which must not publish again. */
  readonly published: (mockId: string) => Promise<boolean>;
}

/** An answer, as it is written and kept for repetitions. */
export interface MockReply {
  readonly mockId: string;
  /** Further mocks that are published. */
  readonly otherIds?: readonly string[];
  /** The value of `data`, as JSON. */
  readonly data: string;
  /** The version that the entity tag names; absent in an answer without one. */
  readonly tag?: number;
  /** The value of `warnings` in answers to edits and saves, as JSON; absent in answers kept by older versions. */
  readonly warnings?: string;
}

/** Writes what a command or a query found. */
type RepresentFound<Found> = (found: Found, ownerId: string, urlsOf: MockServing['urlsOf']) => MockReply;

export function mockInput(call: Call): MockInput {
  return { mockId: call.params[0] ?? '', ifMatch: call.head.ifMatch };
}

/** A command, its input, and its answer. */
interface MockChange<Input, Answer> {
  readonly command: Command<Input, Answer>;
  readonly input: Input;
  readonly represent: RepresentFound<Answer>;
  readonly publishes?: boolean;
}

/** Makes handlers of changes: `inputOf` gets what was sent, or its refusal, which the command decides on. */
export function changesOf(context: MocksContext) {
  return <Input, Answer, Sent = unknown>(
    command: Command<Input, Answer>,
    represent: RepresentFound<Answer>,
    inputOf: (call: Call, sent: Sent) => Input,
    { publishes = false } = {},
  ) =>
    (call: Call, sent: Sent): void =>
      changeMock(context, call, { command, represent, publishes, input: inputOf(call, sent) });
}

/**
 * Gives a command to the owner and answers once it is durable; and, when it `publishes`, once every thread serves the
 * mock. A repetition gets the first answer again.
 */
export function changeMock<Input, Answer>(
  { owners, serving }: MocksContext,
  call: Call,
  { command, input, represent, publishes = false }: MockChange<Input, Answer>,
): void {
  const { ownerId } = call.caller;
  const represented = (outcome: Answer): MockReply => represent(outcome, ownerId, serving.urlsOf);
  const send = (reply: MockReply, published: (mockId: string) => Promise<boolean>): void => {
    if (!publishes) return sendReply(call, reply);
    // It is durable.
    call.releaseBody();
    const mockIds = [reply.mockId, ...(reply.otherIds ?? [])];
    return void call.later(Promise.all(mockIds.map(published)), (are) => sendReply(call, reply, are.every(Boolean)));
  };
  owners.command(
    command,
    input,
    call.caller,
    (outcome) => {
      if (isRefusal(outcome)) return call.refuse(outcome);
      // A large mock takes 100 ms to publish or to show, and commits of many become durable together.
      return call.inTurn(() => send(represented(outcome), serving.publish));
    },
    call.repeatable && {
      ...call.repeatable,
      kept: represented,
      reply: (kept) => (isRefusal(kept) ? call.refuse(kept) : send(kept as MockReply, serving.published)),
    },
  );
}

/** Makes handlers of reads. @param bytesMaxOf The most that the answer has, for what may be large. */
export function readsOf({ owners, serving }: MocksContext) {
  return <Input, Found>(
    query: Query<Input, Found>,
    represent: RepresentFound<Found>,
    inputOf: (call: Call) => Input,
    bytesMaxOf: (found: Found) => number = () => 0,
  ) =>
    (call: Call): void =>
      owners.query(query, inputOf(call), call.caller, (found) =>
        isRefusal(found)
          ? call.refuse(found)
          : call.answer(bytesMaxOf(found), () =>
              sendReply(call, represent(found, call.caller.ownerId, serving.urlsOf)),
            ),
      );
}

/** Makes an answer about a mock: only when the mock exists, and for a large one within the owner's share. */
export function answerOfMock(
  { owners }: MocksContext,
  call: Call,
  bytesMaxOf: (mock: Mock) => number | Refusal,
  make: () => void,
): void {
  owners.query(readMock, mockInput(call), call.caller, (mock) => {
    const bytesMax = isRefusal(mock) ? mock : bytesMaxOf(mock);
    return isRefusal(bytesMax) ? call.refuse(bytesMax) : call.answer(bytesMax, make);
  });
}

/** @param isPublished Whether every thread serves it. */
export function sendReply(call: Call, { data, tag, warnings }: MockReply, isPublished = true): void {
  const json = isPublished ? data : `${data.slice(0, -1)},"published":false}`;
  const further = warnings === undefined ? '' : `,"warnings":${warnings}`;
  call.succeed(`"data":${json}${further}`, tag === undefined ? '' : `\r\netag: ${etagOf(tag)}`);
}

/** The record, with its own tag. */
export const asRecord: RepresentFound<Mock> = (mock, ownerId, urlsOf) => ({
  mockId: mock.id,
  data: mockJson(mock, ownerId, urlsOf),
  tag: mock.modifiedVersion,
});

/** The record after a creation or a save, with warnings about the saved version. */
export const asSaved: RepresentFound<Mock> = (mock, ownerId, urlsOf) =>
  warned(asRecord(mock, ownerId, urlsOf), mock.saved);

/** The record after an edit of the working copy, with the working copy's tag, which guards the next edit. */
export const asEdited: RepresentFound<Mock> = (mock, ownerId, urlsOf) =>
  warned({ ...asRecord(mock, ownerId, urlsOf), tag: mock.stagedVersion }, mock.staged);

/** A part of the working copy. */
export function asStaged(mock: Mock, data: unknown): MockReply {
  return { mockId: mock.id, data: JSON.stringify(data), tag: mock.stagedVersion };
}

/** With warnings about a definition. @param editedId Of the route that was edited. @param others Further ones. */
export function warned(
  reply: MockReply,
  copy: MockCopy,
  editedId?: string,
  others: readonly DefinitionWarning[] = [],
): MockReply {
  return {
    ...reply,
    warnings: JSON.stringify([...others, ...warningsOf(definitionOf(copy), editedId)].slice(0, WARNINGS_MAX)),
  };
}

/** A mock as lists return it: with the tag of its record. */
export function listedMockJson(mock: Mock, ownerId: string, urlsOf: MockServing['urlsOf']): string {
  const etag = JSON.stringify(etagOf(mock.modifiedVersion));
  return `${mockJson(mock, ownerId, urlsOf).slice(0, -1)},"etag":${etag}}`;
}

export function mockJson(mock: Mock, ownerId: string, urlsOf: MockServing['urlsOf']): string {
  const { number, savedAt } = savedVersionOf(mock);
  return JSON.stringify({
    id: mock.id,
    name: mock.name,
    description: mock.description,
    state: mock.state,
    ...urlsOf(mock.id),
    version: number,
    savedAt,
    hasStagedChanges: hasStagedChanges(mock),
    routeCount: mock.saved.routes.length,
    file: mock.file,
    creationDate: mock.creationDate,
    modificationDate: mock.modificationDate,
    createdBy: mock.createdBy,
    lastModifiedBy: mock.lastModifiedBy,
    currentOwnerId: ownerId,
  });
}
