/** What the overlay of a session names of its owner: refused where it is not there, and a warning once it was deleted. */
import { DETAILS_MAX } from '../../limits.ts';
import type { Detail } from '../../errors.ts';
import type { Query } from '../command.ts';
import { pointerTo } from '../mocks/definition/pointer.ts';
import type { GatewayOverlay } from './session.ts';

interface Named {
  readonly overlay: GatewayOverlay;
  /** Pointer of the overlay in the body. */
  readonly at: string;
}

/** The first DETAILS_MAX that are not there. */
export const unknownNames: Query<Named, readonly Detail[]> = {
  answer({ rules: stored, groups, mocks }, { overlay, at }) {
    const { rules, disabledRules, enabledRules, attach } = overlay;
    const details: Detail[] = [];
    const report = (isUnknown: boolean, path: string, message: string): void => {
      if (isUnknown && details.length < DETAILS_MAX) details.push({ path: at + path, message });
    };
    for (const [index, { id, groupId }] of rules.entries()) {
      report(stored.get(id) !== undefined, `/rules/${index}/id`, 'is the id of a stored rule');
      const isUnknown = groupId !== '' && groups.get(groupId) === undefined;
      report(isUnknown, `/rules/${index}/groupId`, 'names no group');
    }
    for (const [name, ids] of Object.entries({ disabledRules, enabledRules })) {
      for (const [index, id] of ids.entries())
        report(stored.get(id) === undefined, `/${name}/${index}`, 'names no rule');
    }
    for (const [host, mockId] of Object.entries(attach)) {
      report(mocks.get(mockId) === undefined, `/attach/${pointerTo(host)}`, 'names no mock');
    }
    return details;
  },
};
