/** The result of the test bench: what acts, step by step, what does not, and what comes of the request. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Evaluation } from '../../../client/shapes.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { mayEdit } from '../../state/session.ts';
import { ActingRule } from './acting-rule.tsx';
import { FinalMessage } from './final-message.tsx';
import type { Question } from './question.ts';
import { useNamedRules } from './rules-named.ts';
import { SkippedRule } from './skipped-rule.tsx';

interface BenchResultProps {
  readonly of: Question;
  readonly evaluation: Evaluation;
  /** The form has been edited since. */
  readonly isOld: boolean;
}

/** More of those that did not act are shown when asked for: each is read for its name. */
const PER_PAGE = 20;

export function BenchResult({ of, evaluation, isOld }: BenchResultProps): JSX.Element {
  const { steps, skipped, skippedCount, outcome, request, response, version } = evaluation;
  const [shownCount, setShownCount] = useState(PER_PAGE);
  const shown = skipped.slice(0, shownCount);
  const rules = useNamedRules(
    [...steps, ...shown].map(({ ruleId }) => ruleId),
    version,
  );
  const acting = new Set(steps.map(({ ruleId }) => ruleId)).size;
  const total = acting + skippedCount;
  return (
    <div class="stack">
      {isOld && <p class="muted">The request has been edited since: run it again.</p>}
      <p role="status">
        <strong>{countText(acting, total)}</strong> <Outcome evaluation={evaluation} />
      </p>
      {total === 0 && mayEdit.value && (
        <p>
          <a href={hrefOf(['rules', 'new'])}>Make the first rule</a>
        </p>
      )}
      {steps.length > 0 && (
        <section class="stack" aria-labelledby="bench-acting">
          <h2 id="bench-acting">What happens, in this order</h2>
          <ol class="bench-rules">
            {steps.map((step, index) => (
              <ActingRule key={index} step={step} rule={rules.get(step.ruleId)} />
            ))}
          </ol>
        </section>
      )}
      {skipped.length > 0 && (
        <section class="stack" aria-labelledby="bench-skipped">
          <h2 id="bench-skipped">What does not act, the nearest first</h2>
          <ul class="bench-rules">
            {shown.map((each, index) => (
              <SkippedRule key={index} skipped={each} rule={rules.get(each.ruleId)} />
            ))}
          </ul>
          <p class="row">
            {skipped.length > shownCount && (
              <Button onClick={() => setShownCount(shownCount + PER_PAGE)}>
                Show {Math.min(PER_PAGE, skipped.length - shownCount)} more
              </Button>
            )}
            {skippedCount > shown.length && (
              <span class="muted">
                {(skippedCount - shown.length).toLocaleString('en')} more do not act
                {skippedCount > skipped.length && ', most of them further from this request'}.
              </span>
            )}
          </p>
        </section>
      )}
      <section class="bench-messages" aria-label="What comes of it">
        {outcome === 'forward' ? (
          <FinalMessage title="The server would get" first={`${request.method} ${request.url}`} message={request} />
        ) : (
          <div class="panel">
            <h2>The server would get</h2>
            <p class="muted">Nothing: the request does not reach it.</p>
          </div>
        )}
        {response === null ? (
          <div class="panel">
            <h2>The client would get</h2>
            <p class="muted">
              {of.answer === 'unknown'
                ? 'What the server answers. To see what rules make of that, enter an answer above.'
                : 'No answer.'}
            </p>
          </div>
        ) : (
          <FinalMessage
            title="The client would get"
            first={`${response.status} ${response.statusText ?? ''}`.trim()}
            message={response}
          />
        )}
      </section>
    </div>
  );
}

function countText(acting: number, total: number): string {
  if (total === 0) return 'There are no rules.';
  const all = `${total.toLocaleString('en')} ${total === 1 ? 'rule' : 'rules'}`;
  if (acting === 0) return `None of ${all} acts.`;
  return `${acting.toLocaleString('en')} of ${all} ${acting === 1 ? 'acts' : 'act'}.`;
}

function Outcome({ evaluation }: { readonly evaluation: Evaluation }): JSX.Element {
  const { outcome, location, response, steps, delayMs } = evaluation;
  const waits = delayMs > 0 && ` It waits ${delayMs.toLocaleString('en')} ms.`;
  switch (outcome) {
    case 'redirect':
      return (
        <span>
          The client is redirected to <SafeLine text={location ?? ''} max={2_000} />.{waits}
        </span>
      );
    case 'blocked':
      return (
        <span>
          The request is blocked, with status {response?.status}.{waits}
        </span>
      );
    case 'served':
      return (
        <span>
          A rule answers, with status {response?.status}: the server is not asked.{waits}
        </span>
      );
    case 'forward':
      return (
        <span>
          {steps.length === 0 ? 'The request goes on as it is.' : 'The request goes on.'}
          {waits}
        </span>
      );
  }
}
