/**
 * A member that is written as JSON; an empty field is no member. What is no JSON is sent as it is: the server says what is wrong
 * with it.
 */
import type { JSX } from 'preact';
import { useSignal } from '@preact/signals';
import { TextField } from '../../parts/controls.tsx';
import { isSame } from '../../state/merge.ts';

interface JsonFieldProps {
  readonly label: string;
  /** What it does, and one to copy. */
  readonly hint: string;
  readonly example: string;
  readonly value: unknown;
  readonly canEdit: boolean;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
  /** When the field is left. */
  readonly onCommit?: () => void;
}

export function JsonField(props: JsonFieldProps): JSX.Element {
  const { label, hint, example, value, canEdit, error, onChange, onCommit } = props;
  // As typed, spaces and all, for as long as it means what is there.
  const typed = useSignal('');
  const text = isSame(valueOf(typed.value), value) ? typed.value : textOf(value);
  return (
    <TextField
      label={label}
      hint={
        <>
          {hint} <code>{example}</code>
        </>
      }
      value={text}
      rows={Math.min(8, Math.max(1, text.split('\n').length, Math.ceil(text.length / 70)))}
      monospace
      readOnly={!canEdit}
      error={error}
      onInput={(input) => {
        typed.value = input;
        onChange(valueOf(input));
      }}
      {...(onCommit === undefined ? {} : { onCommit })}
    />
  );
}

function valueOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
