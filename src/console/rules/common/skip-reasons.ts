/** Why a rule has not acted on a request, in words. */
import type { Evaluation } from '../../../client/shapes.ts';

export type Skipped = Evaluation['skipped'][number];

/** The reasons that docs/api.md lists, as they continue "This rule …". */
const REASONS: Readonly<Record<string, string>> = {
  ruleInactive: 'is off',
  groupInactive: 'is in a group that is off',
  source: 'is for other URLs',
  'filter:requestMethod': 'is for other methods',
  'filter:resourceType': 'is for other kinds of resources',
  'filter:pageDomains': 'is for pages of other domains',
  'filter:pageUrl': 'is for other pages',
  'filter:requestPayload': 'is for other request bodies',
  pattern: 'has a pattern that this server cannot run: write it without look-around and back-references',
  noChange: 'applies, and changes nothing',
  noBody: 'applies, and there is no body to change',
  destinationInvalid: 'applies, and leads to no valid URL',
  filesOff: 'leads to a file, which this server does not serve',
  codeOff: 'runs a program, which this server does not',
  bodyEncoded: 'looks at a body that is compressed',
  endedBefore: 'comes too late: another rule ended the request before',
};

export const reasonText = ({ reason }: Skipped): string => REASONS[reason] ?? `did not act: ${reason}`;
