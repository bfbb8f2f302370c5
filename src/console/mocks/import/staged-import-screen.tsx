/** Replaces the working copy of a mock with a file. */
import type { MockRecord } from '../../../client/shapes.ts';
import { Button } from '../../parts/controls.tsx';
import { summaryOf } from '../../parts/report-rows.ts';
import { Empty, FailureBox, READ_ONLY, Shown } from '../../parts/states.tsx';
import { isRefusedByTag } from '../../state/failure.ts';
import type { MockScreenProps } from '../../state/mock-screen-props.ts';
import { navigate, hrefOf } from '../../state/place.ts';
import { changesOf, useResource, type Resource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import { notify } from '../../state/toasts.ts';
import { useWrite } from '../../state/write.ts';
import { ImportForm, type Ready } from './import-form.tsx';

type Routes = Awaited<ReturnType<ReturnType<typeof api>['mocks']['staged']['routes']>>;

export function StagedImportScreen({ mock, record }: MockScreenProps): JSX.Element {
  /** Supplies the tag that guards the working copy. */
  const staged = useResource(() => api().mocks.staged.routes(record.id), [record.id], changesOf(record.id, 'mark'));
  if (!mayEdit.value || record.file !== null) return <NotChangeable record={record} />;
  return (
    <>
      <h2>Import a file into the working copy</h2>
      <p>
        The file replaces all routes and settings of the working copy. Routes with the same method and path keep their
        ids. Nothing is served until you review and save.
      </p>
      {record.hasStagedChanges && (
        <p class="warning">
          The working copy has changes that are not saved. They are lost by an import;{' '}
          <a href={hrefOf(['mocks', record.id, 'diff'])}>review them first</a>.
        </p>
      )}
      <ImportForm>
        {(ready) => (
          <Shown of={staged} what="the working copy">
            {(routes) => (
              <Replace
                ready={ready}
                record={record}
                staged={staged}
                routes={routes}
                onReplaced={() => void mock.reload()}
              />
            )}
          </Shown>
        )}
      </ImportForm>
    </>
  );
}

interface ReplaceProps {
  readonly ready: Ready;
  readonly record: MockRecord;
  readonly staged: Resource<Routes>;
  readonly routes: Routes;
  readonly onReplaced: () => void;
}

function Replace({ ready, record, staged, routes, onReplaced }: ReplaceProps): JSX.Element {
  const { file, options, preview } = ready;
  const write = useWrite();
  const replace = async (): Promise<void> => {
    const answer = await write.run(() =>
      api().mocks.staged.import(record.id, file.source, { ...options, ifMatch: routes }),
    );
    if (answer !== undefined) {
      onReplaced();
      notify(`Working copy replaced by the file: ${summaryOf(answer.report)}.`);
      navigate(['mocks', record.id, 'diff']);
    } else if (isRefusedByTag(write.failure.value)) {
      onReplaced();
      await staged.reload();
    }
  };
  const failure = write.failure.value;
  return (
    <div class="stack">
      {isRefusedByTag(failure) ? (
        <p class="warning" role="alert">
          Somebody has changed the working copy, so nothing was replaced.{' '}
          <a href={hrefOf(['mocks', record.id, 'diff'])}>Review the changes</a>, or replace it anyway.
        </p>
      ) : (
        <FailureBox failure={failure} what="The import" />
      )}
      <div class="row">
        <Button kind="primary" busy={write.isRunning.value} onClick={() => void replace()}>
          Replace the working copy
        </Button>
        <span class="muted">{summaryOf(preview.report)}</span>
      </div>
    </div>
  );
}

const NotChangeable = ({ record }: { readonly record: MockRecord }): JSX.Element => (
  <Empty title="This mock cannot be edited">
    <p>{record.file === null ? READ_ONLY : 'The mock comes from a file: edit the file instead.'}</p>
  </Empty>
);
