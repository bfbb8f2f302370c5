/** Name and description of a mock. They take effect without a save. */
import type { MockRecord } from '../../../client/shapes.ts';
import { bound } from '../../parts/bound.ts';
import { TextField } from '../../parts/controls.tsx';
import { EditHead, EditState } from '../../parts/edit-state.tsx';
import { useEdit } from '../../state/edit.ts';
import type { Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { errorsOf } from '../routes/fields.tsx';

interface NameFormProps {
  readonly mock: Resource<MockRecord>;
  readonly record: MockRecord;
}

export function NameForm({ mock, record }: NameFormProps): JSX.Element {
  const edit = useEdit({
    name: `mock-name.${record.id}`,
    known: record,
    toEditable: ({ name, description }: MockRecord) => ({ name, description }),
    write: (named, ifMatch) => api().mocks.update(record.id, named, { ifMatch }),
    read: () => api().mocks.get(record.id),
    onKnown: (now) => mock.replace(now),
  });
  const errorAt = errorsOf(edit.failure);
  const field = bound(edit.shown, edit.change, errorAt);
  const onCommit = (): void => void edit.save();
  return (
    <form class="stack settings-fields" onSubmit={(event) => event.preventDefault()}>
      <EditHead edit={edit} title="Name and description" id="settings-name" saved="Saved" />
      <TextField label="Name" {...field('name')} onCommit={onCommit} />
      <TextField label="Description" rows={3} {...field('description')} onCommit={onCommit} />
      <EditState
        edit={edit}
        of="this mock"
        verb="Save"
        what="Saving the name"
        where="is not saved"
        labelOf={(name) => (name === 'name' ? 'Name' : 'Description')}
        isAtField={errorAt('/name') !== undefined || errorAt('/description') !== undefined}
      />
    </form>
  );
}
