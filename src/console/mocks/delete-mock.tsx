/** Deletes a mock after its name is typed: deletion is permanent. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../client/shapes.ts';
import { TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { failureOf } from '../state/failure.ts';
import { hrefOf } from '../state/place.ts';
import { api } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { repeated, useWrite } from '../state/write.ts';

interface DeleteMockProps {
  readonly record: MockRecord;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

const GONE = 404;

export function DeleteMock({ record, onDeleted, onClose }: DeleteMockProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const [isUnlike, setUnlike] = useState(false);
  /** Differs from `record` after someone renamed the mock. */
  const [known, setKnown] = useState(record);
  const write = useWrite();
  const shown = visibleLine(known.name);
  const remove = async (): Promise<void> => {
    const isTyped = typed.trim() === known.name.trim() || typed.trim() === shown.trim();
    setUnlike(!isTyped);
    if (!isTyped) return;
    const end = await write.run(() => deleteMock(known));
    if (end === undefined) return;
    if (end === 'deleted') {
      notify(`Deleted the mock ${shown}.`);
      onDeleted();
    } else {
      setKnown(end);
      setTyped('');
    }
  };
  return (
    <FormDialog
      title="Delete the mock"
      submit="Delete permanently"
      danger
      onSubmit={() => void remove()}
      onClose={onClose}
      write={write}
      what="Deleting the mock"
    >
      {known !== record && (
        <p class="warning" role="alert">
          Another user renamed this mock. Nothing was deleted.
        </p>
      )}
      <p>
        <strong>
          <SafeLine text={known.name} />
        </strong>{' '}
        stops answering, and its routes, versions and recorded traffic are gone for good. Its file can be{' '}
        <a href={hrefOf(['mocks', known.id, 'settings'])} onClick={onClose}>
          exported
        </a>{' '}
        first.
      </p>
      <TextField
        label="Type its name to confirm"
        value={typed}
        onInput={setTyped}
        takesFocus
        error={isUnlike ? 'The name does not match.' : undefined}
      />
    </FormDialog>
  );
}

/** @returns The current record after a rename. A mock that is already gone counts as deleted. */
async function deleteMock(record: MockRecord): Promise<'deleted' | MockRecord> {
  const { id, name } = record;
  try {
    return await repeated(async (isAgain) => {
      const known = isAgain ? await api().mocks.get(id) : record;
      if (known.name !== name) return known;
      await api().mocks.delete(id, { ifMatch: known });
      return 'deleted';
    });
  } catch (error) {
    if (failureOf(error).status === GONE) return 'deleted';
    throw error;
  }
}
