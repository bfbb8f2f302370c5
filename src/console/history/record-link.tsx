/** A record by its name, linked; one that was deleted by its id. */
import type { JSX } from 'preact';
import { SafeLine } from '../parts/safe-text.tsx';
import { visibleLine } from '../state/visible-text.ts';
import { hrefOfRecord, kindOf } from './record-kind.ts';
import { useRecord } from './records.ts';

interface RecordLinkProps {
  readonly id: string;
  /** In a row of a list, the row has the focus. */
  readonly isInRow?: boolean;
}

export function RecordLink({ id, isInRow = false }: RecordLinkProps): JSX.Element {
  const record = useRecord(id);
  const kind = kindOf(id);
  if (record !== undefined && record.name === undefined) {
    return (
      <>
        <code class="muted">{visibleLine(id, 80)}</code> <span class="badge">deleted</span>
      </>
    );
  }
  const stay = isInRow ? { tabIndex: -1, onClick: (event: MouseEvent) => event.stopPropagation() } : {};
  return (
    <>
      <span class="muted">{kind}</span>{' '}
      <a href={hrefOfRecord(id)} {...stay}>
        {record?.name === undefined ? (
          <code>{visibleLine(id, 80)}</code>
        ) : (
          <SafeLine text={record.name === '' ? id : record.name} />
        )}
      </a>
    </>
  );
}
