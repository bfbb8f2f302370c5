/** Forms of rule types with at most two members per pair. */
import { SelectField, TextField } from '../../parts/controls.tsx';
import { memberFields, textOf } from './pair-members.ts';
import type { RuleForm } from './rule-form.ts';

const DESTINATIONS = [
  ['url', 'Another URL'],
  ['map_local', 'A file on the machine of the gateway'],
  ['mock_or_file_picker', 'A hosted mock or file'],
] as const;

export const redirect: RuleForm = {
  title: 'Redirect',
  explanation: 'Sends requests to another URL, such as from production to staging.',
  emptyPair: { destinationType: 'url', destination: '' },
  members: ['destinationType', 'destination'],
  Fields(props) {
    const field = memberFields(props);
    return (
      <div class="rules-fields">
        <SelectField label="Send it to" {...field('destinationType')} options={DESTINATIONS} />
        <TextField
          label="Destination"
          {...field('destination')}
          monospace
          hint="$1 to $9 stand for what * or a group of the pattern has matched."
        />
      </div>
    );
  },
  effectOf: ({ destination }) => textOf(destination) || 'nowhere yet',
};

export const cancel: RuleForm = {
  title: 'Cancel',
  explanation: 'Blocks requests, such as those of a tracker, or to see how a page does without a service.',
  emptyPair: {},
  members: [],
  Fields: () => <p class="muted">A request to such a URL is blocked.</p>,
  effectOf: () => 'blocked',
};

export const replace: RuleForm = {
  title: 'Replace',
  explanation: 'Replaces a part of the URL, such as one host, version or path by another.',
  emptyPair: { from: '', to: '' },
  members: ['from', 'to'],
  Fields(props) {
    const field = memberFields(props);
    return (
      <div class="rules-fields">
        <TextField
          label="Replace in the URL"
          {...field('from')}
          monospace
          hint="The first place with this text; or all that match /a pattern/g."
        />
        <TextField label="With" {...field('to')} monospace />
      </div>
    );
  },
  effectOf: ({ from, to }) => `“${textOf(from)}” becomes “${textOf(to)}”`,
};

export const userAgent: RuleForm = {
  title: 'User agent',
  explanation: 'Makes requests look as if another browser or device sent them.',
  emptyPair: { userAgent: '' },
  members: ['userAgent'],
  Fields: (props) => <TextField label="User-Agent" {...memberFields(props)('userAgent')} monospace />,
  effectOf: (pair) => textOf(pair['userAgent']) || 'no user agent',
};

export const delay: RuleForm = {
  title: 'Delay',
  explanation: 'Makes requests wait, to see how a page does with a slow service.',
  emptyPair: { delay: 500 },
  members: ['delay'],
  Fields: (props) => (
    <div class="rules-fields">
      <TextField
        label="Wait, in milliseconds"
        {...memberFields(props)('delay')}
        onInput={(text) => props.onChange({ ...props.pair, delay: delayOf(text, props.pair['delay']) })}
      />
    </div>
  ),
  effectOf: (pair) => `${textOf(pair['delay'])} ms later`,
};

/** Numbers stay numbers, and digits stay text. The server refuses the rest. */
function delayOf(text: string, before: unknown): string | number {
  const isText = typeof before === 'string' && /^\d*$/.test(before);
  return !isText && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
