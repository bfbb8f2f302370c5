/** The expectation as it stands in the form, to copy into a test or a script. */
import type { JSX } from 'preact';
import type { Expectation } from '../../client/shapes.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { API_URL } from '../state/session.ts';
import { testLineOf, verifyCommandOf } from './verify-snippets.ts';

interface SnippetsProps {
  readonly mockId: string;
  readonly expectation: Expectation;
}

export const VerifySnippets = ({ mockId, expectation }: SnippetsProps): JSX.Element => (
  <section class="stack" aria-labelledby="verify-snippets">
    <h2 id="verify-snippets">The same in a test</h2>
    <Snippet text={testLineOf(mockId, expectation)} what="the line of a test" />
    <p class="hint">
      With the client of the package; it rejects with the closest requests.{' '}
      <a href="console/docs/api#javascript-client" target="_blank" rel="noreferrer">
        How to get it
      </a>
    </p>
    <h3>In a terminal, with the key in SWITCHYARD_API_KEY</h3>
    <Snippet text={verifyCommandOf(API_URL, mockId, expectation)} what="the command" />
  </section>
);

const Snippet = ({ text, what }: { readonly text: string; readonly what: string }): JSX.Element => (
  <div class="command">
    <code>{text}</code>
    <CopyButton text={text} what={what} />
  </div>
);
