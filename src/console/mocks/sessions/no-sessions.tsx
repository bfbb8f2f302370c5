/** What a session is, and how a test makes one, while there are none. */
import type { JSX } from 'preact';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/states.tsx';
import { mayEdit } from '../../state/session.ts';

export function NoSessions({ mockId }: { readonly mockId: string }): JSX.Element {
  const lines = `await using session = await client.mocks.session('${mockId}', { label: 'my test' });
const response = await session.fetch('/');`;
  return (
    <Empty title="No sessions now">
      <p>
        A session is one test's own view of this mock: its own responses, sequences, seed, counts and traffic, while
        other tests use the same mock. In a test, with the client:
      </p>
      <div class="command">
        <code>{lines}</code>
        <CopyButton text={lines} what="the lines" />
      </div>
      {!mayEdit.value && <p>Making one needs an editor's key.</p>}
      <p>
        <a href="console/docs/mocks#sessions" target="_blank" rel="noreferrer">
          Sessions in the documents
        </a>
      </p>
      <p class="muted" role="status">
        Live sessions are listed here as they come, until they end.
      </p>
    </Empty>
  );
}
