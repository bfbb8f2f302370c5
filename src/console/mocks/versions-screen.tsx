/** The saved versions of a mock: the list, and beside it the version of the address. */
import type { JSX } from 'preact';
import type { VersionRecord } from '../../client/shapes.ts';
import { Panes } from '../parts/panes.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { go, hrefOf, place } from '../state/place.ts';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { changesOf, useResource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { VersionDetail } from './versions/version-detail.tsx';
import { VersionList } from './versions/version-list.tsx';

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
            back={{ label: 'All versions', href: hrefOf(['mocks', id, 'versions']) }}
            none="Choose a version to see its routes, compare it, or restore it."
            list={
              <>
                <VersionList
                  versions={all}
                  served={record.version}
                  selected={version?.version}
                  onOpen={(number) =>
                    go(['mocks', id, 'versions', number], { against: place.value.query.get('against') })
                  }
                />
                <p class="hint">
                  Each save makes one; the last 50 are kept.
                  {mayEdit.value && (
                    <>
                      {' '}
                      <a href={hrefOf(['history'], { record: id })}>All changes of this mock</a>
                    </>
                  )}
                </p>
              </>
            }
            detail={
              version === undefined ? (
                selected && (
                  <Empty title={`Version ${visibleLine(selected, 20)} is not kept`}>
                    <p>There is no such version, or more than 50 were saved since.</p>
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
