/** The working copy says what is served: what a review is for, and how there comes to be something. */
import type { JSX } from 'preact';
import type { MockRecord } from '../../../client/shapes.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/states.tsx';
import { hrefOf } from '../../state/place.ts';
import { API_URL } from '../../state/session.ts';

export function NothingToReview({ record }: { readonly record: MockRecord }): JSX.Element {
  const { id, version, hasStagedChanges } = record;
  const command = `curl ${API_URL}/mocks/${id}/staged/diff -H "x-api-key: $SWITCHYARD_API_KEY"`;
  return (
    <Empty title="Nothing to review">
      <p>
        {hasStagedChanges
          ? `What was edited was changed back: the working copy says what version ${version} says.`
          : `The working copy is version ${version}, which is served.`}{' '}
        Edits of routes and settings wait here until they are saved as the next version; only then they are served.
      </p>
      <p class="row">
        <a class="button" href={hrefOf(['mocks', id, 'routes'])}>
          To the routes
        </a>
        <a class="button" href={hrefOf(['mocks', id, 'versions'])}>
          To the versions
        </a>
      </p>
      <p>The same in a terminal, with the key in SWITCHYARD_API_KEY:</p>
      <div class="command">
        <code>{command}</code>
        <CopyButton text={command} what="the command" />
      </div>
    </Empty>
  );
}
