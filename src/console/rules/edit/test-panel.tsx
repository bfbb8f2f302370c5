/** Beside the form: whether the rule, as it stands there, acts on a request, and what it does or why not. The request stays with the rule. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { EvaluateInput, Evaluation } from '../../../client/shapes.ts';
import { Button, SelectField, TextField } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { hrefOf } from '../../state/place.ts';
import { api } from '../../state/session.ts';
import type { Draft } from '../../state/draft.ts';
import { useWrite } from '../../state/write.ts';
import { isObject, textOf } from '../forms/pair-members.ts';
import type { Pair, RuleType } from '../forms/rule-form.ts';
import { reasonText } from '../common/skip-reasons.ts';
import type { EditedRule } from './edited-rule.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((name) => [name, name] as const);

/** What is typed of the request; without a URL that is an example of what the rule is for. */
export interface TestRequest {
  readonly method: string;
  readonly url?: string;
  /** As typed: one in each line. */
  readonly headers: string;
  readonly body: string;
}

interface TestPanelProps {
  readonly ruleType: RuleType;
  readonly rule: EditedRule;
  readonly draft: Draft<TestRequest>;
}

export function TestPanel({ ruleType, rule, draft }: TestPanelProps): JSX.Element {
  const typed = draft.value.value ?? { method: ruleType === 'Request' ? 'POST' : 'GET', headers: '', body: '' };
  const { method, headers, body } = typed;
  const edit = (given: Partial<TestRequest>): void => {
    draft.value.value = { ...typed, ...given };
  };
  const [result, setResult] = useState<{ readonly of: EditedRule; readonly evaluation: Evaluation }>();
  const write = useWrite();
  const url = typed.url ?? exampleUrl(rule.pairs[0] ?? {});
  const test = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const request = { method, url, headers: linesOf(headers), ...(takesBody(method) && body !== '' ? { body } : {}) };
    const evaluation = await write.run(() => api().rules.evaluate(questionOf(ruleType, rule, request)));
    setResult(evaluation && { of: rule, evaluation });
  };
  const failure = write.failure.value;
  return (
    <section class="panel rules-test" aria-labelledby="rules-test">
      <h2 id="rules-test">Test this rule</h2>
      <form class="stack" onSubmit={(event) => void test(event)}>
        <div class="rules-request">
          <SelectField
            label="Method"
            value={method}
            options={METHODS}
            onChange={(changed) => edit({ method: changed })}
          />
          <TextField
            label="URL"
            value={url}
            onInput={(changed) => edit({ url: changed })}
            monospace
            placeholder="https://example.com/"
          />
        </div>
        <details>
          <summary>Headers and body</summary>
          <div class="stack">
            <TextField
              label="Headers"
              value={headers}
              onInput={(changed) => edit({ headers: changed })}
              rows={3}
              monospace
              placeholder="accept: text/html"
              hint="One in each line."
            />
            {takesBody(method) && (
              <TextField label="Body" value={body} onInput={(changed) => edit({ body: changed })} rows={3} monospace />
            )}
          </div>
        </details>
        <div class="row">
          <Button type="submit" busy={write.isRunning.value}>
            Test
          </Button>
          <span class="hint">As it stands in the form, and as if it were on. Nothing is sent.</span>
        </div>
      </form>
      <div role="status">
        {failure !== undefined && <FailureBox failure={failure} what="The test" />}
        {failure === undefined && result !== undefined && (
          <TestResult evaluation={result.evaluation} isOld={result.of !== rule} />
        )}
      </div>
      <a href={hrefOf(['rules', 'bench'], { url, method })}>Test it with all rules</a>
    </section>
  );
}

function TestResult({ evaluation, isOld }: { readonly evaluation: Evaluation; readonly isOld: boolean }): JSX.Element {
  const { steps, skipped, delayMs, outcome, location } = evaluation;
  const [miss] = skipped;
  return (
    <div class="stack">
      {isOld && <p class="muted">The rule has been edited since: test it again.</p>}
      {steps.length > 0 ? (
        <>
          <p>
            <span class="badge good">✓ acts</span> {OUTCOMES[outcome]}
            {location !== null && <SafeLine text={location} max={2_000} />}
            {delayMs > 0 && ` It waits ${delayMs} ms.`}
          </p>
          {steps.flatMap(({ changed }, step) =>
            changed.map(({ what, before, after }, index) => (
              <dl key={`${step}-${index}`} class="rules-change">
                <dt>{what}</dt>
                <dd>
                  <del>{before === null ? 'none' : <SafeLine text={before} max={2_000} />}</del>
                </dd>
                <dd>
                  <ins>{after === null ? 'none' : <SafeLine text={after} max={2_000} />}</ins>
                </dd>
              </dl>
            )),
          )}
        </>
      ) : (
        miss !== undefined && (
          <>
            <p>
              <span class="badge bad">✕ does not act</span> It {reasonText(miss)}.
            </p>
            <dl class="rules-change">
              {miss.expected !== undefined && (
                <>
                  <dt>expected</dt>
                  <dd>
                    <SafeLine text={miss.expected} max={2_000} />
                  </dd>
                </>
              )}
              {(miss.actual !== undefined || miss.expected !== undefined) && (
                <>
                  <dt>got</dt>
                  <dd>{miss.actual === undefined ? 'nothing' : <SafeLine text={miss.actual} max={2_000} />}</dd>
                </>
              )}
            </dl>
          </>
        )
      )}
    </div>
  );
}

const OUTCOMES: Readonly<Record<Evaluation['outcome'], string>> = {
  forward: 'The request goes on.',
  redirect: 'The request is sent to ',
  blocked: 'The request is blocked.',
  served: 'The request is answered without the server.',
};

const takesBody = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

function questionOf(ruleType: RuleType, rule: EditedRule, request: EvaluateInput['request']): EvaluateInput {
  const draft = { name: rule.name.trim() || 'this rule', ruleType, status: 'Active', pairs: rule.pairs };
  // These change what comes back, so something has to.
  const response = ruleType === 'Headers' || ruleType === 'Response' ? { response: ANSWER } : {};
  return { request, ...response, rules: [draft as NonNullable<EvaluateInput['rules']>[number]] };
}

const ANSWER: NonNullable<EvaluateInput['response']> = {
  status: 200,
  headers: [{ name: 'content-type', value: 'text/plain' }],
  body: 'the answer of the server',
};

function linesOf(text: string): { name: string; value: string }[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [name = '', value = ''] = line.split(/:(.*)/s);
      return { name: name.trim(), value: value.trim() };
    });
}

/** A URL that the source may be for. */
export function exampleUrl({ source }: Pair): string {
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
