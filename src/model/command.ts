/**
 * Operations on an owner: commands, which decide changes, and queries, which change nothing.
 *
 * Both are pure: they read the state and their context, and answer with data. The owner's actor applies and commits.
 */
import type { Later } from '../base/later.ts';
import type { JsonObject } from '../base/json-object.ts';
import type { Refusal } from '../errors.ts';
import type { HistoryEntry } from './history.ts';
import type { RouteRevision } from './mocks/mock.ts';
import type { Limits } from '../limits.ts';
import type { Change, OwnerState } from './owner-state.ts';
import type { Principal } from './principal.ts';

export interface QueryContext {
  readonly principal: Principal;
  /** The owner that durably holds the record with this id; undefined without one. O(1). */
  readonly ownerOf: (id: string) => string | undefined;
  /** The same of many ids, in their order, with one read of the store. */
  readonly ownersOf: (ids: readonly string[]) => readonly (string | undefined)[];
  /**
   * The content of routes of one of the principal's mocks, by revisions; undefined while one of them is not on the disk
   * yet.
   */
  readonly routeRevisions: (mockCreatedVersion: number, revisions: readonly number[]) => RouteRevision[] | undefined;
  /** Durable history of the principal's owner below a version, newest first. */
  readonly historyBefore: (before: number, countMax: number) => Later<readonly HistoryEntry[]>;
}

export interface CommandContext extends QueryContext {
  readonly limits: Limits;
  /** The owner's version after this command. */
  readonly version: number;
  /** The date of this command in milliseconds since the Unix epoch; never below the owner's previous date. */
  readonly date: number;
}

/**
 * Runs again when what it saw is outdated, or when it asked for what the store had to fetch first: so it does nothing but
 * answer.
 */
export interface Query<Input, Answer> {
  /** May resolve later from a snapshot: records are immutable, so the owner's next turn need not wait. */
  readonly answer: (
    state: OwnerState,
    input: Input,
    context: QueryContext,
  ) => Answer | Refusal | Promise<Answer | Refusal>;
}

/** A command may run again, like a query. */
export interface Command<Input, Answer> {
  /** Its name in history entries: "rule.create". */
  readonly name: string;
  /** Whether less is stored afterwards: such a command is accepted also when the disk is full. */
  readonly frees?: true;
  readonly decide: (state: OwnerState, input: Input, context: CommandContext) => Decision<Answer> | Refusal;
}

export interface Decision<Answer> {
  /** Empty when nothing changes: then nothing is committed. */
  readonly changes: readonly Change[];
  readonly answer: Answer;
}

/** The body as received: an object, or its refusal. That refusal is returned only after the record was found. */
export type Body = JsonObject | Refusal;
