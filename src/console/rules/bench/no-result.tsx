/** What the test bench is for, before anything has been asked. */
import type { JSX } from 'preact';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/states.tsx';
import { API_URL } from '../../state/session.ts';
import { shellWord } from '../../state/shell-word.ts';

export function NoResult(): JSX.Element {
  const command = `switchyard rules test https://example.com/cart --server ${shellWord(API_URL.replace(/\/v1$/, ''))}`;
  return (
    <Empty title="What would the rules do to a request?">
      <p>
        Enter a URL and press Run: all rules are held against it. You see which act and what each changes, what kept the
        nearest others from acting, and what the server and the client would get.
      </p>
      <p>Or from a terminal, with the key in SWITCHYARD_API_KEY:</p>
      <div class="command">
        <code>{command}</code>
        <CopyButton text={command} what="the command" />
      </div>
      <p>
        <a href="console/docs/api#evaluate" target="_blank" rel="noreferrer">
          How rules are evaluated
        </a>
      </p>
    </Empty>
  );
}
