/** Loading an owner from the store into memory. */
import { equal } from 'node:assert/strict';
import type { OwnerState } from '../../../src/model/owner-state.ts';
import { LmdbStore } from '../../../src/store/lmdb-store.ts';
import { temporaryDirectory } from '../../processes.ts';
import { seedRules } from '../../rules.ts';
import type { MicroCase } from '../micro-function.ts';
import { OWNER } from '../rules-of-an-owner.ts';

export const UNIT = 'rules';

export const SIZES = [100, 10_000, 50_000] as const;

export async function prepare(size: number): Promise<MicroCase[]> {
  const data = temporaryDirectory();
  await seedRules(data, OWNER, size);
  const store = LmdbStore.open(data);
  return [
    {
      name: 'rules of 600 bytes',
      run: () => store.loadOwner(OWNER),
      check: (state) => equal((state as OwnerState).rules.count, size),
      close: () => store.close(),
    },
  ];
}
