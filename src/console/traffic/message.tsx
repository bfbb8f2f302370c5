/** Headers and body of a recorded message. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { bodyBytes, download, prettyJson } from '../parts/body-text.ts';
import { Button, Check } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { BytesView, SafeBlock, SafeLine } from '../parts/safe-text.tsx';
import { numberText } from '../parts/words.ts';
import { visibleLine } from '../state/visible-text.ts';

interface HeadersProps {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

export const HeaderList = ({ headers }: HeadersProps): JSX.Element =>
  headers.length === 0 ? (
    <p class="muted">None.</p>
  ) : (
    <dl class="facts monospace">
      {headers.map(({ name, value }, index) => (
        <Fragment key={index}>
          <dt>{visibleLine(name)}</dt>
          <dd>
            <SafeLine text={value} max={4_000} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );

interface BodyProps {
  readonly body: string;
  readonly bodyEncoding?: 'base64' | undefined;
  /** The file name for saving. */
  readonly name: string;
}

/** A recorded body: text as it is, JSON optionally indented, bytes as a dump. */
export function BodyView({ body, bodyEncoding, name }: BodyProps): JSX.Element {
  const [isPretty, setPretty] = useState(false);
  if (body === '') return <p class="muted">None.</p>;
  const bytes = bodyBytes({ body, bodyEncoding });
  const isText = bodyEncoding === undefined;
  const pretty = isText ? prettyJson(body) : undefined;
  return (
    <>
      <div class="row">
        {pretty !== undefined && <Check label="Format JSON" checked={isPretty} onChange={setPretty} />}
        {isText && <CopyButton text={body} what="the body" />}
        {!isText && <span class="muted">{numberText(bytes.length)} bytes that are not text</span>}
        <Button kind="quiet" label="Download the body" onClick={() => download(bytes, name)}>
          Download
        </Button>
      </div>
      {isText ? <SafeBlock text={isPretty ? (pretty ?? body) : body} /> : <BytesView bytes={bytes} />}
    </>
  );
}
