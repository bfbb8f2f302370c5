/** Name, description and settings of a mock; export, import and deletion. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { READ_ONLY, Shown } from '../parts/states.tsx';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { navigate, hrefOf } from '../state/place.ts';
import { changesOf, useResource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { DeleteMock } from './delete-mock.tsx';
import { ExportForm } from './settings/export-form.tsx';
import { LiveStores } from './settings/live-stores.tsx';
import { NameForm } from './settings/name-form.tsx';
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
        <section class="panel" aria-labelledby="settings-file">
          <h2 id="settings-file">Export and import</h2>
          <ExportForm record={record} />
          {canEdit && (
            <p>
              <a href={hrefOf(['mocks', record.id, 'import'])}>Import a file into the working copy</a>
            </p>
          )}
        </section>
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
    <section class="panel" aria-labelledby="settings-delete">
      <h2 id="settings-delete">Delete</h2>
      <p class="muted">Deletes its routes, versions and recorded traffic permanently.</p>
      <p>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete the mock…
        </Button>
      </p>
      {isAsking && (
        <DeleteMock record={record} onClose={() => setAsking(false)} onDeleted={() => navigate(['mocks'])} />
      )}
    </section>
  );
}
