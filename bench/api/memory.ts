/** What a rule takes in memory, against the JSON that a client sees of it: of one owner, in a process that does nothing else. */
import { startResidentRules, temporaryDirectory } from '../processes.ts';
import { seedOwners } from '../rules.ts';
import type { Row } from '../table.ts';
import type { Plan } from './plan.ts';

export const TITLE = 'memory';

export function plannedSeconds({ ruleCount }: Plan): number {
  return ruleCount / 40_000;
}

/** Memory against JSON. */
export const MEMORY_RATIO_MAX = 2;

export async function measure(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const [owner] = await seedOwners(data, [plan.ruleCount]);
  if (owner === undefined) throw new Error('one owner is seeded');
  const { ruleCount, heapBytes, rssBytes, anonymousBytes, jsonBytes } = await startResidentRules(data, owner.ownerId);
  const row = (name: string, bytes: number): Row => ({
    name: `${name} per resident rule, against its JSON`,
    measured: bytes / ruleCount,
    against: jsonBytes / ruleCount,
    ratio: bytes / jsonBytes,
    unit: 'B',
  });
  const aimed = { ratioAtMost: MEMORY_RATIO_MAX };
  return [
    { ...row('heap', heapBytes), ...aimed },
    // With pages of the store that were read, which the system takes back when it needs them.
    row('RSS', rssBytes),
    { ...row('RSS without mapped files', anonymousBytes), ...aimed },
  ];
}
