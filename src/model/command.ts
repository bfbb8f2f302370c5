/**
 * What can be asked of an owner: commands, which decide changes, and queries, which change nothing.
 *
 * Both are pure: they read the state and their context, and answer with data. The owner's actor applies and commits.
 */
import type { JsonObject } from '../base/json-object.ts';
import type { Refusal } from '../errors.ts';
import type { HistoryEntry } from './history.ts';
import type { RouteRevision } from './mocks/mock.ts';
import type { Limits } from '../limits.ts';
import type { Change, OwnerState } from './owner-state.ts';
import type { Principal } from './principal.ts';

export interface QueryContext {
  readonly principal: Principal;
  /** Which owner holds the record with this id, in any owner's durable records; undefined when none does. O(1). */
  readonly ownerOf: (id: string) => string | undefined;
  /** The content of the principal's mock's routes, by revisions; undefined while one is not on the disk yet. */
  readonly routeRevisions: (mockCreatedVersion: number, revisions: readonly number[]) => RouteRevision[] | undefined;
  /** The principal's owner's durable history below a version, newest first. */
  readonly historyBefore: (before: number, countMax: number) => readonly HistoryEntry[];
}

export interface CommandContext extends QueryContext {
  readonly limits: Limits;
  /** The version that the owner will have after this command. */
  readonly version: number;
  /** The date of this command in milliseconds since the Unix epoch; never below the owner's date before it. */
  readonly date: number;
}

export interface Query<Input, Answer> {
  /** May answer later from a snapshot it took: records are immutable, so the owner's next turn need not wait. */
  readonly answer: (state: OwnerState, input: Input, context: QueryContext) => Answer | Refusal | Promise<Answer>;
}

export interface Command<Input, Answer> {
  /** As history entries name it: "rule.create". */
  readonly name: string;
  /** Whether less is stored afterwards: it is still taken when the disk is full. */
  readonly frees?: true;
  readonly decide: (state: OwnerState, input: Input, context: CommandContext) => Decision<Answer> | Refusal;
}

export interface Decision<Answer> {
  /** None when everything is so already: then nothing is committed. */
  readonly changes: readonly Change[];
  readonly answer: Answer;
}

/** The body as it was received: an object, or why it is none. A refusal is only given once the record is known to exist. */
export type Body = JsonObject | Refusal;
