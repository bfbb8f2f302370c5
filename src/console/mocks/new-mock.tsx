/** A new mock: its name, and whether it answers at once. */
import { useMemo, useState } from 'preact/hooks';
import { Check, TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
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
  const create = async (): Promise<void> => {
    const mock = await write.run(() => api().mocks.create({ name, start }, { idempotencyKey }));
    if (mock === undefined) return;
    if (mock.published === false) tell('The mock is stored, and not yet served by every thread.');
    go(['mocks', mock.id, 'routes']);
  };
  const problem = write.failure.value?.details.find(({ path }) => path === '/name')?.message;
  return (
    <FormDialog
      title="New mock"
      submit="Create"
      onSubmit={() => void create()}
      onClose={onClose}
      write={write}
      {...(problem === undefined ? { what: 'Creating the mock' } : {})}
    >
      <TextField
        label="Name"
        value={name}
        onInput={setName}
        takesFocus
        error={problem === undefined ? undefined : `A mock's name ${problem}.`}
        hint="What it stands for, such as “Payments”."
      />
      <Check label="Start it at once" checked={start} onChange={setStart} />
    </FormDialog>
  );
}
