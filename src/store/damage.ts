/** Separates damaged data from errors of LMDB itself, and says which record is damaged. */
import type { Listed } from '../model/owner-state.ts';
import { isEngineRejection } from './engine-rejection.ts';
import { DamageError } from './store.ts';
import { GATEWAY, GROUP, MOCK, RULE } from './tables/tables.ts';

/**
 * Reads one record, which must match its key.
 *
 * @throws DamageError that names the record, also for any other error of the decoder: that is damage too.
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
    throw new DamageError(`${placeOf(kind, createdVersion)}: record does not match its key`);
  }
  return record;
}

const KIND_NAMES: Readonly<Record<string, string>> = {
  [RULE]: 'rule',
  [GROUP]: 'group',
  [MOCK]: 'mock',
  [GATEWAY]: 'settings of the gateway',
};

function placeOf(kind: string, createdVersion: number): string {
  return `the ${KIND_NAMES[kind]} created at version ${createdVersion}`;
}

/** @throws The error itself, when it is the engine's: then it says nothing about stored data. */
export function damageOf(ownerId: string, error: Error): DamageError {
  if (isEngineRejection(error)) throw error;
  return new DamageError(`the records of owner ${ownerId} are damaged: ${error.message}`, { cause: error });
}
