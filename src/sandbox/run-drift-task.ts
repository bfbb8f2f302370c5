/** Comparing a mock with a real service, as far as it reads definitions and bodies: what of it runs in the sandbox. */
import type { Answer } from '../drift/answer.ts';
import { compareAnswers, type ComparisonResult, type Comparison } from '../drift/compare-answers.ts';
import { draftChecks, type Drafted, type DraftTask } from '../drift/draft-checks.ts';
import { explainRequest } from '../serving/matching/explain/explain.ts';

export interface DraftDrift extends DraftTask {
  /** Domains that no mock may set a cookie for. */
  readonly sharedDomains: readonly string[];
}

export interface CompareDrift {
  readonly mocks: readonly [Answer, ...Answer[]];
  readonly upstreams: readonly [Answer, ...Answer[]];
  readonly comparison: Comparison;
}

export function draftDrift({ sharedDomains, ...task }: DraftDrift): Drafted {
  return draftChecks(task, ({ definition, request, requestNumber, states }) =>
    explainRequest(definition, request, sharedDomains, requestNumber, { states }),
  );
}

export function compareDrift({ mocks, upstreams, comparison }: CompareDrift): ComparisonResult {
  return compareAnswers(mocks, upstreams, comparison);
}
