/**
 * An editor for longer texts: a text area until CodeMirror has loaded.
 *
 * Escape, then Tab leaves it.
 */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { CodeEditor } from './code-editor.ts';

interface BodyEditorProps {
  readonly label: string;
  readonly text: string;
  readonly readOnly: boolean;
  /** Marks `{{…}}`, and completes helpers. */
  readonly templated: boolean;
  readonly onInput: (text: string) => void;
  /** Called when it loses the focus. */
  readonly onCommit: () => void;
  readonly error?: string | undefined;
  readonly hint?: string | undefined;
}

export function BodyEditor(props: BodyEditorProps): JSX.Element {
  const { label, text, readOnly, templated, onInput, onCommit, error, hint } = props;
  const id = useId();
  const host = useRef<HTMLDivElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const [isLoaded, setLoaded] = useState(false);
  // The editor is created once: it calls the current props.
  const current = useRef(props);
  current.current = props;

  useEffect(() => {
    let isGone = false;
    import('./code-editor.ts').then(
      ({ createCodeEditor }) => {
        if (isGone || host.current === null) return;
        const from = area.current;
        const hadFocus = document.activeElement === from;
        editor.current = createCodeEditor(host.current, {
          label,
          text: current.current.text,
          readOnly: current.current.readOnly,
          templated: current.current.templated,
          selection: hadFocus && from !== null ? [from.selectionStart, from.selectionEnd] : undefined,
          onInput: (next) => current.current.onInput(next),
          onLeave: () => current.current.onCommit(),
        });
        setLoaded(true);
        if (hadFocus) editor.current.focus();
      },
      // The text area remains.
      () => undefined,
    );
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, []);
  useLayoutEffect(() => editor.current?.update({ text, readOnly, templated }), [text, readOnly, templated]);

  return (
    <div class={error === undefined ? 'stack tight body-editor' : 'stack tight body-editor invalid'}>
      <div ref={host} class={isLoaded ? 'editor code' : 'editor'} />
      {!isLoaded && (
        <textarea
          ref={area}
          class="monospace"
          aria-label={label}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-hint`}
          value={text}
          readOnly={readOnly}
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
          onBlur={onCommit}
        />
      )}
      <span id={`${id}-hint`} class="hint">
        {isLoaded && !readOnly && 'Press Escape, then Tab to leave the editor. '}
        <span role="status">{hint}</span>
      </span>
      {error !== undefined && <span class="error">{error}</span>}
    </div>
  );
}
