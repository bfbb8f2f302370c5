/** Forms that replace the body of a request or a response with static text or a program. */
import type { ComponentChildren } from 'preact';
import { Check, SelectField, TextField } from '../../parts/controls.tsx';
import { isObject, memberFields, textOf, withMember } from './pair-members.ts';
import type { FieldsProps, Pair, RuleForm } from './rule-form.ts';
import { choices } from '../../parts/words.ts';

const TYPES = choices({ static: 'Static text', code: 'Program' });

/** Whether the members are in the pair itself, or nested, as published clients send them. */
const placeOf = (pair: Pair, name: 'request' | 'response'): 'pair' | 'object' =>
  isObject(pair[name]) ? 'object' : 'pair';

const membersOf = (pair: Pair, name: 'request' | 'response'): Pair => {
  const object = pair[name];
  return isObject(object) ? object : pair;
};

interface BodyFieldsProps extends FieldsProps {
  readonly name: 'request' | 'response';
  /** Further fields, above the body. */
  readonly children?: (members: FieldsProps) => ComponentChildren;
}

function BodyFields({ name, pair, onChange, errorOf, children }: BodyFieldsProps): JSX.Element {
  const isInObject = placeOf(pair, name) === 'object';
  const members = membersOf(pair, name);
  const within: FieldsProps = {
    pair: members,
    onChange: (changed) => onChange(isInObject ? { ...pair, [name]: changed } : changed),
    errorOf: (path) => errorOf(isInObject ? `/${name}${path}` : path),
  };
  const field = memberFields(within);
  const isCode = members['type'] === 'code';
  return (
    <>
      <div class="rules-fields">
        <SelectField label="Body type" {...field('type')} options={TYPES} />
        {children?.(within)}
      </div>
      <TextField
        label={isCode ? 'Program' : 'Body'}
        {...field('value')}
        rows={8}
        monospace
        hint={isCode ? 'Stored for gateways that run programs. This server does not run them.' : undefined}
      />
    </>
  );
}

/** "body: {"a":1}". */
function effectOfBody(pair: Pair, name: 'request' | 'response'): string {
  const members = membersOf(pair, name);
  if (members['type'] === 'code') return `${name} from a program`;
  const text = textOf(members['value']).slice(0, 120);
  return text === '' ? `${name} with an empty body` : `${name} body ${text}`;
}

export const request: RuleForm = {
  title: 'Request body',
  explanation: 'Replaces the request body, such as to test how a service handles other input.',
  emptyPair: { type: 'static', value: '' },
  sourceIsOptional: true,
  members: ['type', 'value', 'request/type', 'request/value'],
  Fields: (props) => <BodyFields name="request" {...props} />,
  effectOf: (pair) => effectOfBody(pair, 'request'),
};

const MEMBERS = ['type', 'value', 'statusCode', 'statusText', 'serveWithoutRequest'];

export const response: RuleForm = {
  title: 'Response',
  explanation: 'Responds with your own body and status, with or without the upstream.',
  emptyPair: { type: 'static', value: '' },
  sourceIsOptional: true,
  members: [...MEMBERS, ...MEMBERS.map((member) => `response/${member}`)],
  Fields: (props) => (
    <BodyFields name="response" {...props}>
      {(within) => {
        const { pair, onChange } = within;
        const field = memberFields(within);
        const set = (name: string, value: unknown): void => onChange(withMember(pair, name, value));
        return (
          <>
            <TextField
              label="Status"
              {...field('statusCode')}
              onInput={(text) => set('statusCode', statusOf(text, pair['statusCode']))}
              placeholder="Unchanged"
            />
            <TextField
              label="Status text"
              {...field('statusText')}
              onInput={(text) => set('statusText', text === '' ? undefined : text)}
              placeholder="Default"
            />
            <Check
              label="Respond without the upstream"
              checked={pair['serveWithoutRequest'] === true}
              onChange={(checked) => set('serveWithoutRequest', checked)}
            />
          </>
        );
      }}
    </BodyFields>
  ),
  effectOf: (pair) => {
    const { statusCode } = membersOf(pair, 'response');
    return `${textOf(statusCode) === '' ? '' : `${textOf(statusCode)}, `}${effectOfBody(pair, 'response')}`;
  },
};

/** Numbers stay numbers, and texts stay texts. */
function statusOf(text: string, before: unknown): string | number | undefined {
  if (text === '') return undefined;
  return typeof before !== 'string' && /^\d{1,3}$/.test(text) ? Number(text) : text;
}
