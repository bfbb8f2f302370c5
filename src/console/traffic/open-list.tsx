/** The open connections of a mock or a session: streams (open-streams.tsx) and WebSockets (open-sockets.tsx). */
import { useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { focusSoon } from '../parts/arrange.tsx';
import { Button } from '../parts/controls.tsx';
import { FailureBox } from '../parts/states.tsx';
import { countText, exactTimeText, numberText } from '../parts/words.ts';
import { hrefOf, place } from '../state/place.ts';
import { usePolled } from '../state/polled.ts';
import { useResource } from '../state/resource.ts';
import { mayEdit } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import type { MockFeed } from './mock-feed.ts';

interface OpenRecord {
  readonly id: string;
  readonly requestId: string;
  readonly session?: string;
  readonly openedAt: number;
  readonly waitingBytes: number;
}

interface EndAction {
  /** "End", and its label for one of them. */
  readonly text: string;
  readonly run: (id: string) => Promise<unknown>;
}

interface OpenListProps<Open extends OpenRecord> {
  readonly feed: MockFeed;
  readonly mockId: string;
  /** "": of the mock and all its sessions. */
  readonly session: string;
  /** "stream" */
  readonly noun: string;
  /** "Send an event into" */
  readonly send: string;
  readonly load: () => Promise<readonly Open[]>;
  /** Whether a request may have opened one. */
  readonly opens: (request: { readonly status: number; readonly stream?: unknown }) => boolean;
  readonly ends: readonly EndAction[];
  readonly facts: (open: Open) => OpenFacts;
  readonly dialog: (open: Open, onClose: () => void) => ComponentChildren;
}

interface OpenFacts {
  readonly link: string;
  readonly beside?: ComponentChildren;
  readonly more: string;
}

const SHOWN_MAX = 10;

/** Renders nothing while none is open. Polls while the list of requests contains one that may have opened a connection. */
export function OpenList<Open extends OpenRecord>(props: OpenListProps<Open>): JSX.Element | null {
  const { feed, mockId, session, noun, send, load, opens, ends, facts, dialog } = props;
  const found = useResource(load, [mockId]);
  const all = found.state.value.value ?? [];
  // Once a second, with the counts, and not at every frame.
  void feed.rates.value;
  const rows = feed.log.peek().shown;
  const isUsed = all.length > 0 || rows.some((row) => row.kind === 'request' && opens(row.request));
  usePolled(isUsed ? found : undefined);
  const [sendingTo, setSendingTo] = useState<Open>();
  const ending = useWrite();
  const root = useRef<HTMLElement>(null);
  const open = session === '' ? all : all.filter((each) => each.session === session);
  const end = async (action: EndAction, id: string): Promise<void> => {
    await ending.run(() => action.run(id));
    await found.reload();
    focusSoon(() => root.current);
  };
  const id = `open-${noun.toLowerCase()}s`;
  return (
    <>
      <FailureBox
        failure={found.state.value.failure}
        what={`Loading the open ${noun}s`}
        onRetry={() => void found.reload()}
        isRepeated
      />
      <FailureBox failure={ending.failure.value} what={`Ending the ${noun}`} />
      {open.length > 0 && (
        <section class="panel stack tight open-streams" aria-labelledby={id} ref={root}>
          <h2 id={id}>{countText(open.length, `open ${noun}`)}</h2>
          <ul>
            {open.slice(0, SHOWN_MAX).map((each) => (
              <li class="row" key={each.id}>
                <Facts mockId={mockId} open={each} facts={facts(each)} />
                {mayEdit.value && (
                  <>
                    <Button kind="quiet" label={`${send} ${noun} ${each.id}`} onClick={() => setSendingTo(each)}>
                      Send…
                    </Button>
                    {ends.map((action) => (
                      <Button
                        key={action.text}
                        kind="quiet"
                        label={`${action.text} ${noun} ${each.id}`}
                        busy={ending.isRunning.value}
                        onClick={() => void end(action, each.id)}
                      >
                        {action.text}
                      </Button>
                    ))}
                  </>
                )}
              </li>
            ))}
          </ul>
          {open.length > SHOWN_MAX && <p class="muted">The newest {SHOWN_MAX}.</p>}
        </section>
      )}
      {sendingTo !== undefined &&
        dialog(sendingTo, () => {
          setSendingTo(undefined);
          void found.reload();
        })}
    </>
  );
}

interface FactsProps {
  readonly mockId: string;
  readonly open: OpenRecord;
  readonly facts: OpenFacts;
}

function Facts({ mockId, open, facts }: FactsProps): JSX.Element {
  const { requestId, session, openedAt, waitingBytes } = open;
  const query = { ...Object.fromEntries(place.value.query), request: requestId };
  return (
    <span class="open-stream">
      <a href={hrefOf(['mocks', mockId, 'traffic'], query)}>{facts.link}</a> {facts.beside}{' '}
      <span class="muted">
        since {exactTimeText(openedAt)} · {facts.more}
        {waitingBytes > 0 && ` · ${numberText(waitingBytes)} bytes buffered`}
        {session !== undefined && ` · session ${visibleLine(session, 40)}`}
      </span>
    </span>
  );
}
