/** The heading of a mock: name, state, address, start and stop, and the link to unsaved changes. */
import type { MockRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { FailureBox } from '../parts/states.tsx';
import { countText } from '../parts/words.ts';
import { navigate, hrefOf, place } from '../state/place.ts';
import type { Resource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { notify } from '../state/toasts.ts';
import { turnedText, turningText, turnMock, turnText } from '../state/turn-mock.ts';
import { useWrite } from '../state/write.ts';
import { changedCount } from './routes/list-routes.ts';

interface RecordProps {
  readonly record: MockRecord;
}

export const MockState = ({ state }: Pick<MockRecord, 'state'>): JSX.Element =>
  state === 'running' ? (
    <span class="badge good">
      ● <span class="state-word">running</span>
    </span>
  ) : (
    <span class="badge">
      ○ <span class="state-word">stopped</span>
    </span>
  );

export const MockHeading = ({ record }: RecordProps): JSX.Element => (
  <>
    <SafeLine text={record.name} /> <MockState state={record.state} />
  </>
);

export function MockAddress({ record }: RecordProps): JSX.Element {
  const address = api().mocks.urlFor(record);
  return (
    <div class="row">
      <code class="mock-url">{address}</code>
      <CopyButton text={address} what="the address" />
      <span class="muted">
        serves v{record.version}
        {record.file !== null && (
          <>
            {' '}
            · read-only, from the file <SafeLine text={record.file} />
          </>
        )}
      </span>
      {record.published === false && (
        <span class="badge warn" role="status">
          stored, not served by every thread yet
        </span>
      )}
    </div>
  );
}

interface MockActionsProps extends RecordProps {
  readonly mock: Resource<MockRecord>;
}

export function MockActions({ mock, record }: MockActionsProps): JSX.Element {
  const write = useWrite();
  const { id, hasStagedChanges } = record;
  const review = (): void => navigate(['mocks', id, 'diff']);
  useShortcuts([{ keys: 'Ctrl+Shift+s', label: 'Review the changes', run: review }], [id]);
  const turn = async (): Promise<void> => {
    const answer = await write.run(() => turnMock(record));
    if (answer === undefined) return;
    mock.replace(answer);
    notify(turnedText(answer));
  };
  return (
    <>
      <FailureBox failure={write.failure.value} what={turningText(record)} onRetry={() => void turn()} />
      {mayEdit.value && (
        <Button busy={write.isRunning.value} onClick={() => void turn()}>
          {turnText(record)}
        </Button>
      )}
      {hasStagedChanges && place.value.path[2] !== 'diff' && (
        <a class="button primary" href={hrefOf(['mocks', id, 'diff'])} title="Ctrl+Shift+S">
          {reviewLabel(id)}
        </a>
      )}
    </>
  );
}

/** Without a count when only settings or the order changed. */
function reviewLabel(mockId: string): string {
  const known = changedCount.value;
  const count = known?.mockId === mockId ? known.count : 0;
  return count === 0 ? 'Review changes' : `Review ${countText(count, 'changed route')}`;
}
