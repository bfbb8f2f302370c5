/** What the list shows just now: live or paused, how many came and how many of them are shown, and what can be done about it. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { countText, numberText, timeText } from '../parts/words.ts';
import { api, mayEdit } from '../state/session.ts';
import { useWrite } from '../state/write.ts';
import type { TrafficFeed } from './traffic-feed.ts';
import { cameSince } from './traffic-log.ts';

interface BarProps {
  readonly feed: TrafficFeed;
  readonly record: MockRecord;
  readonly isFiltered: boolean;
  /** A reset forgets what is outside of sessions: it is not offered among those of one. */
  readonly isOfSession: boolean;
  readonly isPaused: boolean;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

export function TrafficBar(props: BarProps): JSX.Element {
  const { feed, record, isFiltered, isOfSession, isPaused, onPause, onResume } = props;
  const [isResetting, setResetting] = useState(false);
  const { missesSince } = feed;
  return (
    <>
      <div class="row traffic-bar">
        <StateBadge feed={feed} isPaused={isPaused} />
        <TallyText feed={feed} isFiltered={isFiltered} />
        <span class="row">
          <Button onClick={isPaused ? onResume : onPause}>
            {isPaused ? 'Resume' : 'Pause'} <kbd>Space</kbd>
          </Button>
          {mayEdit.value && !isOfSession && <Button onClick={() => setResetting(true)}>Reset…</Button>}
        </span>
      </div>
      {missesSince.value !== undefined && (
        <div class="bar" role="status">
          <span>
            More requests came than this page can draw: since {timeText(missesSince.value)} it lists misses alone. All
            counts stay exact.
          </span>
          <Button onClick={() => feed.showAll()}>Show all again</Button>
        </div>
      )}
      <NewRows feed={feed} onShow={onResume} />
      {isResetting && <ResetDialog mockId={record.id} onClose={() => setResetting(false)} />}
    </>
  );
}

function StateBadge({ feed, isPaused }: Pick<BarProps, 'feed' | 'isPaused'>): JSX.Element {
  const { state } = feed.connection.value;
  if (state === 'live') {
    return isPaused ? <span class="badge warn">❚❚ paused</span> : <span class="badge good">▶ live</span>;
  }
  if (state === 'away') return <span class="badge bad">✕ no connection</span>;
  if (state === 'failed') return <span class="badge bad">✕ failed</span>;
  return <span class="badge">… {state === 'hidden' ? 'closed' : 'connecting'}</span>;
}

/** Exact: what came is what is shown and what is not. */
function TallyText({ feed, isFiltered }: Pick<BarProps, 'feed' | 'isFiltered'>): JSX.Element {
  const tally = feed.tally.value;
  const { totals, received, dropped } = tally;
  if (totals === undefined) return <span class="muted traffic-tally">{feed.isListed.value && 'No count yet'}</span>;
  const isPart = isFiltered || feed.missesSince.value !== undefined;
  const came = cameSince(tally) ?? 0;
  const coming = isPart ? 0 : Math.max(0, came - received - dropped);
  return (
    <span class="muted traffic-tally">
      <strong>{countText(totals.total, 'request')}</strong>, {countText(totals.unmatched, 'miss', 'misses')} · since
      this page opened, {numberText(came)} came: {numberText(received)} {isPart ? 'that fit ' : ''}
      shown, {numberText(dropped)} not shown{coming > 0 && `, ${numberText(coming)} on their way`}
    </span>
  );
}

function NewRows({ feed, onShow }: { readonly feed: TrafficFeed; readonly onShow: () => void }): JSX.Element | null {
  const { waitingCount } = feed.log.value;
  if (waitingCount === 0) return null;
  return (
    <p class="traffic-new">
      <Button kind="primary" onClick={onShow}>
        ↑ {numberText(waitingCount)} new
      </Button>
    </p>
  );
}

interface ResetProps {
  readonly mockId: string;
  readonly onClose: () => void;
}

/** Forgets the recorded requests of a mock, which cannot be undone. */
function ResetDialog({ mockId, onClose }: ResetProps): JSX.Element {
  const write = useWrite();
  const reset = async (): Promise<void> => {
    if (
      await write.run(() =>
        api()
          .mocks.resetRequests(mockId)
          .then(() => true),
      )
    )
      onClose();
  };
  return (
    <FormDialog
      title="Reset the traffic?"
      submit="Reset"
      danger
      onSubmit={() => void reset()}
      onClose={onClose}
      write={write}
      what="Resetting"
    >
      <p>
        The recorded requests of this mock are forgotten, for everybody. Counts begin at 0, and sequences of responses
        at their first. This cannot be undone.
      </p>
    </FormDialog>
  );
}
