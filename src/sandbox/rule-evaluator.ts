/**
 * In the API process: has rules evaluated in a thread, which keeps those of the owners that were evaluated last. What
 * has changed since is sent to it in parts, so that no call copies all rules at once on the event loop.
 *
 * The thread alone knows what it has: it may have dropped an owner, or have been replaced. Every change of a record
 * sets its `modifiedVersion` to the owner's version, so what is different follows from the version that the thread has.
 */
import { Slices } from '../base/slices.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import { EVALUATED_SOURCES_MAX, TRY_MS, type Limits } from '../limits.ts';
import type { EvaluatedRules, StoredRules } from '../model/evaluated-rules.ts';
import type { Rule } from '../model/rule.ts';
import type { RuleToCompile } from '../rules-table/compile-rule.ts';
import type { Lane } from './lane.ts';
import type { EditAnswer, TableCommit } from './owner-tables.ts';
import { refusalOfFields } from './refusal-fields.ts';
import type { EvaluateQuestion, KnownRules, RuleTask, RuleTaskAnswer } from './run-rule-task.ts';
import { tooManyBytes, tooManySources } from './too-many-rules.ts';

/** Rules in one message, which takes longer than their characters where they are small. */
const RULES_SENT_MAX = 250;

/** Characters of rules that are sent to the thread in one message: copying them takes the event loop about a millisecond. */
const RULES_SENT_CHARS = 131_072;

export class RuleEvaluator {
  readonly #lane: Lane;
  readonly #limits: Limits;
  readonly #bytesMax: number;

  /** @param bytesMax Of the compiled rules that the thread keeps. */
  constructor(lane: Lane, limits: Limits, bytesMax: number) {
    this.#lane = lane;
    this.#limits = limits;
    this.#bytesMax = bytesMax;
  }

  /** @returns The whole answer, as UTF-8; undefined when a task exceeded its time or memory. */
  evaluate(
    ownerId: string,
    rules: EvaluatedRules,
    exchange: EvaluateQuestion['exchange'],
    settings: EvaluateQuestion['settings'],
  ): Promise<Uint8Array | undefined | Refusal> {
    const question = { exchange, settings, version: rules.version };
    return this.#lane.turn<Uint8Array | Refusal>(ownerId, async (runTask) => {
      const run = (task: RuleTask) => runTask<RuleTaskAnswer>('runRuleTask', task, TRY_MS);
      const answer = await this.#ask(run, ownerId, rules, question);
      if (answer === undefined || isRefusal(answer)) return answer;
      if ('refused' in answer) return refusalOfFields(answer.refused);
      return 'answer' in answer ? answer.answer : undefined;
    });
  }

  async #ask(
    run: Run,
    ownerId: string,
    rules: EvaluatedRules,
    question: EvaluateQuestion,
  ): Promise<RuleTaskAnswer | Refusal | undefined> {
    if (rules.kind === 'alone') return run({ kind: 'alone', rule: toCompile(rules.rule), ...question });
    if (rules.kind === 'drafts') return run({ kind: 'drafts', drafts: rules, limits: this.#limits, ...question });
    const task: RuleTask = { kind: 'stored', ownerId, ...question };
    const answer = await run(task);
    if (answer === undefined || !('known' in answer)) return answer;
    const sent = await this.#send(run, ownerId, rules, answer.known);
    return sent === 'done' ? run(task) : sent;
  }

  /** Sends what the thread does not have of these rules. @returns undefined when a task exceeded its time or memory. */
  async #send(
    run: Run,
    ownerId: string,
    stored: StoredRules,
    known: KnownRules | undefined,
  ): Promise<'done' | Refusal | undefined> {
    const bytesMax = this.#bytesMax;
    const { changed, liveCount, commit } = await findChanges(stored, known);
    if (liveCount > EVALUATED_SOURCES_MAX) return tooManySources();
    let isFirst = true;
    for (const rules of partsOf(changed)) {
      const answer = editOf(await run({ kind: 'put', rules, isFirst, bytesMax }));
      if (answer !== 'done') return answer === 'tooLarge' ? tooManyBytes(bytesMax) : undefined;
      isFirst = false;
    }
    const answer = editOf(await run({ kind: 'commit', ownerId, commit, bytesMax }));
    return answer === 'tooLarge' ? tooManyBytes(bytesMax) : answer === 'done' ? answer : undefined;
  }
}

/** A task of the thread. @returns undefined when it exceeded its time or memory. */
type Run = (task: RuleTask) => Promise<RuleTaskAnswer | undefined>;

function editOf(answer: RuleTaskAnswer | undefined): EditAnswer | undefined {
  return answer !== undefined && 'edit' in answer ? answer.edit : undefined;
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
function toCompile({ id, name, ruleType, status, groupId, pairs, createdVersion }: Rule): RuleToCompile {
  return { id, name, ruleType, status, groupId, pairs, createdVersion };
}
