/**
 * Sends where rules act (owner-tables.ts) what is different in an owner's version: in parts, so that no call copies all rules
 * at once on the event loop.
 *
 * Every change of a record sets its `modifiedVersion` to the owner's version, so what is different follows from the version
 * that is known there.
 */
import { Slices } from '../base/slices.ts';
import { EVALUATED_SOURCES_MAX } from '../limits.ts';
import type { StoredRules } from '../model/evaluated-rules.ts';
import type { Rule } from '../model/rule.ts';
import type { RuleToCompile } from './compile-rule.ts';
import type { EditAnswer, TableCommit } from './owner-tables.ts';

/** Known rules of an owner where they act. */
export interface KnownRules {
  readonly version: number;
  readonly count: number;
}

/** Takes an edit there. Each resolves with undefined when it got no answer. */
interface EditSink {
  readonly put: (rules: readonly RuleToCompile[], isFirst: boolean) => Promise<EditAnswer | undefined>;
  readonly commit: (commit: TableCommit) => Promise<EditAnswer | undefined>;
}

/** Rules in one message, which takes longer than their characters where they are small. */
const RULES_SENT_MAX = 250;

/** Characters of rules that are sent in one message: copying them takes the event loop about a millisecond. */
const RULES_SENT_CHARS = 131_072;

/** @returns `tooMany` for more than EVALUATED_SOURCES_MAX live rules: nothing is sent then. */
export async function sendChanges(
  stored: StoredRules,
  known: KnownRules | undefined,
  { put, commit }: EditSink,
): Promise<EditAnswer | 'tooMany' | undefined> {
  const changes = await findChanges(stored, known);
  if (changes.liveCount > EVALUATED_SOURCES_MAX) return 'tooMany';
  let isFirst = true;
  for (const rules of partsOf(changes.changed)) {
    const answer = await put(rules, isFirst);
    if (answer !== 'done') return answer;
    isFirst = false;
  }
  return commit(changes.commit);
}

interface Changes {
  readonly changed: readonly Rule[];
  /** Counted over all rules: each has a source at least. */
  readonly liveCount: number;
  readonly commit: TableCommit;
}

/** Rules between two readings of the clock. */
const RULES_PER_BATCH = 512;

/** In slices: an owner may have a hundred thousand rules. */
async function findChanges({ version, rules, groups }: StoredRules, known: KnownRules | undefined): Promise<Changes> {
  const base = known !== undefined && known.version < version ? known : undefined;
  const after = base?.version ?? -1;
  const inactive = new Set<string>();
  let areGroupsChanged = base === undefined;
  for (const { id, status, modifiedVersion } of groups) {
    if (status === 'Inactive') inactive.add(id);
    if (modifiedVersion > after) areGroupsChanged = true;
  }
  const changed: Rule[] = [];
  let leftCount = 0;
  let liveCount = 0;
  const slices = new Slices();
  await slices.begin();
  for (const [index, rule] of rules.entries()) {
    if (rule.modifiedVersion > after) changed.push(rule);
    if (rule.createdVersion <= after) leftCount++;
    if (rule.status === 'Active' && !inactive.has(rule.groupId)) liveCount++;
    if (index % RULES_PER_BATCH === 0 && slices.due()) await slices.next();
  }
  const isDeleted = base !== undefined && leftCount < base.count;
  return {
    changed,
    liveCount,
    commit: {
      version,
      from: base?.version,
      left: isDeleted ? Float64Array.from(rules, ({ createdVersion }) => createdVersion) : undefined,
      inactiveGroups: areGroupsChanged ? [...inactive] : undefined,
    },
  };
}

/** At least one, which may be empty. */
function* partsOf(rules: readonly Rule[]): Generator<RuleToCompile[]> {
  let part: RuleToCompile[] = [];
  let chars = 0;
  for (const rule of rules) {
    part.push(toCompile(rule));
    chars += rule.pairs.length + rule.name.length;
    if (chars < RULES_SENT_CHARS && part.length < RULES_SENT_MAX) continue;
    yield part;
    part = [];
    chars = 0;
  }
  yield part;
}

/** Without what evaluating does not read: copying a rule takes longer with each member. */
export function toCompile({ id, name, ruleType, status, groupId, pairs, createdVersion }: Rule): RuleToCompile {
  return { id, name, ruleType, status, groupId, pairs, createdVersion };
}
