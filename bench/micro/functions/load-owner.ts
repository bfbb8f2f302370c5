/** Loading an owner from the store into memory. */
import { equal } from 'node:assert/strict';
import type { OwnerState } from '../../../src/model/owner-state.ts';
import { LmdbStore } from '../../../src/store/lmdb-store.ts';
import { temporaryDirectory } from '../../processes.ts';
import { seedOwners, type SeededOwner } from '../../rules.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'rules';

export const SIZES = [100, 10_000, 50_000] as const;

export async function prepare(size: number): Promise<MicroCase[]> {
  const data = temporaryDirectory();
  const [{ ownerId }] = (await seedOwners(data, [size])) as [SeededOwner];
  const store = LmdbStore.open(data);
  return [
    {
      name: 'rules of 600 bytes',
      run: () => store.loadOwner(ownerId),
      check: (state) => equal((state as OwnerState).rules.count, size),
      close: () => store.close(),
    },
  ];
}
