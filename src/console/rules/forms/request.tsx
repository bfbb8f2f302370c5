/** Replaces the body of matching requests. */
import { BodyFields, effectOfBody } from './body-fields.tsx';
import type { RuleForm } from './rule-form.ts';

export const request: RuleForm = {
  title: 'Request body',
  explanation: 'Replaces the body that is sent, such as to try what a service does with another.',
  emptyPair: { type: 'static', value: '' },
  sourceIsOptional: true,
  members: ['type', 'value', 'request/type', 'request/value'],
  Fields: (props) => <BodyFields name="request" {...props} />,
  effectOf: (pair) => effectOfBody(pair, 'request'),
};
