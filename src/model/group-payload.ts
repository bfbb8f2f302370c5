/** Parses the body of a group's POST or PUT to a draft of the record, or to a refusal with details. */
import { refuse, type Refusal } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { groupPayloadSchema } from './group.ts';
import { normaliser } from './normalise.ts';
import { compileCheck, refuseText } from './validate.ts';
import type { Value } from './schema-value.ts';

/** The members of a group that clients set. Absent ones keep their stored value, or take their default. */
export interface GroupDraft extends Value<ReturnType<typeof groupPayloadSchema>> {}

export type ParseGroupPayload = (body: { readonly [key: string]: unknown }) => GroupDraft | Refusal;

export function groupParser(limits: Limits): ParseGroupPayload {
  const schema = groupPayloadSchema(limits);
  const check = compileCheck(schema);
  const normalise = normaliser(schema);
  return (body) => {
    const { name } = body;
    if (name === undefined || name === null || (typeof name === 'string' && name.trim() === '')) {
      return refuse('groupNameRequired', [{ path: '/name', message: 'is required and must not be blank' }]);
    }
    const problems = check(body, '');
    if (problems?.limit) return refuseText('name', problems.limit);
    if (problems) return refuse('groupPayloadInvalid', problems.details);
    return normalise(body);
  };
}
