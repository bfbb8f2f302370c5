/** The saved versions of a mock, with the selected one beside the list. */
import type { VersionRecord } from '../../../client/shapes.ts';
import { Moment } from '../../parts/moment.tsx';
import { Panes } from '../../parts/panes.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Cell, VirtualList } from '../../parts/virtual-list.tsx';
import { countText } from '../../parts/words.ts';
import type { MockScreenProps } from '../../state/mock-screen-props.ts';
import { navigate, hrefOf, place } from '../../state/place.ts';
import { changesOf, useResource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { VersionDetail } from './version-detail.tsx';

export function VersionsScreen({ mock, record, path }: MockScreenProps): JSX.Element {
  const { id } = record;
  const versions = useResource<readonly VersionRecord[]>(() => api().mocks.versions(id), [id], changesOf(id));
  const [selected] = path;
  return (
    <Shown of={versions} what="the versions">
      {(all) => {
        const version = all.find((each) => String(each.version) === selected);
        return (
          <Panes
            list={
              <>
                <VersionList
                  versions={all}
                  served={record.version}
                  selected={version?.version}
                  onOpen={(number) =>
                    navigate(['mocks', id, 'versions', number], { against: place.value.query.get('against') })
                  }
                />
                <p class="hint">
                  Each save makes one; the last 50 are kept.
                  {mayEdit.value && (
                    <>
                      {' '}
                      <a href={hrefOf(['history'], { record: id })}>History of this mock</a>
                    </>
                  )}
                </p>
              </>
            }
            none="Select a version."
            back={{ label: 'All versions', href: hrefOf(['mocks', id, 'versions']) }}
            detail={
              version === undefined ? (
                selected && (
                  <Empty title={`Version ${visibleLine(selected, 20)} not found`}>
                    <p>It does not exist, or more than 50 versions were saved since.</p>
                  </Empty>
                )
              ) : (
                <VersionDetail key={version.version} mock={mock} record={record} version={version} versions={all} />
              )
            }
          />
        );
      }}
    </Shown>
  );
}

interface VersionListProps {
  readonly versions: readonly VersionRecord[];
  /** The number of the served version. */
  readonly served: number;
  readonly selected: number | undefined;
  readonly onOpen: (number: number) => void;
}

const ROW_PX = 36;

function VersionList({ versions, served, selected, onOpen }: VersionListProps): JSX.Element {
  const at = (index: number): VersionRecord => versions[index] as VersionRecord;
  return (
    <VirtualList
      label="Versions"
      count={versions.length}
      rowHeight={ROW_PX}
      keyOf={(index) => String(at(index).version)}
      isSelected={(index) => at(index).version === selected}
      onOpen={(index) => onOpen(at(index).version)}
      row={(index) => {
        const { version, savedAt, savedBy, routeCount } = at(index);
        return (
          <>
            <Cell class="version-number">
              v{version} {version === served && <span class="badge good">served</span>}
            </Cell>
            <Cell class="version-when">
              <Moment at={savedAt} />
            </Cell>
            <Cell class="wide muted">
              <SafeLine text={savedBy} max={60} />
            </Cell>
            <Cell class="muted">{countText(routeCount, 'route')}</Cell>
          </>
        );
      }}
    />
  );
}
