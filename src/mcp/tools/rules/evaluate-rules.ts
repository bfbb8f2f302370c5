/** A dry run of rules. */
import { DEFAULT_LIMITS } from '../../../limits.ts';
import { evaluatePayloadSchema } from '../../../model/evaluation.ts';
import { Type } from '../../../model/schema-type.ts';
import { outlinedMembers } from '../outline.ts';
import { tool } from '../tool.ts';

const { request, response, rules, ruleId } = outlinedMembers(evaluatePayloadSchema(DEFAULT_LIMITS), 1);

export const evaluateRules = tool({
  name: 'rules_evaluate',
  verb: 'rules test',
  hasOwnCommand: true,
  access: 'read',
  description:
    'Dry run: what the stored rules, one of them, or drafts in `rules` would do to a request, and why the others do nothing. Try drafts here before rules_put.',
  input: Type.Object({ request, response, rules, ruleId }),
  run: async (api, body) => ({
    data: (await api.send('POST', ['rules', 'evaluate'], { body })).data,
    isRecorded: true,
  }),
});
