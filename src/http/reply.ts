/** The answers that the API files share: a record with its ETag, a page, a deletion; or the refusal. */
import { isRefusal, type Refusal } from '../errors.ts';
import { etagOf } from '../model/precondition.ts';
import type { Page } from '../model/queries.ts';
import type { Call } from './call.ts';

/** Writes a record as JSON for its owner. */
export type Represent<R> = (record: R, ownerId: string) => string;

export function replyRecord<R extends { readonly modifiedVersion: number }>(
  call: Call,
  outcome: R | Refusal,
  represent: Represent<R>,
): void {
  if (isRefusal(outcome)) return call.refuse(outcome);
  return call.succeed(
    `"data":${represent(outcome, call.caller.ownerId)}`,
    `\r\netag: ${etagOf(outcome.modifiedVersion)}`,
  );
}

export function replyPage<R>(call: Call, outcome: Page<R> | Refusal, represent: Represent<R>): void {
  if (isRefusal(outcome)) return call.refuse(outcome);
  const { records, total, nextOffset } = outcome;
  const data = records.map((record) => represent(record, call.caller.ownerId)).join();
  return call.succeed(`"data":[${data}],"total":${total},"nextOffset":${nextOffset}`);
}

/** @param message Free of what JSON escapes. @param more Further members, each with a comma before it. */
export function replyMessage(call: Call, outcome: unknown, message: string, more = ''): void {
  if (isRefusal(outcome)) return call.refuse(outcome);
  return call.succeed(`"message":"${message}"${more}`);
}
