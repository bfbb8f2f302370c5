/** The callbacks that a mock sent, each with its attempts. Polled in a visible tab. */
import { useState } from 'preact/hooks';
import type { CallbackPage, CallbackRecord } from '../../../client/upstream-shapes.ts';
import { Command } from '../../parts/copy-button.tsx';
import { MessageView } from '../../parts/message.tsx';
import { RequestLine, SafeLine, SafeParagraph } from '../../parts/safe-text.tsx';
import { Table } from '../../parts/section.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { choices, countText, exactTimeText } from '../../parts/words.ts';
import { SelectField } from '../../parts/controls.tsx';
import { durationText } from '../../traffic/durations.ts';
import type { MockScreenProps } from '../../state/mock-screen-props.ts';
import { hrefOf } from '../../state/place.ts';
import { usePolled } from '../../state/polled.ts';
import { useResource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';

type State = CallbackRecord['state'];

const STATES = choices({
  '': 'Any state',
  waiting: 'Waiting',
  done: 'Done',
  failed: 'Failed',
  refused: 'Refused',
  dropped: 'Dropped',
  canceled: 'Canceled',
});

const STATE_BADGES: Readonly<Record<State, string>> = {
  waiting: 'badge',
  done: 'badge good',
  failed: 'badge bad',
  refused: 'badge bad',
  dropped: 'badge bad',
  canceled: 'badge warn',
};

const SHOWN_MAX = 100;

export function CallbacksScreen({ record: { id } }: MockScreenProps): JSX.Element {
  const [state, setState] = useState<State | ''>('');
  const callbacks = useResource<CallbackPage>(
    () => api().mocks.callbacks(id, { limit: SHOWN_MAX, ...(state === '' ? {} : { state }) }),
    [id, state],
  );
  usePolled(callbacks);
  return (
    <Shown of={callbacks} what="the callbacks">
      {(page) =>
        page.records.length === 0 && state === '' ? (
          <NoCallbacks />
        ) : (
          <div class="stack">
            <header class="spread">
              <p class="muted" role="status">
                {countText(page.total, 'callback')}, newest first
                {page.records.length < page.total && `, the newest ${page.records.length} below`}
              </p>
              <SelectField label="State" hiddenLabel value={state} options={STATES} onChange={setState} />
            </header>
            <ul class="items" aria-label="Callbacks">
              {page.records.map((callback) => (
                <li key={callback.id}>
                  <CallbackItem mockId={id} callback={callback} />
                </li>
              ))}
            </ul>
          </div>
        )
      }
    </Shown>
  );
}

interface ItemProps {
  readonly mockId: string;
  readonly callback: CallbackRecord;
}

function CallbackItem({ mockId, callback }: ItemProps): JSX.Element {
  const { name, requestNumber, session, method, url, state, attempts, problem } = callback;
  return (
    <details>
      <summary>
        <span class={STATE_BADGES[state]}>{state}</span> <RequestLine method={method} target={url} />{' '}
        <span class="muted">
          {name !== '' && (
            <>
              <SafeLine text={name} max={80} /> ·{' '}
            </>
          )}
          {countText(attempts.length, 'attempt')}
        </span>
      </summary>
      <p class="muted">
        After request {requestNumber} to the mock
        {session !== null && (
          <>
            {' '}
            in <a href={hrefOf(['mocks', mockId, 'sessions', session])}>session {visibleLine(session, 40)}</a>
          </>
        )}
      </p>
      {problem !== null && <SafeParagraph class="warning" text={problem} max={500} />}
      {attempts.length > 0 && (
        <Table
          head={['Attempt', 'Response', 'Duration', 'Problem']}
          rows={attempts.map(({ time, status, problem: why, ms }) => [
            exactTimeText(time),
            status ?? 'none',
            durationText(ms),
            why !== null && <SafeLine text={why} />,
          ])}
        />
      )}
      <p class="muted">Headers and body</p>
      <MessageView {...callback} />
      {callback.bodyTruncated && <p class="muted">The first 64 kB of the body.</p>}
    </details>
  );
}

const EXAMPLE = `"callbacks": [{
  "name": "paid",
  "url": "http://127.0.0.1:3000/webhooks",
  "body": "{\\"type\\": \\"payment.succeeded\\"}",
  "sign": { "scheme": "stripe", "secret": "whsec_test" }
}]`;

const NoCallbacks = (): JSX.Element => (
  <Empty title="No callbacks yet" docs={['callbacks', 'Callback documentation']} waiting="Callbacks appear here live.">
    <p>
      A response can call your server afterwards, as a payment provider does: delayed, retried and signed. Add callbacks
      to a response:
    </p>
    <Command text={EXAMPLE} what="the lines" label="" />
  </Empty>
);
