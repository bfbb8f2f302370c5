/**
 * The format of stored values: an array of fields that starts with the number of its format, by which an older server
 * knows that it cannot read them, inside a seal (seal.ts).
 */
import { pack, unpack } from 'msgpackr';
import { DamageError } from '../store.ts';
import { seal, unseal } from './seal.ts';

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
