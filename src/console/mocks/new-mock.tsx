/** A new mock: its name, and whether it answers at once. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Button, Check, TextField } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { FailureBox } from '../parts/states.tsx';
import { go } from '../state/place.ts';
import { api } from '../state/session.ts';
import { tell } from '../state/toasts.ts';
import { newIdempotencyKey, useWrite } from '../state/write.ts';

export function NewMock({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [name, setName] = useState('');
  const [start, setStart] = useState(true);
  // A repetition of the same request has no second effect.
  const idempotencyKey = useMemo(newIdempotencyKey, [name, start]);
  const write = useWrite();
  const create = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const mock = await write.run(() => api().mocks.create({ name, start }, { idempotencyKey }));
    if (mock === undefined) return;
    if (mock.published === false) tell('The mock is stored, and not yet served by every thread.');
    go(['mocks', mock.id, 'routes']);
  };
  const failure = write.failure.value;
  const nameProblem = failure?.details.find(({ path }) => path === '/name')?.message;
  return (
    <Dialog title="New mock" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void create(event)}>
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          takesFocus
          error={nameProblem === undefined ? undefined : `A mock's name ${nameProblem}.`}
          hint="What it stands for, such as “Payments”."
        />
        <Check label="Start it at once" checked={start} onChange={setStart} />
        {failure !== undefined && nameProblem === undefined && (
          <FailureBox failure={failure} what="Creating the mock" />
        )}
        <div class="row">
          <Button type="submit" kind="primary" busy={write.isRunning.value}>
            Create
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
