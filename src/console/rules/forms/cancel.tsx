/** Blocks matching requests. */
import type { RuleForm } from './rule-form.ts';

export const cancel: RuleForm = {
  title: 'Cancel',
  explanation: 'Blocks requests, such as those of a tracker, or to see how a page does without a service.',
  emptyPair: {},
  sourceIsOptional: false,
  members: [],
  Fields: () => <p class="muted">A request to such a URL is blocked.</p>,
  effectOf: () => 'blocked',
};
