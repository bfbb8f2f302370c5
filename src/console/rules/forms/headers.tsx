/**
 * Adds, modifies and removes headers. A plain list is for the request; it becomes an object with two lists with the first
 * change to a header of the response.
 */
import { effectOfList, ModificationList } from './modification-list.tsx';
import { isObject, objectsOf } from './pair-members.ts';
import type { Pair, RuleForm } from './rule-form.ts';

const TYPES = [
  ['Add', 'Add'],
  ['Modify', 'Modify'],
  ['Remove', 'Remove'],
] as const;

const SIDES = [
  ['Request', 'Headers of the request'],
  ['Response', 'Headers of the response'],
] as const;

type Side = (typeof SIDES)[number][0];

export const headers: RuleForm = {
  title: 'Headers',
  explanation: 'Adds, modifies or removes headers of requests and of their responses.',
  emptyPair: { modifications: [{ header: '', type: 'Add', value: '' }] },
  sourceIsOptional: false,
  members: [
    ...['header', 'type', 'value'].map((member) => `modifications/*/${member}`),
    ...SIDES.flatMap(([side]) => ['header', 'type', 'value'].map((member) => `modifications/${side}/*/${member}`)),
  ],
  Fields: ({ pair, onChange, errorOf, isReadOnly }) => (
    <>
      {SIDES.map(([side, label]) => (
        <ModificationList
          key={side}
          label={label}
          named={['header', 'Header']}
          types={TYPES}
          withoutValue={['Remove']}
          modifications={modificationsOf(pair, side)}
          onChange={(list) => onChange({ ...pair, modifications: withSide(pair, side, list) })}
          errorOf={(path) => errorOf(`/modifications${Array.isArray(pair['modifications']) ? '' : `/${side}`}${path}`)}
          isReadOnly={isReadOnly}
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
