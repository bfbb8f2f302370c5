/** The history where there is nothing to show of it: nothing was changed yet, or the key is a viewer's. */
import type { JSX } from 'preact';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/states.tsx';
import { hrefOf } from '../state/place.ts';
import { API_URL } from '../state/session.ts';

export function NoHistory(): JSX.Element {
  const command = `curl ${API_URL}/history -H "x-api-key: $SWITCHYARD_API_KEY"`;
  return (
    <Empty title="Nothing has been changed yet">
      <p>
        Every change of a mock, a rule or a group stands here with who made it and when, by the console, by the API and
        by files. <a href={hrefOf(['mocks'])}>Make a mock</a> or <a href={hrefOf(['rules'])}>a rule</a>, and it is the
        first.
      </p>
      <p>The same in a terminal, with the key in SWITCHYARD_API_KEY:</p>
      <div class="command">
        <code>{command}</code>
        <CopyButton text={command} what="the command" />
      </div>
    </Empty>
  );
}

export const ForEditors = (): JSX.Element => (
  <Empty title="The history is for editors">
    <p>
      It says who did what, with which key. Your key is a viewer's, so the server refuses it here (status 401). Somebody
      who runs the server can make an editor's key: <code>switchyard keys create</code>.
    </p>
  </Empty>
);
