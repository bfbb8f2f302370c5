/** Headers and body of an untrusted message: text as it is, JSON optionally indented, bytes as a dump. */
import { useState } from 'preact/hooks';
import { visibleLine } from '../state/visible-text.ts';
import { bytesOf, download, fromBase64, prettyJson } from './body-text.ts';
import { Button, Check } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';
import { BytesView, SafeBlock, SafeLine } from './safe-text.tsx';
import { Facts } from './section.tsx';
import { numberText } from './words.ts';

const OMITTED_WORDS = {
  tooLarge: 'Larger than 1 MB.',
  cut: 'Incomplete.',
  undecodable: 'Unknown encoding or charset.',
  busy: 'Too many bodies were waiting to be masked.',
} as const;

interface Message {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string;
  readonly bodyEncoding?: 'base64' | undefined;
  /** Why the body was not recorded. */
  readonly bodyOmitted?: keyof typeof OMITTED_WORDS | undefined;
  /** The name of the file for a download of the body. */
  readonly fileName?: string;
}

export const HeaderList = ({ headers }: Pick<Message, 'headers'>): JSX.Element =>
  headers.length === 0 ? (
    <p class="muted">No headers.</p>
  ) : (
    <Facts
      class="monospace"
      rows={headers.map(({ name, value }) => [visibleLine(name), <SafeLine text={value} max={4_000} />])}
    />
  );

export function BodyView(props: Omit<Message, 'headers'>): JSX.Element {
  const { body = '', bodyEncoding, bodyOmitted, fileName = 'body.bin' } = props;
  const [isPretty, setPretty] = useState(false);
  if (bodyOmitted !== undefined) return <p class="warning">The body was not kept. {OMITTED_WORDS[bodyOmitted]}</p>;
  if (body === '') return <p class="muted">No body.</p>;
  const isText = bodyEncoding === undefined;
  const bytes = isText ? bytesOf(body) : fromBase64(body);
  const pretty = isText ? prettyJson(body) : undefined;
  return (
    <>
      <div class="row">
        {pretty !== undefined && <Check label="Format JSON" checked={isPretty} onChange={setPretty} />}
        {isText && <CopyButton text={body} what="the body" />}
        {!isText && <span class="muted">{numberText(bytes?.length ?? 0)} bytes that are not text</span>}
        {bytes !== undefined && (
          <Button kind="quiet" label="Download the body" onClick={() => download(bytes, fileName)}>
            Download
          </Button>
        )}
      </div>
      {isText ? <SafeBlock text={isPretty ? (pretty ?? body) : body} /> : <BytesView bytes={bytes} />}
    </>
  );
}

export const MessageView = ({ headers, ...body }: Message): JSX.Element => (
  <>
    <HeaderList headers={headers} />
    <BodyView {...body} />
  </>
);
