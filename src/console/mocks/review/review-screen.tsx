/** Reviews the changes of the working copy, and saves or discards them. */
import { useState } from 'preact/hooks';
import type { HistoryRecord, MockRecord } from '../../../client/shapes.ts';
import type { CopyDiff } from '../../../model/mocks/show/diff.ts';
import { focusSoon } from '../../parts/arrange.tsx';
import { Button } from '../../parts/controls.tsx';
import { Command } from '../../parts/copy-button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Empty, FailureBox, Shown } from '../../parts/states.tsx';
import type { Change } from '../../state/changes.ts';
import { isRefusedByTag } from '../../state/failure.ts';
import type { MockScreenProps } from '../../state/mock-screen-props.ts';
import { hrefOf } from '../../state/place.ts';
import { useResource } from '../../state/resource.ts';
import { api, API_URL, mayEdit } from '../../state/session.ts';
import { apiCommand } from '../../state/api-command.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { notify } from '../../state/toasts.ts';
import { newIdempotencyKey, useWrite } from '../../state/write.ts';
import { DiffView, WarningList } from './diff-view.tsx';
import { changeCount, changeWords } from './diff-words.ts';
import { loadStagedDiff, type NamedDiff } from './load-diff.ts';

/** A loaded diff, and the idempotency key of its save. */
interface Reviewed extends NamedDiff {
  readonly idempotencyKey: string;
}

export function ReviewScreen({ mock, record }: MockScreenProps): JSX.Element {
  const { id, version } = record;
  const reviewed = useResource<Reviewed>(
    async () => ({ ...(await loadStagedDiff(record)), idempotencyKey: newIdempotencyKey() }),
    [id],
    { whenChanged: (change) => (changesWorkingCopy(change, id) ? 'mark' : undefined) },
  );
  const write = useWrite();
  const [isOther, setOther] = useState(false);
  const [tried, setTried] = useState<'save' | 'discard'>('save');
  const [isAsking, setAsking] = useState(false);
  const canEdit = mayEdit.value && record.file === null;
  const loaded = reviewed.state.value.value;
  const hasChanges = loaded !== undefined && changeCount(loaded.diff) > 0;

  /** Saves or discards exactly the reviewed changes. */
  const run = async (what: 'save' | 'discard'): Promise<void> => {
    if (loaded === undefined) return;
    setTried(what);
    // Each attempt after a new diff needs its own key.
    const idempotencyKey = `${what}-${loaded.idempotencyKey}`;
    const answer = await write.run(() => api().mocks[what](id, { ifMatch: loaded.diff, idempotencyKey }));
    setAsking(false);
    if (answer !== undefined) {
      notify(what === 'save' ? savedText(answer) : 'Changes discarded.');
      mock.replace(answer);
    }
    const isRefused = isRefusedByTag(write.failure.peek());
    setOther(isRefused);
    if (isRefused) write.clear();
    if (answer === undefined && !isRefused) return;
    await reviewed.reload();
    focusSoon(() => document.querySelector(isRefused ? '.review-other' : '.review h2'));
  };
  useShortcuts(
    canEdit && hasChanges && !isAsking
      ? [{ keys: 'Ctrl+s', label: 'Save the reviewed changes', run: () => void run('save') }]
      : [],
    [canEdit, loaded, isAsking],
  );

  return (
    <Shown of={reviewed} what="the working copy">
      {(shown) => (
        <div class="stack review">
          <ReviewHead
            record={record}
            diff={shown.diff}
            canEdit={canEdit}
            isRunning={write.isRunning.value}
            onSave={() => void run('save')}
            onDiscard={() => setAsking(true)}
          />
          {isOther && (
            <p class="bar review-other" role="alert" tabIndex={-1}>
              Nothing was saved: the working copy has changed since. Below are its differences now.
            </p>
          )}
          <FailureBox
            failure={write.failure.value}
            what={tried === 'save' ? 'Saving' : 'Discarding'}
            onRetry={() => void run(tried)}
          />
          {changeCount(shown.diff) === 0 && <NothingToReview record={record} />}
          <WarningList mockId={id} warnings={shown.diff.warnings ?? []} routes={shown.after} />
          <DiffView mockId={id} named={shown} linked="all" />
          {isAsking && (
            <FormDialog
              title="Discard all unsaved changes?"
              submit="Discard changes"
              danger
              onSubmit={() => void run('discard')}
              onClose={() => setAsking(false)}
              write={write}
            >
              <p>
                The working copy becomes version {version} again. {changeWords(shown.diff).join(', ')}: this cannot be
                undone.
              </p>
            </FormDialog>
          )}
        </div>
      )}
    </Shown>
  );
}

const savedText = ({ version, published }: MockRecord): string =>
  `Saved as version ${version}${published === false ? ', not served by every thread yet' : ''}.`;

/** Commands that do not touch the working copy. */
const BESIDE = new Set(['mock.update', 'mock.start', 'mock.stop']);

const changesWorkingCopy = ({ recordIds, command }: Change, mockId: string): boolean =>
  recordIds.includes(mockId) && !BESIDE.has(command);

interface ReviewHeadProps {
  readonly record: MockRecord;
  readonly diff: CopyDiff;
  readonly canEdit: boolean;
  readonly isRunning: boolean;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
}

/** The compared versions, the number of changes, the last editor; save and discard. */
function ReviewHead(props: ReviewHeadProps): JSX.Element {
  const { record, diff, canEdit, isRunning, onSave, onDiscard } = props;
  const { version, hasStagedChanges } = record;
  const hasChanges = changeCount(diff) > 0;
  return (
    <header class="spread review-head">
      <div>
        <h2 tabIndex={-1}>{hasChanges ? `Review: v${version} → v${version + 1}` : 'Review'}</h2>
        {hasChanges && (
          <p class="muted">
            {changeWords(diff).join(', ')}
            <LastEdit mockId={record.id} diff={diff} />
          </p>
        )}
      </div>
      {canEdit && (hasChanges || hasStagedChanges) && (
        <div class="row">
          <Button kind="danger" disabled={isRunning} onClick={onDiscard}>
            Discard…
          </Button>
          {hasChanges && (
            <Button kind="primary" busy={isRunning} onClick={onSave}>
              Save v{version + 1}
            </Button>
          )}
        </div>
      )}
    </header>
  );
}

const ENTRIES_LOOKED_AT = 10;
const EDITS = ['mock.stage', 'mock.route', 'mock.response', 'mock.restore', 'mock.discard'];

/** @param diff Reloads for another diff. */
const LastEdit = (props: { readonly mockId: string; readonly diff: CopyDiff }): JSX.Element | null =>
  mayEdit.value ? <Known {...props} /> : null;

function Known({ mockId, diff }: { readonly mockId: string; readonly diff: CopyDiff }): JSX.Element | null {
  const edit = useResource<HistoryRecord | undefined>(async () => {
    const { records } = await api().history.list({ recordId: mockId, pageSize: ENTRIES_LOOKED_AT });
    return records.find(({ command }) => EDITS.some((each) => command.startsWith(each)));
  }, [mockId, diff]).state.value.value;
  if (edit === undefined) return null;
  return (
    <>
      {' · last edit by '}
      <SafeLine text={edit.user} max={60} />
      {', '}
      <Moment at={edit.date} />
    </>
  );
}

/** Explains what a review is for, and how to get changes. */
function NothingToReview({ record }: { readonly record: MockRecord }): JSX.Element {
  const { id, version, hasStagedChanges } = record;
  return (
    <Empty title="Nothing to review">
      <p>
        {hasStagedChanges
          ? `The edits cancel out: the working copy equals version ${version}.`
          : `The working copy equals the served version ${version}.`}{' '}
        Edits of routes and settings wait here until they are saved as the next version; only then they are served.
      </p>
      <p class="row">
        <a class="button" href={hrefOf(['mocks', id, 'routes'])}>
          Open the routes
        </a>
        <a class="button" href={hrefOf(['mocks', id, 'versions'])}>
          Open the versions
        </a>
      </p>
      <Command text={apiCommand(`${API_URL}/mocks/${id}/staged/diff`)} />
    </Empty>
  );
}
