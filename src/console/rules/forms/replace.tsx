/** Replaces text in the URL of matching requests. */
import { TextField } from '../../parts/controls.tsx';
import { textOf } from './pair-members.ts';
import type { RuleForm } from './rule-form.ts';

export const replace: RuleForm = {
  title: 'Replace',
  explanation: 'Replaces a part of the URL, such as one host, version or path by another.',
  emptyPair: { from: '', to: '' },
  sourceIsOptional: false,
  members: ['from', 'to'],
  Fields: ({ pair, onChange, errorOf, isReadOnly }) => (
    <div class="rules-fields">
      <TextField
        label="Replace in the URL"
        value={textOf(pair['from'])}
        onInput={(from) => onChange({ ...pair, from })}
        monospace
        hint="The first place with this text; or all that match /a pattern/g."
        error={errorOf('/from')}
        readOnly={isReadOnly}
      />
      <TextField
        label="With"
        value={textOf(pair['to'])}
        onInput={(to) => onChange({ ...pair, to })}
        monospace
        error={errorOf('/to')}
        readOnly={isReadOnly}
      />
    </div>
  ),
  effectOf: ({ from, to }) => `“${textOf(from)}” becomes “${textOf(to)}”`,
};
