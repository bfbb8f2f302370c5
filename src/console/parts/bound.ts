/** The props of a field that edits a member of a record, and the error of a refusal at it: `<TextField label="Path" {...field('path')} />`. */
import type { Failure } from '../state/failure.ts';

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

interface Bound<Value> {
  readonly value: Value;
  readonly checked: Value;
  readonly onInput: (value: Value) => void;
  readonly onChange: (value: Value) => void;
  readonly error: string | undefined;
}

/** @param errorAt The error at a JSON pointer within the record. */
export const bound =
  <Record extends object>(record: Record, onChange: (record: Record) => void, errorAt: ErrorAt) =>
  <Name extends keyof Record & string>(name: Name): Bound<Record[Name]> => {
    const value = record[name];
    const set = (next: Record[Name]): void => onChange({ ...record, [name]: next });
    return {
      value,
      checked: value,
      onInput: set,
      onChange: set,
      error: errorAt(`/${name}`),
    };
  };

interface BoundText {
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly error: string | undefined;
}

/** Props like `bound`, for a text field of an optional member: an empty field removes it. */
export const boundOptional =
  <Record extends object>(record: Record, onChange: (record: Record) => void, errorAt: ErrorAt) =>
  /** @param parse By default the text itself. */
  (name: keyof Record & string, parse: (text: string) => unknown = (text) => text): BoundText => ({
    value: String(record[name] ?? ''),
    onInput: (text) => onChange(withMember(record, name, text === '' ? undefined : parse(text))),
    error: errorAt(`/${name}`),
  });

/** Props like `bound`, for a select of an optional member: its default removes it. */
export const boundChoice =
  <Record extends object>(record: Record, onChange: (record: Record) => void, errorAt: ErrorAt) =>
  <Name extends keyof Record & string, Default extends string>(name: Name, byDefault: Default) => ({
    value: record[name] ?? byDefault,
    onChange: (value: NonNullable<Record[Name]> | Default): void =>
      onChange(withMember(record, name, value === byDefault ? undefined : value)),
    error: errorAt(`/${name}`),
  });

/** Props like `bound`, for an optional member that is edited as JSON. */
export const boundJson =
  <Record extends object>(record: Record, onChange: (record: Record) => void, errorAt: ErrorAt) =>
  (name: keyof Record & string) => ({
    value: record[name] as unknown,
    onChange: (value: unknown): void => onChange(withMember(record, name, value)),
    error: errorAt(`/${name}`),
  });

/** @param value undefined removes the member. */
export function withMember<Record extends object>(record: Record, name: keyof Record & string, value: unknown): Record {
  const { [name]: _, ...others } = record;
  return (value === undefined ? others : { ...record, [name]: value }) as Record;
}
