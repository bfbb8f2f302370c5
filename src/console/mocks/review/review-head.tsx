/** The versions that are compared, how much differs, who edited last; save and discard. */
import type { JSX } from 'preact';
import type { MockRecord } from '../../../client/shapes.ts';
import type { CopyDiff } from '../../../model/mocks/diff.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { changeCount, changeWords } from './diff-words.ts';
import { LastEdit } from './last-edit.tsx';

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
    <header class="review-head">
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
  readonly isRunning: boolean;
  readonly onDiscard: () => void;
  readonly onClose: () => void;
}

/** There is no way back, so it is asked. */
export const DiscardDialog = ({ diff, version, isRunning, onDiscard, onClose }: DiscardDialogProps): JSX.Element => (
  <Dialog title="Discard all unsaved changes?" onClose={onClose}>
    <div class="stack">
      <p>
        The working copy becomes version {version} again. {changeWords(diff).join(', ')}: this cannot be undone.
      </p>
      <p class="row">
        <Button kind="danger" busy={isRunning} onClick={onDiscard}>
          Discard the changes
        </Button>
        <Button onClick={onClose}>Keep them</Button>
      </p>
    </div>
  </Dialog>
);
