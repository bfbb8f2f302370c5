/** The fields that replace a body: a text as it stands, or a program. Of requests and of responses. */
import type { ComponentChildren } from 'preact';
import { Check, SelectField, TextField } from '../../parts/controls.tsx';
import { isObject, textOf, withMember } from './pair-members.ts';
import type { FieldsProps, Pair, RuleForm } from './rule-form.ts';

const TYPES = [
  ['static', 'A text as it stands'],
  ['code', 'What a program makes'],
] as const;

/** Where the members are: in the pair itself, or in an object in it, as published clients send them. */
const placeOf = (pair: Pair, name: 'request' | 'response'): 'pair' | 'object' =>
  isObject(pair[name]) ? 'object' : 'pair';

const membersOf = (pair: Pair, name: 'request' | 'response'): Pair => {
  const object = pair[name];
  return isObject(object) ? object : pair;
};

interface BodyFieldsProps extends FieldsProps {
  readonly name: 'request' | 'response';
  /** Further fields, above the body. */
  readonly children?: (members: Pair, set: (members: Pair) => void, prefix: string) => ComponentChildren;
}

function BodyFields({ name, pair, onChange, errorOf, isReadOnly, children }: BodyFieldsProps): JSX.Element {
  const isInObject = placeOf(pair, name) === 'object';
  const members = membersOf(pair, name);
  const set = (changed: Pair): void => onChange(isInObject ? { ...pair, [name]: changed } : changed);
  const prefix = isInObject ? `/${name}` : '';
  const isCode = members['type'] === 'code';
  return (
    <>
      <div class="rules-fields">
        <SelectField
          label="The body becomes"
          value={textOf(members['type']) as 'static'}
          options={TYPES}
          onChange={(type) => set({ ...members, type })}
          error={errorOf(`${prefix}/type`)}
          disabled={isReadOnly}
        />
        {children?.(members, set, prefix)}
      </div>
      <TextField
        label={isCode ? 'Program' : 'Body'}
        value={textOf(members['value'])}
        onInput={(value) => set({ ...members, value })}
        rows={8}
        monospace
        hint={isCode ? 'It is kept for gateways that run programs. This server runs none.' : undefined}
        error={errorOf(`${prefix}/value`)}
        readOnly={isReadOnly}
      />
    </>
  );
}

/** "body: {"a":1}". */
function effectOfBody(pair: Pair, name: 'request' | 'response'): string {
  const members = membersOf(pair, name);
  if (members['type'] === 'code') return `${name} made by a program`;
  const text = textOf(members['value']).slice(0, 120);
  return text === '' ? `${name} with an empty body` : `${name} body ${text}`;
}

/** Replaces the body of matching requests. */
export const request: RuleForm = {
  title: 'Request body',
  explanation: 'Replaces the body that is sent, such as to try what a service does with another.',
  emptyPair: { type: 'static', value: '' },
  sourceIsOptional: true,
  members: ['type', 'value', 'request/type', 'request/value'],
  Fields: (props) => <BodyFields name="request" {...props} />,
  effectOf: (pair) => effectOfBody(pair, 'request'),
};

const MEMBERS = ['type', 'value', 'statusCode', 'statusText', 'serveWithoutRequest'];

/** Replaces the response to matching requests. */
export const response: RuleForm = {
  title: 'Response',
  explanation: 'Answers with a body and status of your own, with or without asking the real server.',
  emptyPair: { type: 'static', value: '' },
  sourceIsOptional: true,
  members: [...MEMBERS, ...MEMBERS.map((member) => `response/${member}`)],
  Fields: (props) => (
    <BodyFields name="response" {...props}>
      {(members, set, prefix) => (
        <>
          <TextField
            label="Status"
            value={textOf(members['statusCode'])}
            onInput={(text) => set(withMember(members, 'statusCode', statusOf(text, members['statusCode'])))}
            placeholder="As answered"
            error={props.errorOf(`${prefix}/statusCode`)}
            readOnly={props.isReadOnly}
          />
          <TextField
            label="Status text"
            value={textOf(members['statusText'])}
            onInput={(text) => set(withMember(members, 'statusText', text === '' ? undefined : text))}
            placeholder="As usual"
            error={props.errorOf(`${prefix}/statusText`)}
            readOnly={props.isReadOnly}
          />
          <Check
            label="Answer without asking the server"
            checked={members['serveWithoutRequest'] === true}
            onChange={(checked) => set({ ...members, serveWithoutRequest: checked })}
            disabled={props.isReadOnly}
          />
        </>
      )}
    </BodyFields>
  ),
  effectOf: (pair) => {
    const { statusCode } = membersOf(pair, 'response');
    return `${textOf(statusCode) === '' ? '' : `${textOf(statusCode)}, `}${effectOfBody(pair, 'response')}`;
  },
};

/** A number stays one, and so does a text. */
function statusOf(text: string, before: unknown): string | number | undefined {
  if (text === '') return undefined;
  return typeof before !== 'string' && /^\d{1,3}$/.test(text) ? Number(text) : text;
}
