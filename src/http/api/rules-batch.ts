/** Many rules in one command: `POST /v1/rules/batch`; model/decide-rules-batch.ts decides. */
import { isRefusal, type Refusal } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import {
  batchProblem,
  deleteRules,
  rulesBatchSchema,
  setRules,
  type BatchOutcome,
  type RulesBatch,
} from '../../model/decide-rules-batch.ts';
import { Type } from '../../model/schema-type.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import { checkedReader } from '../checked-reader.ts';
import type { Endpoint } from '../endpoint.ts';
import { operations } from './operation.ts';

const operation = operations('Rules');

const IDS = ['Redirect_0123456789abcdefghij', 'Delay_0123456789abcdefghij'];
const EXAMPLES = {
  off: { ids: IDS, set: { status: 'Inactive' } },
  moved: { ids: IDS, set: { groupId: '' } },
  deleted: { ids: IDS, delete: true },
};

export function rulesBatchApi(owners: OwnerDirectory, { bodyBytesMax }: Limits): Endpoint[] {
  const check = checkedReader(rulesBatchSchema, 'rulePayloadInvalid');
  return [
    operation<RulesBatch>('changeRules', 'POST /v1/rules/batch', {
      summary: 'Change or delete many rules: all of them, or none',
      data: Type.Object({ count: Type.Integer({ description: 'Ids of the rules that changed or were deleted.' }) }),
      repeatable: true,
      refuses: ['ruleNotFound', 'groupNotFound'],
      body: {
        schema: rulesBatchSchema,
        examples: EXAMPLES,
        bytesMax: bodyBytesMax,
        invalid: 'rulePayloadInvalid',
        read(bytes) {
          const batch = check(bytes);
          return isRefusal(batch) ? batch : (batchProblem(batch) ?? batch);
        },
      },
      handle(call, batch) {
        if (isRefusal(batch)) return call.refuse(batch);
        const reply = (outcome: BatchOutcome | Refusal): void =>
          isRefusal(outcome) ? call.refuse(outcome) : call.succeed(`"data":{"count":${outcome.count}}`);
        owners.command(batch.delete ? deleteRules : setRules, { batch }, call.caller, reply, call.repeatable);
      },
    }),
  ];
}
