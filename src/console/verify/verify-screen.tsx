/** Verifies that a mock was called as expected: a form, the result with the closest requests, and code for a test. */
import { useEffect, useState } from 'preact/hooks';
import type { Expectation, Verification } from '../../client/shapes.ts';
import { RECORDED_TARGET_CHOICES } from '../mocks/routes/route-words.ts';
import { ConditionList } from '../mocks/routes/rules-field.tsx';
import { below, errorsOf } from '../parts/bound.ts';
import { Button, Form, SelectField, TextField } from '../parts/controls.tsx';
import { Command } from '../parts/copy-button.tsx';
import { METHODS } from '../parts/request-text.ts';
import { Section } from '../parts/section.tsx';
import { DocLink, FailureBox } from '../parts/states.tsx';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { hrefOf, place, refine } from '../state/place.ts';
import { api, API_URL } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { STREAM_END_CHOICES } from '../traffic/stream-words.ts';
import { useWrite } from '../state/write.ts';
import {
  addressOf,
  EMPTY_FORM,
  formOf,
  readForm,
  rulesOf,
  testLineOf,
  textOfRules,
  verifyCommandOf,
  type Count,
  type ExpectationForm,
} from './expectation.ts';
import { VerifyResult } from './verify-result.tsx';
import { choices } from '../parts/words.ts';

const COUNTS = choices<Count>({ atLeast: 'at least', exactly: 'exactly', atMost: 'at most' });

/** Browsers limit changes of the address. */
const ADDRESS_MS = 300;

interface Outcome {
  readonly form: ExpectationForm;
  readonly verification: Verification;
}

export function VerifyScreen({ record }: MockScreenProps): JSX.Element {
  const [form, setForm] = useState(() => formOf(place.value.query));
  const [outcome, setOutcome] = useState<Outcome>();
  const write = useWrite();
  const failure = write.failure.value;
  const isRunning = write.isRunning.value;
  useEffect(() => {
    const timer = setTimeout(() => refine(addressOf(form)), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [form]);
  const { expectation, problems } = readForm(form);
  /** @param path The server's path of the field. */
  const field = (name: keyof ExpectationForm, path: string) => ({
    value: form[name],
    onInput: (value: string) => setForm({ ...form, [name]: value }),
    error: problems[name] ?? failure?.details.find((detail) => detail.path.startsWith(path))?.message,
  });

  const run = async (): Promise<void> => {
    if (isRunning || Object.keys(problems).length > 0) return;
    const verification = await write.run(() => api().mocks.verify(record.id, expectation));
    if (verification !== undefined) setOutcome({ form, verification });
  };
  useShortcuts([{ keys: 'Ctrl+Enter', label: 'Verify', run: () => void run() }], [form, isRunning]);

  return (
    <div class="columns verify">
      <Form class="panel verify-form" onSubmit={() => void run()}>
        <p class="hint">
          What is left empty fits every request. It starts best from a real one: “Use in verify” in the{' '}
          <a href={hrefOf(['mocks', record.id, 'traffic'])}>traffic</a>.
        </p>
        <div class="request-line">
          <TextField
            label="Method"
            {...field('method', '/match/method')}
            onInput={(text) => setForm({ ...form, method: text.toUpperCase() })}
            suggestions={METHODS}
            monospace
          />
          <TextField
            label="Path"
            {...field('path', '/match/path')}
            monospace
            placeholder="/payments/:id"
            hint="Exact, or a route path."
          />
        </div>
        <TextField
          label="Query parameters"
          {...field('query', '/match/query')}
          monospace
          placeholder="page=2&sort=name"
        />
        <TextField
          label="Headers"
          {...field('header', '/match/header')}
          monospace
          rows={2}
          placeholder="content-type: application/json"
        />
        <TextField label="Body contains" {...field('body', '/match/bodyContains')} monospace rows={3} />
        <TextField label="Trace" {...field('trace', '/match/trace')} monospace />
        <div class="verify-count">
          <SelectField
            label="Stream"
            value={form.ended}
            options={[['', 'any'], ...STREAM_END_CHOICES.slice(1)]}
            onChange={(ended) => setForm({ ...form, ended })}
            error={field('ended', '/match/ended').error}
          />
          <TextField label="Min. events" type="number" {...field('eventsMin', '/match/events/atLeast')} />
          <TextField label="Max. events" type="number" {...field('eventsMax', '/match/events/atMost')} />
        </div>
        <ConditionList
          rules={rulesOf(form.rules)}
          targets={RECORDED_TARGET_CHOICES}
          title="h2"
          errorAt={below(errorsOf(failure), '/match/rules')}
          onChange={(rules) => setForm({ ...form, rules: textOfRules(rules) })}
          hint={<span class="hint">All must match.</span>}
        />
        <div class="verify-count">
          <SelectField
            label="Count"
            value={form.count}
            options={COUNTS}
            onChange={(count) => setForm({ ...form, count })}
          />
          <TextField label="Times" type="number" {...field('times', `/${form.count}`)} />
          <TextField label="Wait (s)" type="number" {...field('wait', '/withinMs')} placeholder="0" />
        </div>
        <div class="row">
          <Button type="submit" kind="primary" busy={isRunning}>
            {isRunning ? 'Verifying…' : 'Verify'}
          </Button>
          <Button
            onClick={() => {
              setForm(EMPTY_FORM);
              setOutcome(undefined);
              write.clear();
            }}
          >
            Clear
          </Button>
          <span class="hint">or Ctrl+Enter</span>
        </div>
      </Form>
      <div class="stack">
        <FailureBox failure={failure} what="Verifying" onRetry={() => void run()} />
        <div role="status">
          {outcome !== undefined && (
            <VerifyResult
              record={record}
              expectation={readForm(outcome.form).expectation}
              verification={outcome.verification}
              isOutdated={outcome.form !== form}
            />
          )}
          {outcome === undefined && failure === undefined && (
            <p class="muted">
              Counts the recorded requests that match. On a failure, the closest requests are shown with their
              differences.
            </p>
          )}
        </div>
        <VerifySnippets mockId={record.id} expectation={expectation} />
      </div>
    </div>
  );
}

/** The expectation as code, for a test or a script. */
const VerifySnippets = ({ mockId, expectation }: { readonly mockId: string; readonly expectation: Expectation }) => (
  <Section level={2} title="As code">
    <Command text={testLineOf(mockId, expectation)} what="the test code" label="" />
    <p class="hint">
      With the client of the package; it rejects with the closest requests.{' '}
      <DocLink to="api#javascript-client">How to set up the client</DocLink>
    </p>
    <Command text={verifyCommandOf(API_URL, mockId, expectation)} />
  </Section>
);
