/** Tells what is damaged from what LMDB itself reports, and gives damage its place. */
import type { Listed } from '../model/owner-state.ts';
import { DamageError } from './store.ts';
import { GROUP, MOCK, RULE } from './tables.ts';

/**
 * Reads one record, which must be the one that its key says.
 *
 * @throws DamageError that names it: whatever else a decoder meets is damage too.
 */
export function readRecord<R extends Listed>(kind: string, createdVersion: number, decode: () => R): R {
  let record: R;
  try {
    record = decode();
  } catch (error) {
    if (isEngineRejection(error)) throw error;
    throw new DamageError(`${placeOf(kind, createdVersion)}: ${(error as Error).message}`, { cause: error });
  }
  if (record.createdVersion !== createdVersion) {
    throw new DamageError(`${placeOf(kind, createdVersion)}: it is another one`);
  }
  return record;
}

const KIND_NAMES: Readonly<Record<string, string>> = { [RULE]: 'rule', [GROUP]: 'group', [MOCK]: 'mock' };

function placeOf(kind: string, createdVersion: number): string {
  return `the ${KIND_NAMES[kind]} that version ${createdVersion} made`;
}

/** @throws The error, when it is of the engine: it says nothing of what is stored. */
export function damageOf(ownerId: string, error: Error): DamageError {
  if (isEngineRejection(error)) throw error;
  return new DamageError(`the records of owner ${ownerId} are damaged: ${error.message}`, { cause: error });
}

/**
 * After a failed commit lmdb-js rejects, beside the promise that is awaited, another one that nobody can hold. Errors of the engine
 * have a number as code, where those of Node.js have a name.
 */
export function isEngineRejection(error: unknown): boolean {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'number';
}
