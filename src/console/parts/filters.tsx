/** Filters of a list, kept in the address. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { place, refine } from '../state/place.ts';
import { visibleLine } from '../state/visible-text.ts';
import { Button, SelectField, TextField } from './controls.tsx';
import { SafeLine } from './safe-text.tsx';

const PAUSE_MS = 250;

interface SearchFilterProps {
  /** The query member in the address. */
  readonly name: string;
  readonly label: string;
  readonly placeholder: string;
  readonly type?: 'search' | 'text';
  readonly isFind?: boolean;
  readonly inputClass?: string;
}

/** A text field that applies after a pause in typing. */
export function SearchFilter({ name, type = 'search', ...props }: SearchFilterProps): JSX.Element {
  const known = place.value.query.get(name) ?? '';
  const [text, setText] = useState(known);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // A link or "back" changed the address.
  useEffect(() => setText(known), [known]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const commit = (value: string): void => {
    clearTimeout(timer.current);
    if (value !== (place.value.query.get(name) ?? '')) refine({ [name]: value });
  };
  const onInput = (value: string): void => {
    setText(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(value), PAUSE_MS);
  };
  return <TextField {...props} type={type} hiddenLabel value={text} onInput={onInput} onCommit={() => commit(text)} />;
}

interface ChoiceFilterProps {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A select. A value of the address that is not among the options becomes one. */
export function ChoiceFilter({ name, label, options }: ChoiceFilterProps): JSX.Element {
  const value = place.value.query.get(name) ?? '';
  const all = options.some(([each]) => each === value)
    ? options
    : [...options, [value, visibleLine(value, 60)] as const];
  const onChange = (chosen: string): void => refine({ [name]: chosen });
  return <SelectField label={label} hiddenLabel value={value} options={all} onChange={onChange} />;
}

interface FixedFilterProps {
  readonly name: string;
  /** "routes" */
  readonly all: string;
  /** The value, in words. */
  readonly text: string;
}

/** A filter that a link set: a button removes it. */
export const FixedFilter = ({ name, all, text }: FixedFilterProps): JSX.Element | null =>
  place.value.query.has(name) ? (
    <Button onClick={() => refine({ [name]: undefined })}>
      <span class="visually-hidden">Show all {all}, not only </span>
      <SafeLine text={text} max={60} /> ✕
    </Button>
  ) : null;
