/** Stores many rules in a data directory that no server holds, in less time than as many requests. */
import { systemClock } from '../../src/base/clock.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { createRule } from '../../src/model/decide-rule.ts';
import type { Principal } from '../../src/model/principal.ts';
import type { RuleDraft } from '../../src/model/rule-payload.ts';
import { OwnerDirectory } from '../../src/owners/owner-directory.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';

/** Commands that wait for one owner: fewer than its mailbox takes. */
const AT_ONCE = 1_000;

/**
 * @param pairsOf The pairs of each, valid and with ids.
 * @param name The name of all, which is not checked.
 */
export async function seedRules(
  data: string,
  ownerId: string,
  count: number,
  ruleType: RuleDraft['ruleType'],
  pairsOf: (index: number) => readonly object[],
  name?: string,
): Promise<void> {
  const store = LmdbStore.open(data);
  const owners = new OwnerDirectory({
    store,
    limitsOf: () => DEFAULT_LIMITS,
    clock: systemClock,
    onDiscarded: () => undefined,
    onDateAhead: () => undefined,
    onReplyError: () => undefined,
  });
  const principal: Principal = { keyId: 'k', ownerId, userId: ownerId, role: 'editor' };
  for (let from = 0; from < count; from += AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => {
        const pairs = JSON.stringify(pairsOf(from + at));
        const draft = { description: '', ruleType, status: 'Active', groupId: '', pairs } as const;
        const create = createRule(() => ({ ...draft, name: name ?? `rule ${from + at}` }));
        return new Promise((resolve) => owners.command(create, { body: {}, checked: new Map() }, principal, resolve));
      }),
    );
  }
  owners.stop();
  await store.close();
}
