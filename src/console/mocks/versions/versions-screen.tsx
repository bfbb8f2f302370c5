/** The saved versions of a mock, with the selected one beside the list. */
import type { VersionRecord } from '../../../client/shapes.ts';
import { Moment } from '../../parts/moment.tsx';
import { Panes } from '../../parts/panes.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Cell, RowList } from '../../parts/virtual-list.tsx';
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
                <RowList
                  label="Versions"
                  rows={all}
                  rowHeight={ROW_PX}
                  idOf={(each) => each.version}
                  selected={version?.version}
                  onOpen={(each) =>
                    navigate(['mocks', id, 'versions', each.version], { against: place.value.query.get('against') })
                  }
                  cells={(each) => <VersionCells version={each} isServed={each.version === record.version} />}
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

const ROW_PX = 36;

interface CellsProps {
  readonly version: VersionRecord;
  readonly isServed: boolean;
}

const VersionCells = ({ version: { version, savedAt, savedBy, routeCount }, isServed }: CellsProps): JSX.Element => (
  <>
    <Cell class="version-number w-7">
      v{version} {isServed && <span class="badge good">served</span>}
    </Cell>
    <Cell class="w-7">
      <Moment at={savedAt} />
    </Cell>
    <Cell class="wide muted">
      <SafeLine text={savedBy} max={60} />
    </Cell>
    <Cell class="muted">{countText(routeCount, 'route')}</Cell>
  </>
);
