/** The body of a response: text or bytes in an editor, or an excerpt when it is too large. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { MockResponse } from '../../../model/mocks/definition/definition.ts';
import { BodyEditor } from '../../parts/body-editor.tsx';
import { bytesOf, download, fromBase64, isHeavy, jsonProblem, textOf, toBase64 } from '../../parts/body-text.ts';
import { Button, SelectField, useReadOnly } from '../../parts/controls.tsx';
import { BytesView, SafeBlock } from '../../parts/safe-text.tsx';
import { numberText } from '../../parts/words.ts';
import { me } from '../../state/session.ts';
import { notify } from '../../state/toasts.ts';
import { TemplateField, type ResponseProps } from './fields.tsx';

export function BodyField(props: ResponseProps): JSX.Element {
  const { response, errorAt, onChange, onSave } = props;
  const canEdit = !useReadOnly();
  const { body, bodyEncoding, templated } = response;
  const error = errorAt('/body') ?? errorAt('/bodyEncoding');
  const [isPlain, setPlain] = useState(false);
  const bytes = useMemo(() => (bodyEncoding === 'text' ? bytesOf(body) : fromBase64(body)), [body, bodyEncoding]);
  const heavy = useMemo(() => isHeavy(body), [body]);
  const file = useRef<HTMLInputElement>(null);

  const take = (next: Partial<MockResponse>): void => {
    onChange({ ...response, ...next });
    onSave();
  };
  /** Replaces the body by a file, as text where its bytes are UTF-8. */
  const replace = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    const content = new Uint8Array(await chosen.arrayBuffer());
    const text = textOf(content);
    setPlain(false);
    take(
      text === undefined ? { body: toBase64(content), bodyEncoding: 'base64' } : { body: text, bodyEncoding: 'text' },
    );
  };
  const encode = (encoding: MockResponse['bodyEncoding']): void => {
    if (encoding === bodyEncoding || bytes === undefined) return;
    if (encoding === 'base64') return take({ body: toBase64(bytes), bodyEncoding: 'base64' });
    const text = textOf(bytes);
    if (text === undefined) notify('Not valid UTF-8; kept as bytes.');
    else take({ body: text, bodyEncoding: 'text' });
  };

  const shown = (): JSX.Element => {
    if (bodyEncoding === 'base64') return <BytesView bytes={bytes} />;
    if (heavy && !isPlain) return <HeavyText text={body} onEdit={canEdit ? () => setPlain(true) : undefined} />;
    if (heavy || isPlain) {
      return <PlainText text={body} onLeave={(text) => (text === body ? undefined : take({ body: text }))} />;
    }
    return (
      <BodyEditor
        label="Body"
        text={body}
        readOnly={!canEdit}
        templated={templated !== false}
        onInput={(text) => onChange({ ...response, body: text })}
        onCommit={onSave}
        error={error}
        hint={hintOf(response)}
      />
    );
  };

  return (
    <section class="stack body-field" aria-label="Body">
      <div class="row">
        <h3>Body</h3>
        <SelectField
          label="Encoding of the body"
          hiddenLabel
          value={bodyEncoding}
          options={[
            ['text', 'text'],
            ['base64', 'bytes'],
          ]}
          onChange={encode}
        />
        {bodyEncoding === 'text' && <TemplateField {...props} />}
        <span class="muted">{sizeOf(bytes)}</span>
        {bytes !== undefined && bytes.length > 0 && (
          <Button kind="quiet" onClick={() => download(bytes, bodyEncoding === 'text' ? 'body.txt' : 'body.bin')}>
            Download
          </Button>
        )}
        {canEdit && (
          <>
            <input
              ref={file}
              type="file"
              hidden
              aria-label="File for the body"
              onChange={(event) => {
                event.stopPropagation();
                void replace(event.currentTarget.files?.[0]);
                event.currentTarget.value = '';
              }}
            />
            <Button kind="quiet" onClick={() => file.current?.click()}>
              Replace from file
            </Button>
          </>
        )}
      </div>
      {shown()}
      {error !== undefined && (bodyEncoding === 'base64' || heavy) && <p class="error">{error}</p>}
      {canEdit && isJsonWithoutType(response, heavy) && (
        <p class="row hint">
          There is no content-type header for this JSON.
          <Button
            kind="quiet"
            onClick={() =>
              take({ headers: [...response.headers, { name: 'content-type', value: 'application/json' }] })
            }
          >
            Add content-type
          </Button>
        </p>
      )}
    </section>
  );
}

function sizeOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  const max = me.value?.limits.responseBodyBytesMax;
  const count = numberText(bytes.length);
  return max === undefined ? `${count} bytes` : `${count} of ${numberText(max)} bytes`;
}

/** A hint, never a refusal: a body may be anything. */
function hintOf({ body, templated }: MockResponse): string | undefined {
  if (templated !== false && body.includes('{{')) return undefined;
  const problem = jsonProblem(body);
  return problem === undefined ? undefined : `Not JSON: ${problem}`;
}

function isJsonWithoutType({ body, bodyEncoding, headers }: MockResponse, heavy: boolean): boolean {
  if (heavy || bodyEncoding !== 'text' || !/^\s*[[{]/.test(body)) return false;
  return !headers.some(({ name }) => name.toLowerCase() === 'content-type');
}

const CHARS_SHOWN = 4_000;

interface HeavyTextProps {
  readonly text: string;
  readonly onEdit: (() => void) | undefined;
}

export const HeavyText = ({ text, onEdit }: HeavyTextProps): JSX.Element => (
  <>
    <p class="row">
      <span class="hint">Large, or with very long lines: only the start is shown.</span>
      {onEdit !== undefined && (
        <Button kind="quiet" onClick={onEdit}>
          Edit as plain text
        </Button>
      )}
    </p>
    <SafeBlock text={text} max={CHARS_SHOWN} />
  </>
);

interface PlainTextProps {
  readonly text: string;
  readonly onLeave: (text: string) => void;
}

/** Uncontrolled: updating state with every character would be slow. */
const PlainText = ({ text, onLeave }: PlainTextProps): JSX.Element => (
  <textarea
    class="monospace body-plain"
    aria-label="Body"
    defaultValue={text}
    wrap="off"
    spellcheck={false}
    onChange={(event) => event.stopPropagation()}
    onBlur={(event) => onLeave(event.currentTarget.value)}
    onKeyDown={(event) => {
      if (event.key === 's' && (event.ctrlKey || event.metaKey)) onLeave(event.currentTarget.value);
    }}
  />
);
