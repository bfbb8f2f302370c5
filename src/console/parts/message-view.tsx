/** Headers and body of an untrusted message: text as it is, bytes as a dump. */
import { fromBase64 } from './body-text.ts';
import { BytesView, SafeBlock, SafeCode } from './safe-text.tsx';

interface Message {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string;
  readonly bodyEncoding?: 'base64' | undefined;
}

export const HeaderLines = ({ headers }: Pick<Message, 'headers'>): JSX.Element => (
  <ul>
    {headers.map(({ name, value }, index) => (
      <li key={index}>
        <SafeCode text={`${name}: ${value}`} max={2_000} />
      </li>
    ))}
  </ul>
);

export const MessageView = ({ headers, body = '', bodyEncoding }: Message): JSX.Element => (
  <>
    <HeaderLines headers={headers} />
    {body === '' && <p class="muted">No body.</p>}
    {body !== '' && (bodyEncoding === 'base64' ? <BytesView bytes={fromBase64(body)} /> : <SafeBlock text={body} />)}
  </>
);
