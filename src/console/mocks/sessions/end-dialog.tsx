/** Asks before a session ends: the test that uses it is answered 404 from then on. */
import type { JSX } from 'preact';
import type { SessionEnd } from '../../../client/shapes.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { api } from '../../state/session.ts';
import { useWrite } from '../../state/write.ts';

interface EndDialogProps {
  readonly mockId: string;
  readonly sessionId: string;
  readonly onEnd: (end: SessionEnd) => void;
  readonly onClose: () => void;
}

export function EndDialog({ mockId, sessionId, onEnd, onClose }: EndDialogProps): JSX.Element {
  const write = useWrite();
  const end = async (): Promise<void> => {
    const left = await write.run(async () => (await api().mocks.openSession(mockId, sessionId)).end());
    if (left !== undefined) onEnd(left);
  };
  const failure = write.failure.value;
  return (
    <Dialog title={`End the session ${sessionId}`} onClose={onClose}>
      <div class="stack">
        <p>
          Requests in it are answered 404 from then on, and what it recorded is gone. Its counts are added to those of
          the mock.
        </p>
        {failure !== undefined && <FailureBox failure={failure} what="Ending the session" />}
        <p class="row">
          <Button kind="danger" busy={write.isRunning.value} onClick={() => void end()}>
            End the session
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </p>
      </div>
    </Dialog>
  );
}
