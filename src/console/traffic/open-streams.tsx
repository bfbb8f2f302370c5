/** Open streams of a mock or a session: send an event, or end one. */
import { useState } from 'preact/hooks';
import type { MockRecord } from '../../client/shapes.ts';
import type { OpenStreamRecord, PushInput } from '../../model/mocks/streams/open-stream.ts';
import { errorsOf } from '../mocks/routes/fields.tsx';
import { TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { countText } from '../parts/words.ts';
import { api } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import type { MockFeed } from './mock-feed.ts';
import { OpenList } from './open-list.tsx';
import type { RouteNames } from './traffic-list.tsx';

interface OpenStreamsProps {
  readonly feed: MockFeed;
  readonly record: MockRecord;
  readonly names: RouteNames;
  /** "": of the mock and all its sessions. */
  readonly session: string;
}

export function OpenStreams({ feed, record, names, session }: OpenStreamsProps): JSX.Element {
  const { id } = record;
  // Includes sessions: reading their own lists would extend them.
  const streams = () => api().mocks.streams(id);
  return (
    <OpenList<OpenStreamRecord>
      feed={feed}
      mockId={id}
      session={session}
      noun="stream"
      send="Send an event into"
      load={() => streams().list()}
      opens={({ stream }) => stream !== undefined}
      ends={[
        { text: 'End', run: (streamId) => streams().end(streamId, { cut: false }) },
        { text: 'Cut', run: (streamId) => streams().end(streamId, { cut: true }) },
      ]}
      facts={({ requestId, routeId, channel, events }) => {
        const route = names.get(routeId);
        return {
          link: route === undefined ? `request ${requestId}` : visibleLine(`${route.method} ${route.path}`, 120),
          beside: channel !== '' && <SafeLine text={channel} max={80} />,
          more: countText(events, 'event'),
        };
      }}
      dialog={(stream, onClose) => <SendDialog mockId={id} stream={stream} onClose={onClose} />}
    />
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
    notify(answer.delivered === 1 ? 'Sent.' : 'Not sent: the stream has ended, or refused it.');
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
      <p class="hint">Sent at once, unchanged. Names and ids are for server-sent events.</p>
      <TextField label="Name" value={event} onInput={setEvent} monospace error={errorAt('/events/0/event')} />
      <TextField label="Id" value={eventId} onInput={setEventId} monospace error={errorAt('/events/0/id')} />
    </FormDialog>
  );
}

/** Streams of a session are reachable only through it. */
async function push(mockId: string, { session }: OpenStreamRecord, asked: PushInput) {
  const { mocks } = api();
  const streams = session === undefined ? mocks.streams(mockId) : (await mocks.openSession(mockId, session)).streams;
  return streams.send(asked);
}
