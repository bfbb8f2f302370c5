/** Recorded exchanges of a mock and its upstream: the list, one exchange, routes made from them, and the check of those routes. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../../client/shapes.ts';
import type { RecordedExchange, RecordingPage, StagedRecording } from '../../../client/upstream-shapes.ts';
import { Button, Check, SelectField } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { MessageView } from '../../parts/message-view.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox, Shown } from '../../parts/states.tsx';
import { countText, statusClass, targetOf } from '../../parts/words.ts';
import { durationText } from '../../traffic/durations.ts';
import { hrefOf } from '../../state/place.ts';
import { useResource, type Resource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';
import { Omitted } from './omitted.tsx';
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
    <section class="panel stack" aria-labelledby="recording">
      <header class="spread">
        <h2 id="recording">Recording</h2>
        <div class="row">
          <Button onClick={() => void recording.reload()}>Refresh</Button>
          {mayEdit.value && (
            <Button kind="danger" onClick={() => setClearing(true)}>
              Clear…
            </Button>
          )}
        </div>
      </header>
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
      {isClearing && <ClearDialog mockId={id} recording={recording} onClose={() => setClearing(false)} />}
    </section>
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
      <ul class="recorded" aria-label="Recorded exchanges">
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
        <span class={statusClass(response?.status ?? 0)}>{response?.status ?? '–'}</span>{' '}
        <span class="monospace">
          {visibleLine(method, 32)} <SafeLine text={targetOf(exchange)} max={300} />
        </span>{' '}
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
      <Omitted body={request} />
      <h3>Answer</h3>
      {response === undefined ? (
        <p class="warning">
          None: {failed?.kind} <SafeLine text={failed?.reason ?? ''} max={500} />
        </p>
      ) : (
        <>
          <p>
            <span class={statusClass(response.status)}>{response.status}</span>{' '}
            <SafeLine text={response.reason} max={200} />
          </p>
          <MessageView {...response} />
          <Omitted body={response} />
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

const PATHS = [
  ['auto', 'When several values were recorded'],
  ['ids', 'Always'],
  ['exact', 'Never'],
] as const;
const INTO = [
  ['replace', 'Replace the routes of the working copy'],
  ['add', 'Add to the routes of the working copy'],
] as const;

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
    <form class="stack" onSubmit={(event) => event.preventDefault()}>
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
    </form>
  );
}

interface ClearDialogProps {
  readonly mockId: string;
  readonly recording: Resource<RecordingPage>;
  readonly onClose: () => void;
}

function ClearDialog({ mockId, recording, onClose }: ClearDialogProps): JSX.Element {
  const write = useWrite();
  const clear = async (): Promise<void> => {
    const isCleared = await write.run(() =>
      api()
        .mocks.clearRecording(mockId)
        .then(() => true),
    );
    if (isCleared !== true) return;
    onClose();
    await recording.reload();
  };
  return (
    <FormDialog
      title="Clear the recording?"
      submit="Clear"
      danger
      onSubmit={() => void clear()}
      onClose={onClose}
      write={write}
      what="Clearing the recording"
    >
      <p>Deletes all recorded exchanges of this mock and its sessions. Its routes stay.</p>
    </FormDialog>
  );
}
