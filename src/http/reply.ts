/** Answers that the API files share: a record with its ETag, a page, a message; or the refusal. */
import { isRefusal, type Refusal } from '../errors.ts';
import { LARGE_ANSWER_BYTES } from '../limits.ts';
import { etagOf } from '../model/precondition.ts';
import type { PageAt } from '../model/page-at.ts';
import type { Call } from './call.ts';
import { listHeaders } from './list-tag.ts';
import { replyList } from './page.ts';

/** Writes what is shown of a record as JSON for its owner. */
type Represent<Shown> = (shown: Shown, ownerId: string) => string;

/** The ETag is that of the record: what is shown with it may change without it. */
export function replyRecord<Shown extends { readonly record: { readonly modifiedVersion: number } }>(
  call: Call,
  outcome: Shown | Refusal,
  represent: Represent<Shown>,
): void {
  if (isRefusal(outcome)) return call.refuse(outcome);
  return call.succeed(
    `"data":${represent(outcome, call.caller.ownerId)}`,
    `\r\netag: ${etagOf(outcome.record.modifiedVersion)}`,
  );
}

/** The same for a record that may be large, which is written in parts. @param partsOf As `represent`, in parts. */
export function replyLargeRecord<Shown extends { readonly record: { readonly modifiedVersion: number } }>(
  call: Call,
  outcome: Shown | Refusal,
  represent: Represent<Shown>,
  partsOf: (shown: Shown, ownerId: string) => readonly string[],
): void {
  if (isRefusal(outcome)) return call.refuse(outcome);
  const { ownerId } = call.caller;
  const tag = `\r\netag: ${etagOf(outcome.record.modifiedVersion)}`;
  const json = represent(outcome, ownerId);
  // A character takes three bytes at most.
  if (json.length < LARGE_ANSWER_BYTES / 3) return call.succeed(`"data":${json}`, tag);
  const texts = ['{"success":true,"data":', ...partsOf(outcome, ownerId), '}'];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return call.answer(bytes, () => call.sendTexts(texts, Buffer.allocUnsafeSlow(bytes), tag), 1);
}

/** A page with its ETag; 304 when the client has it. */
export function replyPage<R>(
  call: Call,
  outcome: PageAt<R> | Refusal,
  offset: number,
  represent: Represent<R>,
  partsOf?: (record: R, ownerId: string) => readonly string[],
): void {
  if (isRefusal(outcome)) return call.refuse(outcome);
  const headers = listHeaders(call, outcome.version);
  if (outcome.page === undefined) return call.notModified(headers);
  const { records, total, nextOffset } = outcome.page;
  const { ownerId } = call.caller;
  return replyList(
    call,
    records,
    (record) => represent(record, ownerId),
    (count) => `,"total":${total},"nextOffset":${count < records.length ? offset + count : nextOffset}`,
    { partsOf: partsOf && ((record) => partsOf(record, ownerId)), headers },
  );
}

/** @param message Without characters that JSON escapes. @param more Further members, each with a comma before it. */
export function replyMessage(call: Call, outcome: unknown, message: string, more = ''): void {
  if (isRefusal(outcome)) return call.refuse(outcome);
  return call.succeed(`"message":"${message}"${more}`);
}
