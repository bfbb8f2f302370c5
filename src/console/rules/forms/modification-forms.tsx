/** Forms of rules that change headers or query parameters: lists of rows. */
import { RemoveButton } from '../../parts/arrange.tsx';
import { Button, SelectField, TextField, useReadOnly } from '../../parts/controls.tsx';
import { isObject, memberFields, objectsOf, textOf } from './pair-members.ts';
import type { Pair, RuleForm } from './rule-form.ts';
import { choices } from '../../parts/words.ts';

interface ModificationListProps {
  /** "Of the request". */
  readonly label: string;
  /** The member with the name, and its label: `['header', 'Header']`. */
  readonly named: readonly [member: string, label: string];
  readonly types: readonly (readonly [value: string, label: string])[];
  /** Types that take no value. */
  readonly withoutValue: readonly string[];
  readonly withoutName?: readonly string[];
  readonly modifications: readonly Pair[];
  readonly onChange: (modifications: readonly Pair[]) => void;
  /** @param path Within the list: "/0/value". */
  readonly errorOf: (path: string) => string | undefined;
}

function ModificationList(props: ModificationListProps): JSX.Element {
  const { label, named, types, withoutValue, withoutName = [], modifications, onChange, errorOf } = props;
  const isReadOnly = useReadOnly();
  const [member, memberLabel] = named;
  const add = (): void => onChange([...modifications, { [member]: '', type: types[0]?.[0] ?? 'Add', value: '' }]);
  return (
    <fieldset class="stack rules-list" disabled={isReadOnly}>
      <legend>{label}</legend>
      {modifications.map((modification, index) => {
        const type = textOf(modification['type']);
        const field = memberFields({
          pair: modification,
          onChange: (changed) => onChange(modifications.with(index, changed)),
          errorOf: (path) => errorOf(`/${index}${path}`),
        });
        return (
          <div key={index} class="rules-modification">
            <SelectField
              label={`Action ${index + 1}`}
              hiddenLabel
              {...field('type')}
              options={types.some(([value]) => value === type) ? types : [...types, [type, type] as const]}
            />
            {!withoutName.includes(type) && (
              <TextField
                label={`${memberLabel} ${index + 1}`}
                hiddenLabel
                placeholder={memberLabel}
                monospace
                {...field(member)}
              />
            )}
            {!withoutValue.includes(type) && (
              <TextField label={`Value ${index + 1}`} hiddenLabel placeholder="Value" monospace {...field('value')} />
            )}
            <RemoveButton
              what={`${memberLabel.toLowerCase()} ${index + 1}`}
              onClick={(event) => {
                focusNeighbour(event.currentTarget as HTMLElement);
                onChange(modifications.toSpliced(index, 1));
              }}
            />
          </div>
        );
      })}
      {modifications.length === 0 && isReadOnly && <p class="muted">None</p>}
      {!isReadOnly && <Button onClick={add}>Add {memberLabel.toLowerCase()}</Button>}
    </fieldset>
  );
}

/** The row disappears with its button: the "Add" button takes the focus. */
function focusNeighbour(button: HTMLElement): void {
  const buttons = button.closest('fieldset')?.querySelectorAll<HTMLElement>(':scope > .button');
  buttons?.item(buttons.length - 1).focus();
}

/** "Add x-a, Remove x-b and 2 more". */
function effectOfList(modifications: readonly Pair[], member: string): string {
  const shown = modifications.slice(0, 2).map((each) => `${textOf(each['type'])} ${textOf(each[member])}`.trim());
  const more = modifications.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const HEADER_TYPES = choices({ Add: 'Add', Modify: 'Modify', Remove: 'Remove' });

const SIDES = choices({ Request: 'Request headers', Response: 'Response headers' });

type Side = (typeof SIDES)[number][0];

/** A plain list applies to the request; the first change to a response header makes it an object with two lists. */
export const headers: RuleForm = {
  title: 'Headers',
  explanation: 'Adds, modifies or removes headers of requests and of their responses.',
  emptyPair: { modifications: [{ header: '', type: 'Add', value: '' }] },
  members: [
    ...['header', 'type', 'value'].map((member) => `modifications/*/${member}`),
    ...SIDES.flatMap(([side]) => ['header', 'type', 'value'].map((member) => `modifications/${side}/*/${member}`)),
  ],
  Fields: ({ pair, onChange, errorOf }) => (
    <>
      {SIDES.map(([side, label]) => (
        <ModificationList
          key={side}
          label={label}
          named={['header', 'Header']}
          types={HEADER_TYPES}
          withoutValue={['Remove']}
          modifications={modificationsOf(pair, side)}
          onChange={(list) => onChange({ ...pair, modifications: withSide(pair, side, list) })}
          errorOf={(path) => errorOf(`/modifications${Array.isArray(pair['modifications']) ? '' : `/${side}`}${path}`)}
        />
      ))}
      {errorOf('/modifications') !== undefined && <p class="error">{errorOf('/modifications')}</p>}
    </>
  ),
  effectOf: (pair) =>
    SIDES.flatMap(([side]) => {
      const list = modificationsOf(pair, side);
      return list.length === 0 ? [] : `${side.toLowerCase()}: ${effectOfList(list, 'header')}`;
    }).join('; '),
};

function modificationsOf({ modifications }: Pair, side: Side): readonly Pair[] {
  if (isObject(modifications)) return objectsOf(modifications[side]);
  return side === 'Request' ? objectsOf(modifications) : [];
}

function withSide({ modifications }: Pair, side: Side, list: readonly Pair[]): unknown {
  if (isObject(modifications)) return { ...modifications, [side]: list };
  return side === 'Request' ? list : { Request: objectsOf(modifications), Response: list };
}

const PARAMETER_TYPES = choices({ Add: 'Add or set', Remove: 'Remove', 'Remove All': 'Remove all' });

export const queryParam: RuleForm = {
  title: 'Query parameters',
  explanation: 'Adds or removes query parameters, such as a debug flag.',
  emptyPair: { modifications: [{ param: '', type: 'Add', value: '' }] },
  members: ['param', 'type', 'value'].map((member) => `modifications/*/${member}`),
  Fields: ({ pair, onChange, errorOf }) => (
    <>
      <ModificationList
        label="Parameters"
        named={['param', 'Parameter']}
        types={PARAMETER_TYPES}
        withoutValue={['Remove', 'Remove All']}
        withoutName={['Remove All']}
        modifications={objectsOf(pair['modifications'])}
        onChange={(modifications) => onChange({ ...pair, modifications })}
        errorOf={(path) => errorOf(`/modifications${path}`)}
      />
      {errorOf('/modifications') !== undefined && <p class="error">{errorOf('/modifications')}</p>}
    </>
  ),
  effectOf: (pair) => effectOfList(objectsOf(pair['modifications']), 'param'),
};
