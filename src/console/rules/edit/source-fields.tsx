/** The source of a pair: key, operator, value, and filters. */
import { Check, SelectField, TextField } from '../../parts/controls.tsx';
import { isObject, memberFields, textOf, withMember } from '../forms/pair-members.ts';
import type { FieldsProps } from '../forms/rule-form.ts';
import { EMPTY_SOURCE, keyOptions, OPERATORS } from '../forms/source.ts';
import { FilterFields } from './filter-fields.tsx';

interface SourceFieldsProps extends FieldsProps {
  readonly isOptional: boolean;
}

const HINTS: Readonly<Record<string, string>> = {
  Equals: 'The whole text, including the query.',
  Contains: 'Any part of it.',
  Wildcard_Matches: '* matches any text: https://*.example.com/*',
  Matches: 'A regular expression, bare or as /…/i.',
};

export function SourceFields({ pair, onChange, errorOf, isOptional }: SourceFieldsProps): JSX.Element {
  const given = pair['source'];
  if (isOptional && !isObject(given)) {
    return (
      <Check
        label="For every request"
        checked
        onChange={() => onChange({ source: EMPTY_SOURCE, ...withMember(pair, 'source', undefined) })}
      />
    );
  }
  const source = isObject(given) ? given : EMPTY_SOURCE;
  const within: FieldsProps = {
    pair: source,
    onChange: (changed) => onChange({ ...pair, source: changed }),
    errorOf: (path) => errorOf(`/source${path}`),
  };
  const field = memberFields(within);
  const operator = textOf(source['operator']);
  const isPath = textOf(source['key']) === 'Path';
  return (
    <>
      {isOptional && (
        <Check
          label="For every request"
          checked={false}
          onChange={() => onChange(withMember(pair, 'source', undefined))}
        />
      )}
      <div class="rules-source">
        <SelectField label="Part" {...field('key')} options={keyOptions(textOf(source['key']))} />
        <SelectField label="Comparison" {...field('operator')} options={OPERATORS} />
        <TextField
          label="Value"
          {...field('value')}
          monospace
          hint={
            textOf(source['value']) === ''
              ? 'Without a value it matches every request.'
              : isPath && operator === 'Equals'
                ? 'The whole path, without the query.'
                : HINTS[operator]
          }
          error={errorOf('/source/value') ?? errorOf('/source')}
        />
      </div>
      <FilterFields {...within} />
    </>
  );
}
