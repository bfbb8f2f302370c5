/** Saved versions, newest first: number, when, by whom, how many routes. */
import type { JSX } from 'preact';
import type { VersionRecord } from '../../../client/shapes.ts';
import { Moment } from '../../parts/moment.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Cell, VirtualList } from '../../parts/virtual-list.tsx';

interface VersionListProps {
  readonly versions: readonly VersionRecord[];
  /** The number of the one that answers. */
  readonly served: number;
  readonly selected: number | undefined;
  readonly onOpen: (number: number) => void;
}

const ROW_PX = 36;

export function VersionList({ versions, served, selected, onOpen }: VersionListProps): JSX.Element {
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
            <Cell class="muted fixed">
              {routeCount.toLocaleString('en')} {routeCount === 1 ? 'route' : 'routes'}
            </Cell>
          </>
        );
      }}
    />
  );
}
