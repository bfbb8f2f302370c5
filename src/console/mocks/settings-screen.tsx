/** Name, description and settings of a mock; export, import and deletion. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../client/shapes.ts';
import { bound, errorsOf } from '../parts/bound.ts';
import { Button, Form, TextField } from '../parts/controls.tsx';
import { EditHead, EditState } from '../parts/edit-state.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';
import { READ_ONLY, Shown } from '../parts/states.tsx';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { navigate, hrefOf } from '../state/place.ts';
import { useEdit } from '../state/edit.ts';
import { changesOf, useResource, type Resource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { DeleteMock } from './delete-mock.tsx';
import { ExportForm } from './settings/export-form.tsx';
import { LiveStores } from './settings/live-stores.tsx';
import { SettingsForm, SettingsList } from './settings/settings-form.tsx';

export function SettingsScreen({ mock, record }: MockScreenProps): JSX.Element {
  const canEdit = mayEdit.value && record.file === null;
  const staged = useResource(() => api().mocks.staged.get(record.id), [record.id], changesOf(record.id));
  return (
    <div class="columns settings">
      <div class="stack">
        {!canEdit && <WhyNot record={record} />}
        <section class="panel" aria-labelledby="settings-name">
          {canEdit ? <NameForm mock={mock} record={record} /> : <Named record={record} />}
          {mayEdit.value && (
            <p>
              <a href={hrefOf(['history'], { record: record.id })}>History of this mock</a>
            </p>
          )}
        </section>
        <section class="panel" aria-label="Settings">
          <Shown of={staged} what="the settings">
            {(definition) =>
              canEdit ? (
                <SettingsForm
                  record={record}
                  staged={staged}
                  definition={definition}
                  onWritten={() => void mock.reload()}
                />
              ) : (
                <SettingsList settings={definition.settings} />
              )
            }
          </Shown>
        </section>
      </div>
      <div class="stack">
        <LiveStores
          stores={api().mocks.stores(record.id)}
          of={record.id}
          about="Current values. Sessions have their own."
        />
        <Section level={2} title="Export and import" class="panel">
          <ExportForm record={record} />
          {canEdit && (
            <p>
              <a href={hrefOf(['mocks', record.id, 'import'])}>Import a file into the working copy</a>
            </p>
          )}
        </Section>
        {canEdit && <Delete record={record} />}
      </div>
    </div>
  );
}

const WhyNot = ({ record: { file } }: { readonly record: MockRecord }): JSX.Element => (
  <p class="bar">
    {file === null ? (
      READ_ONLY
    ) : (
      <span>
        This mock comes from <SafeLine text={file} />. Edit the file: changes are served immediately.
      </span>
    )}
  </p>
);

/** Name and description take effect without a save. */
function NameForm({ mock, record }: { readonly mock: Resource<MockRecord>; readonly record: MockRecord }): JSX.Element {
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
    <Form class="stack settings-fields">
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
    </Form>
  );
}

const Named = ({ record: { name, description } }: { readonly record: MockRecord }): JSX.Element => (
  <>
    <h2 id="settings-name">Name and description</h2>
    <p>
      <SafeLine text={name} />
    </p>
    {description !== '' && (
      <p class="muted">
        <SafeLine text={description} max={2_000} />
      </p>
    )}
  </>
);

function Delete({ record }: { readonly record: MockRecord }): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  return (
    <Section level={2} title="Delete" class="panel">
      <p class="muted">Deletes its routes, versions and recorded traffic permanently.</p>
      <p>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete the mock…
        </Button>
      </p>
      {isAsking && (
        <DeleteMock record={record} onClose={() => setAsking(false)} onDeleted={() => navigate(['mocks'])} />
      )}
    </Section>
  );
}
