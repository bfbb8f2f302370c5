/** Compares a mock with its upstream. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../../client/shapes.ts';
import type { DriftReport } from '../../../client/upstream-shapes.ts';
import { Button, Check, Form, SelectField, TextField } from '../../parts/controls.tsx';
import { SafeCode, SafeLine, SafeParagraph } from '../../parts/safe-text.tsx';
import { Section, Table } from '../../parts/section.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { choices, countText } from '../../parts/words.ts';
import { hrefOf } from '../../state/place.ts';
import { api, mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';

interface DriftPanelProps {
  readonly record: MockRecord;
  /** The upstream of the settings; "" for none. */
  readonly upstream: string;
  readonly canEdit: boolean;
  readonly onStaged: () => void;
}

const COMPARE = choices({ shape: 'Types and fields', values: 'Values' });

export function DriftPanel({ record, upstream, canEdit, onStaged }: DriftPanelProps): JSX.Element {
  const [to, setTo] = useState(upstream);
  const [compare, setCompare] = useState<'shape' | 'values'>('shape');
  const [unsafe, setUnsafe] = useState(false);
  const [stage, setStage] = useState(false);
  const [report, setReport] = useState<DriftReport>();
  const write = useWrite();
  const run = async (): Promise<void> => {
    const found = await write.run(() =>
      api().mocks.drift(record.id, { ...(to === '' ? {} : { upstream: to }), compare, unsafe, stage }),
    );
    if (found === undefined) return;
    setReport(found);
    if (found.staged !== null && found.staged > 0) onStaged();
  };
  return (
    <Section level={2} title="Drift" class="panel stack">
      <p>
        Sends the requests of the routes to the real service, and compares its responses with the mock. Only GET and
        HEAD, unless you allow others.
      </p>
      {mayEdit.value ? (
        <Form>
          <div class="row">
            <TextField
              label="Service"
              type="url"
              monospace
              placeholder="https://api.example.com"
              value={to}
              onInput={setTo}
            />
            <SelectField label="Compare" value={compare} options={COMPARE} onChange={setCompare} />
          </div>
          <Check label="Send unsafe requests" checked={unsafe} onChange={setUnsafe} />
          {canEdit && <Check label="Update broken responses in the working copy" checked={stage} onChange={setStage} />}
          <FailureBox failure={write.failure.value} what="The comparison" onRetry={() => void run()} />
          <p>
            <Button kind="primary" busy={write.isRunning.value} onClick={() => void run()}>
              Compare now
            </Button>
          </p>
        </Form>
      ) : (
        <p class="muted">Comparing needs an editor key.</p>
      )}
      {report !== undefined && <DriftView mockId={record.id} report={report} />}
    </Section>
  );
}

const VERDICT_WORDS = {
  same: 'The mock matches the service.',
  added: 'The service returns additional fields. Nothing breaks.',
  breaking: 'The service differs from the mock.',
  failed: 'Nothing could be compared.',
} as const;

const RESULT_BADGES = {
  same: ['badge good', 'same'],
  changed: ['badge warn', 'changed'],
  failed: ['badge bad', 'failed'],
  skipped: ['badge', 'skipped'],
} as const;

function DriftView({ mockId, report }: { readonly mockId: string; readonly report: DriftReport }): JSX.Element {
  const { verdict, counts, requests, staged, problem, results } = report;
  return (
    <Section title={verdict === null ? 'The comparison did not finish' : VERDICT_WORDS[verdict]}>
      <p role="status">
        {countText(requests, 'request')} sent: {counts.same} same, {counts.changed} changed ({counts.breaking}{' '}
        breaking), {counts.failed} failed, {counts.skipped} skipped.
      </p>
      {problem !== null && <SafeParagraph class="warning" text={problem} max={500} />}
      {staged !== null && staged > 0 && (
        <p>
          {countText(staged, 'response')} changed in the working copy.{' '}
          <a href={hrefOf(['mocks', mockId, 'diff'])}>Review and save</a>
        </p>
      )}
      <ul class="items">
        {results.map((result) => (
          <li key={`${result.routeId} ${result.responseId}`}>
            <DriftResult mockId={mockId} result={result} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

type Result = DriftReport['results'][number];

function DriftResult({ mockId, result }: { readonly mockId: string; readonly result: Result }): JSX.Element {
  const { routeId, responseId, route, label, verdict, detail, changes, changeCount, volatile } = result;
  const [badge, word] = RESULT_BADGES[verdict];
  return (
    <>
      <p>
        <span class={badge}>{word}</span>{' '}
        <a class="monospace" href={hrefOf(['mocks', mockId, 'routes', routeId, responseId])}>
          <SafeLine text={route} max={300} />
        </a>{' '}
        <span class="muted">
          <SafeLine text={label} max={100} />
        </span>
        {detail !== null && (
          <>
            {' '}
            · <SafeLine text={detail} max={500} />
          </>
        )}
      </p>
      {changes.length > 0 && (
        <Table
          head={['Where', 'What', 'Mock', 'Service']}
          rows={changes.map(({ at, kind, mock, upstream }) => [
            <SafeCode text={at} max={300} />,
            kind,
            <SafeLine text={mock} />,
            <SafeLine text={upstream} />,
          ])}
        />
      )}
      {changeCount > changes.length && <p class="muted">…and {changeCount - changes.length} more.</p>}
      {volatile.length > 0 && (
        <p class="muted">Differs from one answer to the next: {visibleLine(volatile.join(', '), 500)}</p>
      )}
    </>
  );
}
