/**
 * Fields for numbers and JSON, and the field that a refusal is about. Invalid numbers and JSON are sent as typed: the
 * server reports them.
 */
import { useSignal } from '@preact/signals';
import { TextField } from '../../parts/controls.tsx';
import type { Failure } from '../../state/failure.ts';
import { isSame } from '../../state/merge.ts';

/** @returns The error at a field, or at anything below it. */
export type ErrorAt = (pointer: string) => string | undefined;

export function errorsOf(failure: Failure | undefined): ErrorAt {
  const details = failure?.details ?? [];
  return (pointer) => {
    const found = details.filter(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
    return found.length === 0 ? undefined : found.map(({ message }) => message).join('; ');
  };
}

/** Errors of the record itself, or of members without a field. @param names Members with a field. */
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

/** While it is edited, the value may be a text. */
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
  /** An explanation, followed by an example. */
  readonly hint: string;
  readonly example: string;
  readonly value: unknown;
  readonly canEdit: boolean;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
  readonly onCommit?: (() => void) | undefined;
}

export function JsonField(props: JsonFieldProps): JSX.Element {
  const { label, hint, example, value, canEdit, error, onChange, onCommit } = props;
  // As typed, including spaces, while it means the same value.
  const typed = useSignal('');
  const text = isSame(parseJson(typed.value), value) ? typed.value : textOf(value);
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
        onChange(parseJson(input));
      }}
      onCommit={onCommit}
    />
  );
}

export const rowsFor = (text: string): number =>
  Math.min(8, Math.max(1, text.split('\n').length, Math.ceil(text.length / 70)));

function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
