/** Name and description of a mock: they are in force at once, without a save. */
import type { JSX } from 'preact';
import type { MockRecord } from '../../../client/shapes.ts';
import { TextField } from '../../parts/controls.tsx';
import type { Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { errorsOf } from '../routes/field-errors.ts';
import { EditHead, EditState } from './edit-state.tsx';
import { useFieldsEdit } from './use-fields-edit.ts';

interface Named {
  readonly name: string;
  readonly description: string;
}

interface NameFormProps {
  readonly mock: Resource<MockRecord>;
  readonly record: MockRecord;
}

export function NameForm({ mock, record }: NameFormProps): JSX.Element {
  const edit = useFieldsEdit<MockRecord, Named>({
    name: `name.${record.id}`,
    known: record,
    fieldsOf: ({ name, description }) => ({ name, description }),
    write: (named, ifMatch) => api().mocks.update(record.id, named, { ifMatch }),
    read: () => api().mocks.get(record.id),
    onKnown: (now) => mock.replace(now),
  });
  const errorAt = errorsOf(edit.failure);
  const { name, description } = edit.shown;
  return (
    <form class="settings-fields" onSubmit={(event) => event.preventDefault()}>
      <EditHead edit={edit} title="Name and description" id="settings-name" saved="Saved" />
      <TextField
        label="Name"
        value={name}
        onInput={(value) => edit.change({ name: value })}
        onCommit={() => void edit.save()}
        error={errorAt('/name')}
      />
      <TextField
        label="Description"
        rows={3}
        value={description}
        onInput={(value) => edit.change({ description: value })}
        onCommit={() => void edit.save()}
        error={errorAt('/description')}
      />
      <EditState
        edit={edit}
        what="Saving the name"
        labelOf={(field) => (field === 'name' ? 'Name' : 'Description')}
        wordsOf={(_, value) => String(value)}
        isAtField={errorAt('/name') !== undefined || errorAt('/description') !== undefined}
      />
    </form>
  );
}
