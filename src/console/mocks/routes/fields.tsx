/**
 * Fields for numbers and JSON, and which field a refusal is about. What is not a number, or not JSON, is sent as typed: the
 * server says what is wrong with it.
 */
import { useSignal } from '@preact/signals';
import { TextField } from '../../parts/controls.tsx';
import type { Failure } from '../../state/failure.ts';
import { isSame } from '../../state/merge.ts';

/** @returns The message for a field, or for anything below it. */
export type ErrorAt = (pointer: string) => string | undefined;

export function errorsOf(failure: Failure | undefined): ErrorAt {
  const details = failure?.details ?? [];
  return (pointer) => {
    const found = details.filter(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
    return found.length === 0 ? undefined : found.map(({ message }) => message).join('; ');
  };
}

/** What is wrong with a record itself, or with what has no field. @param names Of the members that have one. */
export const besides = (errorAt: ErrorAt, names: readonly string[]): string | undefined =>
  names.some((name) => errorAt(`/${name}`) !== undefined) ? undefined : errorAt('');

export const below =
  (errorAt: ErrorAt, prefix: string): ErrorAt =>
  (pointer) =>
    errorAt(`${prefix}${pointer}`);

const DECIMAL = /^-?\d{1,15}(\.\d{1,10})?$/;

export const numberOrText = (text: string): number | string => {
  const trimmed = text.trim();
  return DECIMAL.test(trimmed) ? Number(trimmed) : text;
};

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly onInput: (value: number) => void;
  readonly error: string | undefined;
  readonly readOnly: boolean;
}

/** While one types, its value may be a text. */
export const NumberField = ({ value, onInput, ...field }: NumberFieldProps): JSX.Element => (
  <TextField
    {...field}
    inputClass="number"
    value={String(value)}
    onInput={(text) => onInput(numberOrText(text) as number)}
  />
);

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
  readonly onCommit?: (() => void) | undefined;
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
      rows={rowsFor(text)}
      monospace
      readOnly={!canEdit}
      error={error}
      onInput={(input) => {
        typed.value = input;
        onChange(valueOf(input));
      }}
      onCommit={onCommit}
    />
  );
}

/** Lines of a field that shows a text, or its beginning. */
export const rowsFor = (text: string): number =>
  Math.min(8, Math.max(1, text.split('\n').length, Math.ceil(text.length / 70)));

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
