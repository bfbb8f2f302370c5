/** Recorded exchanges of a mock and its upstream: the list, one exchange, routes made from them, and the check of those routes. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../../client/shapes.ts';
import type { RecordedExchange, RecordingPage, StagedRecording } from '../../../client/upstream-shapes.ts';
import { Button, Check, Form, SelectField } from '../../parts/controls.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { MessageView } from '../../parts/message.tsx';
import { Moment } from '../../parts/moment.tsx';
import { RequestLine, SafeLine, StatusBadge } from '../../parts/safe-text.tsx';
import { Section } from '../../parts/section.tsx';
import { FailureBox, Shown } from '../../parts/states.tsx';
import { choices, countText, targetOf } from '../../parts/words.ts';
import { durationText } from '../../traffic/durations.ts';
import { hrefOf } from '../../state/place.ts';
import { useResource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';
import { StagedReport } from './staged-report.tsx';

interface RecordingPanelProps {
  readonly record: MockRecord;
  readonly canEdit: boolean;
  readonly onStaged: () => void;
}

const SHOWN_MAX = 100;

export function RecordingPanel({ record, canEdit, onStaged }: RecordingPanelProps): JSX.Element {
  const { id } = record;
  const recording = useResource(() => api().mocks.recording(id, { limit: SHOWN_MAX }), [id]);
  const [staged, setStaged] = useState<StagedRecording>();
  const [isClearing, setClearing] = useState(false);
  return (
    <Section
      level={2}
      title="Recording"
      class="panel stack"
      beside={
        <div class="row">
          <Button onClick={() => void recording.reload()}>Refresh</Button>
          {mayEdit.value && (
            <Button kind="danger" onClick={() => setClearing(true)}>
              Clear…
            </Button>
          )}
        </div>
      }
    >
      <Shown of={recording} what="the recording">
        {(page) =>
          page.total === 0 ? (
            <p class="muted">No exchanges yet. Recorded requests to the upstream appear here.</p>
          ) : (
            <>
              <Exchanges page={page} />
              {canEdit && (
                <StageForm
                  mockId={id}
                  onStaged={(answer) => {
                    setStaged(answer);
                    onStaged();
                  }}
                />
              )}
            </>
          )
        }
      </Shown>
      {staged !== undefined && (
        <StagedReport title="Routes added to the working copy" staged={staged}>
          <a class="button primary" href={hrefOf(['mocks', id, 'diff'])}>
            Review and save
          </a>
        </StagedReport>
      )}
      {isClearing && (
        <ConfirmDialog
          title="Clear the recording?"
          submit="Clear"
          what="Clearing the recording"
          send={() => api().mocks.clearRecording(id)}
          onDone={() => {
            setClearing(false);
            void recording.reload();
          }}
          onClose={() => setClearing(false)}
        >
          Deletes all recorded exchanges of this mock and its sessions. Its routes stay.
        </ConfirmDialog>
      )}
    </Section>
  );
}

function Exchanges({ page: { records, total, truncated, dropped } }: { readonly page: RecordingPage }): JSX.Element {
  return (
    <>
      <p class="muted" role="status">
        {countText(total, 'exchange')}
        {records.length < total && `, the newest ${records.length} below`}
        {truncated && `; ${countText(dropped, 'older one')} dropped`}.
      </p>
      <ul class="items" aria-label="Recorded exchanges">
        {records.map((exchange) => (
          <li key={exchange.id}>
            <Exchange exchange={exchange} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Exchange({ exchange }: { readonly exchange: RecordedExchange }): JSX.Element {
  const { method, url, request, response, failed, time, durationMs } = exchange;
  const note = noteOf(exchange);
  return (
    <details>
      <summary>
        <StatusBadge status={response?.status ?? 0} {...(response === undefined ? { text: '–' } : {})} />{' '}
        <RequestLine method={method} target={targetOf(exchange)} />{' '}
        <span class="muted">
          {note !== '' && `${note} · `}
          <Moment at={time} /> · {durationText(durationMs)}
        </span>
      </summary>
      <p class="muted">
        Sent to <SafeLine text={url} max={2_000} />
      </p>
      <h3>Request</h3>
      <MessageView {...request} />
      <h3>Answer</h3>
      {response === undefined ? (
        <p class="warning">
          None: {failed?.kind} <SafeLine text={failed?.reason ?? ''} max={500} />
        </p>
      ) : (
        <>
          <p>
            <StatusBadge status={response.status} /> <SafeLine text={response.reason} max={200} />
          </p>
          <MessageView {...response} />
        </>
      )}
    </details>
  );
}

/** Special properties; "" for none. */
function noteOf({ failed, open, partial, session }: RecordedExchange): string {
  const notes = [
    failed !== undefined && `no answer: ${failed.kind}`,
    open === true && 'in flight',
    partial === true && 'body missing',
    session !== undefined && `session ${visibleLine(session, 40)}`,
  ];
  return notes.filter((note) => note !== false).join(' · ');
}

const PATHS = choices({ auto: 'When several values were recorded', ids: 'Always', exact: 'Never' });
const INTO = choices({
  replace: 'Replace the routes of the working copy',
  add: 'Add to the routes of the working copy',
});

interface StageFormProps {
  readonly mockId: string;
  readonly onStaged: (staged: StagedRecording) => void;
}

/** Creates routes from the recording in the working copy. */
function StageForm({ mockId, onStaged }: StageFormProps): JSX.Element {
  const [into, setInto] = useState<'replace' | 'add'>('replace');
  const [paths, setPaths] = useState<'auto' | 'ids' | 'exact'>('auto');
  const [latency, setLatency] = useState(false);
  const write = useWrite();
  const stage = async (): Promise<void> => {
    const answer = await write.run(() => api().mocks.stageRecording(mockId, { into, paths, latency }));
    if (answer !== undefined) onStaged(answer);
  };
  return (
    <Form>
      <h3>Create routes</h3>
      <div class="row">
        <SelectField label="Routes" value={into} options={INTO} onChange={setInto} />
        <SelectField label="Turn ids in paths into parameters" value={paths} options={PATHS} onChange={setPaths} />
      </div>
      <Check label="Use recorded times as latencies" checked={latency} onChange={setLatency} />
      <FailureBox failure={write.failure.value} what="Creating the routes" onRetry={() => void stage()} />
      <p class="row">
        <Button kind="primary" busy={write.isRunning.value} onClick={() => void stage()}>
          Create routes
        </Button>
        <span class="muted">Served after you review and save.</span>
      </p>
    </Form>
  );
}
