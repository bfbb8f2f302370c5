/** Tries a request against the working copy and explains the answer. Nothing is sent to the mock. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TryAnswer } from '../../../client/shapes.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { fromBase64 } from '../../parts/body-text.ts';
import { Button, TextField } from '../../parts/controls.tsx';
import { HeaderList, MessageView } from '../../parts/message.tsx';
import { examplePath, headerLines, METHODS } from '../../parts/request-text.ts';
import { BytesView, SafeLine } from '../../parts/safe-text.tsx';
import { Section } from '../../parts/section.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { numberText } from '../../parts/words.ts';
import { failureOf, type Failure } from '../../state/failure.ts';
import { dropEmpty } from '../../state/filters.ts';
import { api } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { visibleText } from '../../state/visible-text.ts';
import { Why } from './why.tsx';

interface TryPanelProps {
  readonly mockId: string;
  readonly route: MockRoute;
  /** Called before a run by hand: first writes unsaved edits to the working copy. */
  readonly onRun: () => Promise<void>;
}

const PREVIEW_MS = 400;

export function TryPanel({ mockId, route, onRun }: TryPanelProps): JSX.Element {
  const [method, setMethod] = useState(route.method === 'ANY' ? 'GET' : route.method);
  const [path, setPath] = useState(examplePath(route.path));
  const [headers, setHeaders] = useState('');
  const [body, setBody] = useState('');
  const [answer, setAnswer] = useState<TryAnswer>();
  const [failure, setFailure] = useState<Failure>();
  const turn = useRef(0);

  const run = async (): Promise<void> => {
    const mine = ++turn.current;
    try {
      const asked = { method, path, headers: headerLines(headers), ...dropEmpty({ body }) };
      const got = await api().mocks.try(mockId, { ...asked, against: 'staged' });
      if (mine !== turn.current) return;
      setAnswer(got);
      setFailure(undefined);
    } catch (error) {
      if (mine === turn.current) setFailure(failureOf(error));
    }
  };
  const runByHand = (): void => void onRun().then(run);
  useShortcuts([{ keys: 'Ctrl+Enter', label: 'Try the request', run: runByHand }], [method, path, headers, body]);

  // The proposal follows the route until the user edits it.
  const proposed = useRef(path);
  useEffect(() => {
    const next = examplePath(route.path);
    if (path === proposed.current) setPath(next);
    proposed.current = next;
  }, [route.path]);
  useEffect(() => {
    const timer = setTimeout(() => void run(), PREVIEW_MS);
    return () => clearTimeout(timer);
  }, [method, path, headers, body, route]);
  useEffect(() => () => void turn.current++, []);

  return (
    <Section
      title="Try it"
      class="panel try"
      beside={<span class="hint">A dry run of the working copy: not recorded or counted.</span>}
    >
      <div class="route-line">
        <TextField
          label="Method"
          value={method}
          onInput={(text) => setMethod(text.toUpperCase())}
          suggestions={[...METHODS, 'ANY']}
          monospace
        />
        <TextField label="Path and query" value={path} onInput={setPath} monospace />
      </div>
      <TextField label="Headers" value={headers} onInput={setHeaders} rows={2} monospace placeholder="name: value" />
      <TextField label="Request body" value={body} onInput={setBody} rows={2} monospace />
      <p class="row">
        <Button onClick={runByHand}>Try</Button>
        <span class="hint">or Ctrl+Enter</span>
      </p>
      <FailureBox failure={failure} what="Trying" onRetry={runByHand} />
      {answer !== undefined && failure === undefined && <Answer mockId={mockId} answer={answer} />}
    </Section>
  );
}

function Answer({ mockId, answer }: { readonly mockId: string; readonly answer: TryAnswer }): JSX.Element {
  const { response } = answer;
  return (
    <div class="stack" aria-live="polite">
      {response !== null && (
        <>
          <p>
            <span class={response.status < 400 ? 'badge good' : 'badge bad'}>{response.status}</span>
          </p>
          {response.events === undefined ? (
            <MessageView {...response} />
          ) : (
            <>
              <HeaderList {...response} />
              <EventTimeline {...response} />
            </>
          )}
        </>
      )}
      <Why mockId={mockId} answer={answer} />
    </div>
  );
}

const CHARS_SHOWN = 2_000;

type StreamTried = Pick<NonNullable<TryAnswer['response']>, 'events' | 'eventsProblem'>;

/** The events that a stream would send, each with the time since the head. */
function EventTimeline({ events = [], eventsProblem }: StreamTried): JSX.Element {
  return (
    <>
      {events.length === 0 && <p class="muted">No events.</p>}
      <ol class="stack tight timeline" aria-label="Events">
        {events.map(({ atMs, text, encoding }, index) => (
          <li key={index}>
            <span class="muted">+{numberText(atMs)} ms</span>
            {encoding === undefined ? (
              <pre>{visibleText(text.trimEnd().slice(0, CHARS_SHOWN))}</pre>
            ) : (
              <BytesView bytes={fromBase64(text)} />
            )}
          </li>
        ))}
      </ol>
      {eventsProblem !== undefined && (
        <p class="error">
          Then it is cut: <SafeLine text={eventsProblem} max={500} />
        </p>
      )}
    </>
  );
}
