/** Fields for numbers and JSON. Invalid ones are sent as typed: the server reports them. */
import { useSignal } from '@preact/signals';
import type { MockResponse } from '../../../model/mocks/definition/definition.ts';
import type { ErrorAt } from '../../parts/bound.ts';
import { SelectField, TextField } from '../../parts/controls.tsx';
import { choices } from '../../parts/words.ts';
import { isSame } from '../../state/merge.ts';

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
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
  readonly onCommit?: (() => void) | undefined;
}

export function JsonField(props: JsonFieldProps): JSX.Element {
  const { label, hint, example, value, error, onChange, onCommit } = props;
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

/** The props of the parts of a form that edit a response. */
export interface ResponseProps {
  readonly response: MockResponse;
  /** By pointers within the response. */
  readonly errorAt: ErrorAt;
  readonly onChange: (response: MockResponse) => void;
  readonly onSave: () => void;
}

/** Whether the texts of a response are templates. */
export const TemplateField = ({ response, errorAt, onChange }: ResponseProps): JSX.Element => (
  <SelectField
    label="Template"
    hiddenLabel
    value={response.templated === 'json' ? 'json' : response.templated ? 'text' : 'off'}
    options={TEMPLATE_CHOICES}
    error={errorAt('/templated')}
    onChange={(choice) => onChange({ ...response, templated: choice === 'json' ? choice : choice === 'text' })}
  />
);

const TEMPLATE_CHOICES = choices({ off: 'Static text', text: 'Template: fill in {{…}}', json: 'JSON template' });
