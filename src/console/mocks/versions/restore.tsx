/** Puts a saved version into the working copy. It asks when unsaved changes would be lost. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../../client/shapes.ts';
import type { StagedDiff } from '../../../model/mocks/diff.ts';
import { Button } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { go, hrefOf } from '../../state/place.ts';
import type { Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { tell } from '../../state/toasts.ts';
import { newIdempotencyKey, repeated, useWrite } from '../../state/write.ts';
import { changeCount, changeWords } from '../review/diff-words.ts';

interface RestoreProps {
  readonly mock: Resource<MockRecord>;
  readonly record: MockRecord;
  readonly number: number;
}

export function Restore({ mock, record: { id }, number }: RestoreProps): JSX.Element {
  const write = useWrite();
  const [lost, setLost] = useState<StagedDiff>();
  /** @param agreed What the person has agreed to lose. */
  const restore = async (agreed?: StagedDiff): Promise<void> => {
    const answer = await write.run(() => restored(id, number, agreed));
    setLost(undefined);
    if (answer === undefined) return;
    if ('routesChanged' in answer) return setLost(answer);
    mock.replace(answer);
    tell(`This is what version ${number} brings back. It is served after a save.`);
    go(['mocks', id, 'diff']);
  };
  return (
    <>
      <Button busy={write.isRunning.value} onClick={() => void restore()}>
        Restore version {number}
      </Button>
      <FailureBox failure={write.failure.value} what="Restoring" onRetry={() => void restore()} />
      {lost !== undefined && (
        <FormDialog
          title="The working copy has unsaved changes"
          submit="Restore, and lose them"
          danger
          cancel="Keep the changes"
          write={write}
          onSubmit={() => void restore(lost)}
          onClose={() => setLost(undefined)}
        >
          <p>
            {changeWords(lost).join(', ')}: version {number} takes the place of these changes, and that cannot be
            undone. <a href={hrefOf(['mocks', id, 'diff'])}>See the changes</a>
          </p>
        </FormDialog>
      )}
    </>
  );
}

/**
 * Restores a version unless that loses more than what was agreed to.
 *
 * @returns What would be lost, when it is to be asked about.
 */
async function restored(id: string, number: number, agreed: StagedDiff | undefined): Promise<MockRecord | StagedDiff> {
  return repeated(async (isAgain) => {
    let diff = isAgain ? undefined : agreed;
    if (diff === undefined) {
      diff = await api().mocks.staged.diff(id);
      if (changeCount(diff) > 0) return diff;
    }
    return api().mocks.restore(id, number, { ifMatch: diff, idempotencyKey: newIdempotencyKey() });
  });
}
