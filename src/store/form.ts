/** What is stored has a form: a number in front of its fields, by which an older server knows that it cannot read them. */
import { unpack } from 'msgpackr';
import { assert } from '../base/assert.ts';

/**
 * What a store may hold. Raised with any form below, or with a new kind of entry; a server writes it into the store before it
 * serves, and a server that knows less refuses to open the store.
 *
 * 2: the bytes of kept answers are counted. In an older store they begin at nothing: what was kept before has expired a day later.
 */
export const STORE_FORMAT = 2;

/** @param formMax The newest form of the kind: the format of the store has been looked at, so none can be newer. */
export function fieldsOf(bytes: Uint8Array, formMax: number): unknown[] {
  const fields = unpack(bytes) as unknown[];
  const form = Array.isArray(fields) ? (fields[0] as number) : NaN;
  assert(form >= 1 && form <= formMax, `a record has a form of 1 to ${formMax}`);
  return fields;
}
