/** Where requests come from, while there are none. */
import type { JSX } from 'preact';
import type { MockRecord } from '../../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/states.tsx';
import { api } from '../state/session.ts';

export function NoTraffic({ record }: { readonly record: MockRecord }): JSX.Element {
  const command = `curl -i ${api().mocks.urlFor(record, '/')}`;
  return (
    <Empty title="No requests yet">
      <p>
        Each request to this mock is listed here as it comes, with the reason for its answer. Send the first, or point
        what you test at the address above:
      </p>
      <div class="command">
        <code>{command}</code>
        <CopyButton text={command} what="the command" />
      </div>
      {record.state === 'stopped' && <p class="warning">The mock is stopped: it answers 503 until it is started.</p>}
      <p class="muted" role="status">
        Waiting…
      </p>
    </Empty>
  );
}
