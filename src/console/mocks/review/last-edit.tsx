/** Who has edited the working copy last, and when: from the history, so for editors alone. */
import type { JSX } from 'preact';
import type { HistoryRecord } from '../../../client/shapes.ts';
import type { CopyDiff } from '../../../model/mocks/diff.ts';
import { Moment } from '../../parts/moment.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { useResource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';

const ENTRIES_LOOKED_AT = 10;
const EDITS = ['mock.stage', 'mock.route', 'mock.response', 'mock.restore', 'mock.discard'];

/** @param diff Asked again for another one. */
export const LastEdit = (props: { readonly mockId: string; readonly diff: CopyDiff }): JSX.Element | null =>
  mayEdit.value ? <Known {...props} /> : null;

function Known({ mockId, diff }: { readonly mockId: string; readonly diff: CopyDiff }): JSX.Element | null {
  const edit = useResource<HistoryRecord | undefined>(async () => {
    const { records } = await api().history.list({ recordId: mockId, pageSize: ENTRIES_LOOKED_AT });
    return records.find(({ command }) => EDITS.some((each) => command.startsWith(each)));
  }, [mockId, diff]).state.value.value;
  if (edit === undefined) return null;
  return (
    <>
      {' · last edit by '}
      <SafeLine text={edit.user} max={60} />
      {', '}
      <Moment at={edit.date} />
    </>
  );
}
