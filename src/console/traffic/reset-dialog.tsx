/** Forgets the recorded requests of a mock, which cannot be undone. */
import type { JSX } from 'preact';
import { Button } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureBox } from '../parts/states.tsx';
import { api } from '../state/session.ts';
import { useWrite } from '../state/write.ts';

interface ResetProps {
  readonly mockId: string;
  readonly onClose: () => void;
}

export function ResetDialog({ mockId, onClose }: ResetProps): JSX.Element {
  const write = useWrite();
  const reset = async (): Promise<void> => {
    const isDone = await write.run(async () => {
      await api().mocks.resetRequests(mockId);
      return true;
    });
    if (isDone === true) onClose();
  };
  const failure = write.failure.value;
  return (
    <Dialog title="Reset the traffic?" onClose={onClose}>
      <div class="stack">
        <p>
          The recorded requests of this mock are forgotten, for everybody. Counts begin at 0, and sequences of responses
          at their first. This cannot be undone.
        </p>
        {failure !== undefined && <FailureBox failure={failure} what="Resetting" onRetry={() => void reset()} />}
        <div class="row">
          <Button kind="danger" busy={write.isRunning.value} onClick={() => void reset()}>
            Reset
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}
