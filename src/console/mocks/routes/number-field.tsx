/** A field for a number. What is no number is sent as it is: the server says what is wrong with it. */
import type { JSX } from 'preact';
import { TextField } from '../../parts/controls.tsx';

const DECIMAL = /^-?\d{1,15}(\.\d{1,10})?$/;

export const numberOrText = (text: string): number | string => {
  const trimmed = text.trim();
  return DECIMAL.test(trimmed) ? Number(trimmed) : text;
};

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly onInput: (value: number) => void;
  readonly onCommit?: (() => void) | undefined;
  readonly error?: string | undefined;
  readonly hint?: string;
  readonly readOnly: boolean;
}

/** While one types, its value may be a text. */
export const NumberField = ({ value, onInput, onCommit, hint, ...field }: NumberFieldProps): JSX.Element => (
  <TextField
    {...field}
    {...(hint === undefined ? {} : { hint })}
    {...(onCommit === undefined ? {} : { onCommit })}
    inputClass="number"
    value={String(value)}
    onInput={(text) => onInput(numberOrText(text) as number)}
  />
);
