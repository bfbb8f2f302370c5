/** Delays matching requests. */
import { TextField } from '../../parts/controls.tsx';
import { textOf } from './pair-members.ts';
import type { RuleForm } from './rule-form.ts';

export const delay: RuleForm = {
  title: 'Delay',
  explanation: 'Makes requests wait, to see how a page does with a slow service.',
  emptyPair: { delay: 500 },
  sourceIsOptional: false,
  members: ['delay'],
  Fields: ({ pair, onChange, errorOf, isReadOnly }) => (
    <div class="rules-fields">
      <TextField
        label="Wait, in milliseconds"
        value={textOf(pair['delay'])}
        onInput={(text) => onChange({ ...pair, delay: delayOf(text, pair['delay']) })}
        error={errorOf('/delay')}
        readOnly={isReadOnly}
      />
    </div>
  ),
  effectOf: (pair) => `${textOf(pair['delay'])} ms later`,
};

/** A number stays one, and so do digits. What is neither is refused by the server, which says so. */
function delayOf(text: string, before: unknown): string | number {
  const isText = typeof before === 'string' && /^\d*$/.test(before);
  return !isText && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
