/** The callbacks that a mock sent, each with its attempts. Polled in a visible tab. */
import { useState } from 'preact/hooks';
import type { CallbackPage, CallbackRecord } from '../../../client/upstream-shapes.ts';
import { Command } from '../../parts/copy-button.tsx';
import { MessageView } from '../../parts/message-view.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { TableHead } from '../../parts/table.tsx';
import { countText, exactTimeText } from '../../parts/words.ts';
import { SelectField } from '../../parts/controls.tsx';
import { durationText } from '../../traffic/durations.ts';
import type { MockScreenProps } from '../../state/mock-screen-props.ts';
import { hrefOf } from '../../state/place.ts';
import { usePolled } from '../../state/polled.ts';
import { useResource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';

type State = CallbackRecord['state'];

const STATES = [
  ['', 'Any state'],
  ['waiting', 'Waiting'],
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['refused', 'Refused'],
  ['dropped', 'Dropped'],
  ['canceled', 'Canceled'],
] as const;

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
            <ul class="callbacks" aria-label="Callbacks">
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

function CallbackItem({
  mockId,
  callback,
}: {
  readonly mockId: string;
  readonly callback: CallbackRecord;
}): JSX.Element {
  const { name, requestNumber, session, method, url, state, attempts, problem } = callback;
  return (
    <details>
      <summary>
        <span class={STATE_BADGES[state]}>{state}</span>{' '}
        <span class="monospace">
          {visibleLine(method, 32)} <SafeLine text={url} max={300} />
        </span>{' '}
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
      {problem !== null && (
        <p class="warning">
          <SafeLine text={problem} max={500} />
        </p>
      )}
      {attempts.length > 0 && (
        <table>
          <TableHead names={['Attempt', 'Response', 'Duration', 'Problem']} />
          <tbody>
            {attempts.map(({ time, status, problem: why, ms }, index) => (
              <tr key={index}>
                <th scope="row">{exactTimeText(time)}</th>
                <td>{status ?? 'none'}</td>
                <td>{durationText(ms)}</td>
                <td>{why !== null && <SafeLine text={why} max={300} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
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
  <Empty title="No callbacks yet">
    <p>
      A response can call your server afterwards, as a payment provider does: delayed, retried and signed. Add callbacks
      to a response:
    </p>
    <Command text={EXAMPLE} what="the lines" label="" />
    <p>
      <a href="console/docs/callbacks" target="_blank" rel="noreferrer">
        Callback documentation
      </a>
    </p>
    <p class="muted" role="status">
      Callbacks appear here live.
    </p>
  </Empty>
);
