/**
 * In the API process: has rules evaluated in a thread, which keeps those of the owners that were evaluated last.
 *
 * The thread alone knows what it has: it may have dropped an owner, or have been replaced.
 */
import { isRefusal, type Refusal } from '../errors.ts';
import { TRY_MS, type Limits } from '../limits.ts';
import type { EvaluatedRules, StoredRules } from '../model/evaluated-rules.ts';
import type { EditAnswer } from '../rules-table/owner-tables.ts';
import { sendChanges, toCompile, type KnownRules } from '../rules-table/rule-changes.ts';
import type { Lane } from './lane.ts';
import { refusalOfFields } from './refusal-fields.ts';
import type { EvaluateQuestion, RuleTask, RuleTaskAnswer } from './run-rule-task.ts';
import { tooManyBytes, tooManySources } from './too-many-rules.ts';

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
    const task: RuleTask = { kind: 'stored', ownerId, overlay: rules.overlay, ...question };
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
    const answer = await sendChanges(stored, known, {
      put: async (rules, isFirst) => editOf(await run({ kind: 'put', rules, isFirst, bytesMax })),
      commit: async (commit) => editOf(await run({ kind: 'commit', ownerId, commit, bytesMax })),
    });
    if (answer === 'tooMany') return tooManySources();
    return answer === 'tooLarge' ? tooManyBytes(bytesMax) : answer === 'done' ? answer : undefined;
  }
}

/** A task of the thread. @returns undefined when it exceeded its time or memory. */
type Run = (task: RuleTask) => Promise<RuleTaskAnswer | undefined>;

function editOf(answer: RuleTaskAnswer | undefined): EditAnswer | undefined {
  return answer !== undefined && 'edit' in answer ? answer.edit : undefined;
}
