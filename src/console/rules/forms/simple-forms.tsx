/** Forms of rules with one or two values: redirect, cancel, replace, delay, user agent. */
import { SelectField, TextField } from '../../parts/controls.tsx';
import { textOf } from './pair-members.ts';
import type { FieldsProps, RuleForm } from './rule-form.ts';

interface MemberTextProps {
  readonly of: FieldsProps;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
}

/** A text of the pair itself. */
const MemberText = ({ of: { pair, onChange, errorOf, isReadOnly }, name, ...shown }: MemberTextProps): JSX.Element => (
  <TextField
    {...shown}
    value={textOf(pair[name])}
    onInput={(value) => onChange({ ...pair, [name]: value })}
    monospace
    error={errorOf(`/${name}`)}
    readOnly={isReadOnly}
  />
);

const DESTINATION_TYPES = [
  ['url', 'Another URL'],
  ['map_local', 'A file on the machine of the gateway'],
  ['mock_or_file_picker', 'A hosted mock or file'],
] as const;

export const redirect: RuleForm = {
  title: 'Redirect',
  explanation: 'Sends requests to another URL, such as from production to staging.',
  emptyPair: { destinationType: 'url', destination: '' },
  members: ['destinationType', 'destination'],
  Fields: (props) => (
    <div class="rules-fields">
      <SelectField
        label="Send it to"
        value={textOf(props.pair['destinationType']) as 'url'}
        options={DESTINATION_TYPES}
        onChange={(destinationType) => props.onChange({ ...props.pair, destinationType })}
        error={props.errorOf('/destinationType')}
        disabled={props.isReadOnly}
      />
      <MemberText
        of={props}
        name="destination"
        label="Destination"
        hint="$1 to $9 stand for what * or a group of the pattern has matched."
      />
    </div>
  ),
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
  Fields: (props) => (
    <div class="rules-fields">
      <MemberText
        of={props}
        name="from"
        label="Replace in the URL"
        hint="The first place with this text; or all that match /a pattern/g."
      />
      <MemberText of={props} name="to" label="With" />
    </div>
  ),
  effectOf: ({ from, to }) => `“${textOf(from)}” becomes “${textOf(to)}”`,
};

export const userAgent: RuleForm = {
  title: 'User agent',
  explanation: 'Makes requests look as if another browser or device sent them.',
  emptyPair: { userAgent: '' },
  members: ['userAgent'],
  Fields: (props) => <MemberText of={props} name="userAgent" label="User-Agent" />,
  effectOf: (pair) => textOf(pair['userAgent']) || 'no user agent',
};

export const delay: RuleForm = {
  title: 'Delay',
  explanation: 'Makes requests wait, to see how a page does with a slow service.',
  emptyPair: { delay: 500 },
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
