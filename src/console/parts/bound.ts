/** The props of a field that edits a member of a record: `<TextField label="Path" {...field('path')} />`. */

interface Bound<Value> {
  readonly value: Value;
  readonly checked: Value;
  readonly onInput: (value: Value) => void;
  readonly onChange: (value: Value) => void;
  readonly readOnly: boolean;
  readonly disabled: boolean;
  readonly error: string | undefined;
}

/** @param errorAt The error at a JSON pointer within the record. */
export const bound =
  <Record extends object>(
    record: Record,
    onChange: (record: Record) => void,
    errorAt: (pointer: string) => string | undefined,
    readOnly = false,
  ) =>
  <Name extends keyof Record & string>(name: Name): Bound<Record[Name]> => {
    const value = record[name];
    const set = (next: Record[Name]): void => onChange({ ...record, [name]: next });
    return {
      value,
      checked: value,
      onInput: set,
      onChange: set,
      readOnly,
      disabled: readOnly,
      error: errorAt(`/${name}`),
    };
  };

interface BoundText {
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly readOnly: boolean;
  readonly error: string | undefined;
}

/** As `bound`, for a text field of an optional member: an empty field removes it. */
export const boundOptional =
  <Record extends object>(
    record: Record,
    onChange: (record: Record) => void,
    errorAt: (pointer: string) => string | undefined,
    readOnly: boolean,
  ) =>
  /** @param parse By default the text itself. */
  (name: keyof Record & string, parse: (text: string) => unknown = (text) => text): BoundText => ({
    value: String(record[name] ?? ''),
    onInput: (text) => onChange(withMember(record, name, text === '' ? undefined : parse(text))),
    readOnly,
    error: errorAt(`/${name}`),
  });

/** @param value undefined removes the member. */
export function withMember<Record extends object>(record: Record, name: keyof Record & string, value: unknown): Record {
  const { [name]: _, ...others } = record;
  return (value === undefined ? others : { ...record, [name]: value }) as Record;
}
