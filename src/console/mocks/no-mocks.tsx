/** What a mock is, and how the first one comes to be. */
import type { JSX } from 'preact';
import { Button } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/states.tsx';
import { API_URL, mayEdit } from '../state/session.ts';

export function NoMocks({ onCreate }: { readonly onCreate: () => void }): JSX.Element {
  const command = `curl -X POST ${API_URL}/mocks -H "x-api-key: $SWITCHYARD_API_KEY" -H 'content-type: application/json' -d '{"name":"Payments","start":true}'`;
  return (
    <Empty title="No mocks yet">
      <p>
        A mock is an HTTP server with an address of its own. It answers as its routes say, records what it is asked, and
        tells why a request was not matched.
      </p>
      {mayEdit.value ? (
        <>
          <p class="row">
            <Button kind="primary" onClick={onCreate}>
              New mock
            </Button>
          </p>
          <p>Or from a terminal, with the key in SWITCHYARD_API_KEY:</p>
          <div class="command">
            <code>{command}</code>
            <CopyButton text={command} what="the command" />
          </div>
        </>
      ) : (
        <p>Somebody with an editor's key has to make one.</p>
      )}
    </Empty>
  );
}
