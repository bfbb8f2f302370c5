/** Replaces the response to matching requests. */
import { Check, TextField } from '../../parts/controls.tsx';
import { BodyFields, effectOfBody, membersOf } from './body-fields.tsx';
import { textOf, withMember } from './pair-members.ts';
import type { RuleForm } from './rule-form.ts';

const MEMBERS = ['type', 'value', 'statusCode', 'statusText', 'serveWithoutRequest'];

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
