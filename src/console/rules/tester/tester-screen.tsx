/** The rule tester: what the rules would do to a request. Nothing is sent. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Evaluation } from '../../../client/shapes.ts';
import { Button } from '../../parts/controls.tsx';
import { Command } from '../../parts/copy-button.tsx';
import { MessageView } from '../../parts/message.tsx';
import { Page } from '../../parts/page.tsx';
import { SafeParagraph } from '../../parts/safe-text.tsx';
import { Section } from '../../parts/section.tsx';
import { Empty, FailureBox, Loading } from '../../parts/states.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { useDraft } from '../../state/draft.ts';
import { hrefOf, place, refine } from '../../state/place.ts';
import { useResource } from '../../state/resource.ts';
import { api, API_URL, mayEdit } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { RulesTabs } from '../common/rule-state.tsx';
import { Outcome, RuleLists } from './evaluation.tsx';
import { commandOf, inputOf, NO_QUESTION, problemsOf, queryOf, questionOf, type Question } from './question.ts';
import { RequestForm } from './request-form.tsx';

export function TesterScreen(): JSX.Element {
  const draft = useDraft<Question>('bench', false);
  const [question, setQuestion] = useState(() => questionAt(draft.value.peek()));
  /** Ctrl+Enter may follow a letter before the next render. */
  const typed = useRef(question);
  const [isChecked, setChecked] = useState(false);
  /** The last question; undefined before the first. */
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

  // A link or "back" opened the tester with a request: it runs at once, as it changes nothing.
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
    <Page title="Rule tester" tabs={<RulesTabs current="bench" />}>
      <div class="stack tester">
        <RequestForm
          question={question}
          problems={isChecked ? problemsOf(question) : {}}
          details={failure?.details ?? []}
          isRunning={isRunning}
          submit="Run"
          hint="Or press Ctrl+Enter. Nothing is sent to the URL."
          onEdit={edit}
          onRun={run}
        />
        <div class="stack tester-answer" aria-busy={isRunning}>
          <FailureBox failure={failure} what="The test" onRetry={() => void evaluation.reload()} />
          {isStale && failure === undefined && (
            <div class="bar" role="status">
              <span>The rules have changed since.</span>
              <Button onClick={() => void evaluation.reload()}>Run again</Button>
            </div>
          )}
          {value === undefined && failure === undefined && (isRunning ? <Loading what="the result" /> : <NoResult />)}
          {value !== undefined && failure === undefined && (
            <Result of={value.of} evaluation={value.evaluation} isOld={value.of !== question} />
          )}
        </div>
      </div>
    </Page>
  );
}

/** The question of the address, with bodies and secrets of the same question in memory. */
function questionAt(known: Question | undefined): Question {
  const { query } = place.value;
  const here = questionOf(query);
  if (known === undefined) return here;
  return !query.has('url') || sameQuery(here, known) ? known : here;
}

const sameQuery = (one: Question, other: Question | undefined): boolean =>
  other !== undefined && JSON.stringify(queryOf(one)) === JSON.stringify(queryOf(other));

/** After the fields are marked. The field may be collapsed. */
function focusOnProblem(): void {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>('.tester [aria-invalid=true]');
    field?.closest('details')?.setAttribute('open', '');
    field?.focus();
  });
}

function NoResult(): JSX.Element {
  const command = commandOf({ ...NO_QUESTION, url: 'https://example.com/cart' }, API_URL) ?? '';
  return (
    <Empty title="What would the rules do to a request?" docs={['api#evaluate', 'How rules are evaluated']}>
      <p>
        Enter a URL and press Run to test it against all rules. The result shows the rules that apply and their effect,
        why the closest others do not, and the final request and response.
      </p>
      <Command text={command} />
    </Empty>
  );
}

interface ResultProps {
  readonly of: Question;
  readonly evaluation: Evaluation;
  /** The form was edited since. */
  readonly isOld: boolean;
}

/** Each listed rule is loaded for its name. */
const PER_PAGE = 20;

/** The applied rules step by step, the others, and the final request and response. */
function Result({ of, evaluation, isOld }: ResultProps): JSX.Element {
  const { steps, skippedCount, outcome, request, response, version } = evaluation;
  const acting = new Set(steps.map(({ ruleId }) => ruleId)).size;
  const total = acting + skippedCount;
  return (
    <div class="stack">
      {isOld && <p class="muted">Outdated: the request was edited. Run again.</p>}
      <p role="status">
        <strong>{actingText(acting, total)}</strong> <Outcome evaluation={evaluation} />
      </p>
      {total === 0 && mayEdit.value && <a href={hrefOf(['rules', 'new'])}>Create the first rule</a>}
      <RuleLists
        of={evaluation}
        version={version}
        perPage={PER_PAGE}
        applied={(rules) =>
          steps.length > 0 && (
            <Section level={2} title="Applied rules, in order">
              {rules}
            </Section>
          )
        }
        others={(rules) => (
          <Section level={2} title="Rules that did not apply, closest first">
            {rules}
          </Section>
        )}
      />
      <section class="tester-more" aria-label="Outcome">
        <Final
          title="Final request"
          first={`${request.method} ${request.url}`}
          message={outcome === 'forward' ? request : undefined}
          none="None: the request does not reach the upstream."
        />
        <Final
          title="Final response"
          first={`${response?.status} ${response?.statusText ?? ''}`.trim()}
          message={response ?? undefined}
          none={
            of.answer === 'unknown' ? 'The upstream response. Enter one above to see what rules change.' : 'No answer.'
          }
        />
      </section>
    </div>
  );
}

function actingText(acting: number, total: number): string {
  if (total === 0) return 'There are no rules.';
  const all = countText(total, 'rule');
  if (acting === 0) return `None of ${all} applies.`;
  return `${numberText(acting)} of ${all} ${acting === 1 ? 'applies' : 'apply'}.`;
}

interface FinalProps {
  readonly title: string;
  /** Method and URL, or the status. */
  readonly first: string;
  readonly message: Pick<Evaluation['request'], 'headers' | 'body' | 'bodyEncoding'> | undefined;
  /** The text without a message. */
  readonly none: string;
}

/** A request or response after all rules. */
const Final = ({ title, first, message, none }: FinalProps): JSX.Element => (
  <div class="panel">
    <h2>{title}</h2>
    {message === undefined ? (
      <p class="muted">{none}</p>
    ) : (
      <>
        <SafeParagraph class="monospace" text={first} max={4_000} />
        <MessageView {...message} />
      </>
    )}
  </div>
);
