/** Sends matching requests elsewhere. */
import { SelectField, TextField } from '../../parts/controls.tsx';
import { textOf } from './pair-members.ts';
import type { RuleForm } from './rule-form.ts';

const TYPES = [
  ['url', 'Another URL'],
  ['map_local', 'A file on the machine of the gateway'],
  ['mock_or_file_picker', 'A hosted mock or file'],
] as const;

export const redirect: RuleForm = {
  title: 'Redirect',
  explanation: 'Sends requests to another URL, such as from production to staging.',
  emptyPair: { destinationType: 'url', destination: '' },
  sourceIsOptional: false,
  members: ['destinationType', 'destination'],
  Fields: ({ pair, onChange, errorOf, isReadOnly }) => (
    <div class="rules-fields">
      <SelectField
        label="Send it to"
        value={textOf(pair['destinationType']) as 'url'}
        options={TYPES}
        onChange={(destinationType) => onChange({ ...pair, destinationType })}
        error={errorOf('/destinationType')}
        disabled={isReadOnly}
      />
      <TextField
        label="Destination"
        value={textOf(pair['destination'])}
        onInput={(destination) => onChange({ ...pair, destination })}
        monospace
        hint="$1 to $9 stand for what * or a group of the pattern has matched."
        error={errorOf('/destination')}
        readOnly={isReadOnly}
      />
    </div>
  ),
  effectOf: ({ destination }) => textOf(destination) || 'nowhere yet',
};
