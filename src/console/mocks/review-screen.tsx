/** What a save of the working copy would change, and the save. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../client/shapes.ts';
import { focusSoon } from '../parts/arrange.tsx';
import { FailureBox, Shown } from '../parts/states.tsx';
import type { Change } from '../state/changes.ts';
import { isRefusedByTag } from '../state/failure.ts';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { useResource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { tell } from '../state/toasts.ts';
import { newIdempotencyKey, useWrite } from '../state/write.ts';
import { DiffView } from './review/diff-view.tsx';
import { changeCount } from './review/diff-words.ts';
import { loadStagedDiff, type NamedDiff } from './review/load-diff.ts';
import { NothingToReview } from './review/nothing-to-review.tsx';
import { DiscardDialog, ReviewHead } from './review/review-head.tsx';
import { WarningList } from './review/warning-list.tsx';

/** A diff as it was loaded, and the key with which it is saved once, however often that is tried. */
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

  /** Saves or discards exactly what is shown. */
  const run = async (
    what: 'save' | 'discard',
    send: (given: { ifMatch: object; idempotencyKey: string }) => Promise<MockRecord>,
    done: (answer: MockRecord) => string,
  ): Promise<void> => {
    if (loaded === undefined) return;
    setTried(what);
    // Of the one request: a save that was tried before has another.
    const idempotencyKey = `${what}-${loaded.idempotencyKey}`;
    const answer = await write.run(() => send({ ifMatch: loaded.diff, idempotencyKey }));
    setAsking(false);
    if (answer !== undefined) {
      tell(done(answer));
      mock.replace(answer);
    }
    const failure = write.failure.peek();
    const isRefused = failure !== undefined && isRefusedByTag(failure);
    setOther(isRefused);
    if (isRefused) write.clear();
    if (answer === undefined && !isRefused) return;
    await reviewed.reload();
    focusSoon(() => document.querySelector(isRefused ? '.review-other' : '.review h2'));
  };
  const save = (): Promise<void> =>
    run(
      'save',
      (given) => api().mocks.save(id, given),
      (answer) =>
        `Saved as version ${answer.version}${answer.published === false ? ', not yet served by every thread' : ''}.`,
    );
  const discard = (): Promise<void> =>
    run(
      'discard',
      (given) => api().mocks.discard(id, given),
      () => 'The changes are discarded.',
    );
  useShortcuts(
    canEdit && hasChanges && !isAsking
      ? [{ keys: 'Ctrl+s', label: 'Save what is reviewed', run: () => void save() }]
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
            onSave={() => void save()}
            onDiscard={() => setAsking(true)}
          />
          {isOther && (
            <p class="bar review-other" role="alert" tabIndex={-1}>
              The working copy has changed since you looked at it, so nothing was saved. Below is what it differs in
              now.
            </p>
          )}
          <FailureBox
            failure={write.failure.value}
            what={tried === 'save' ? 'Saving' : 'Discarding'}
            onRetry={() => void (tried === 'save' ? save() : discard())}
          />
          {changeCount(shown.diff) === 0 && <NothingToReview record={record} />}
          <WarningList mockId={id} warnings={shown.diff.warnings ?? []} routes={shown.after} />
          <DiffView mockId={id} named={shown} linked="all" />
          {isAsking && (
            <DiscardDialog
              diff={shown.diff}
              version={version}
              write={write}
              onDiscard={() => void discard()}
              onClose={() => setAsking(false)}
            />
          )}
        </div>
      )}
    </Shown>
  );
}

/** Commands on name, description and state, which are not part of it. */
const BESIDE = new Set(['mock.update', 'mock.start', 'mock.stop']);

const changesWorkingCopy = ({ recordIds, command }: Change, mockId: string): boolean =>
  recordIds.includes(mockId) && !BESIDE.has(command);
