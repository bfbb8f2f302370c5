/** Reads and changes members of pairs, whose shape is unchecked. */
import type { FieldsProps, Pair } from './rule-form.ts';

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

interface MemberField {
  readonly value: never;
  readonly onInput: (value: unknown) => void;
  readonly onChange: (value: unknown) => void;
  readonly error: string | undefined;
}

/** @returns The props of a text field that edits a member: `<TextField label="Value" {...field('to')} />`. */
export const memberFields =
  ({ pair, onChange, errorOf }: FieldsProps) =>
  (name: string): MemberField => {
    const set = (value: unknown): void => onChange({ ...pair, [name]: value });
    return {
      value: textOf(pair[name]) as never,
      onInput: set,
      onChange: set,
      error: errorOf(`/${name}`),
    };
  };

export const isObject = (value: unknown): value is Pair =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns The pair with the member, or without it where `value` is undefined. The order of members stays. */
export function withMember(pair: Pair, name: string, value: unknown): Pair {
  if (value !== undefined) return { ...pair, [name]: value };
  return Object.fromEntries(Object.entries(pair).filter(([each]) => each !== name));
}

/** The objects of a list that may be absent or malformed. */
export const objectsOf = (value: unknown): readonly Pair[] => (Array.isArray(value) ? value.filter(isObject) : []);

/**
 * The members of a pair without a field.
 *
 * @param shown Paths: "source/key"; a name alone covers the whole member; `*` every element of a list.
 * @returns undefined when there are none.
 */
export function otherMembers(value: unknown, shown: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const below = shown.flatMap((path) => (path.startsWith('*/') ? [path.slice(2)] : []));
    const others = value.map((each) => otherMembers(each, below) ?? null);
    return others.every((each) => each === null) ? undefined : others;
  }
  if (!isObject(value)) return value;
  const others: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (shown.includes(name)) continue;
    const below = shown.flatMap((path) => (path.startsWith(`${name}/`) ? [path.slice(name.length + 1)] : []));
    const other = below.length === 0 ? member : otherMembers(member, below);
    if (other !== undefined) others[name] = other;
  }
  return Object.keys(others).length === 0 ? undefined : others;
}
