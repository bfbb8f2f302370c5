/** Whether a mock was called as expected: an expectation by form, its result with the closest requests, and the same for a test. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Expectation, Verification } from '../../client/shapes.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { Command } from '../parts/copy-button.tsx';
import { METHODS } from '../parts/request-text.ts';
import { FailureBox } from '../parts/states.tsx';
import { failureOf, type Failure } from '../state/failure.ts';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { hrefOf, place, refine } from '../state/place.ts';
import { api, API_URL, checkKeyAfter } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import {
  addressOf,
  EMPTY_FORM,
  formOf,
  readForm,
  testLineOf,
  verifyCommandOf,
  type Count,
  type ExpectationForm,
} from './expectation.ts';
import { VerifyResult } from './verify-result.tsx';

const COUNTS: readonly (readonly [Count, string])[] = [
  ['atLeast', 'at least'],
  ['exactly', 'exactly'],
  ['atMost', 'at most'],
];

/** Browsers bound how often an address may change. */
const ADDRESS_MS = 300;

interface Outcome {
  /** What was asked. */
  readonly form: ExpectationForm;
  readonly verification: Verification;
}

export function VerifyScreen({ record }: MockScreenProps): JSX.Element {
  const [form, setForm] = useState(() => formOf(place.value.query));
  const [outcome, setOutcome] = useState<Outcome>();
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => refine(addressOf(form)), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [form]);
  const { expectation, problems } = readForm(form);
  const set = (name: keyof ExpectationForm) => (value: string) => setForm({ ...form, [name]: value });
  const errorAt = (name: keyof ExpectationForm, path: string): string | undefined =>
    problems[name] ?? failure?.details.find((detail) => detail.path.startsWith(path))?.message;

  const run = async (): Promise<void> => {
    if (isRunning || Object.keys(problems).length > 0) return;
    setRunning(true);
    try {
      const verification = await api().mocks.verify(record.id, expectation);
      setOutcome({ form, verification });
      setFailure(undefined);
    } catch (error) {
      const failed = failureOf(error);
      checkKeyAfter(failed);
      setFailure(failed);
    } finally {
      setRunning(false);
    }
  };
  useShortcuts([{ keys: 'Ctrl+Enter', label: 'Verify', run: () => void run() }], [form, isRunning]);

  return (
    <div class="verify">
      <form
        class="panel verify-form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <p class="hint">
          What is left empty fits every request. It starts best from a real one: “Use in verify” in the{' '}
          <a href={hrefOf(['mocks', record.id, 'traffic'])}>traffic</a>.
        </p>
        <div class="make-route-line">
          <TextField
            label="Method"
            value={form.method}
            onInput={(text) => set('method')(text.toUpperCase())}
            suggestions={METHODS}
            monospace
            error={errorAt('method', '/match/method')}
          />
          <TextField
            label="Path"
            value={form.path}
            onInput={set('path')}
            monospace
            placeholder="/payments/:id"
            hint="Exact, or the path of a route."
            error={errorAt('path', '/match/path')}
          />
        </div>
        <TextField
          label="Query parameters"
          value={form.query}
          onInput={set('query')}
          monospace
          placeholder="page=2&sort=name"
          error={errorAt('query', '/match/query')}
        />
        <TextField
          label="Headers"
          value={form.header}
          onInput={set('header')}
          monospace
          rows={2}
          placeholder="content-type: application/json"
          error={errorAt('header', '/match/header')}
        />
        <TextField
          label="Part of the body"
          value={form.body}
          onInput={set('body')}
          monospace
          rows={3}
          error={errorAt('body', '/match/bodyContains')}
        />
        <div class="verify-count">
          <SelectField
            label="How often"
            value={form.count}
            options={COUNTS}
            onChange={(count) => setForm({ ...form, count })}
          />
          <TextField
            label="Times"
            type="number"
            value={form.times}
            onInput={set('times')}
            error={errorAt('times', `/${form.count}`)}
          />
          <TextField
            label="Wait (s)"
            type="number"
            value={form.wait}
            onInput={set('wait')}
            placeholder="0"
            error={errorAt('wait', '/withinMs')}
          />
        </div>
        <div class="row">
          <Button type="submit" kind="primary" busy={isRunning}>
            {isRunning ? 'Verifying…' : 'Verify'}
          </Button>
          <Button
            onClick={() => {
              setForm(EMPTY_FORM);
              setOutcome(undefined);
              setFailure(undefined);
            }}
          >
            Clear
          </Button>
          <span class="hint">or Ctrl+Enter</span>
        </div>
      </form>
      <div class="stack">
        {failure !== undefined && <FailureBox failure={failure} what="Verifying" onRetry={() => void run()} />}
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
              Verify asks the record of this mock how many requests fit. When it is not as expected, the closest
              requests are shown with what differs.
            </p>
          )}
        </div>
        <VerifySnippets mockId={record.id} expectation={expectation} />
      </div>
    </div>
  );
}

interface SnippetsProps {
  readonly mockId: string;
  readonly expectation: Expectation;
}

/** The expectation as it stands in the form, to copy into a test or a script. */
const VerifySnippets = ({ mockId, expectation }: SnippetsProps): JSX.Element => (
  <section class="stack" aria-labelledby="verify-snippets">
    <h2 id="verify-snippets">The same in a test</h2>
    <Command text={testLineOf(mockId, expectation)} what="the line of a test" label="" />
    <p class="hint">
      With the client of the package; it rejects with the closest requests.{' '}
      <a href="console/docs/api#javascript-client" target="_blank" rel="noreferrer">
        How to get it
      </a>
    </p>
    <Command text={verifyCommandOf(API_URL, mockId, expectation)} />
  </section>
);
