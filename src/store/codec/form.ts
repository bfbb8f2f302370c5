/**
 * What is stored has a form: a number in front of its fields, by which an older server knows that it cannot read them; and a seal
 * around all of it (seal.ts).
 */
import { pack, unpack } from 'msgpackr';
import { DamageError } from '../store.ts';
import { seal, unseal } from './seal.ts';

/**
 * What a store may hold. Raised with any form below, or with a new kind of entry; a server writes it into the store before it
 * serves, and a server that knows less refuses to open the store.
 *
 * 2: the bytes of kept answers are counted. In an older store they begin at nothing: what was kept before has expired a day later.
 * 3: values are sealed, and an owner's entry counts its records.
 */
export const STORE_FORMAT = 3;

/**
 * @param format 0 when the store does not say one, NaN when what it says cannot be read.
 * @returns Why it cannot be read: a newer version has written it, or may have.
 */
export function unreadableFormat(format: number): string | undefined {
  if (format <= STORE_FORMAT) return undefined;
  if (Number.isNaN(format))
    return 'its store is damaged where it says its format; `switchyard snapshot restore` brings back a snapshot';
  return `its store has format ${format}, and this version reads up to ${STORE_FORMAT}: use a newer Switchyard`;
}

/**
 * @param fields The form first.
 * @param name   As for `seal`.
 */
export function formed(fields: readonly unknown[], name?: string): Buffer {
  return seal(pack(fields), name);
}

/**
 * @param formMax The newest form of the kind: the format of the store has been looked at, so none can be newer.
 * @throws DamageError when the bytes are not what was written.
 */
export function fieldsOf(bytes: Uint8Array, formMax: number, name?: string): unknown[] {
  const content = unseal(bytes, name);
  let fields: unknown;
  try {
    fields = unpack(content);
  } catch (error) {
    throw new DamageError('it cannot be read', { cause: error });
  }
  const form = Array.isArray(fields) ? (fields[0] as number) : NaN;
  if (!(form >= 1 && form <= formMax)) throw new DamageError('it has no form of its kind');
  return fields as unknown[];
}
