/** Tests the rule of the form against a request, with its effect or the reason it does not apply. The request is kept with the rule. */
import { useState } from 'preact/hooks';
import type { EvaluateInput, Evaluation } from '../../../client/shapes.ts';
import { Section } from '../../parts/section.tsx';
import { FailureBox } from '../../parts/states.tsx';
import type { Draft } from '../../state/draft.ts';
import { hrefOf } from '../../state/place.ts';
import { api } from '../../state/session.ts';
import { useWrite } from '../../state/write.ts';
import { isObject, textOf } from '../forms/pair-members.ts';
import type { Pair, RuleType, EditedRule } from '../forms/rule-form.ts';
import { OneRule } from './evaluation.tsx';
import { inputOf, NO_QUESTION, problemsOf, type Question } from './question.ts';
import { RequestForm } from './request-form.tsx';

/** The typed request; without a URL, an example for the rule. */
export type TestRequest = Partial<Question>;

interface TestPanelProps {
  readonly ruleType: RuleType;
  readonly rule: EditedRule;
  readonly draft: Draft<TestRequest>;
}

export function TestPanel({ ruleType, rule, draft }: TestPanelProps): JSX.Element {
  const typed = draft.value.value;
  const url = exampleUrl(rule.pairs[0] ?? {});
  const question = { ...NO_QUESTION, url, method: ruleType === 'Request' ? 'POST' : 'GET', ...typed };
  const [isChecked, setChecked] = useState(false);
  const [result, setResult] = useState<{ readonly of: EditedRule; readonly evaluation: Evaluation }>();
  const write = useWrite();
  const test = async (): Promise<void> => {
    setChecked(true);
    if (Object.keys(problemsOf(question)).length > 0) return;
    const evaluation = await write.run(() => api().rules.evaluate(askedOf(ruleType, rule, question)));
    setResult(evaluation && { of: rule, evaluation });
  };
  const failure = write.failure.value;
  return (
    <Section level={2} title="Test this rule" class="panel rules-test">
      <RequestForm
        question={question}
        problems={isChecked ? problemsOf(question) : {}}
        details={failure?.details ?? []}
        isRunning={write.isRunning.value}
        submit="Test"
        hint="Tests the form's values, as if the rule were on. Nothing is sent."
        isShort
        onEdit={(given) => (draft.value.value = { ...typed, ...given })}
        onRun={() => void test()}
      />
      <div role="status" class="stack">
        <FailureBox failure={failure} what="The test" />
        {failure === undefined && result !== undefined && (
          <>
            {result.of !== rule && <p class="muted">Outdated: the rule was edited. Test again.</p>}
            <OneRule evaluation={result.evaluation} />
          </>
        )}
      </div>
      <a href={hrefOf(['rules', 'bench'], { url: question.url, method: question.method })}>Test with all rules</a>
    </Section>
  );
}

function askedOf(ruleType: RuleType, rule: EditedRule, question: Question): EvaluateInput {
  const draft = { name: rule.name.trim() || 'this rule', ruleType, status: 'Active', pairs: rule.pairs };
  // These change responses, so the test needs one.
  const response = ruleType === 'Headers' || ruleType === 'Response' ? { response: ANSWER } : {};
  return { ...inputOf(question), ...response, rules: [draft as NonNullable<EvaluateInput['rules']>[number]] };
}

const ANSWER: NonNullable<EvaluateInput['response']> = {
  status: 200,
  headers: [{ name: 'content-type', value: 'text/plain' }],
  body: 'the upstream response',
};

/** An example URL for a source. */
function exampleUrl({ source }: Pair): string {
  const { key, operator, value } = isObject(source) ? source : {};
  const text = operator === 'Matches' ? '' : textOf(value).replaceAll('*', 'x');
  if (text === '') return 'https://example.com/';
  if (/^https?:\/\//.test(text)) return text;
  const part = textOf(key).toLowerCase();
  if (part === 'path' || text.startsWith('/')) return `https://example.com/${text.replace(/^\//, '')}`;
  return /^[\w.-]+(:\d+)?(\/.*)?$/.test(text) && (part === 'host' || text.includes('.'))
    ? `https://${text}`
    : `https://example.com/${encodeURI(text)}`;
}
