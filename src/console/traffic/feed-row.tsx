/** Shared by the kinds of recorded requests: a row of the list, and the frame of the details. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Drawer } from '../parts/dialog.tsx';
import { Shown } from '../parts/states.tsx';
import { Cell } from '../parts/virtual-list.tsx';
import { exactTimeText, timeText } from '../parts/words.ts';
import { usePolled } from '../state/polled.ts';
import { useResource } from '../state/resource.ts';
import { visibleLine } from '../state/visible-text.ts';
import { durationText } from './durations.ts';
import type { OpenRequest } from './feed-screen.tsx';
import type { AnyFeed } from './traffic-feed.ts';

interface RowProps {
  readonly time: number;
  readonly method: string;
  readonly status: ComponentChildren;
  readonly target: ComponentChildren;
  /** Badges. */
  readonly children: ComponentChildren;
  /** Its badges stay where there is little room. */
  readonly isNotable?: boolean;
  readonly session: string | undefined;
  readonly ms: number;
}

export function FeedRow(props: RowProps): JSX.Element {
  const { time, method, status, target, children, isNotable = false, session, ms } = props;
  return (
    <>
      <Cell class="traffic-time w-7 muted">
        {timeText(time)}
        <span class="from-701">{exactTimeText(time).slice(timeText(time).length)}</span>
      </Cell>
      <Cell class="traffic-method w-4 monospace">{visibleLine(method, 12)}</Cell>
      <Cell class="traffic-status w-3">{status}</Cell>
      <Cell class="wide monospace">{target}</Cell>
      <Cell class={isNotable ? 'traffic-route notable' : 'traffic-route from-701'}>
        {children}
        {session !== undefined && <bdi class="traffic-session muted from-1024">{visibleLine(session, 40)}</bdi>}
      </Cell>
      <Cell class="w-4 right muted from-701">{durationText(ms)}</Cell>
    </>
  );
}

interface DrawerProps<Summary, Full extends Summary> extends OpenRequest<Summary> {
  readonly feed: AnyFeed;
  /** "request" */
  readonly noun: string;
  readonly load: () => Promise<Full>;
  /** Whether it may still change. */
  readonly isOpen?: (loaded: Full) => boolean;
  readonly title: (known: Summary) => ComponentChildren;
  readonly facts: (known: Summary) => ComponentChildren;
  readonly children: (loaded: Full) => ComponentChildren;
}

/** One recorded request. Its row is shown until the rest is loaded. */
export function FeedDrawer<Summary, Full extends Summary>(props: DrawerProps<Summary, Full>): JSX.Element {
  const { feed, noun, id, life, summary, load, isOpen, title, facts, children, onClose } = props;
  // Loaded once: after a reset the same id may mean another request.
  const [isOfNow] = useState(life === feed.life);
  const loaded = useResource(load, [id]);
  const full = loaded.state.value.value;
  const known = summary ?? full;
  usePolled(isOfNow && life === feed.life && full !== undefined && isOpen?.(full) === true ? loaded : undefined);
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id}`;
  return (
    <Drawer title={known === undefined ? name : title(known)} onClose={onClose}>
      {summary !== undefined && <p class="row traffic-facts">{facts(summary)}</p>}
      {isOfNow ? (
        <Shown of={loaded} what={`the ${noun}`}>
          {(record) => (
            <>
              {summary === undefined && <p class="row traffic-facts">{facts(record)}</p>}
              <div class="stack">{children(record)}</div>
            </>
          )}
        </Shown>
      ) : (
        <p class="warning">Recorded before the last reset: its details are gone.</p>
      )}
    </Drawer>
  );
}
