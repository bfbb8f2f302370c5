/**
 * The format of stored values: an array of fields that starts with the number of its format, by which an older server
 * knows that it cannot read them, inside a seal (seal.ts).
 */
import { pack, unpack } from 'msgpackr';
import { DamageError } from '../store.ts';
import { seal, unseal } from './seal.ts';

/**
 * The format of the whole store. Raised with the format of any value, or with a new kind of entry. A server writes it
 * into the store before it serves, and a server that knows only older formats refuses to open the store.
 *
 * 2: the bytes of idempotency answers are counted. An older store starts at 0: its answers expire within a day.
 * 3: values are sealed, and an owner's entry counts its records.
 * 4: settings of mocks have `forced`, which older ones have at its default; a mock names the file that it is served
 *    from.
 * 5: API keys may end, which an older server would not heed, and codes for the console lie beside them.
 * 6: mocks have latencies of further forms, faults, delivery, a rate limit and scenarios, which an older server would
 *    not heed. All are absent when unused, as in every older store.
 * 7: mocks have groups of rules, new targets and operators, templates of JSON, routes that hand requests on, default headers, a clock
 *    and variables, which an older server would not heed; segments of paths mix text and parameters, and older paths are read as they were.
 * 8: owners may have quotas, and keys the role `admin`, neither of which an older server would heed.
 * 9: mocks may have a proxy, in settings and responses, which an older server would not heed.
 * 10: mocks may record what their upstream answers, keep samples of requests, and have callbacks, streams, WebSocket routes, stores and conditions on GraphQL, which
 *    an older server would not heed.
 */
export const STORE_FORMAT = 10;

/**
 * @param format 0 when the store has none, NaN when it is damaged.
 * @returns Why the store cannot be read: a newer version wrote it, or may have.
 */
export function unreadableFormat(format: number): string | undefined {
  if (format <= STORE_FORMAT) return undefined;
  if (Number.isNaN(format))
    return 'the format of its store is damaged; restore a snapshot with `switchyard snapshot restore`';
  return `its store has format ${format}, and this version reads up to ${STORE_FORMAT}: use a newer Switchyard`;
}

/**
 * @param fields The format's number first.
 * @param name   As for `seal`.
 */
export function encodeFields(fields: readonly unknown[], name?: string): Buffer {
  return seal(pack(fields), name);
}

/**
 * @param formatMax The newest format of such values: the store's format has been checked, so none can be newer.
 * @throws DamageError when the bytes are not what was written.
 */
export function fieldsOf(bytes: Uint8Array, formatMax: number, name?: string): unknown[] {
  const content = unseal(bytes, name);
  let fields: unknown;
  try {
    fields = unpack(content);
  } catch (error) {
    throw new DamageError('unreadable value', { cause: error });
  }
  const format = Array.isArray(fields) ? (fields[0] as number) : NaN;
  if (!(format >= 1 && format <= formatMax)) throw new DamageError('unknown value format');
  return fields as unknown[];
}
