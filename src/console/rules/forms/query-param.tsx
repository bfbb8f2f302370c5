/** Adds and removes query parameters. */
import { effectOfList, ModificationList } from './modification-list.tsx';
import { objectsOf } from './pair-members.ts';
import type { RuleForm } from './rule-form.ts';

const TYPES = [
  ['Add', 'Add or set'],
  ['Remove', 'Remove'],
  ['Remove All', 'Remove all'],
] as const;

export const queryParam: RuleForm = {
  title: 'Query parameters',
  explanation: 'Adds or removes parameters of the query, such as a debug flag.',
  emptyPair: { modifications: [{ param: '', type: 'Add', value: '' }] },
  sourceIsOptional: false,
  members: ['param', 'type', 'value'].map((member) => `modifications/*/${member}`),
  Fields: ({ pair, onChange, errorOf, isReadOnly }) => (
    <>
      <ModificationList
        label="Parameters"
        named={['param', 'Parameter']}
        types={TYPES}
        withoutValue={['Remove', 'Remove All']}
        withoutName={['Remove All']}
        modifications={objectsOf(pair['modifications'])}
        onChange={(modifications) => onChange({ ...pair, modifications })}
        errorOf={(path) => errorOf(`/modifications${path}`)}
        isReadOnly={isReadOnly}
      />
      {errorOf('/modifications') !== undefined && <p class="error">{errorOf('/modifications')}</p>}
    </>
  ),
  effectOf: (pair) => effectOfList(objectsOf(pair['modifications']), 'param'),
};
