/** A row of the list of mocks. */
import type { MockRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { perSecond, Sparkline } from '../parts/rate-chart.tsx';
import { RATE_POINTS } from '../parts/rates.ts';
import { SafeLine } from '../parts/safe-text.tsx';
import { Cell } from '../parts/virtual-list.tsx';
import { countText } from '../parts/words.ts';
import { hrefOf } from '../state/place.ts';
import { mayEdit } from '../state/session.ts';
import { tell } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { turningText, turnMock, turnText } from '../state/turn-mock.ts';
import { useWrite } from '../state/write.ts';
import { MockState } from './mock-head.tsx';
import { rates } from './rate-poller.ts';

interface MockCellsProps {
  /** undefined while it is loaded. */
  readonly record: MockRecord | undefined;
  /** The row that the keys move from: Tab goes on to its buttons. */
  readonly isActive: boolean;
  readonly onChange: (record: MockRecord) => void;
  readonly onDelete: (record: MockRecord) => void;
}

export function MockCells({ record, isActive, onChange, onDelete }: MockCellsProps): JSX.Element {
  if (record === undefined) return <Cell class="muted">…</Cell>;
  const { id, name, state, version, routeCount, hasStagedChanges, file, published } = record;
  return (
    <>
      <Cell class="mocks-state">
        <MockState state={state} />
      </Cell>
      <Cell class="wide mocks-named">
        <a class="mocks-name" href={hrefOf(['mocks', id])} tabIndex={-1} onClick={(event) => event.stopPropagation()}>
          <SafeLine text={name} />
        </a>
        {hasStagedChanges && <span class="badge warn">unsaved</span>}
        {file !== null && <span class="badge">file</span>}
        {published === false && <span class="badge warn">not yet served by every thread</span>}
      </Cell>
      <Cell class="mocks-routes muted">
        {countText(routeCount, 'route')} · v{version}
      </Cell>
      <RateCell mockId={id} />
      {mayEdit.value && (
        <Cell class="mocks-actions">
          <Turn record={record} isActive={isActive} onChange={onChange} />
          {file === null && (
            <Button
              kind="quiet"
              label={`Delete ${visibleLine(name, 60)}`}
              skipped={!isActive}
              onClick={(event) => {
                event.stopPropagation();
                onDelete(record);
              }}
            >
              Delete
            </Button>
          )}
        </Cell>
      )}
    </>
  );
}

function RateCell({ mockId }: { readonly mockId: string }): JSX.Element {
  const points = rates.value.get(mockId) ?? [];
  const now = points.at(-1);
  return (
    <Cell class="mocks-rate">
      <Sparkline rates={points.map(({ total }) => total)} points={RATE_POINTS} />
      <span class="mocks-number">{perSecond(now?.total ?? 0)}</span>
      {(now?.missed ?? 0) > 0 && <span class="badge bad">{perSecond(now?.missed ?? 0)} missed</span>}
    </Cell>
  );
}

interface TurnProps extends Pick<MockCellsProps, 'isActive' | 'onChange'> {
  readonly record: MockRecord;
}

function Turn({ record, isActive, onChange }: TurnProps): JSX.Element {
  const write = useWrite();
  const turn = async (event: MouseEvent): Promise<void> => {
    event.stopPropagation();
    const answer = await write.run(() => turnMock(record));
    if (answer !== undefined) return onChange(answer);
    const failure = write.failure.value;
    if (failure !== undefined) tell(`${turningText(record)} failed: ${failure.message}`);
  };
  const verb = turnText(record);
  return (
    <Button
      label={`${verb} ${visibleLine(record.name, 60)}`}
      busy={write.isRunning.value}
      skipped={!isActive}
      onClick={(event) => void turn(event)}
    >
      {verb}
    </Button>
  );
}
