/** The versions that are compared, how much differs, who edited last; save and discard. */
import type { JSX } from 'preact';
import type { HistoryRecord, MockRecord } from '../../../client/shapes.ts';
import type { CopyDiff } from '../../../model/mocks/diff.ts';
import { Button } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { useResource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import type { Write } from '../../state/write.ts';
import { changeCount, changeWords } from './diff-words.ts';

interface ReviewHeadProps {
  readonly record: MockRecord;
  readonly diff: CopyDiff;
  readonly canEdit: boolean;
  readonly isRunning: boolean;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
}

export function ReviewHead(props: ReviewHeadProps): JSX.Element {
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

interface DiscardDialogProps {
  readonly diff: CopyDiff;
  readonly version: number;
  readonly write: Write;
  readonly onDiscard: () => void;
  readonly onClose: () => void;
}

/** It cannot be undone, so the person is asked. */
export const DiscardDialog = ({ diff, version, onDiscard, ...dialog }: DiscardDialogProps): JSX.Element => (
  <FormDialog
    title="Discard all unsaved changes?"
    submit="Discard the changes"
    danger
    cancel="Keep them"
    onSubmit={onDiscard}
    {...dialog}
  >
    <p>
      The working copy becomes version {version} again. {changeWords(diff).join(', ')}: this cannot be undone.
    </p>
  </FormDialog>
);

const ENTRIES_LOOKED_AT = 10;
const EDITS = ['mock.stage', 'mock.route', 'mock.response', 'mock.restore', 'mock.discard'];

/** @param diff Asked again for another one. */
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
