/** Sets the User-Agent header. */
import { TextField } from '../../parts/controls.tsx';
import { textOf } from './pair-members.ts';
import type { RuleForm } from './rule-form.ts';

export const userAgent: RuleForm = {
  title: 'User agent',
  explanation: 'Makes requests look as if another browser or device sent them.',
  emptyPair: { userAgent: '' },
  sourceIsOptional: false,
  members: ['userAgent'],
  Fields: ({ pair, onChange, errorOf, isReadOnly }) => (
    <TextField
      label="User-Agent"
      value={textOf(pair['userAgent'])}
      onInput={(value) => onChange({ ...pair, userAgent: value })}
      monospace
      error={errorOf('/userAgent')}
      readOnly={isReadOnly}
    />
  ),
  effectOf: (pair) => textOf(pair['userAgent']) || 'no user agent',
};
