/** The test bench: what the rules would do to a request, and why others do nothing. Nothing is sent. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Page } from '../parts/page.tsx';
import { FailureBox, Loading } from '../parts/states.tsx';
import { Button } from '../parts/controls.tsx';
import { useDraft } from '../state/draft.ts';
import { place, refine } from '../state/place.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { BenchForm } from './bench/bench-form.tsx';
import { BenchResult } from './bench/bench-result.tsx';
import { NoResult } from './bench/no-result.tsx';
import { inputOf, problemsOf, queryOf, questionOf, type Question } from './bench/question.ts';
import { RulesTabs } from './rules-tabs.tsx';

export function BenchScreen(): JSX.Element {
  const draft = useDraft<Question>('bench', false);
  const [question, setQuestion] = useState(() => questionAt(draft.value.peek()));
  /** Ctrl+Enter may follow a letter before the page is drawn again. */
  const typed = useRef(question);
  const [isChecked, setChecked] = useState(false);
  /** What has been asked at last; undefined: nothing yet. */
  const asked = useRef<Question | undefined>(undefined);
  const evaluation = useResource(
    async () => {
      const of = asked.current;
      return of === undefined ? undefined : { of, evaluation: await api().rules.evaluate(inputOf(of)) };
    },
    [],
    {
      whenChanged: ({ command }) => (/^(rule|group)/.test(command) && asked.current !== undefined ? 'mark' : undefined),
    },
  );

  const edit = (given: Partial<Question>): void => {
    typed.current = { ...typed.current, ...given };
    setQuestion(typed.current);
    draft.value.value = typed.current;
  };
  const run = (): void => {
    const next = typed.current;
    const problems = problemsOf(next);
    setChecked(true);
    if (Object.keys(problems).length > 0) return focusOnProblem();
    asked.current = next;
    refine(queryOf(next));
    void evaluation.reload();
  };
  useShortcuts([{ keys: 'Ctrl+Enter', label: 'Run the test', run }]);

  // A link to the bench with a request in it, or "back" to one: it is asked at once, as it changes nothing.
  const { query } = place.value;
  const address = JSON.stringify([...query]);
  useEffect(() => {
    const here = questionAt(typed.current);
    if (query.get('url') === undefined || sameQuery(here, asked.current)) return;
    typed.current = here;
    setQuestion(here);
    run();
  }, [address]);

  const { value, failure, isLoading, isStale } = evaluation.state.value;
  const isRunning = isLoading && asked.current !== undefined;
  return (
    <Page title="Test bench" tabs={<RulesTabs current="bench" />}>
      <div class="bench">
        <BenchForm
          question={question}
          problems={isChecked ? problemsOf(question) : {}}
          details={failure?.details ?? []}
          isRunning={isRunning}
          onEdit={edit}
          onRun={run}
        />
        <div class="bench-answer" aria-busy={isRunning}>
          {failure !== undefined && (
            <FailureBox failure={failure} what="The test" onRetry={() => void evaluation.reload()} />
          )}
          {isStale && failure === undefined && (
            <div class="bar" role="status">
              <span>Somebody has changed the rules meanwhile.</span>
              <Button onClick={() => void evaluation.reload()}>Run again</Button>
            </div>
          )}
          {value === undefined && failure === undefined && (isRunning ? <Loading what="the result" /> : <NoResult />)}
          {value !== undefined && failure === undefined && (
            <BenchResult of={value.of} evaluation={value.evaluation} isOld={value.of !== question} />
          )}
        </div>
      </div>
    </Page>
  );
}

/** What the address says, with what it does not say of the same request: bodies and secrets. */
function questionAt(known: Question | undefined): Question {
  const { query } = place.value;
  const here = questionOf(query);
  if (known === undefined) return here;
  return !query.has('url') || sameQuery(here, known) ? known : here;
}

const sameQuery = (one: Question, other: Question | undefined): boolean =>
  other !== undefined && JSON.stringify(queryOf(one)) === JSON.stringify(queryOf(other));

/** After the fields have been marked. It may be folded away. */
function focusOnProblem(): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('.bench [aria-invalid=true]');
    field?.closest('details')?.setAttribute('open', '');
    field?.focus();
  });
}
