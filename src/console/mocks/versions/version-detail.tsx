/** One saved version: its routes, or what differs to another copy; and the way back to it. */
import type { JSX } from 'preact';
import type { MockRecord, VersionRecord } from '../../../client/shapes.ts';
import { SelectField } from '../../parts/controls.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { place, refine } from '../../state/place.ts';
import type { Resource } from '../../state/resource.ts';
import { mayEdit } from '../../state/session.ts';
import type { Copy } from '../review/load-diff.ts';
import { Comparison } from './comparison.tsx';
import { Restore } from './restore.tsx';
import { VersionRoutes } from './version-routes.tsx';

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
    <section class="version" aria-labelledby="version">
      <header class="version-head">
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
              ['', 'nothing: show its routes'],
              ['staged', 'the working copy'],
              ...others.map(
                (each) =>
                  [
                    String(each.version),
                    `v${each.version}${each.version === record.version ? ', which is served' : ''}`,
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
