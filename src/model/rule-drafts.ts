/** Drafts of rules that are sent as a list, and are called by an id of their own or by their place. */
import type { JsonObject } from '../base/json-object.ts';
import { isRefusal, refuse, Refusal } from '../errors.ts';
import type { CheckedPatterns } from './pairs/source-pattern.ts';
import type { ParseRulePayload, RuleDraft } from './rule-payload.ts';

/** Their places are `/rules/0` and so on: as pointers of refusals, and as ids of those without one. */
export function placedDrafts(
  given: readonly JsonObject[],
  parse: ParseRulePayload,
  checked: CheckedPatterns,
): (RuleDraft & { readonly id: string })[] | Refusal {
  const places = new Map<string, number>();
  const drafts: (RuleDraft & { readonly id: string })[] = [];
  for (const [index, rule] of given.entries()) {
    const at = `/rules/${index}`;
    const draft = parse(rule, checked, (pair) => `${at}/pairs/${pair}`);
    if (isRefusal(draft)) return refusedAt(at, draft);
    const id = (rule.id as string | undefined) ?? at;
    const place = places.get(id);
    if (place !== undefined) {
      return refuse('rulePayloadInvalid', [{ path: `${at}/id`, message: `is the same as that of /rules/${place}` }]);
    }
    places.set(id, index);
    drafts.push({ ...draft, id });
  }
  return drafts;
}

/** The refusal of a part of a body, as one of the whole. @param kind Takes the place of its own, unless that is of a limit. */
export function refusedAt(at: string, { kind, details, reason }: Refusal, as = kind): Refusal {
  return new Refusal(
    kind === 'limitReached' ? kind : as,
    details?.map(({ path, message }) => ({ path: at + path, message })),
    reason,
  );
}
