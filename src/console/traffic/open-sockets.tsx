/** WebSockets of a mock that are open now, or those of one session: a message is sent to one by hand, or it is closed. */
import { useRef, useState } from 'preact/hooks';
import type { OpenSocketRecord, SocketPushInput } from '../../model/mocks/sockets/open-socket.ts';
import { errorsOf } from '../mocks/routes/fields.tsx';
import { focusSoon } from '../parts/arrange.tsx';
import { Button, TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
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

interface OpenSocketsProps {
  readonly feed: MockFeed;
  readonly mockId: string;
  /** "": those of the mock and of all its sessions. */
  readonly session: string;
}

const SHOWN_MAX = 10;

/** Nothing while none is open. They are read again as long as the list of requests has any handshake. */
export function OpenSockets({ feed, mockId, session }: OpenSocketsProps): JSX.Element | null {
  const sockets = useResource(() => api().mocks.sockets(mockId).list(), [mockId]);
  const all = sockets.state.value.value ?? [];
  // Looked for once a second, with the counts, and not at every frame.
  void feed.rates.value;
  const rows = feed.log.peek().shown;
  const isUsed = all.length > 0 || rows.some((row) => row.kind === 'request' && row.request.status === 101);
  usePolled(isUsed ? sockets : undefined);
  const [sendingTo, setSendingTo] = useState<OpenSocketRecord>();
  const closing = useWrite();
  const root = useRef<HTMLElement>(null);
  const open = session === '' ? all : all.filter((socket) => socket.session === session);
  const close = async (id: string): Promise<void> => {
    await closing.run(() => api().mocks.sockets(mockId).close(id));
    await sockets.reload();
    focusSoon(() => root.current);
  };
  const { failure } = sockets.state.value;
  return (
    <>
      <FailureBox
        failure={failure}
        what="Loading the open WebSockets"
        onRetry={() => void sockets.reload()}
        isRepeated
      />
      <FailureBox failure={closing.failure.value} what="Closing the WebSocket" />
      {open.length > 0 && (
        <section class="panel stack tight open-streams" aria-labelledby="open-sockets" ref={root}>
          <h2 id="open-sockets">{countText(open.length, 'open WebSocket')}</h2>
          <ul>
            {open.slice(0, SHOWN_MAX).map((socket) => (
              <li class="row" key={socket.id}>
                <SocketFacts mockId={mockId} socket={socket} />
                {mayEdit.value && (
                  <>
                    <Button
                      kind="quiet"
                      label={`Send a message to WebSocket ${socket.id}`}
                      onClick={() => setSendingTo(socket)}
                    >
                      Send…
                    </Button>
                    <Button
                      kind="quiet"
                      label={`Close WebSocket ${socket.id}`}
                      busy={closing.isRunning.value}
                      onClick={() => void close(socket.id)}
                    >
                      Close
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
          mockId={mockId}
          socket={sendingTo}
          onClose={() => {
            setSendingTo(undefined);
            void sockets.reload();
          }}
        />
      )}
    </>
  );
}

interface SocketProps {
  readonly mockId: string;
  readonly socket: OpenSocketRecord;
}

function SocketFacts({ mockId, socket }: SocketProps): JSX.Element {
  const { requestId, session, path, protocol, openedAt, received, sent, waitingBytes } = socket;
  const query = { ...Object.fromEntries(place.value.query), request: requestId };
  return (
    <span class="open-stream">
      <a href={hrefOf(['mocks', mockId, 'traffic'], query)}>{visibleLine(path, 120)}</a>{' '}
      <span class="muted">
        since {exactTimeText(openedAt)} · {numberText(received)} received · {numberText(sent)} sent
        {protocol !== '' && ` · ${visibleLine(protocol, 40)}`}
        {waitingBytes > 0 && ` · ${numberText(waitingBytes)} bytes wait for its reader`}
        {session !== undefined && ` · session ${visibleLine(session, 40)}`}
      </span>
    </span>
  );
}

function SendDialog({ mockId, socket, onClose }: SocketProps & { readonly onClose: () => void }): JSX.Element {
  const [data, setData] = useState('');
  const write = useWrite();
  const errorAt = errorsOf(write.failure.value);
  const send = async (): Promise<void> => {
    const answer = await write.run(() => push(mockId, socket, { socketId: socket.id, messages: [{ data }] }));
    if (answer === undefined) return;
    tell(answer.delivered === 1 ? 'Sent.' : 'It was not sent: the WebSocket is closed.');
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

/** WebSockets of a session are reached through it alone. */
async function push(mockId: string, { session }: OpenSocketRecord, asked: SocketPushInput) {
  const { mocks } = api();
  const sockets = session === undefined ? mocks.sockets(mockId) : (await mocks.openSession(mockId, session)).sockets;
  return sockets.send(asked);
}
