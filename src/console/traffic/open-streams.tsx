/** Streams of a mock that are open now, or those of one session: an event is sent into one by hand, or it is ended. */
import { useRef, useState } from 'preact/hooks';
import type { MockRecord } from '../../client/shapes.ts';
import type { OpenStreamRecord, PushInput } from '../../model/mocks/streams/open-stream.ts';
import { errorsOf } from '../mocks/routes/fields.tsx';
import { focusSoon } from '../parts/arrange.tsx';
import { Button, TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { FailureBox } from '../parts/states.tsx';
import { countText, exactTimeText, numberText } from '../parts/words.ts';
import { hrefOf, place } from '../state/place.ts';
import { usePolled } from '../state/polled.ts';
import { useResource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { tell } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import type { MockFeed } from './mock-feed.ts';
import type { RouteNames } from './traffic-list.tsx';

interface OpenStreamsProps {
  readonly feed: MockFeed;
  readonly record: MockRecord;
  readonly names: RouteNames;
  /** "": those of the mock and of all its sessions. */
  readonly session: string;
}

const SHOWN_MAX = 10;

/** Nothing while none is open. They are read again as long as the list of requests has any stream. */
export function OpenStreams({ feed, record, names, session }: OpenStreamsProps): JSX.Element | null {
  const { id } = record;
  // Those of a session, too: its own list would use it, and it would live on.
  const streams = useResource(() => api().mocks.streams(id).list(), [id]);
  const all = streams.state.value.value ?? [];
  // Looked for once a second, with the counts, and not at every frame.
  void feed.rates.value;
  const rows = feed.log.peek().shown;
  const isUsed = all.length > 0 || rows.some((row) => row.kind === 'request' && row.request.stream !== undefined);
  usePolled(isUsed ? streams : undefined);
  const [sendingTo, setSendingTo] = useState<OpenStreamRecord>();
  const ending = useWrite();
  const root = useRef<HTMLElement>(null);
  const open = session === '' ? all : all.filter((stream) => stream.session === session);
  const end = async (streamId: string, cut: boolean): Promise<void> => {
    await ending.run(() => api().mocks.streams(id).end(streamId, { cut }));
    await streams.reload();
    focusSoon(() => root.current);
  };
  const { failure } = streams.state.value;
  return (
    <>
      <FailureBox failure={failure} what="Loading the open streams" onRetry={() => void streams.reload()} isRepeated />
      <FailureBox failure={ending.failure.value} what="Ending the stream" />
      {open.length > 0 && (
        <section class="panel stack tight open-streams" aria-labelledby="open-streams" ref={root}>
          <h2 id="open-streams">{countText(open.length, 'open stream')}</h2>
          <ul>
            {open.slice(0, SHOWN_MAX).map((stream) => (
              <li class="row" key={stream.id}>
                <StreamFacts mockId={id} stream={stream} names={names} />
                {mayEdit.value && (
                  <>
                    <Button
                      kind="quiet"
                      label={`Send an event into stream ${stream.id}`}
                      onClick={() => setSendingTo(stream)}
                    >
                      Send…
                    </Button>
                    <Button
                      kind="quiet"
                      label={`End stream ${stream.id}`}
                      busy={ending.isRunning.value}
                      onClick={() => void end(stream.id, false)}
                    >
                      End
                    </Button>
                    <Button
                      kind="quiet"
                      label={`Cut stream ${stream.id}`}
                      busy={ending.isRunning.value}
                      onClick={() => void end(stream.id, true)}
                    >
                      Cut
                    </Button>
                  </>
                )}
              </li>
            ))}
          </ul>
          {open.length > SHOWN_MAX && <p class="muted">The newest {SHOWN_MAX}.</p>}
        </section>
      )}
      {sendingTo !== undefined && (
        <SendDialog
          mockId={id}
          stream={sendingTo}
          onClose={() => {
            setSendingTo(undefined);
            void streams.reload();
          }}
        />
      )}
    </>
  );
}

interface FactsProps {
  readonly mockId: string;
  readonly stream: OpenStreamRecord;
  readonly names: RouteNames;
}

function StreamFacts({ mockId, stream, names }: FactsProps): JSX.Element {
  const { requestId, session, routeId, channel, openedAt, events, waitingBytes } = stream;
  const route = names.get(routeId);
  const query = { ...Object.fromEntries(place.value.query), request: requestId };
  return (
    <span class="open-stream">
      <a href={hrefOf(['mocks', mockId, 'traffic'], query)}>
        {route === undefined ? `request ${requestId}` : visibleLine(`${route.method} ${route.path}`, 120)}
      </a>{' '}
      {channel !== '' && <SafeLine text={channel} max={80} />}{' '}
      <span class="muted">
        since {exactTimeText(openedAt)} · {countText(events, 'event')}
        {waitingBytes > 0 && ` · ${numberText(waitingBytes)} bytes wait for its reader`}
        {session !== undefined && ` · session ${visibleLine(session, 40)}`}
      </span>
    </span>
  );
}

interface SendProps {
  readonly mockId: string;
  readonly stream: OpenStreamRecord;
  readonly onClose: () => void;
}

function SendDialog({ mockId, stream, onClose }: SendProps): JSX.Element {
  const [data, setData] = useState('');
  const [event, setEvent] = useState('');
  const [eventId, setEventId] = useState('');
  const write = useWrite();
  const errorAt = errorsOf(write.failure.value);
  const send = async (): Promise<void> => {
    const pushed = {
      data,
      ...(event === '' ? {} : { event }),
      ...(eventId === '' ? {} : { id: eventId }),
    };
    const answer = await write.run(() => push(mockId, stream, { streamId: stream.id, events: [pushed] }));
    if (answer === undefined) return;
    tell(answer.delivered === 1 ? 'Sent.' : 'It was not sent: the stream has ended, or does not take it.');
    onClose();
  };
  return (
    <FormDialog
      title="Send an event"
      submit="Send"
      onSubmit={() => void send()}
      onClose={onClose}
      write={write}
      what="Sending the event"
    >
      <TextField
        label="Data"
        value={data}
        onInput={setData}
        rows={4}
        monospace
        takesFocus
        error={errorAt('/events/0/data')}
      />
      <p class="hint">It is sent at once, and as it is. A name and an id are of server-sent events.</p>
      <TextField label="Name" value={event} onInput={setEvent} monospace error={errorAt('/events/0/event')} />
      <TextField label="Id" value={eventId} onInput={setEventId} monospace error={errorAt('/events/0/id')} />
    </FormDialog>
  );
}

/** Streams of a session are reached through it alone. */
async function push(mockId: string, { session }: OpenStreamRecord, asked: PushInput) {
  const { mocks } = api();
  const streams = session === undefined ? mocks.streams(mockId) : (await mocks.openSession(mockId, session)).streams;
  return streams.send(asked);
}
