/** Forms of rule types with at most two members per pair. */
import { SelectField, TextField } from '../../parts/controls.tsx';
import { memberFields, textOf } from './pair-members.ts';
import type { RuleForm } from './rule-form.ts';
import { choices } from '../../parts/words.ts';

const DESTINATIONS = choices({
  url: 'Another URL',
  map_local: 'A file in a folder of --rule-files',
  mock_or_file_picker: 'A mock, by id or URL',
});

export const redirect: RuleForm = {
  title: 'Redirect',
  explanation: 'Sends requests to another URL, such as from production to staging.',
  emptyPair: { destinationType: 'url', destination: '' },
  members: ['destinationType', 'destination'],
  Fields(props) {
    const field = memberFields(props);
    return (
      <div class="rules-fields">
        <SelectField label="Redirect to" {...field('destinationType')} options={DESTINATIONS} />
        <TextField
          label="Destination"
          {...field('destination')}
          monospace
          hint="$1 inserts the text matched by the first * or group, $<name> that of a named group."
        />
      </div>
    );
  },
  effectOf: ({ destination }) => textOf(destination) || 'no destination',
};

export const cancel: RuleForm = {
  title: 'Cancel',
  explanation: 'Blocks requests, such as those of a tracker, or to simulate an outage.',
  emptyPair: {},
  members: [],
  Fields: () => <p class="muted">Matching requests are blocked.</p>,
  effectOf: () => 'blocked',
};

export const replace: RuleForm = {
  title: 'Replace',
  explanation: 'Replaces a part of the URL, such as a host, version or path.',
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
          hint="The first occurrence of this text, or every match of /a pattern/g."
        />
        <TextField label="With" {...field('to')} monospace />
      </div>
    );
  },
  effectOf: ({ from, to }) => `“${textOf(from)}” becomes “${textOf(to)}”`,
};

export const userAgent: RuleForm = {
  title: 'User agent',
  explanation: 'Changes the User-Agent, to simulate another browser or device.',
  emptyPair: { userAgent: '' },
  members: ['userAgent'],
  Fields: (props) => <TextField label="User-Agent" {...memberFields(props)('userAgent')} monospace />,
  effectOf: (pair) => textOf(pair['userAgent']) || 'no user agent',
};

export const delay: RuleForm = {
  title: 'Delay',
  explanation: 'Delays requests, to simulate a slow service.',
  emptyPair: { delay: 500 },
  members: ['delay'],
  Fields: (props) => (
    <div class="rules-fields">
      <TextField
        label="Delay, ms"
        {...memberFields(props)('delay')}
        onInput={(text) => props.onChange({ ...props.pair, delay: delayOf(text, props.pair['delay']) })}
      />
    </div>
  ),
  effectOf: (pair) => `after ${textOf(pair['delay'])} ms`,
};

/** Numbers stay numbers, and digits stay text. The server refuses the rest. */
function delayOf(text: string, before: unknown): string | number {
  const isText = typeof before === 'string' && /^\d*$/.test(before);
  return !isText && /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
