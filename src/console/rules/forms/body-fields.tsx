/** The fields that replace a body: a text as it stands, or a program. Of requests and of responses. */
import type { ComponentChildren, JSX } from 'preact';
import { SelectField, TextField } from '../../parts/controls.tsx';
import { isObject, textOf } from './pair-members.ts';
import type { FieldsProps, Pair } from './rule-form.ts';

const TYPES = [
  ['static', 'A text as it stands'],
  ['code', 'What a program makes'],
] as const;

/** Where the members are: in the pair itself, or in an object in it, as published clients send them. */
export const placeOf = (pair: Pair, name: 'request' | 'response'): 'pair' | 'object' =>
  isObject(pair[name]) ? 'object' : 'pair';

export const membersOf = (pair: Pair, name: 'request' | 'response'): Pair => {
  const object = pair[name];
  return isObject(object) ? object : pair;
};

interface BodyFieldsProps extends FieldsProps {
  readonly name: 'request' | 'response';
  /** Further fields, above the body. */
  readonly children?: (members: Pair, set: (members: Pair) => void, prefix: string) => ComponentChildren;
}

export function BodyFields({ name, pair, onChange, errorOf, isReadOnly, children }: BodyFieldsProps): JSX.Element {
  const isInObject = placeOf(pair, name) === 'object';
  const members = membersOf(pair, name);
  const set = (changed: Pair): void => onChange(isInObject ? { ...pair, [name]: changed } : changed);
  const prefix = isInObject ? `/${name}` : '';
  const isCode = members['type'] === 'code';
  return (
    <>
      <div class="rules-fields">
        <SelectField
          label="The body becomes"
          value={textOf(members['type']) as 'static'}
          options={TYPES}
          onChange={(type) => set({ ...members, type })}
          error={errorOf(`${prefix}/type`)}
          disabled={isReadOnly}
        />
        {children?.(members, set, prefix)}
      </div>
      <TextField
        label={isCode ? 'Program' : 'Body'}
        value={textOf(members['value'])}
        onInput={(value) => set({ ...members, value })}
        rows={8}
        monospace
        hint={isCode ? 'It is kept for gateways that run programs. This server runs none.' : undefined}
        error={errorOf(`${prefix}/value`)}
        readOnly={isReadOnly}
      />
    </>
  );
}

/** "body: {"a":1}". */
export function effectOfBody(pair: Pair, name: 'request' | 'response'): string {
  const members = membersOf(pair, name);
  if (members['type'] === 'code') return `${name} made by a program`;
  const text = textOf(members['value']).slice(0, 120);
  return text === '' ? `${name} with an empty body` : `${name} body ${text}`;
}
