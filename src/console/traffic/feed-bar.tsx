/** The state of a traffic list: live or paused, counts, and its commands. */
import { useState } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { numberText, timeText } from '../parts/words.ts';
import { mayEdit } from '../state/session.ts';
import { useWrite } from '../state/write.ts';
import type { AnyFeed } from './traffic-feed.ts';

export interface ResetProps {
  readonly onClose: () => void;
}

interface BarProps {
  readonly feed: AnyFeed;
  readonly tally: JSX.Element;
  readonly reset: ((props: ResetProps) => JSX.Element) | undefined;
  readonly isPaused: boolean;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

export function FeedBar({ feed, tally, reset, isPaused, onPause, onResume }: BarProps): JSX.Element {
  const [isResetting, setResetting] = useState(false);
  const { missesSince } = feed;
  return (
    <>
      <div class="row traffic-bar">
        <StateBadge feed={feed} isPaused={isPaused} />
        {tally}
        <span class="row">
          <Button onClick={isPaused ? onResume : onPause}>
            {isPaused ? 'Resume' : 'Pause'} <kbd>Space</kbd>
          </Button>
          {mayEdit.value && reset !== undefined && <Button onClick={() => setResetting(true)}>Reset…</Button>}
        </span>
      </div>
      {missesSince.value !== undefined && (
        <div class="bar" role="status">
          <span>
            Too many requests to show: since {timeText(missesSince.value)} this page lists only misses. Counts remain
            exact.
          </span>
          <Button onClick={() => feed.showAll()}>Show all</Button>
        </div>
      )}
      <NewRows feed={feed} onShow={onResume} />
      {isResetting && reset?.({ onClose: () => setResetting(false) })}
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

function NewRows({ feed, onShow }: { readonly feed: AnyFeed; readonly onShow: () => void }): JSX.Element | null {
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

interface ResetDialogProps extends ResetProps {
  readonly send: () => Promise<unknown>;
  /** The consequences. */
  readonly children: string;
}

/** Deletes the recorded requests permanently. */
export function ResetDialog({ send, onClose, children }: ResetDialogProps): JSX.Element {
  const write = useWrite();
  const reset = async (): Promise<void> => {
    if (await write.run(() => send().then(() => true))) onClose();
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
      <p>{children}</p>
    </FormDialog>
  );
}
