/** Errors of PostgreSQL and of the connection to it, by what follows from them. */
import { DatabaseError as SqlError } from 'pg';

export const UNDEFINED_TABLE = '42P01';
const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const NOT_NULL_VIOLATION = '23502';
const READ_ONLY = '25006';
const IDLE_IN_TRANSACTION = '25P03';
/** Too many connections, and the disk or the memory is full. */
const TOO_MANY_CONNECTIONS = '53300';
const INSUFFICIENT_RESOURCES = '53';
/** A shutdown, a crash, or a start. */
const OPERATOR_INTERVENTION = '57P';
const CONNECTION_EXCEPTION = '08';

/** The five characters that PostgreSQL gives with an error; undefined for one of the connection. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof SqlError ? error.code : undefined;
}

/** Whether the server may not have answered: what was asked of it may have been done, or be done yet. */
export function isLost(error: unknown): boolean {
  const state = sqlStateOf(error);
  // Errors of sockets have no class of their own; those of what was read have.
  if (state === undefined) return error instanceof Error && error.constructor === Error;
  return state.startsWith(OPERATOR_INTERVENTION) || state.startsWith(CONNECTION_EXCEPTION);
}

/** Whether another server, or this one a moment later, may do what this one did not. */
export function isElsewhere(error: unknown): boolean {
  const state = sqlStateOf(error);
  return isLost(error) || state === READ_ONLY || state === TOO_MANY_CONNECTIONS || state === IDLE_IN_TRANSACTION;
}

/** Whether two transactions waited for each other: nothing of this one is done, and it may be tried again. */
export function isCollision(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === DEADLOCK || state === SERIALIZATION_FAILURE;
}

/** Whether a record has the id of another owner's: the owner of an id is null then (write-batch.ts). Nothing is done. */
export function isIdTaken(error: unknown): boolean {
  return sqlStateOf(error) === NOT_NULL_VIOLATION;
}

/** Whether the server has no room: nothing is done. */
export function isFull(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== TOO_MANY_CONNECTIONS && state?.startsWith(INSUFFICIENT_RESOURCES) === true;
}
