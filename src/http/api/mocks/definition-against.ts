/** The copy of a mock that a question is about: the working copy, what is served, or a version. */
import { isRefusal, type Refusal } from '../../../errors.ts';
import type { MockDefinition } from '../../../model/mocks/definition/definition.ts';
import { definitionOf, type Mock } from '../../../model/mocks/mock.ts';
import { readVersion } from '../../../model/mocks/show/query-mock.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Call } from '../../call.ts';

export function definitionAgainst(
  owners: OwnerDirectory,
  call: Call,
  mock: Mock,
  against: 'staged' | 'saved' | number,
): Promise<MockDefinition | Refusal> {
  if (typeof against === 'string') return Promise.resolve(definitionOf(mock[against]));
  return new Promise((resolve) => {
    owners.query(readVersion, { mockId: mock.id, number: against }, call.caller, (found) => {
      if (isRefusal(found)) return resolve(found);
      const { version, routes } = found;
      return resolve({ settings: version.settings, routes: routes.map(({ route }) => route) });
    });
  });
}
