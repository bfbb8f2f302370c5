/** One saved version: its routes, or its differences from another copy; and restoring it. */
import { useState } from 'preact/hooks';
import type { MockRecord, RouteSummary, VersionRecord } from '../../../client/shapes.ts';
import type { StagedDiff } from '../../../model/mocks/show/diff.ts';
import { Button, SelectField } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox, Shown } from '../../parts/states.tsx';
import { RowList } from '../../parts/virtual-list.tsx';
import { navigate, hrefOf, place, refine } from '../../state/place.ts';
import { useResource, type Resource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import { notify } from '../../state/toasts.ts';
import { newIdempotencyKey, repeated, useWrite } from '../../state/write.ts';
import { DiffView } from '../review/diff-view.tsx';
import { changeCount, changeWords } from '../review/diff-words.ts';
import { loadDiff, routesOf, type Copy, type NamedDiff } from '../review/load-diff.ts';
import { RouteCells } from '../routes/route-cells.tsx';

interface VersionDetailProps {
  readonly mock: Resource<MockRecord>;
  readonly record: MockRecord;
  readonly version: VersionRecord;
  readonly versions: readonly VersionRecord[];
}

export function VersionDetail({ mock, record, version, versions }: VersionDetailProps): JSX.Element {
  const { version: number, savedAt, savedBy } = version;
  const asked = place.value.query.get('against');
  const others = versions.filter((each) => each.version !== number);
  const other: Copy | undefined =
    asked === 'staged' ? 'staged' : others.find((each) => String(each.version) === asked)?.version;
  return (
    <section class="column version" aria-labelledby="version">
      <header class="spread version-head">
        <div>
          <h2 id="version">Version {number}</h2>
          <p class="muted">
            saved by <SafeLine text={savedBy} max={60} />, <Moment at={savedAt} />
          </p>
        </div>
        <div class="row version-actions">
          <SelectField
            label="Compare with"
            value={String(other ?? '')}
            options={[
              ['', 'nothing (show routes)'],
              ['staged', 'the working copy'],
              ...others.map(
                (each) =>
                  [
                    String(each.version),
                    `v${each.version}${each.version === record.version ? ', served' : ''}`,
                  ] as const,
              ),
            ]}
            onChange={(against) => refine({ against })}
          />
          {mayEdit.value && record.file === null && <Restore mock={mock} record={record} number={number} />}
        </div>
      </header>
      {other === undefined ? (
        <VersionRoutes mockId={record.id} number={number} />
      ) : (
        <Comparison mockId={record.id} number={number} other={other} />
      )}
    </section>
  );
}

interface ComparisonProps {
  readonly mockId: string;
  readonly number: number;
  readonly other: Copy;
}

/** The differences between two copies of a mock, the older first. */
function Comparison({ mockId, number, other }: ComparisonProps): JSX.Element {
  const [from, to]: readonly [number, Copy] = other === 'staged' || other > number ? [number, other] : [other, number];
  const isStaged = to === 'staged';
  const named = useResource<NamedDiff>(() => loadDiff(mockId, from, to), [mockId, from, to], {
    whenChanged: ({ recordIds }) => (isStaged && recordIds.includes(mockId) ? 'mark' : undefined),
  });
  const [one, another] = [`version ${from}`, isStaged ? 'the working copy' : `version ${to}`];
  return (
    <Shown of={named} what={isStaged ? 'the working copy' : 'the comparison'}>
      {(shown) => {
        const { diff } = shown;
        const words = changeWords(diff).join(', ');
        return (
          <>
            <p role="status">
              {changeCount(diff) === 0
                ? `No differences: ${another} equals ${one}.`
                : `From ${one} to ${another}: ${words}.`}
            </p>
            <DiffView mockId={mockId} named={shown} linked={isStaged ? 'staged' : 'none'} />
          </>
        );
      }}
    </Shown>
  );
}

const ROW_PX = 32;

function VersionRoutes({ mockId, number }: { readonly mockId: string; readonly number: number }): JSX.Element {
  const routes = useResource<readonly RouteSummary[]>(() => routesOf(mockId, number), [mockId, number]);
  return (
    <Shown of={routes} what="the routes of the version">
      {(all) =>
        all.length === 0 ? (
          <p class="muted">No routes: every request was answered 404.</p>
        ) : (
          <RowList
            label={`Routes of version ${number}`}
            rows={all}
            rowHeight={ROW_PX}
            idOf={({ id }) => id}
            cells={(route) => <RouteCells route={route} />}
          />
        )
      }
    </Shown>
  );
}

interface RestoreProps {
  readonly mock: Resource<MockRecord>;
  readonly record: MockRecord;
  readonly number: number;
}

/** Restores a saved version into the working copy. Asks when unsaved changes would be lost. */
function Restore({ mock, record: { id }, number }: RestoreProps): JSX.Element {
  const write = useWrite();
  const [lost, setLost] = useState<StagedDiff>();
  /** @param agreed The losses that the user accepted. */
  const restore = async (agreed?: StagedDiff): Promise<void> => {
    const answer = await write.run(() => restored(id, number, agreed));
    setLost(undefined);
    if (answer === undefined) return;
    if ('routesChanged' in answer) return setLost(answer);
    mock.replace(answer);
    notify(`Version ${number} is now in the working copy. Save to serve it.`);
    navigate(['mocks', id, 'diff']);
  };
  return (
    <>
      <Button busy={write.isRunning.value} onClick={() => void restore()}>
        Restore version {number}
      </Button>
      <FailureBox failure={write.failure.value} what="Restoring" onRetry={() => void restore()} />
      {lost !== undefined && (
        <FormDialog
          title="The working copy has unsaved changes"
          submit="Restore and discard changes"
          danger
          onSubmit={() => void restore(lost)}
          onClose={() => setLost(undefined)}
          write={write}
        >
          <p>
            {changeWords(lost).join(', ')}: restoring version {number} discards these changes. This cannot be undone.{' '}
            <a href={hrefOf(['mocks', id, 'diff'])}>Review changes</a>
          </p>
        </FormDialog>
      )}
    </>
  );
}

/**
 * Restores a version unless that loses more than the user agreed to.
 *
 * @returns The losses to ask about.
 */
function restored(id: string, number: number, agreed: StagedDiff | undefined): Promise<MockRecord | StagedDiff> {
  return repeated(async (isAgain) => {
    const diff = (isAgain ? undefined : agreed) ?? (await api().mocks.staged.diff(id));
    if (diff !== agreed && changeCount(diff) > 0) return diff;
    return api().mocks.restore(id, number, { ifMatch: diff, idempotencyKey: newIdempotencyKey() });
  });
}
