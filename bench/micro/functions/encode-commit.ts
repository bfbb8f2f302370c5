/** Encoding a commit: its records, its history, and what else it writes. */
import { equal } from 'node:assert/strict';
import type { Change } from '../../../src/model/owner-state.ts';
import { encodeCommit, type EncodedCommit } from '../../../src/store/codec/encoded-commit.ts';
import type { MicroCase } from '../micro-function.ts';
import { OWNER, ruleAt } from '../rules-of-an-owner.ts';

export const UNIT = 'changes';

export const SIZES = [1, 10, 100] as const;

const PRINCIPAL = { keyId: 'k00000000000', ownerId: OWNER, userId: OWNER, role: 'editor' } as const;

export function prepare(size: number): MicroCase[] {
  const rules = Array.from({ length: size }, (_, index) => ruleAt(index + 1));
  const encode = (name: string, changes: readonly Change[]): MicroCase => {
    const commit = {
      principal: PRINCIPAL,
      expectedVersion: size,
      date: 1,
      command: 'rule.create',
      changes,
      recordCount: size,
    };
    return {
      name,
      run: () => encodeCommit(commit),
      check: (encoded) => equal((encoded as EncodedCommit).entries.length, size),
    };
  };
  return [
    encode(
      'rules created',
      rules.map((rule) => ({ kind: 'putRule', rule, isNew: true })),
    ),
    encode(
      'rules removed',
      rules.map((rule) => ({ kind: 'removeRule', rule })),
    ),
  ];
}
