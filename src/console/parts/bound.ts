/** What a field needs to edit a member of a record: `<TextField label="Path" {...field('path')} />`. */

interface Bound<Value> {
  readonly value: Value;
  readonly checked: Value;
  readonly onInput: (value: Value) => void;
  readonly onChange: (value: Value) => void;
  readonly readOnly: boolean;
  readonly disabled: boolean;
  readonly error: string | undefined;
}

/** @param errorAt What is wrong at a JSON pointer within the record. */
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
