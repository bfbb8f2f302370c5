/** A recorded body: text as it came, JSON with lines by choice, bytes as a hex dump. At most 32 kB are recorded. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RequestRecord } from '../../client/shapes.ts';
import { Button, Check } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { SafeBlock } from '../parts/safe-text.tsx';
import { bytesOf, hexHead, prettyJson } from './body-bytes.ts';

const HEX_BYTES = 512;

type Body = Pick<RequestRecord, 'id' | 'body' | 'bodyEncoding'>;

export function BodyView({ request }: { readonly request: Body }): JSX.Element {
  const { body, bodyEncoding } = request;
  if (body === '') return <p class="muted">None.</p>;
  return bodyEncoding === undefined ? <TextBody request={request} /> : <BinaryBody request={request} />;
}

function TextBody({ request }: { readonly request: Body }): JSX.Element {
  const { body } = request;
  const [isPretty, setPretty] = useState(false);
  const pretty = prettyJson(body);
  return (
    <>
      <div class="row">
        {pretty !== undefined && <Check label="JSON with lines" checked={isPretty} onChange={setPretty} />}
        <CopyButton text={body} what="the body" />
        <Download request={request} />
      </div>
      <SafeBlock text={isPretty && pretty !== undefined ? pretty : body} />
    </>
  );
}

function BinaryBody({ request }: { readonly request: Body }): JSX.Element {
  const bytes = bytesOf(request);
  return (
    <>
      <div class="row">
        <span class="muted">
          {bytes.length.toLocaleString('en')} bytes that are no text
          {bytes.length > HEX_BYTES && `, the first ${HEX_BYTES} of them here`}
        </span>
        <Download request={request} />
      </div>
      <SafeBlock text={hexHead(bytes, HEX_BYTES)} />
    </>
  );
}

function Download({ request }: { readonly request: Body }): JSX.Element {
  const download = (): void => {
    // Of no type that a browser would open.
    const address = URL.createObjectURL(new Blob([bytesOf(request)], { type: 'application/octet-stream' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = `request-${request.id}.bin`;
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <Button kind="quiet" label="Download the body" onClick={download}>
      Download
    </Button>
  );
}
