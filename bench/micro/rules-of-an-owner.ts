/** Rules as an owner holds them, in memory alone. */
import { apply, emptyOwner, type OwnerState } from '../../src/model/owner-state.ts';
import type { Rule } from '../../src/model/rule.ts';
import { rulePayload, RULE_DEFAULTS } from '../rules.ts';

export const OWNER = 'bench';

/** @param version The owner's version that creates it. @param pairCount How many pairs it has. */
export function ruleAt(version: number, pairCount = 1): Rule {
  const { pairs, ...payload } = rulePayload(version);
  return {
    ...RULE_DEFAULTS,
    ...payload,
    id: `Redirect_${String(version).padStart(12, '0')}`,
    pairs: JSON.stringify(Array.from({ length: pairCount }, (_, index) => ({ ...pairs[0], id: `p${index}` }))),
    creationDate: version,
    modificationDate: version,
    createdBy: OWNER,
    lastModifiedBy: OWNER,
    createdVersion: version,
    modifiedVersion: version,
  };
}

export function ownerWithRules(count: number): OwnerState {
  const state = emptyOwner(OWNER);
  for (let version = 1; version <= count; version++) {
    apply(state, [{ kind: 'putRule', rule: ruleAt(version), isNew: true }], version, version);
  }
  return state;
}
