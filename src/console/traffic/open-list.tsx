/** The open connections of a mock or a session: streams and WebSockets. Sends into one, or ends it. */
import { useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { OpenSocketRecord } from '../../model/mocks/sockets/open-socket.ts';
import type { OpenStreamRecord } from '../../model/mocks/streams/open-stream.ts';
import { errorsOf } from '../parts/bound.ts';
import { focusSoon } from '../parts/arrange.tsx';
import { Button, TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { FailureBox } from '../parts/states.tsx';
import { countText, exactTimeText, numberText } from '../parts/words.ts';
import { dropEmpty } from '../state/filters.ts';
import { hrefOf, place } from '../state/place.ts';
import { usePolled } from '../state/polled.ts';
import { useResource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import type { MockFeed } from './mock-feed.ts';
import type { RouteNames } from './traffic-list.tsx';

interface OpenRecord {
  readonly id: string;
  readonly requestId: string;
  readonly session?: string;
  readonly openedAt: number;
  readonly waitingBytes: number;
}

interface OfProps {
  readonly feed: MockFeed;
  readonly mockId: string;
  /** "": of the mock and all its sessions. */
  readonly session: string;
}

interface OpenListProps<Open extends OpenRecord> extends OfProps {
  /** "stream" */
  readonly noun: string;
  /** "Send an event into" */
  readonly sendLabel: string;
  readonly load: () => Promise<readonly Open[]>;
  /** Whether a request may have opened one. */
  readonly opens: (request: { readonly status: number; readonly stream?: unknown }) => boolean;
  /** By "End", the label for one of them. */
  readonly ends: Readonly<Record<string, (id: string) => Promise<unknown>>>;
  readonly facts: (open: Open) => OpenFacts;
  readonly sent: SentKind;
  readonly send: (open: Open, values: Readonly<Record<string, string>>) => Promise<{ readonly delivered: number }>;
}

interface OpenFacts {
  readonly link: string;
  readonly beside?: ComponentChildren;
  readonly more: string;
}

interface SentKind {
  /** "event" */
  readonly noun: string;
  /** Where the server reports errors: "/events/0". */
  readonly pointer: string;
  /** The main text, and then the others: by member. */
  readonly main: string;
  readonly others?: Readonly<Record<string, string>>;
  readonly hint?: string;
  /** Why it was not delivered. */
  readonly lost: string;
}

const EVENT: SentKind = {
  noun: 'event',
  pointer: '/events/0',
  main: 'Data',
  others: { event: 'Name', id: 'Id' },
  hint: 'Sent at once, unchanged. Names and ids are for server-sent events.',
  lost: 'the stream has ended, or refused it',
};

export function OpenStreams({ names, ...of }: OfProps & { readonly names: RouteNames }): JSX.Element {
  const { mocks } = api();
  // Includes sessions: reading their own lists would extend them.
  const streams = mocks.streams(of.mockId);
  return (
    <OpenList<OpenStreamRecord>
      {...of}
      noun="stream"
      sendLabel="Send an event into"
      load={() => streams.list()}
      opens={({ stream }) => stream !== undefined}
      ends={{ End: (id) => streams.end(id, { cut: false }), Cut: (id) => streams.end(id, { cut: true }) }}
      facts={({ requestId, routeId, channel, events }) => {
        const route = names.get(routeId);
        return {
          link: route === undefined ? `request ${requestId}` : visibleLine(`${route.method} ${route.path}`, 120),
          beside: channel !== '' && <SafeLine text={channel} max={80} />,
          more: countText(events, 'event'),
        };
      }}
      sent={EVENT}
      // Those of a session are reachable only through it.
      send={async ({ id, session }, { data = '', ...others }) =>
        (session === undefined ? streams : (await mocks.openSession(of.mockId, session)).streams).send({
          streamId: id,
          events: [{ data, ...dropEmpty(others) }],
        })
      }
    />
  );
}

const MESSAGE: SentKind = {
  noun: 'message',
  pointer: '/messages/0',
  main: 'Message',
  lost: 'the WebSocket is closed',
};

export function OpenSockets(of: OfProps): JSX.Element {
  const { mocks } = api();
  const sockets = mocks.sockets(of.mockId);
  return (
    <OpenList<OpenSocketRecord>
      {...of}
      noun="WebSocket"
      sendLabel="Send a message to"
      load={() => sockets.list()}
      opens={({ status }) => status === 101}
      ends={{ Close: (id) => sockets.close(id) }}
      facts={({ path, protocol, received, sent }) => ({
        link: visibleLine(path, 120),
        more: `${numberText(received)} received · ${numberText(sent)} sent${protocol === '' ? '' : ` · ${visibleLine(protocol, 40)}`}`,
      })}
      sent={MESSAGE}
      send={async ({ id, session }, { data = '' }) =>
        (session === undefined ? sockets : (await mocks.openSession(of.mockId, session)).sockets).send({
          socketId: id,
          messages: [{ data }],
        })
      }
    />
  );
}

const SHOWN_MAX = 10;

/** Renders nothing while none is open. Polls while the list of requests contains one that may have opened a connection. */
function OpenList<Open extends OpenRecord>(props: OpenListProps<Open>): JSX.Element | null {
  const { feed, mockId, session, noun, sendLabel, load, opens, ends, facts, sent, send } = props;
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
  const run = async (end: (id: string) => Promise<unknown>, id: string): Promise<void> => {
    await ending.run(() => end(id));
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
                    <Button kind="quiet" label={`${sendLabel} ${noun} ${each.id}`} onClick={() => setSendingTo(each)}>
                      Send…
                    </Button>
                    {Object.entries(ends).map(([text, end]) => (
                      <Button
                        key={text}
                        kind="quiet"
                        label={`${text} ${noun} ${each.id}`}
                        busy={ending.isRunning.value}
                        onClick={() => void run(end, each.id)}
                      >
                        {text}
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
      {sendingTo !== undefined && (
        <SendDialog
          of={sent}
          send={(values) => send(sendingTo, values)}
          onClose={() => {
            setSendingTo(undefined);
            void found.reload();
          }}
        />
      )}
    </>
  );
}

interface SendDialogProps {
  readonly of: SentKind;
  readonly send: (values: Readonly<Record<string, string>>) => Promise<{ readonly delivered: number }>;
  readonly onClose: () => void;
}

function SendDialog({ of, send, onClose }: SendDialogProps): JSX.Element {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const write = useWrite();
  const errorAt = errorsOf(write.failure.value);
  const submit = async (): Promise<void> => {
    const answer = await write.run(() => send(values));
    if (answer === undefined) return;
    notify(answer.delivered === 1 ? 'Sent.' : `Not sent: ${of.lost}.`);
    onClose();
  };
  const field = (name: string) => ({
    value: values[name] ?? '',
    onInput: (text: string) => setValues({ ...values, [name]: text }),
    monospace: true,
    error: errorAt(`${of.pointer}/${name}`),
  });
  const title = `Send ${of.noun === 'event' ? 'an' : 'a'} ${of.noun}`;
  return (
    <FormDialog
      title={title}
      submit="Send"
      onSubmit={() => void submit()}
      onClose={onClose}
      write={write}
      what={`Sending the ${of.noun}`}
    >
      <TextField label={of.main} {...field('data')} rows={4} takesFocus />
      {of.hint !== undefined && <p class="hint">{of.hint}</p>}
      {Object.entries(of.others ?? {}).map(([name, label]) => (
        <TextField key={name} label={label} {...field(name)} />
      ))}
    </FormDialog>
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
