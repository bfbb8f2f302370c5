/** Open WebSockets of a mock or a session: send a message, or close one. */
import { useState } from 'preact/hooks';
import type { OpenSocketRecord, SocketPushInput } from '../../model/mocks/sockets/open-socket.ts';
import { errorsOf } from '../mocks/routes/fields.tsx';
import { TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { numberText } from '../parts/words.ts';
import { api } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import type { MockFeed } from './mock-feed.ts';
import { OpenList } from './open-list.tsx';

interface OpenSocketsProps {
  readonly feed: MockFeed;
  readonly mockId: string;
  /** "": of the mock and all its sessions. */
  readonly session: string;
}

export function OpenSockets({ feed, mockId, session }: OpenSocketsProps): JSX.Element {
  return (
    <OpenList<OpenSocketRecord>
      feed={feed}
      mockId={mockId}
      session={session}
      noun="WebSocket"
      send="Send a message to"
      load={() => api().mocks.sockets(mockId).list()}
      opens={({ status }) => status === 101}
      ends={[{ text: 'Close', run: (id) => api().mocks.sockets(mockId).close(id) }]}
      facts={({ path, protocol, received, sent }) => ({
        link: visibleLine(path, 120),
        more: `${numberText(received)} received · ${numberText(sent)} sent${protocol === '' ? '' : ` · ${visibleLine(protocol, 40)}`}`,
      })}
      dialog={(socket, onClose) => <SendDialog mockId={mockId} socket={socket} onClose={onClose} />}
    />
  );
}

interface SocketProps {
  readonly mockId: string;
  readonly socket: OpenSocketRecord;
}

function SendDialog({ mockId, socket, onClose }: SocketProps & { readonly onClose: () => void }): JSX.Element {
  const [data, setData] = useState('');
  const write = useWrite();
  const errorAt = errorsOf(write.failure.value);
  const send = async (): Promise<void> => {
    const answer = await write.run(() => push(mockId, socket, { socketId: socket.id, messages: [{ data }] }));
    if (answer === undefined) return;
    notify(answer.delivered === 1 ? 'Sent.' : 'Not sent: the WebSocket is closed.');
    onClose();
  };
  return (
    <FormDialog
      title="Send a message"
      submit="Send"
      onSubmit={() => void send()}
      onClose={onClose}
      write={write}
      what="Sending the message"
    >
      <TextField
        label="Message"
        value={data}
        onInput={setData}
        rows={4}
        monospace
        takesFocus
        error={errorAt('/messages/0/data')}
      />
    </FormDialog>
  );
}

/** WebSockets of a session are reachable only through it. */
async function push(mockId: string, { session }: OpenSocketRecord, asked: SocketPushInput) {
  const { mocks } = api();
  const sockets = session === undefined ? mocks.sockets(mockId) : (await mocks.openSession(mockId, session)).sockets;
  return sockets.send(asked);
}
